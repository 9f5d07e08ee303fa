"""What each agent really loads of the box: its always-on context, every guidance file by how it stands, their texts."""

import asyncio
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.screen import Screen
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from workbench.desk.records import DeskError
from workbench.probe.records import ContextReport, FileContext
from workbench.probe.wire import Step
from workbench.tui.archive.markdown import Line
from workbench.tui.board import Board
from workbench.tui.commands import Command, bindings
from workbench.tui.transcript.words import shown
from workbench.tui.widgets.context_table import (
    ContextText,
    aired,
    engines_line,
    file_text,
    parts_block,
    rows,
    waiting_block,
)
from workbench.tui.widgets.header import HeaderBar
from workbench.tui.widgets.keybar import KeyBar
from workbench.tui.workers import latest

if TYPE_CHECKING:
    from workbench.desk.desk import Desk
    from workbench.tui.app import WorkbenchApp

_STALE = "the guidance or the program changed since this was probed; r probes again"
_LOOKING = "looking for agents …"
_NOTHING = "not probed yet; r runs it over a copy of the box, with no model behind it"


class ContextScreen(Screen[None]):
    """Left the files, right the text of the one under the mark. What was probed before shows at once."""

    KEYS: ClassVar[tuple[Command, ...]] = (
        Command("enter", "", "open", "To the text of the file under the mark", bar=True),
        Command("r", "probe", "probe", "Run this agent again and look at its requests; no model is asked", bar=True),
        Command("R", "probe_all", "probe all", "Run every installed agent again", bar=True),
        Command("right_square_bracket", "step(1)", "next", "The next agent", bar=True),
        Command("left_square_bracket", "step(-1)", "previous", "The agent before"),
        Command("tab", "other", "other side", "Between the files and the text", bar=True),
        Command("escape", "leave", "back", "Stop the probe; when none runs, back to the bench", bar=True),
        Command("q,c", "close", "close", "Back to the bench"),
    )
    BINDINGS: ClassVar[list[BindingType]] = bindings(KEYS[1:])
    AUTO_FOCUS = "#context-files"

    app: "WorkbenchApp"

    def __init__(self, desk: "Desk", board: Board, file: str) -> None:
        """`file` is the corpus whose box is meant."""
        super().__init__()
        self.desk, self.board = desk, board
        self._file, self._box = file, ""
        self._said = Content.styled(_LOOKING, "$dim")
        """What stands where no report does."""
        self.tabs = Static(id="context-engines", markup=False)
        self.parts = Static(id="context-parts", markup=False)
        self.listing = OptionList(id="context-files", markup=False, compact=True)
        self.prose = ContextText("context-text")
        self._engines: tuple[str, ...] = ()
        self._current = ""
        self._reports: dict[str, ContextReport] = {}
        self._stale: set[str] = set()
        self._queue: list[str] = []
        """Agents to be probed; the first of them is at it."""
        self._step: Step | None = None
        self._rows: list[FileContext | None] = []
        """What stands at each line of the list; None at a head."""

    def compose(self) -> ComposeResult:
        """Header, agents, what the context is made of, files beside text, keys."""
        yield HeaderBar(self.board)
        yield self.tabs
        yield self.parts
        with Horizontal(id="context-panes"):
            yield self.listing
            yield self.prose
        yield KeyBar(self.KEYS)

    def on_mount(self) -> None:
        """Show what is known; where nothing is, look at once."""
        self.listing.border_title = "Guidance"
        self._draw_head()
        latest(self, self._load, "load")

    async def _load(self) -> None:
        contexts = self.desk.contexts
        try:
            self._box = await asyncio.to_thread(contexts.box_of, self._file)
            known = await asyncio.to_thread(contexts.known, self._box)
            self._take_up(known, tuple(report.engine for report in known))
            installed = await asyncio.to_thread(contexts.engines)
            self._said = Content.styled(_NOTHING, "$dim")
            self._take_up(known, tuple(dict.fromkeys((*installed, *self._engines))))
            for report in known:
                if await asyncio.to_thread(contexts.stale, report, self._box):
                    self._stale.add(report.engine)
        except DeskError as error:
            self._say(error)
            return
        self._draw_head()
        if not known:
            self.action_probe_all()

    def _take_up(self, known: tuple[ContextReport, ...], engines: tuple[str, ...]) -> None:
        self._reports = {report.engine: report for report in known}
        self._engines = engines
        self._current = self._current or next(iter(engines), "")
        self._draw()

    # Probing

    def action_probe(self) -> None:
        """Probe the shown agent."""
        self._want([self._current])

    def action_probe_all(self) -> None:
        """Probe every agent, one after the other."""
        self._want(list(self._engines))

    def _want(self, engines: list[str]) -> None:
        idle = not self._queue
        self._queue += [name for name in engines if name and name not in self._queue]
        if idle and self._queue:
            latest(self, self._probe, "probe")
        self._draw_head()

    async def _probe(self) -> None:
        try:
            while self._queue:
                await self._probe_one(self._queue[0])
                self._queue.pop(0)
        finally:
            self._queue, self._step = [], None
            if self.is_attached:
                self._draw()

    async def _probe_one(self, engine: str) -> None:
        self._step = None
        self._draw_head()
        try:
            report = await self.desk.contexts.probe(engine, self._stepped, box=self._box)
        except DeskError as error:
            self.app.complain(error)
            return
        self._reports[engine] = report
        self._stale.discard(engine)
        if engine == self._current:
            self._draw()

    def _stepped(self, step: Step) -> None:
        self._step = step
        self._draw_head()

    # Drawing

    @property
    def report(self) -> ContextReport | None:
        """The one that is shown."""
        return self._reports.get(self._current)

    @property
    def done(self) -> bool:
        """Whether every agent was looked for, and none is being probed."""
        return bool(self._reports) and not self._queue

    def on_resize(self) -> None:
        """Fit everything again, once the panes have their new width."""
        self.call_after_refresh(self._draw)

    def _draw(self) -> None:
        self._draw_head()
        mark = self.listing.highlighted
        self._fill()
        files = [at for at, row in enumerate(self._rows) if row is not None]
        if files:
            self.listing.highlighted = mark if mark in files else files[0]
        else:
            self.prose.show([])

    def _draw_head(self) -> None:
        probing = self._queue[0] if self._queue else ""
        self.tabs.update(engines_line(self._engines, self._current, self._reports, probing, self._queue[1:]))
        width = max(20, self.parts.content_size.width)
        if self._current and self._current in self._queue:
            step = self._step if self._current == probing else None
            self.parts.update(waiting_block(self._current, step, width))
        elif self.report is None:
            self.parts.update(self._said)
        else:
            self.parts.update(parts_block(self.report, width, _STALE if self._current in self._stale else ""))
        self.refresh_bindings()

    def _fill(self) -> None:
        self.listing.clear_options()
        self._rows = []
        report, width = self.report, max(30, self.listing.scrollable_content_region.width)
        if report is None:
            return
        for line, file in aired(list(rows(report, width)), self.listing.size.height):
            self.listing.add_option(Option(line, disabled=file is None))
            self._rows.append(file)

    def _say(self, error: DeskError) -> None:
        self._said = Content.assemble(("✗ ", "$error"), shown(str(error)))
        self._draw_head()

    # Keys

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Nothing is probed where there is no agent; one agent alone has no next one."""
        if action == "step":
            return len(self._engines) > 1
        return bool(self._engines) if action in ("probe", "probe_all") else True

    @on(OptionList.OptionHighlighted)
    def _marked(self, event: OptionList.OptionHighlighted) -> None:
        file = self._rows[event.option_index] if event.option_index < len(self._rows) else None
        if file is None or self.report is None:
            return
        differs = next((one.told for one in self.report.differences if one.path == file.path), "")
        self.prose.border_title = Content(shown(file.path))
        latest(self, partial(self._show, file, differs), "text")

    async def _show(self, file: FileContext, differs: str) -> None:
        lines: list[Line] = await asyncio.to_thread(lambda: list(file_text(file, differs)))
        self.prose.show(lines)

    @on(OptionList.OptionSelected)
    def _selected(self) -> None:
        self.prose.focus()

    @on(events.Click, "#context-engines")
    def _clicked(self, event: events.Click) -> None:
        engine = event.style.meta.get("engine")
        if engine:
            self._current = str(engine)
            self._draw()

    def action_step(self, by: int) -> None:
        """Show the next agent or the one before."""
        here = self._engines.index(self._current)
        self._current = self._engines[(here + by) % len(self._engines)]
        self._draw()

    def action_other(self) -> None:
        """From the files to the text and back."""
        (self.prose if self.focused is self.listing else self.listing).focus()

    def action_leave(self) -> None:
        """Stop what is being probed; when nothing is, go back."""
        if self._queue:
            self.workers.cancel_group(self, "probe")
        else:
            self.dismiss()

    def action_close(self) -> None:
        """Back; what is being probed ends."""
        self.dismiss()
