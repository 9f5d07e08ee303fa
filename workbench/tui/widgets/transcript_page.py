"""A story painted: a line widget that paints only what is visible, with evidence, finds and the selection over it."""

from typing import ClassVar

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip

from workbench.tui.transcript.blocks import Row
from workbench.tui.transcript.layout import Layout
from workbench.tui.transcript.story import Story
from workbench.tui.widgets.strips import overlay
from workbench.tui.widgets.transcript_search import Search

_STYLES = (
    "text", "prompt", "bar", "dim", "more", "thinking", "notice", "failed", "failed-name", "tool", "tool-name",
    "pending", "pending-name", "loaded", "loaded-name", "change", "change-name", "evidence", "found", "current",
    "caret",
)  # fmt: skip


class TranscriptPage(ScrollView):
    """The rows of a story. Text can be selected with the mouse and copied without gutters and wraps."""

    ALLOW_SELECT = True
    COMPONENT_CLASSES: ClassVar[set[str]] = {f"transcript--{name}" for name in _STYLES}

    search: Search
    """What is looked for; whoever can bring a place into view makes it."""

    def __init__(self, name: str) -> None:
        super().__init__(id=name)
        self.rows = Layout(Story())
        self.live = False
        """Whether the trial still runs, so that a caret shows where words come in."""
        self._marked = -1
        self._evidence: tuple[int, int, int] | None = None

    @property
    def story(self) -> Story:
        """What is shown."""
        return self.rows.story

    # Painting

    def render_line(self, y: int) -> Strip:
        """Paint one visible line."""
        y += self.scroll_offset.y
        width, base = self.rows.width, self.rich_style
        if y >= self.rows.height:
            return Strip.blank(width, base)
        row, index = self.rows.row(y), self.rows.block_at(y)
        pieces = [Segment(text, self._style(name)) for text, name in (*row.lead, *row.body) if text]
        if self.live and self.story.writing and y == self.rows.height - 1:
            pieces.append(Segment("▌", self._style("caret")))
        used = sum(cell_len(piece.text) for piece in pieces)
        right, right_style = row.right
        pieces += [Segment(" " * (width - used - cell_len(right))), Segment(right, self._style(right_style or "dim"))]
        if index == self._marked and row.start < 0 and row.body:
            base += self._style("current")
        strip = Strip(Segment.apply_style(pieces, base))
        strip = self._lay_marks(strip, row, index, y)
        return strip.crop_extend(0, width, base).apply_offsets(0, y)

    def _lay_marks(self, strip: Strip, row: Row, index: int, y: int) -> Strip:
        """Lay evidence and the selection over a painted row."""
        length = row.indent + len(row.text)
        for begin, stop in self.search.spans(row, index):
            strip = overlay(strip, begin, stop, self._style("found"))
        if self._evidence is not None and self._evidence[0] == index:
            _, begin, stop = self._evidence
            if begin < stop and row.start >= 0:
                shift = row.indent - row.start
                marked = max(row.indent, begin + shift), min(length, stop + shift)
                strip = overlay(strip, *marked, self._style("evidence"))
            elif begin == stop and y == self.rows.row_of(index, -1):
                strip = overlay(strip, row.indent, length, self._style("evidence"))
        span = self.text_selection.get_span(y) if self.text_selection is not None else None
        if span is not None:
            end = length if span[1] < 0 else min(length, span[1])
            style = self.screen.get_component_rich_style("screen--selection")
            strip = overlay(strip, max(row.indent, span[0]), end, style)
        return strip

    def _style(self, name: str) -> Style:
        return self.get_component_rich_style(f"transcript--{name}", partial=True)

    # Selection

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """The selected words, as `Layout.copy` gives them."""
        first, start = (selection.start.y, selection.start.x) if selection.start is not None else (0, 0)
        last, end = (selection.end.y, selection.end.x) if selection.end is not None else (self.rows.height - 1, -1)
        return self.rows.copy(first, start, last, end), "\n"

    def selection_updated(self, selection: Selection | None) -> None:
        """Repaint with the selection as it is."""
        self.refresh()

    def action_copy(self) -> None:
        """Copy the selection; without one, the marked block; without that, the last words said."""
        text = self.screen.get_selected_text()
        if not text:
            blocks = self.story.blocks
            spoken = (block for block in reversed(blocks) if block.head is None and block.style == "text")
            block = blocks[self._marked] if self._marked >= 0 else next(spoken, None)
            text = "\n".join(block.texts()) if block is not None else ""
        if text:
            self.app.copy_to_clipboard(text)
            self.notify("Copied", timeout=2)
