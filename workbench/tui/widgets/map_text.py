"""A file's text with line numbers: whose answer stands on which line, and what nobody asks about, in the margin."""

from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import accumulate
from typing import ClassVar

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import BindingType
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

from workbench.guidance.records import BoxMap
from workbench.tui.commands import Command, bindings
from workbench.tui.transcript.words import Words, clip, shown
from workbench.tui.widgets.strips import overlay

_STYLES = ("text", "number", "here", "answer", "passage", "names", "found", "dim", "current")
_LEAD = 9
_ROOM = 12
"""Cells a line must leave free for an audit to be named at its end."""


@dataclass(frozen=True, slots=True)
class Mark:
    """What the map knows of one line."""

    audits: tuple[str, ...] = ()
    found: tuple[str, ...] = ()
    """The words that were found there."""
    unasked: bool = False


def marks_of(around: BoxMap, path: str) -> dict[int, Mark]:
    """What the map knows of a file's lines, by line number."""
    audits: dict[int, dict[str, None]] = {}
    found: dict[int, dict[str, None]] = {}
    for placement in around.placements:
        for place in (place for wanted in placement.wanted for place in wanted.places if place.path == path):
            audits.setdefault(place.line, {})[shown(placement.audit_id)] = None
            if words := place.quote[place.start : place.end]:
                found.setdefault(place.line, {})[words] = None
    quiet = {n for one in around.unasked if one.path == path for n in range(one.line, max(one.line, one.end_line) + 1)}
    return {
        line: Mark(tuple(audits.get(line, ())), tuple(found.get(line, ())), line in quiet) for line in {*audits, *quiet}
    }


class MapText(ScrollView, can_focus=True):
    """Lines wrapped and painted row by row; one of them is where one is. Posts `Moved` when that changes."""

    KEYS_TITLE = "The file"
    KEYS: ClassVar[tuple[Command, ...]] = (
        Command("up,k", "line(-1)", "line up", "The line before"),
        Command("down,j", "line(1)", "line down", "The next line"),
        Command("pageup", "page(-1)", "back a page", "A page back"),
        Command("pagedown,space", "page(1)", "on a page", "A page on"),
        Command("home", "line(-1000000)", "first line", "To the first line"),
        Command("end", "line(1000000)", "last line", "To the last line"),
    )
    BINDINGS: ClassVar[list[BindingType]] = bindings(KEYS)
    COMPONENT_CLASSES: ClassVar[set[str]] = {f"map-text--{name}" for name in _STYLES}
    ALLOW_SELECT = False

    @dataclass
    class Moved(Message):
        """One is at another line."""

        line: int

    line = reactive(1, repaint=True)
    """Where one is, 1-based."""

    def __init__(self) -> None:
        super().__init__(id="map-text")
        self._lines: list[Words] = []
        self._marks: Mapping[int, Mark] = {}
        self._ends: list[int] = []
        """Row after the last one of each line."""
        self._loads = 0
        self._width = 0

    def show(self, lines: Iterable[str], marks: Mapping[int, Mark], line: int, loads: int) -> None:
        """Show a file at a line; lines after `loads` do not load (0: all do)."""
        self._lines = [Words(text) for text in lines]
        self._marks, self._loads = marks, loads
        self._lay()
        self.line = line
        self.call_after_refresh(self._reach, centre=True)

    def mark(self, line: int) -> Mark:
        """What is known of a line."""
        return self._marks.get(line, Mark())

    def next_mark(self, by: int) -> bool:
        """Go to the next line an answer stands on, or the first of an unasked passage; False where none is left."""
        starts = sorted(
            line for line, mark in self._marks.items() if not mark.unasked or not self.mark(line - 1).unasked
        )
        ahead = [line for line in starts if (line > self.line if by > 0 else line < self.line)]
        if ahead:
            self.line = ahead[0] if by > 0 else ahead[-1]
        return bool(ahead)

    def on_resize(self) -> None:
        """Wrap again at another width."""
        if self._width != self.scrollable_content_region.width:
            self._lay()
            self.call_after_refresh(self._reach, centre=True)

    def _lay(self) -> None:
        self._width = self.scrollable_content_region.width
        heights = (max(1, words.layout(self._body)) for words in self._lines)
        self._ends = list(accumulate(heights))
        self.virtual_size = Size(self._width, self._ends[-1] if self._ends else 0)
        self.refresh()

    @property
    def _body(self) -> int:
        return max(8, self._width - _LEAD)

    def validate_line(self, line: int) -> int:
        """No line before the first or after the last."""
        return min(max(1, line), max(1, len(self._lines)))

    def watch_line(self) -> None:
        """Keep it in sight."""
        if self._lines:
            self._reach()
            self.post_message(self.Moved(self.line))

    def _reach(self, *, centre: bool = False) -> None:
        if self.line <= len(self._ends):
            top = self._ends[self.line - 2] if self.line > 1 else 0
            region = Region(0, top, 1, self._ends[self.line - 1] - top)
            self.scroll_to_region(region, animate=False, center=centre, force=True)

    def render_line(self, y: int) -> Strip:
        """Paint one visible row."""
        y += self.scroll_offset.y
        index = bisect_right(self._ends, y)
        if index >= len(self._ends):
            return Strip.blank(self._width, self.rich_style)
        row = y - (self._ends[index - 1] if index else 0)
        number, mark = index + 1, self.mark(index + 1)
        strip = Strip.join([self._lead(number, row, mark), self._words(index, row, mark)])
        if row == 0 and mark.audits:
            strip = Strip.join([strip, Strip([self._names(mark, self._width - strip.cell_length)])])
        if number == self.line:
            strip = strip.adjust_cell_length(self._width).apply_style(self._style("current"))
        return strip.apply_style(self.rich_style).adjust_cell_length(self._width, self.rich_style)

    def _lead(self, number: int, row: int, mark: Mark) -> Strip:
        here = self._style("here" if number == self.line else "number")
        sign = ("● ", "answer") if mark.audits and row == 0 else ("▎ ", "passage") if mark.unasked else ("  ", "text")
        told = f"{number:>5}" if row == 0 else " " * 5
        return Strip([Segment(f"{told}  ", here), Segment(sign[0], self._style(sign[1]))])

    def _words(self, index: int, row: int, mark: Mark) -> Strip:
        words = self._lines[index]
        start, end = words.span(row)
        cut = bool(self._loads) and index + 1 > self._loads
        strip = Strip([Segment(words.text[start:end], self._style("dim" if cut else "text"))])
        for found in mark.found:
            at = words.text.find(found)
            if at >= 0:
                left, right = max(0, at - start), min(end, at + len(found)) - start
                strip = overlay(strip, left, right, self._style("found"))
        return strip

    def _names(self, mark: Mark, room: int) -> Segment:
        """The first audit that a line answers and how many others, right-aligned in what the line leaves free."""
        more = f" +{len(mark.audits) - 1}" if len(mark.audits) > 1 else ""
        name = clip(mark.audits[0], room - 3 - len(more)) + more if room >= _ROOM else ""
        return Segment(" " * max(0, room - cell_len(name) - 1) + name, self._style("names"))

    def _style(self, name: str) -> Style:
        return self.get_component_rich_style(f"map-text--{name}", partial=True)

    def on_click(self, event: events.Click) -> None:
        """Go to the line that was clicked."""
        at = event.get_content_offset(self)
        if at is not None and (index := bisect_right(self._ends, at.y + self.scroll_offset.y)) < len(self._ends):
            self.line = index + 1

    def action_line(self, by: int) -> None:
        """So many lines on."""
        self.line += by

    def action_page(self, by: int) -> None:
        """A page on or back."""
        self.line += by * max(1, self.scrollable_content_region.height - 2)
