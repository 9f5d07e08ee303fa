"""Finding a file's text in what was sent, though the engine trims it, cuts it or leaves lines of it out."""

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from workbench.guidance.chain import bare
from workbench.text.sanitize import clean

_WEAK = 8
"""Characters up to which a whole text could stand somewhere by chance: its path must stand before it."""
_PARTIAL = 40
"""Characters up to which the beginning of a text could."""
_NEAR = 3
"""Lines, blank ones aside, in which that path is sought."""


@dataclass(frozen=True, slots=True)
class Needle:
    """A text that is sought, and the ways its path may be written."""

    text: str
    lines: tuple[str, ...]
    named: re.Pattern[str]

    @classmethod
    def of(cls, text: str, paths: Sequence[str]) -> "Needle":
        """The needle of a file; `paths` are its absolute and its box-relative one."""
        either = "|".join(map(re.escape, paths))
        return cls(clean(text).strip(), tuple(lines_of(text)), re.compile(rf"(?<![\w./-])(?:{either})(?![\w/-]|\.\w)"))


@dataclass(frozen=True, slots=True)
class Match:
    """How much of a text was found."""

    size: int
    """Characters."""
    whole: bool
    line: int
    """Where it begins, in the lines of the page that are not blank."""
    count: int
    """Lines."""
    named: bool
    """Whether its path stands right before it."""


class Page:
    """One text of a request, ready to be searched by lines."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines = lines_of(text)
        self._taken: set[int] = set()
        self._at: defaultdict[str, list[int]] = defaultdict(list)
        for number, line in enumerate(self.lines):
            self._at[line].append(number)

    @cached_property
    def flat(self) -> str:
        """The text as one line."""
        return " ".join(self.text.split())

    def find(self, needle: Needle) -> list[Match]:
        """Where a needle's lines stand from its first on, the best place first, as far as that can be meant.

        Places that were taken for another text are left out.
        """
        if not needle.lines:
            return []
        starts = [start for start in self._starts(needle.lines[0]) if start not in self._taken]
        matches = [match for start in starts if _meant(match := self._match(needle, start))]
        return sorted(matches, key=lambda match: (not match.named, -match.size))

    def take(self, match: Match) -> None:
        """The place is a text's own: what is part of it there is found elsewhere or not at all."""
        self._taken.update(range(match.line, match.line + match.count))

    def in_order(self, lines: Sequence[str]) -> int:
        """Characters of those lines that stand here in their order; others may stand between them."""
        at, size = 0, 0
        for line in lines:
            found = next((number for number in self._at.get(line, ()) if number >= at), None)
            if found is not None:
                at, size = found + 1, size + len(line) + 1
        return size

    def _starts(self, first: str) -> list[int]:
        exact = self._at.get(first)
        return exact or [at for at, line in enumerate(self.lines) if len(line) > _PARTIAL and first.startswith(line)]

    def _match(self, needle: Needle, start: int) -> Match:
        here = self.lines[start : start + len(needle.lines)]
        count = 0
        while count < len(here) and here[count] == needle.lines[count]:
            count += 1
        whole = count == len(needle.lines)
        size = sum(len(line) + 1 for line in needle.lines[:count])
        if not whole and count < len(here) and needle.lines[count].startswith(here[count]):
            size += len(here[count])
        if whole and needle.text in self.text:
            size = len(needle.text)
        above = "\n".join(self.lines[max(0, start - _NEAR) : start])
        return Match(size, whole, start, max(1, count), bool(needle.named.search(above)))


def _meant(match: Match) -> bool:
    """Whether a place is too long, or too well named, to be a chance."""
    least = _WEAK if match.whole else _PARTIAL
    return match.size > least or (match.whole and match.named)


def lines_of(text: str) -> list[str]:
    """A text's lines as they are compared: without blank ones, header, comment blocks and blanks at their ends."""
    return [line for raw in bare(clean(text)).split("\n") if (line := raw.strip())]
