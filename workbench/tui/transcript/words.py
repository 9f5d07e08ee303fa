"""Text laid out in rows of a given width, kept as offsets so that fifty thousand rows stay cheap."""

from array import array
from bisect import bisect_right
from functools import lru_cache

from rich.cells import cell_len, get_character_cell_size

from workbench.text.sanitize import clean

_TAB = 4
_NONE = array("L")
_cells = lru_cache(4096)(get_character_cell_size)


def shown(text: str) -> str:
    """Untrusted text as it may be drawn; a prefix stays a prefix, so spans can be carried over by length."""
    text = clean(text)
    return text.expandtabs(_TAB) if "\t" in text else text


def clip(text: str, width: int) -> str:
    """One line cut to `width` cells, with … where something was cut."""
    if len(text) <= width and cell_len(text) <= width:
        return text
    end, room = 0, width - 1
    while end < len(text) and _cells(text[end]) <= room:
        room -= _cells(text[end])
        end += 1
    return text[:end] + "…" if width > 0 else ""


def _fit(text: str, start: int, width: int) -> int:
    """Where `width` cells from `start` end, at least one character on; combining marks stay with their letter."""
    head = text[start : start + width]
    if head.isascii():
        return start + len(head)
    used = 0
    for index in range(start, min(len(text), start + 4 * width)):
        used += _cells(text[index])
        if used > width:
            return max(index, start + 1)
    return min(len(text), start + 4 * width)


class Words:
    """Sanitized text wrapped at word boundaries; rows are spans of `text`."""

    __slots__ = ("_ends", "_starts", "_width", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._width = 0
        self._starts: array[int] = _NONE
        self._ends: array[int] = _NONE

    def layout(self, width: int) -> int:
        """Lay the text out at a width and return the number of rows; the same width again costs nothing."""
        if width != self._width:
            self._width, self._starts, self._ends = width, array("L"), array("L")
            self._wrap(max(1, width))
        return len(self._starts)

    def span(self, row: int) -> tuple[int, int]:
        """Where a row starts and ends in `text`."""
        return self._starts[row], self._ends[row]

    def row_at(self, offset: int) -> int:
        """The row a character offset lies in."""
        return max(0, bisect_right(self._starts, offset) - 1)

    def joint(self, row: int) -> str:
        """What stands between this row and the next: a line break, the space a wrap ate, or nothing."""
        end = self._ends[row]
        if end >= len(self.text) or self.text[end] == "\n":
            return "\n"
        return self.text[end : self._starts[row + 1]]

    def _wrap(self, width: int) -> None:
        text, position = self.text, 0
        while True:
            newline = text.find("\n", position)
            self._wrap_line(position, len(text) if newline < 0 else newline, width)
            if newline < 0:
                return
            position = newline + 1

    def _wrap_line(self, start: int, stop: int, width: int) -> None:
        text = self.text
        while True:
            reach = _fit(text, start, width)
            if reach >= stop:
                self._starts.append(start)
                self._ends.append(stop)
                return
            space = text.rfind(" ", start, reach + 1)
            # A break inside the indentation would leave an empty row and gain nothing.
            whole = space <= start or text[start:space].isspace()
            self._starts.append(start)
            self._ends.append(reach if whole else space)
            start = reach if whole else space + 1
