"""What an edit of a document changed, passage by passage."""

import difflib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from workbench.text.splitting import split


@dataclass(frozen=True, slots=True)
class Stretch:
    """A passage of a document, or lines between two passages such as a heading."""

    line: int
    """1-based first line."""
    end_line: int
    """1-based last line, included."""
    text: str

    @property
    def words(self) -> str:
        """Its text with every run of whitespace as one blank: two stretches of the same words are the same."""
        return " ".join(self.text.split())


@dataclass(frozen=True, slots=True)
class Changed:
    """The stretches that stand in one state of a document and not in the other, each side in order."""

    before: tuple[Stretch, ...] = ()
    after: tuple[Stretch, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.before or self.after)


def changed(path: str, before: str | None, after: str | None) -> Changed:
    """Compare two states of a document; None is one that is not there. Never raises.

    What only moved counts as changed, as it stands under other headings now. An edit of nothing but whitespace (a
    paragraph wrapped anew, a blank line more) changes nothing.
    """
    old, new = _stretches(path, before), _stretches(path, after)
    old_words, new_words = [one.words for one in old], [one.words for one in new]
    # Most edits leave nearly all as it was, and comparing is the dearer the more there is.
    start = _alike(old_words, new_words)
    end = _alike(old_words[start:][::-1], new_words[start:][::-1])
    old, new = old[start : len(old) - end], new[start : len(new) - end]
    match = difflib.SequenceMatcher(None, old_words[start:][: len(old)], new_words[start:][: len(new)])
    gone: list[Stretch] = []
    come: list[Stretch] = []
    for kind, first, last, new_first, new_last in match.get_opcodes():
        if kind != "equal":
            gone += old[first:last]
            come += new[new_first:new_last]
    return Changed(tuple(gone), tuple(come))


def _alike(one: Sequence[str], other: Sequence[str]) -> int:
    """How many items two sequences begin with in common."""
    return next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def _stretches(path: str, text: str | None) -> list[Stretch]:
    return list(_covering(path, text)) if text else []


def _covering(path: str, text: str) -> Iterator[Stretch]:
    """Every line of a text that is not blank, once, as part of a passage or by itself."""
    lines = text.split("\n")
    at = 1
    for passage in split(path, text):
        yield from _between(lines, at, passage.line)
        yield Stretch(passage.line, passage.end_line, passage.text)
        at = max(at, passage.end_line + 1)
    yield from _between(lines, at, len(lines) + 1)


def _between(lines: Sequence[str], start: int, end: int) -> Iterator[Stretch]:
    for number in range(start, end):
        if lines[number - 1].strip():
            yield Stretch(number, number, lines[number - 1])
