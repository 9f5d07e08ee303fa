"""One text prepared for searching: what stands in which of its lines."""

import re
from collections import Counter
from collections.abc import Callable, Mapping
from functools import cached_property, lru_cache
from itertools import groupby
from typing import Literal, NamedTuple

from workbench.guidance.chain import bare
from workbench.guidance.records import Place, Wanted
from workbench.text.near import near_miss, plainest
from workbench.text.splitting import Passage, split
from workbench.text.words import content_words, stem

_BINARY = "\u2400"
"""How a null byte reads once it is cleaned: no text has one."""
QUOTE = 160


Kind = Literal["literal", "pattern", "near"]
Key = tuple[str, Kind]
"""What is sought, and how: letter by letter, as a pattern, or as a literal that is set otherwise."""


def key_of(one: Wanted) -> Key:
    """How the check behind a wanted thing seeks it."""
    return one.text, "pattern" if one.pattern else "literal"


class Hit(NamedTuple):
    """A line in which something stands."""

    line: int
    """1-based."""
    start: int = 0
    end: int = 0
    """Characters of the line; both 0 where that cannot be told."""
    near: str = ""
    """How it differs from what was sought; empty where it does not."""


class Page:
    """A text with all that is derived from it alone; each part is made when it is first asked for."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.lowered = text.lower()
        self.found: dict[Key, tuple[Hit, ...]] = {}
        """What stands here of what was sought, with its lines."""
        self.places: dict[tuple[str, int, str, Hit], Place] = {}
        """How such a line was told: by path, distance, what brings it in, and what of it was found."""

    @cached_property
    def lines(self) -> list[str]:
        """The lines of the text."""
        return self.text.split("\n")

    @cached_property
    def bare(self) -> list[str]:
        """The lines as engines load them that cut off headers and comment blocks: these are empty then."""
        return bare(self.text).split("\n")

    @cached_property
    def is_text(self) -> bool:
        """Whether it is meant for reading."""
        return _BINARY not in self.text

    @cached_property
    def plainest(self) -> str:
        """The text with differences in how it is set levelled."""
        return plainest(self.text)

    @cached_property
    def paragraphs(self) -> list[tuple[int, str]]:
        """What stands between blank lines, each with its first line's number: what a pattern may match within."""
        blocks = groupby(enumerate(self.lines, 1), lambda line: bool(line[1].strip()))
        numbered = (list(lines) for written, lines in blocks if written)
        return [(lines[0][0], "\n".join(text for _, text in lines)) for lines in numbered]

    @cached_property
    def passages(self) -> tuple[Passage, ...]:
        """What can answer a question, in order; headings and the header of the file are none."""
        return tuple(passage for passage in split("", self.text) if passage.kind != "header")

    @cached_property
    def stems(self) -> list[Counter[str]]:
        """How often each word, by its beginning, stands in each passage and in the headings above it."""
        return [Counter(map(_stem, _words(f"{one.heading}\n{one.text}"))) for one in self.passages]

    @cached_property
    def lengths(self) -> list[int]:
        """How many words each passage has."""
        return [sum(counts.values()) for counts in self.stems]

    def literal(self, wanted: str) -> tuple[Hit, ...]:
        """The lines that hold a text as a check compares it: letter case aside, and nothing else."""
        sought = wanted.lower()
        if sought not in self.lowered:
            return ()
        hits: list[Hit] = []
        at, line, counted = self.lowered.find(sought), 1, 0
        while at >= 0:
            line += self.lowered.count("\n", counted, at)
            first = self.lowered.rfind("\n", 0, at) + 1
            hits.append(self._hit(line, at - first, at - first + len(sought)))
            counted = at
            end = self.lowered.find("\n", at + len(sought.rstrip("\n")))
            at = self.lowered.find(sought, end) if end >= 0 else -1
        return tuple(hits)

    def set_otherwise(self, wanted: str) -> Hit | None:
        """Where a text first stands that is only set otherwise, as over a line break; None where it does not."""
        sought = level(wanted)
        if not sought or sought not in self.plainest or wanted.lower() in self.lowered:
            return None
        how = near_miss(wanted, self.text)
        if not how:
            return None
        lines = self.lines
        # The fewest lines from the top that hold it, then the fewest up from there: a match may span any number.
        end = _least(len(lines), lambda count: sought in plainest("\n".join(lines[:count])))
        span = _least(end, lambda count: sought in plainest("\n".join(lines[end - count : end])))
        return Hit(end - span + 1, near=how)

    def _hit(self, line: int, start: int, end: int) -> Hit:
        text = self.lines[line - 1]
        if len(text.lower()) != len(text):
            return Hit(line)  # a character that has two in lower case: nobody can say which were meant
        return Hit(line, start, min(end, len(text)))


@lru_cache(maxsize=8192)
def level(wanted: str) -> str:
    """What is sought with differences in how it is set levelled, as in `Page.plainest`."""
    return plainest(wanted).strip()


def _least(most: int, holds: Callable[[int], bool]) -> int:
    """The least number from 1 to `most` that holds; `most` must, and so must whatever follows one that does."""
    low, high = 0, most
    while low + 1 < high:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def quoted(line: str, start: int, end: int) -> tuple[str, int, int]:
    """A line cut to `QUOTE` characters around some of them, and where these stand in what is left."""
    lead = len(line) - len(line.lstrip())
    first = lead if end - lead <= QUOTE else max(lead, min(start - QUOTE // 3, len(line) - QUOTE))
    shown = line[first : first + QUOTE].rstrip()
    ends = (max(0, start - first), min(end - first, len(shown)))
    return (shown, *ends) if ends[0] < ends[1] else (shown, 0, 0)


@lru_cache(maxsize=65_536)
def _stem(word: str) -> str:
    return stem(word)


def _words(text: str) -> list[str]:
    return [word.lower() for word in re.findall(r"[^\W_]+", text)]


@lru_cache(maxsize=8192)
def stems_of(text: str) -> Mapping[str, float]:
    """The beginnings of the words that carry a text's meaning, each with its weight."""
    found: dict[str, float] = {}
    for word in content_words(text):
        for part in _words(word.text):
            found.setdefault(_stem(part), word.weight)
    return found
