"""The live transcript: a line widget that paints only what is visible and follows the tail until told otherwise."""

from bisect import bisect_right
from collections.abc import Iterable
from itertools import accumulate
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
from workbench.tui.transcript.blocks import Block, Row
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
        Command("enter", "toggle", "fold", "Open or fold the marked block, or the first one in view"),
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

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.story = Story()
        self.summary = ""
        """Said in the border, before the state of following."""
        self.live = False
        """Whether the trial still runs, so that a caret shows where words come in."""
        self._ends: list[int] = []
        """Row at which each block ends."""
        self._width = 0
        self._marked = -1
        self._evidence: tuple[int, int, int] | None = None

    # What it shows

    def show(self, story: Story, *, title: str = "", follow: bool = True) -> None:
        """Show another story from its end (followed) or from its start."""
        self.story, self._marked, self._evidence = story, -1, None
        self.border_title = Content.assemble("Transcript", ("  " + title if title else "", "bold $foreground"))
        self._relay(0)
        self.follow = follow
        self.scroll_to(y=self.max_scroll_y if follow else 0, animate=False)
        self._tell_state()

    def apply(self, event_batch: Iterable[TraceEvent]) -> None:
        """Take in live events; the view moves only when the tail is followed."""
        self.changed(min((self.story.apply(event) for event in event_batch), default=len(self.story.blocks)))

    def changed(self, first: int) -> None:
        """Lay out again from a block whose rows may differ."""
        self._relay(first)
        if self.follow:
            self.scroll_to(y=self.max_scroll_y, animate=False)
        self.refresh()

    def retell(self, summary: str) -> None:
        """Change what is said in the border."""
        self.summary = summary
        self._tell_state()

    def jump(self, turn: int, start: int, end: int, quote: str) -> bool:
        """Bring evidence into view and mark it; false when the transcript does not hold it."""
        found = self.story.find(turn, start, end, quote)
        if found is None:
            return False
        index, begin, stop = found
        block = self.story.blocks[index]
        if begin < stop and block.folded:
            block.opened = True
            self._relay(index)
        self._marked, self._evidence = (index if block.foldable else -1), found
        row = block.row_of(begin, self._width) if begin < stop else int(block.gap)
        self.follow = False
        self.scroll_to(y=max(0, self._start(index) + row - self.size.height // 3), animate=False)
        self.refresh()
        return True

    # Layout

    def _start(self, index: int) -> int:
        return self._ends[index - 1] if index else 0

    def _relay(self, first: int) -> None:
        """Recompute where blocks end from `first` on."""
        del self._ends[first:]
        base = self._ends[-1] if self._ends else 0
        heights = (block.height(self._width) for block in self.story.blocks[first:])
        self._ends.extend(list(accumulate(heights, initial=base))[1:])
        self.virtual_size = Size(self._width, self._ends[-1] if self._ends else 0)

    def on_resize(self, event: events.Resize) -> None:
        """Wrap again at another width, keeping the words at the top where they are."""
        width = self.scrollable_content_region.width
        if width == self._width:
            return
        index, offset = self._top()
        self._width = width
        self._relay(0)
        if self.follow:
            self.scroll_to(y=self.max_scroll_y, animate=False)
        elif index < len(self.story.blocks):
            row = self.story.blocks[index].row_of(offset, width) if offset >= 0 else 0
            self.scroll_to(y=self._start(index) + row, animate=False)

    def _top(self) -> tuple[int, int]:
        """The first visible block and the body offset of its first visible row; -1 above the body."""
        y = self.scroll_offset.y
        index = bisect_right(self._ends, y)
        if index >= len(self.story.blocks):
            return index, -1
        return index, self.story.blocks[index].row(y - self._start(index), self._width).start

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Reaching the end follows it again; leaving it stops that."""
        super().watch_scroll_y(old_value, new_value)
        self.follow = new_value >= self.max_scroll_y

    def watch_follow(self) -> None:
        """Say in the border which it is."""
        self._tell_state()

    def _tell_state(self) -> None:
        state = ("following ▾" if self.follow else "paused · End follows") if self.live else ""
        self.border_subtitle = Content(" · ".join(part for part in (self.summary, state) if part))

    # Folding

    def action_mark(self, step: int) -> None:
        """Move the mark to the next or previous block that folds."""
        here = self._marked if self._marked >= 0 else self._top()[0] - (step > 0)
        blocks = self.story.blocks
        index = here + step
        while 0 <= index < len(blocks) and not blocks[index].foldable:
            index += step
        if not 0 <= index < len(blocks):
            return
        self._marked = index
        row = self._start(index)
        if not self.scroll_offset.y <= row < self.scroll_offset.y + self.size.height - 1:
            self.scroll_to(y=max(0, row - self.size.height // 3), animate=False)
        self.refresh()

    def action_toggle(self) -> None:
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
        index = bisect_right(self._ends, y)
        if index < len(self.story.blocks) and self.story.blocks[index].foldable:
            if self.story.blocks[index].row(y - self._start(index), self._width).start < 0:
                self._marked = index
                self._toggle(index)

    def _toggle(self, index: int) -> None:
        block = self.story.blocks[index]
        if not block.foldable:
            return
        block.opened = not block.opened
        follow, self.follow = self.follow, False
        self._relay(index)
        self.follow = follow and self.scroll_offset.y >= self.max_scroll_y
        self.refresh()

    # Painting

    def render_line(self, y: int) -> Strip:
        """Paint one visible line."""
        y += self.scroll_offset.y
        width = self.scrollable_content_region.width
        base = self.rich_style
        index = bisect_right(self._ends, y)
        if index >= len(self.story.blocks):
            return Strip.blank(width, base)
        block = self.story.blocks[index]
        row = block.row(y - self._start(index), self._width)
        segments = [Segment(text, self._style(name)) for text, name in (*row.lead, *row.body) if text]
        if index == self._marked and row.start < 0 and row.body:
            segments = [Segment(text, (style or base) + self._style("current")) for text, style, _ in segments]
        if self.live and self.story.writing and y == self._ends[-1] - 1:
            segments.append(Segment("▌", self._style("caret")))
        left = sum(cell_len(segment.text) for segment in segments)
        right, right_style = row.right
        segments.append(Segment(" " * max(0, width - left - cell_len(right))))
        if right:
            segments.append(Segment(right, self._style(right_style)))
        strip = Strip(Segment.apply_style(segments, base), max(width, left))
        return self._paint_marks(strip, block, index, row, y).crop_extend(0, width, base).apply_offsets(0, y)

    def _paint_marks(self, strip: Strip, block: Block, index: int, row: Row, y: int) -> Strip:
        """Lay evidence and the selection over a painted row."""
        lead = sum(len(text) for text, _ in row.lead)
        if self._evidence is not None and self._evidence[0] == index:
            _, begin, stop = self._evidence
            if begin < stop and row.start >= 0:
                strip = overlay(strip, lead + begin - row.start, lead + stop - row.start, lead, len(row.text), self._style("evidence"))
            elif begin == stop and row.start < 0 and row.body and row.text == self._head_text(block):
                strip = overlay(strip, lead, lead + len(row.text), lead, len(row.text), self._style("evidence"))
        selection = self.text_selection
        span = selection.get_span(y) if selection is not None else None
        if span is not None:
            end = lead + len(row.text) if span[1] < 0 else span[1]
            style = self.screen.get_component_rich_style("screen--selection")
            strip = overlay(strip, span[0], end, lead, len(row.text), style)
        return strip

    def _head_text(self, block: Block) -> str:
        return block.row(int(block.gap), self._width).text if block.head is not None else ""

    def _style(self, name: str) -> Style:
        return self.get_component_rich_style(f"transcript--{name}", partial=True)

    # Selection

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """The selected words: no gutters, no measures, soft wraps undone."""
        total = self._ends[-1] if self._ends else 0
        first = selection.start.y if selection.start is not None else 0
        last = min(total - 1, selection.end.y if selection.end is not None else total - 1)
        parts: list[str] = []
        for y in range(first, last + 1):
            index = bisect_right(self._ends, y)
            row = self.story.blocks[index].row(y - self._start(index), self._width)
            start, end = selection.get_span(y) or (0, 0)
            lead = sum(len(text) for text, _ in row.lead)
            stop = len(row.text) if end < 0 else max(0, end - lead)
            parts.append(row.text[max(0, start - lead) : stop])
            parts.append(row.joint)
        return "".join(parts[:-1]), "\n"

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
            text = "\n".join(block.rows_text()) if block is not None else ""
        if text:
            self.app.copy_to_clipboard(text)
            self.notify("Copied", timeout=2)
