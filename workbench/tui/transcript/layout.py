"""Where every row of a story lies at a width: an index from rows to blocks that grows with the story."""

from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate

from workbench.tui.transcript.blocks import Block, Row
from workbench.tui.transcript.story import Story

KINDS: dict[str, frozenset[str]] = {
    "reads": frozenset({"read", "skill"}),
    "searches": frozenset({"search", "web"}),
    "commands": frozenset({"command"}),
    "edits": frozenset({"edit"}),
    "errors": frozenset(),
}
"""What can be shown alone, and the kinds of act that are it; an error may be of any kind."""


class Layout:
    """The rows of a story, counted from 0. Appending costs what is appended; another width lays all of it out again.

    `only` is one of `KINDS`: the question and what is of that kind have rows then, all else has none.
    """

    def __init__(self, story: Story, width: int = 0, only: str = "") -> None:
        self.story = story
        self.width = width
        self.only = only
        self._ends: list[int] = []
        """Row after the last one of each block."""
        self.relay(0)

    @property
    def height(self) -> int:
        """Rows in all."""
        return self._ends[-1] if self._ends else 0

    def shows(self, index: int) -> bool:
        """Whether a block has rows."""
        if not self.only or not index:
            return True
        block = self.story.blocks[index]
        return block.failed if self.only == "errors" else not block.kinds.isdisjoint(KINDS[self.only])

    @property
    def count(self) -> int:
        """How many blocks of the kind there are."""
        return sum(self.shows(index) for index in range(1, len(self.story.blocks)))

    def relay(self, first: int) -> None:
        """Count the rows again from block `first` on."""
        del self._ends[first:]
        blocks = enumerate(self.story.blocks[len(self._ends) :], len(self._ends))
        heights = (block.height(self.width) if self.shows(index) else 0 for index, block in blocks)
        self._ends.extend(list(accumulate(heights, initial=self.height))[1:])

    def start(self, index: int) -> int:
        """The first row of a block."""
        return self._ends[index - 1] if index else 0

    def block_at(self, y: int) -> int:
        """The block a row belongs to; one past the last block below the end."""
        return bisect_right(self._ends, y)

    def row(self, y: int) -> Row:
        """A row, ready to be painted; an empty one below the end."""
        index = self.block_at(y)
        if index >= len(self._ends):
            return Row()
        return self.story.blocks[index].row(y - self.start(index), self.width)

    def row_of(self, index: int, offset: int) -> int:
        """The row that shows a character of a block's body; of the block itself when `offset` is negative."""
        block = self.story.blocks[index]
        return self.start(index) + (block.row_of(offset, self.width) if offset >= 0 else int(block.gap))

    def foldable(self, start: int, step: int) -> int:
        """The next block from `start` in a direction that folds; -1 when there is none."""
        blocks: list[Block] = self.story.blocks
        while 0 <= start < len(blocks) and not (blocks[start].foldable and self.shows(start)):
            start += step
        return start if 0 <= start < len(blocks) else -1

    def copy(self, first: int, start: int, last: int, end: int) -> str:
        """The words from column `start` of row `first` to column `end` of row `last` (negative: to its end).

        Gutters and measures are left out, and lines that were wrapped are whole again.
        """
        last = min(last, self.height - 1)
        return "".join(self._pieces(first, start, last, end))

    def _pieces(self, first: int, start: int, last: int, end: int) -> Iterator[str]:
        for y in range(first, last + 1):
            row = self.row(y)
            begin = max(0, start - row.indent) if y == first else 0
            stop = max(0, end - row.indent) if y == last and end >= 0 else len(row.text)
            yield row.text[begin:stop]
            if y < last:
                yield row.joint
