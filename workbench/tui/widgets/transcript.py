"""The live transcript: a line widget that paints only what is visible and follows the tail until told otherwise."""

from collections.abc import Iterable
from typing import ClassVar

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import BindingType
from textual.content import Content
from textual.geometry import Size
from textual.reactive import var
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip

from workbench.traces.events import TraceEvent
from workbench.tui.commands import Command, bindings
from workbench.tui.transcript.blocks import Row
from workbench.tui.transcript.layout import Layout
from workbench.tui.transcript.story import Story
from workbench.tui.widgets.strips import overlay

_STYLES = (
    "text", "prompt", "bar", "dim", "more", "thinking", "notice", "failed", "failed-name", "tool", "tool-name",
    "pending", "pending-name", "loaded", "loaded-name", "change", "change-name", "evidence", "current", "caret",
)  # fmt: skip


class Transcript(ScrollView, can_focus=True):
    """Shows a `Story`. Text can be selected with the mouse and copied without gutters and wraps."""

    KEYS_TITLE = "The transcript"
    KEYS: ClassVar[tuple[Command, ...]] = (
        Command("enter", "fold", "fold", "Open or fold the marked block, or the first one in view"),
        Command("j", "mark(1)", "next block", "Mark the next block that folds"),
        Command("k", "mark(-1)", "previous block", "Mark the previous block that folds"),
        Command("y", "copy", "copy", "Copy the selected text, or the marked block"),
        Command("up", "scroll_up", "up", "Scroll back; the tail is no longer followed"),
        Command("down", "scroll_down", "down", "Scroll on"),
        Command("pageup", "page_up", "page up", "Scroll back a page"),
        Command("pagedown", "page_down", "page down", "Scroll on a page"),
        Command("home", "scroll_home", "start", "Go to the question"),
        Command("end", "scroll_end", "end", "Go to the end and follow it"),
    )
    ALLOW_SELECT = True
    BORDER_TITLE = "Transcript"
    COMPONENT_CLASSES: ClassVar[set[str]] = {f"transcript--{name}" for name in _STYLES}
    BINDINGS: ClassVar[list[BindingType]] = bindings(KEYS)

    follow = var(True)
    """Whether new rows keep the end in view."""

    def __init__(self) -> None:
        super().__init__(id="transcript")
        self.rows = Layout(Story())
        self.summary = ""
        """Said in the border, before the state of following."""
        self.live = False
        """Whether the trial still runs, so that a caret shows where words come in."""
        self._marked = -1
        self._evidence: tuple[int, int, int] | None = None

    @property
    def story(self) -> Story:
        """What is shown."""
        return self.rows.story

    # What it shows

    def show(self, story: Story, *, title: str = "", follow: bool = True) -> None:
        """Show another story, from its end (followed) or from its start."""
        self.rows = Layout(story, self.rows.width)
        self._marked, self._evidence = -1, None
        self.border_title = Content.assemble("Transcript", ("  " + title if title else "", "bold $foreground"))
        self._resized()
        self.scroll_to(y=self.max_scroll_y if follow else 0, animate=False, force=True)
        self.follow = follow
        self.watch_follow()
        self.refresh()

    def apply(self, batch: Iterable[TraceEvent]) -> None:
        """Take in live events; the view moves only when the tail is followed."""
        self.rows.relay(min((self.story.apply(event) for event in batch), default=len(self.story.blocks)))
        self._resized()
        self.refresh()

    def retell(self, summary: str) -> None:
        """Change what is said in the border."""
        self.summary = summary
        self.watch_follow()

    def jump(self, turn: int, start: int, end: int, quote: str) -> bool:
        """Bring evidence into view and mark it; false when the transcript does not hold it."""
        found = self.story.find(turn, start, end, quote)
        if found is None:
            return False
        index, begin, stop = found
        block = self.story.blocks[index]
        if begin < stop and block.folded:
            block.opened = True
            self.rows.relay(index)
        self._marked, self._evidence = (index if block.foldable else -1), found
        row = self.rows.row_of(index, begin if begin < stop else -1)
        self.follow = False
        self._resized()
        self.scroll_to(y=max(0, row - self.size.height // 3), animate=False, force=True)
        self.refresh()
        return True

    # Following

    def _resized(self) -> None:
        """The number of rows may have changed."""
        follow = self.follow
        self.virtual_size = Size(self.rows.width, self.rows.height)
        if follow:
            self.scroll_to(y=self.max_scroll_y, animate=False, force=True)
        self.follow = follow

    def on_resize(self) -> None:
        """Wrap again at another width, keeping the words at the top where they are."""
        width = self.scrollable_content_region.width - 1  # words keep away from the scrollbar
        if width == self.rows.width:
            return
        top = self.rows.block_at(self.scroll_offset.y)
        offset = self.rows.row(self.scroll_offset.y).start
        self.rows = Layout(self.story, width)
        self._resized()
        if not self.follow and top < len(self.story.blocks):
            self.scroll_to(y=self.rows.row_of(top, offset), animate=False, force=True)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Reaching the end follows it again; leaving it stops that."""
        super().watch_scroll_y(old_value, new_value)
        self.follow = new_value >= self.max_scroll_y

    def watch_follow(self) -> None:
        """Say in the border which it is."""
        state = ("following ▾" if self.follow else "paused · End follows") if self.live else ""
        self.border_subtitle = Content(" · ".join(part for part in (self.summary, state) if part))

    # Folding

    def action_mark(self, step: int) -> None:
        """Move the mark to the next or previous block that folds."""
        top = self.rows.block_at(self.scroll_offset.y)
        index = self.rows.foldable(self._marked + step if self._marked >= 0 else top, step)
        if index < 0:
            return
        self._marked = index
        row = self.rows.row_of(index, -1)
        if not self.scroll_offset.y <= row < self.scroll_offset.y + self.size.height - 1:
            self.scroll_to(y=max(0, row - self.size.height // 3), animate=False, force=True)
        self.refresh()

    def action_fold(self) -> None:
        """Open or fold the marked block; without a mark, the first that folds in view."""
        if self._marked < 0:
            self.action_mark(1)
        if self._marked >= 0:
            self._toggle(self._marked)

    def on_click(self, event: events.Click) -> None:
        """A click on a head or on `▸ more` opens or folds; a drag selects."""
        offset = event.get_content_offset(self)
        if offset is None or self.text_selection is not None:
            return
        y = offset.y + self.scroll_offset.y
        index = self.rows.block_at(y)
        if index < len(self.story.blocks) and self.rows.row(y).start < 0:
            self._toggle(index)

    def _toggle(self, index: int) -> None:
        block = self.story.blocks[index]
        if not block.foldable:
            return
        block.opened = not block.opened
        self._marked, self.follow = index, False
        self.rows.relay(index)
        self._resized()
        self.follow = self.scroll_offset.y >= self.max_scroll_y
        self.refresh()

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
