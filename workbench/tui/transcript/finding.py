"""Words looked for in a story: in titles, arguments, results, errors and answers, whatever is folded."""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import islice

from workbench.tui.transcript.blocks import Block

LIMIT = 10_000
"""Places that are kept; nobody steps through more."""

Place = tuple[int, int, int]
"""A block, and from where to where in its body; 0 and 0 stand for its head."""


@dataclass(slots=True)
class Finding:
    """What is looked for, where it stands, and at which place one is."""

    query: str = ""
    places: list[Place] = field(default_factory=list)
    at: int = -1
    """Index of the current place; -1 while there is none."""

    @property
    def pattern(self) -> re.Pattern[str] | None:
        """What is looked for, the case ignored; None while nothing is."""
        return re.compile(re.escape(self.query), re.IGNORECASE) if self.query else None

    @property
    def place(self) -> Place | None:
        """Where one is."""
        return self.places[self.at] if 0 <= self.at < len(self.places) else None

    @property
    def count(self) -> str:
        """`3 of 17`."""
        if not self.places:
            return "nowhere"
        more = "+" if len(self.places) == LIMIT else ""
        return f"{self.at + 1} of {len(self.places):,}{more}"

    def arrive(self, places: list[Place], block: int) -> None:
        """Take what was found; one is at the first place in or behind a block, else at the first of all."""
        self.places = places
        index = bisect_left(places, (block, 0, 0))
        self.at = (index if index < len(places) else 0) if places else -1

    def extend(self, first: int, places: list[Place]) -> None:
        """Everything from block `first` on was looked through again; one stays where one is."""
        keep = bisect_left(self.places, (first, 0, 0))
        self.places = (self.places[:keep] + places)[:LIMIT]
        self.at = min(max(self.at, 0), len(self.places) - 1)

    def step(self, by: int) -> None:
        """To the next or previous place, round and round."""
        if self.places:
            self.at = (self.at + by) % len(self.places)


def find(blocks: list[Block], pattern: re.Pattern[str], shows: Callable[[int], bool], first: int = 0) -> list[Place]:
    """Where a pattern stands in the blocks from `first` on that show, in order; a head counts once."""
    return list(islice(_places(blocks, pattern, shows, first), LIMIT))


def _places(blocks: list[Block], pattern: re.Pattern[str], shows: Callable[[int], bool], first: int) -> Iterator[Place]:
    for index in range(first, len(blocks)):
        block = blocks[index]
        if not shows(index):
            continue
        if block.head is not None and any(pattern.search(text) for text in block.head.texts()):
            yield index, 0, 0
        if block.body is not None:
            yield from ((index, *match.span()) for match in pattern.finditer(block.body.text))
