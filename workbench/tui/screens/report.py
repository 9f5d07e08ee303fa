"""A run's report, rendered part by part: what stands before the trials, then each trial as it is looked at."""

import asyncio
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.screen import Screen
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from workbench.desk.records import DeskError, TrialSummary
from workbench.tui.archive.lines import trial_line
from workbench.tui.archive.markdown import Line, lines
from workbench.tui.board import Board
from workbench.tui.commands import Command, bindings
from workbench.tui.transcript.words import shown
from workbench.tui.widgets.header import HeaderBar
from workbench.tui.widgets.keybar import KeyBar
from workbench.tui.widgets.prose import Prose
from workbench.tui.workers import latest

if TYPE_CHECKING:
    from workbench.desk.desk import Desk
    from workbench.tui.app import WorkbenchApp


class ReportScreen(Screen[None]):
    """Left the parts, right the chosen one. Nothing is read before it is looked at, so a long report opens at once."""

    KEYS: ClassVar[tuple[Command, ...]] = (
        Command("m", "write('md')", "Markdown", "Write the report beside its run as Markdown", bar=True),
        Command("h", "write('html')", "HTML", "Write it as one HTML file that needs no network", bar=True),
        Command("x", "write('junit')", "JUnit", "Write it as JUnit XML", bar=True),
        Command("j", "write('json')", "JSON", "Write its trials as JSON", bar=True),
        Command("tab", "other", "other side", "Between the parts and the text", bar=True),
        Command("escape,q,o", "close", "back", "Back to where you were", bar=True),
    )
    BINDINGS: ClassVar[list[BindingType]] = bindings(KEYS)
    AUTO_FOCUS = "#report-parts"

    app: "WorkbenchApp"

    def __init__(self, desk: "Desk", board: Board, run_id: str, trial: str = "") -> None:
        super().__init__()
        self.desk, self.board, self.run_id = desk, board, run_id
        self.parts = OptionList(id="report-parts", markup=False, compact=True)
        self.prose = Prose("report-text")
        self._first = trial
        self._trials: tuple[TrialSummary, ...] = ()

    def compose(self) -> ComposeResult:
        """Header, parts, text, keys."""
        self.parts.border_title = "Report"
        yield HeaderBar(self.board)
        with Horizontal(id="report-panes"):
            yield self.parts
            yield self.prose
        yield KeyBar(self.KEYS)

    def on_mount(self) -> None:
        """Read what the parts are."""
        latest(self, self._load, "parts")

    async def _load(self) -> None:
        try:
            self._trials = await asyncio.to_thread(self.desk.trials, self.run_id)
        except DeskError as error:
            self._say(error)
            return
        self.parts.border_subtitle = Content(shown(self.run_id))
        keys = ["", *(summary.trial.key for summary in self._trials)]
        self._draw(keys.index(self._first) if self._first in keys else 0)

    def on_resize(self) -> None:
        """Fit the parts again, once the panes have their new width."""
        self.call_after_refresh(self._redraw)

    def _redraw(self) -> None:
        if self.parts.option_count:
            self._draw(self.parts.highlighted or 0)

    def _draw(self, index: int) -> None:
        width = max(20, self.parts.scrollable_content_region.width)
        self.parts.clear_options()
        self.parts.add_option(Option(Content.styled("the run as a whole", "bold")))
        self.parts.add_options(Option(trial_line(summary, width)) for summary in self._trials)
        self.parts.highlighted = index

    @on(OptionList.OptionHighlighted)
    def _highlighted(self, event: OptionList.OptionHighlighted) -> None:
        key = self._trials[event.option_index - 1].trial.key if event.option_index else ""
        latest(self, partial(self._show, key), "part")

    @on(OptionList.OptionSelected)
    def _selected(self) -> None:
        self.prose.focus()

    async def _show(self, key: str) -> None:
        try:
            text = await asyncio.to_thread(self.desk.reporter.part, self.run_id, key)
            self.prose.show(await asyncio.to_thread(lambda: list(lines(shown(text)))))
            self.prose.border_title = Content(shown(key) or "The run as a whole")
        except DeskError as error:
            self._say(error)

    def _say(self, error: DeskError) -> None:
        self.prose.show([Line(("✗ ", "error"), ((shown(str(error)), "text"),))])

    def action_write(self, form: str) -> None:
        """Write the report in a form and tell where."""
        self.app.report(self.run_id, form)

    def action_other(self) -> None:
        """From the parts to the text and back."""
        (self.prose if self.focused is self.parts else self.parts).focus()

    def action_close(self) -> None:
        """Back."""
        self.dismiss()
