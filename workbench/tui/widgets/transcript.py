"""The live transcript: it follows the tail until told otherwise, folds, finds, and shows one kind of act alone."""

from collections.abc import Iterable
from typing import ClassVar

from textual import events
from textual.binding import BindingType
from textual.content import Content
from textual.geometry import Size
from textual.reactive import var

from workbench.traces.events import TraceEvent
from workbench.tui.commands import Command, bindings
from workbench.tui.transcript.layout import KINDS, Layout
from workbench.tui.transcript.story import Story
from workbench.tui.widgets.transcript_page import TranscriptPage
from workbench.tui.widgets.transcript_search import TYPING_KEYS, Search


class Transcript(TranscriptPage, can_focus=True):
    """A page that grows while its trial runs and goes where one wants to look."""

    KEYS_TITLE = "The transcript"
    KEYS: ClassVar[tuple[Command, ...]] = (
        Command("enter", "fold", "fold", "Open or fold the marked block, or the first one in view"),
        Command("j", "mark(1)", "next block", "Mark the next block that folds"),
        Command("k", "mark(-1)", "previous block", "Mark the previous block that folds"),
        Command("slash", "search", "search", "Look for words: titles, arguments, results, errors, answers"),
        Command("n", "found(1)", "next", "The next place the words stand in"),
        Command("N", "found(-1)", "previous", "The previous place the words stand in"),
        Command("escape", "clear_search", "clear", "Stop looking"),
        Command("t", "only", "only", "All, then reads, searches, commands, edits, errors alone"),
        Command("y", "copy", "copy", "Copy the selected text, or the marked block"),
        Command("up", "scroll_up", "up", "Scroll back; the tail is no longer followed"),
        Command("down", "scroll_down", "down", "Scroll on"),
        Command("pageup", "page_up", "page up", "Scroll back a page"),
        Command("pagedown", "page_down", "page down", "Scroll on a page"),
        Command("home", "scroll_home", "start", "Go to the question"),
        Command("end", "scroll_end", "end", "Go to the end and follow it"),
    )
    TYPING_KEYS = TYPING_KEYS
    BORDER_TITLE = "Transcript"
    BINDINGS: ClassVar[list[BindingType]] = bindings(KEYS)

    follow = var(True)
    """Whether new rows keep the end in view."""

    def __init__(self) -> None:
        super().__init__("transcript")
        self.search = Search(self)
        self.summary = ""
        """Said in the border, before the state of following."""
        self._title = ""

    @property
    def TYPING(self) -> bool:  # noqa: N802 - the name other widgets have as a constant
        """Whether letters are taken for what is looked for."""
        return self.search.typing

    # What it shows

    def show(self, story: Story | Layout, *, title: str = "", follow: bool = True) -> None:
        """Show another story, from its end (followed) or from its start.

        A story that was laid out elsewhere, for the width and the kind of act shown here, costs nothing more here.
        """
        laid = isinstance(story, Layout) and (story.width, story.only) == (self.rows.width, self.rows.only)
        if isinstance(story, Layout):
            self.rows = story if laid else Layout(story.story, self.rows.width, self.rows.only)
        else:
            self.rows = Layout(story, self.rows.width, self.rows.only)
        self._marked, self._evidence, self._title = -1, None, title
        self._entitle()
        self._resized()
        self.scroll_to(y=self.max_scroll_y if follow else 0, animate=False, force=True)
        self.follow = follow
        self.watch_follow()
        self.search.again()
        self.refresh()

    def _entitle(self) -> None:
        only = f"  {self.rows.only} only: {self.rows.count}" if self.rows.only else ""
        title = "  " + self._title if self._title else ""
        self.border_title = Content.assemble("Transcript", (only, "$attention"), (title, "bold $foreground"))

    def apply(self, batch: Iterable[TraceEvent]) -> None:
        """Take in live events; the view moves only when the tail is followed."""
        first = min((self.story.apply(event) for event in batch), default=len(self.story.blocks))
        self.rows.relay(first)
        self.search.again(first)
        if self.rows.only:
            self._entitle()
        if self.search.active:
            self.watch_follow()
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
        self.bring(*found)
        return True

    def bring(self, index: int, begin: int, stop: int) -> None:
        """Bring a place of a block's body into view and mark it, its head when the place is empty."""
        if not self.rows.shows(index):
            self._show_only("")
        block = self.story.blocks[index]
        if begin < stop and block.folded:
            block.opened = True
            self.rows.relay(index)
        self._marked, self._evidence = (index if block.foldable else -1), (index, begin, stop)
        row = self.rows.row_of(index, begin if begin < stop else -1)
        self.follow = False
        self._resized()
        if not self.scroll_offset.y < row < self.scroll_offset.y + self.size.height - 1:
            self.scroll_to(y=max(0, row - self.size.height // 3), animate=False, force=True)
        self.refresh()

    # Looking for words, and at one kind of act

    async def on_key(self, event: events.Key) -> None:
        """While words to look for are typed, keys are letters."""
        if self.search.typing and self.search.key(event):
            event.stop()
            event.prevent_default()

    def on_blur(self) -> None:
        """Typing ends where one leaves; what was found stays."""
        if self.search.typing:
            self.search.typing = False
            self.watch_follow()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Stepping needs something that is looked for."""
        return self.search.active if action in ("found", "clear_search") else True

    def action_search(self) -> None:
        """Type what to look for."""
        self.search.begin()

    def action_found(self, by: int) -> None:
        """The next or previous place."""
        self.search.step(by)

    def action_clear_search(self) -> None:
        """Stop looking."""
        self._evidence = None
        self.search.clear()

    def action_only(self) -> None:
        """Show the next kind of act alone; after the last kind, all."""
        kinds = ("", *KINDS)
        self._show_only(kinds[(kinds.index(self.rows.only) + 1) % len(kinds)])

    def _show_only(self, only: str) -> None:
        self.rows = Layout(self.story, self.rows.width, only)
        self._marked = -1
        self._entitle()
        self._resized()
        self.search.again()
        self.refresh()

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
        self.rows = Layout(self.story, width, self.rows.only)
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
        told = [self.search.told] if self.search.active else [Content(self.summary)] if self.summary else []
        self.border_subtitle = Content(" · ").join([*told, *([Content(state)] if state else [])])

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
