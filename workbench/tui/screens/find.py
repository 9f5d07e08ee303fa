"""Search across all trials of all runs: who read a path, who answered what, who ran which command."""

import asyncio
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from workbench.desk.finding import Found, Hit
from workbench.desk.records import DeskError
from workbench.tui.archive.lines import hit_line
from workbench.tui.archive.reading import catch_up, progress
from workbench.tui.board import Board
from workbench.tui.commands import Command, bindings
from workbench.tui.screens.trial import TrialScreen
from workbench.tui.transcript.words import shown
from workbench.tui.widgets.header import HeaderBar
from workbench.tui.widgets.keybar import KeyBar
from workbench.tui.workers import latest

if TYPE_CHECKING:
    from workbench.desk.desk import Desk
    from workbench.tui.app import WorkbenchApp

_HELP = (
    ("read:docs/bees.md", "who read it"),
    ("north wall", "whose answer says both words"),
    ('answer:"north wall"', "whose answer says it so"),
    ("command:pytest", "who ran it"),
    ("search:memo", "who looked for it"),
    ("changed:notes/", "who changed it"),
    ("audit: engine: model: run:", "a part of the name"),
    ("is:failed", "or passed unmeasured unjudged unsure graded"),
    ("-read:AGENTS.md", "all but those"),
)


class FindInput(Input):
    """Where the search is typed; down goes to what it found."""

    KEYS_TITLE = "The search"
    TYPING = True
    KEYS: ClassVar[tuple[Command, ...]] = (
        Command("down,enter", "screen.results", "results", "Go to the trials that were found", bar=True),
        Command("escape", "screen.close", "back", "Back to where you were", bar=True),
    )
    BINDINGS: ClassVar[list[BindingType]] = bindings(KEYS)


class FindScreen(Screen[None]):
    """Finds as one types; what the index does not hold yet is found as soon as it does."""

    KEYS: ClassVar[tuple[Command, ...]] = (
        Command("enter", "open", "transcript", "Open the trial's transcript", bar=True),
        Command("slash", "search", "search", "Go to the search", bar=True),
        Command("escape,q", "close", "back", "Back to where you were", bar=True),
    )
    BINDINGS: ClassVar[list[BindingType]] = bindings(KEYS[1:])
    AUTO_FOCUS = "FindInput"

    app: "WorkbenchApp"

    def __init__(self, desk: "Desk", board: Board, text: str = "") -> None:
        super().__init__()
        self.desk, self.board = desk, board
        self.search = FindInput(
            text, placeholder="read:PATH  answer:TEXT  command:TEXT  is:failed  -term", compact=True
        )
        self.hits = OptionList(id="hits", markup=False, compact=True)
        self.told = Static(_help(), id="find-told", markup=False)
        self._found: tuple[Hit, ...] = ()
        self._progress = ""

    def compose(self) -> ComposeResult:
        """Header, search, what it found, keys."""
        yield HeaderBar(self.board)
        with Vertical(id="finding") as pane:
            pane.border_title = "Find in all runs"
            yield self.search
            yield self.told
            yield self.hits
        yield KeyBar(self.KEYS)

    def on_mount(self) -> None:
        """Read what is new in the traces."""
        self.hits.display = False
        latest(self, self._read, "index")
        self._look()

    async def _read(self) -> None:
        try:
            await catch_up(self.desk, self._progressed)
        except DeskError as error:
            self._refuse(error)

    def _progressed(self, done: int, runs: int) -> None:
        self._progress = progress(done, runs)
        self._look()

    @on(Input.Changed)
    def _look(self) -> None:
        latest(self, partial(self._find, self.search.value), "find")

    async def _find(self, text: str) -> None:
        if not text.strip():
            self._draw(Found((), 0), _help())
            return
        try:
            found = await asyncio.to_thread(self.desk.archive.find, text)
        except DeskError as error:
            self._refuse(error)
            return
        self._draw(found, Content.styled("" if found.total else "no trial", "$dim"))

    def _draw(self, found: Found, told: Content) -> None:
        if found.hits != self._found or not found.hits:
            mark = self.hits.highlighted
            self._found = found.hits
            self._fill()
            self.hits.highlighted = min(mark or 0, len(found.hits) - 1) if found.hits else None
        self.hits.display = bool(found.hits)
        self.told.update(told)
        self.told.display = bool(told.plain)
        number = f"{found.total} trial{'' if found.total == 1 else 's'}" if found.total else ""
        newest = f"the newest {len(found.hits)} of {number}" if len(found.hits) < found.total else number
        pane = self.query_one("#finding")
        pane.border_subtitle = Content(" · ".join(filter(None, (newest, self._progress))))

    def _fill(self) -> None:
        width = max(30, self.query_one("#finding").content_size.width - 1)
        self.hits.clear_options()
        self.hits.add_options(Option(hit_line(hit, width)) for hit in self._found)

    def on_resize(self) -> None:
        """Fit the lines again, once the pane has its new width."""
        self.call_after_refresh(self._redraw)

    def _redraw(self) -> None:
        mark = self.hits.highlighted
        self._fill()
        self.hits.highlighted = mark

    def _refuse(self, error: DeskError) -> None:
        self._draw(Found((), 0), Content.assemble(("✗ ", "$error"), shown(str(error))))

    def action_results(self) -> None:
        """Into what was found."""
        if self._found:
            self.hits.focus()

    def action_search(self) -> None:
        """Back to the search."""
        self.search.focus()

    @on(OptionList.OptionSelected)
    def _open(self, event: OptionList.OptionSelected) -> None:
        hit = self._found[event.option_index]
        self.app.push_screen(TrialScreen(self.desk, self.board, hit.run_id, hit.audit_id, hit.trial))

    def action_close(self) -> None:
        """Back."""
        self.dismiss()


def _help() -> Content:
    lines = [Content.assemble((f"  {term:<28}", "$attention"), (meaning, "$dim")) for term, meaning in _HELP]
    return Content("\n").join(lines)
