"""Status comments in every shape people have written: found, never judged, never changed."""

import re
from collections.abc import Iterable, Sequence

from workbench.corpus.records import Status
from workbench.text.sanitize import clean

START = re.compile(r"Status\s*\(\s*(\d{4}-\d{2}-\d{2})")
"""What begins a status, wherever in a line it stands, even wrapped between its words."""

_QUALIFIED = re.compile(r"\s*,\s*((?:(?!\.\s).){1,160}?):(?=\s|\Z)", re.DOTALL)
"""A qualifier behind the parenthesis: `), first run after the move, 1/1:`."""


def find(lines: Sequence[tuple[int, str]]) -> tuple[Status, ...]:
    """Every status in one paragraph of comment lines, each given as its 1-based number and its text without `#`.

    A status runs to the next one or to the end of the paragraph; several may stand on one line.
    """
    text = "\n".join(line.rstrip() for _, line in lines)
    starts = list(START.finditer(text))
    ends = [*(found.start() for found in starts), len(text)][1:]
    return tuple(
        _status(found, text[found.end() : end], text[found.start() : end], lines[text.count("\n", 0, found.start())][0])
        for found, end in zip(starts, ends, strict=True)
    )


def paragraphs(lines: Iterable[tuple[int, str]]) -> list[list[tuple[int, str]]]:
    """Split numbered lines where a number is left out or a line is blank."""
    parts: list[list[tuple[int, str]]] = [[]]
    for number, text in lines:
        if parts[-1] and (not text.strip() or number > parts[-1][-1][0] + 1):
            parts.append([])
        if text.strip():
            parts[-1].append((number, text))
    return [part for part in parts if part]


def _status(found: re.Match[str], rest: str, raw: str, line: int) -> Status:
    close = _closing(rest)
    inner, after = (rest[:close], rest[close + 1 :]) if close >= 0 else ("", rest)
    qualifiers = [_joined(inner)]
    if close >= 0 and (behind := _QUALIFIED.match(after)):
        qualifiers.append(_joined(behind[1]))
        after = after[behind.end() :]
    return Status(
        date=found[1],
        qualifier=", ".join(part for part in qualifiers if part),
        text=_joined(after),
        line=line,
        raw=clean(raw).strip(),
    )


def _closing(text: str) -> int:
    """Where the parenthesis that is open at the start closes; -1 when it never does."""
    depth = 1
    for index, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if depth == 0:
            return index
    return -1


def _joined(text: str) -> str:
    return " ".join(clean(text).split()).lstrip(" ,:;").rstrip(" ,")
