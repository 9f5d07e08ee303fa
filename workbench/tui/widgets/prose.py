"""Lines of a report, wrapped and painted row by row; only what is visible is painted."""

from bisect import bisect_right
from collections.abc import Iterable
from itertools import accumulate
from typing import ClassVar

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.binding import BindingType
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.strip import Strip

from workbench.tui.archive.markdown import Line
from workbench.tui.commands import Command, bindings
from workbench.tui.transcript.words import Words

_STYLES = ("text", "heading", "label", "dim", "rule", "bar", "code", "attention", "success", "error", "warning")


class Prose(ScrollView, can_focus=True):
    """Shows lines; wrapped ones keep their margin."""

    KEYS_TITLE = "The report"
    KEYS: ClassVar[tuple[Command, ...]] = (
        Command("up,k", "scroll_up", "up", "Scroll back"),
        Command("down", "scroll_down", "down", "Scroll on"),
        Command("pageup", "page_up", "page up", "Scroll back a page"),
        Command("pagedown,space", "page_down", "page down", "Scroll on a page"),
        Command("home", "scroll_home", "start", "Go to the start"),
        Command("end", "scroll_end", "end", "Go to the end"),
    )
    BINDINGS: ClassVar[list[BindingType]] = bindings(KEYS)
    COMPONENT_CLASSES: ClassVar[set[str]] = {f"prose--{name}" for name in _STYLES}
    ALLOW_SELECT = False

    def __init__(self, name: str) -> None:
        super().__init__(id=name)
        self._lines: list[tuple[Line, Words]] = []
        self._ends: list[int] = []
        """Row after the last one of each line."""
        self._width = 0

    def show(self, lines: Iterable[Line]) -> None:
        """Show these lines from their start."""
        self._lines = [(line, Words(line.text)) for line in lines]
        self._lay()
        self.scroll_to(y=0, animate=False, force=True)

    def on_resize(self) -> None:
        """Wrap again at another width."""
        if self._width != self.scrollable_content_region.width:
            self._lay()

    def _lay(self) -> None:
        self._width = self.scrollable_content_region.width
        heights = (words.layout(max(8, self._width - cell_len(line.lead[0]))) for line, words in self._lines)
        self._ends = list(accumulate(max(1, height) for height in heights))
        self.virtual_size = Size(self._width, self._ends[-1] if self._ends else 0)
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """Paint one visible row."""
        y += self.scroll_offset.y
        index = bisect_right(self._ends, y)
        if index >= len(self._ends):
            return Strip.blank(self._width, self.rich_style)
        line, words = self._lines[index]
        row = y - (self._ends[index - 1] if index else 0)
        lead, style = line.lead
        if row and style != "bar" and style != "rule":
            lead = " " * cell_len(lead)
        start, end = words.span(row)
        pieces = [Segment(lead, self._style(style)), *self._pieces(line, start, end)]
        return Strip(Segment.apply_style(pieces, self.rich_style)).adjust_cell_length(self._width, self.rich_style)

    def _pieces(self, line: Line, start: int, end: int) -> Iterable[Segment]:
        """The pieces of a line's words from character `start` to `end`."""
        at = 0
        for text, style in line.body:
            piece = text[max(0, start - at) : max(0, end - at)]
            if piece:
                yield Segment(piece, self._style(style))
            at += len(text)

    def _style(self, name: str) -> Style:
        return self.get_component_rich_style(f"prose--{name}", partial=True)
