"""All runs: who was asked, how it came out, what it took; the trials of each, and how an audit fared over time."""

import asyncio
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.screen import Screen
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from workbench.desk.archive import RunLine
from workbench.desk.records import DeskError, TrialSummary
from workbench.tui.archive.lines import RunColumns, run_line, trial_line
from workbench.tui.archive.reading import catch_up, progress
from workbench.tui.archive.trend import trend
from workbench.tui.board import Board
from workbench.tui.commands import Command, bindings
from workbench.tui.screens.confirm import ConfirmScreen
from workbench.tui.screens.find import FindScreen
from workbench.tui.screens.report import ReportScreen
from workbench.tui.screens.trial import TrialScreen
from workbench.tui.transcript.words import shown
from workbench.tui.widgets.header import HeaderBar
from workbench.tui.widgets.keybar import KeyBar
from workbench.tui.workers import latest

if TYPE_CHECKING:
    from workbench.desk.desk import Desk
    from workbench.tui.app import WorkbenchApp


class HistoryScreen(Screen[None]):
    """Left the runs; right the trials of the one under the mark, and the trend of the trial's audit."""

    KEYS: ClassVar[tuple[Command, ...]] = (
        Command("enter", "", "open", "From a run to its trials, from a trial to its transcript", bar=True),
        Command("tab", "other", "other side", "Between the runs and the trials", bar=True),
        Command("o", "report", "report", "Open the run's report", bar=True),
        Command("slash", "find", "find", "Search across all trials of all runs", bar=True),
        Command("d", "delete", "delete", "Delete the run under the mark, on a yes", bar=True),
        Command("escape,q,h", "close", "back", "Back to the bench", bar=True),
    )
    BINDINGS: ClassVar[list[BindingType]] = bindings(KEYS[1:])
    AUTO_FOCUS = "#runs"

    app: "WorkbenchApp"

    def __init__(self, desk: "Desk", board: Board, audit_id: str = "") -> None:
        super().__init__()
        self.desk, self.board = desk, board
        self.runs = OptionList(id="runs", markup=False, compact=True)
        self.trials = OptionList(id="run-trials", markup=False, compact=True)
        self.trend = Static(id="trend", markup=False)
        self._lines: tuple[RunLine, ...] = ()
        self._trials: tuple[TrialSummary, ...] = ()
        self._audit_id = audit_id
        """Whose trend is shown, and which trial the mark goes to in another run."""

    def compose(self) -> ComposeResult:
        """Header, runs, trials over the trend, keys."""
        self.runs.border_title = "Runs"
        yield HeaderBar(self.board)
        with Horizontal(id="history-panes"):
            yield self.runs
            with Vertical(id="history-right"):
                yield self.trials
                yield self.trend
        yield KeyBar(self.KEYS)

    def on_mount(self) -> None:
        """List the runs at once; what their traces tell follows."""
        self.reload()

    def reload(self) -> None:
        """List the runs again: one has ended."""
        latest(self, self._load, "index")

    async def _load(self) -> None:
        try:
            await self._refill(self.runs.highlighted or 0)
            await catch_up(self.desk, self._progressed)
            await self._refill(self.runs.highlighted or 0)
        except DeskError as error:
            self.app.complain(error)

    def _progressed(self, done: int, runs: int) -> None:
        self.runs.border_subtitle = progress(done, runs)

    async def _refill(self, index: int) -> None:
        self._lines = await asyncio.to_thread(self.desk.archive.lines)
        self._draw_runs(min(index, len(self._lines) - 1))
        if not self._lines:
            self.runs.add_option(
                Option(Content.styled("no run yet; at the bench r asks an audit", "$dim"), disabled=True)
            )
        self.runs.border_title = Content(f"Runs  {len(self._lines)}" if self._lines else "Runs")

    def _draw_runs(self, index: int) -> None:
        columns = RunColumns.of(self._lines, _width(self.runs))
        _fill(self.runs, [run_line(line, columns) for line in self._lines], index)

    def on_resize(self) -> None:
        """Fit every line again, once the panes have their new width."""
        self.call_after_refresh(self._redraw)

    def _redraw(self) -> None:
        if self._lines:
            self._draw_runs(self.runs.highlighted or 0)

    # What is under the mark

    @property
    def line(self) -> RunLine | None:
        """The run under the mark."""
        index = self.runs.highlighted
        return self._lines[index] if index is not None and index < len(self._lines) else None

    @property
    def trial(self) -> TrialSummary | None:
        """The trial under the mark."""
        index = self.trials.highlighted
        return self._trials[index] if index is not None and index < len(self._trials) else None

    @on(OptionList.OptionHighlighted, "#runs")
    def _run_marked(self) -> None:
        self.refresh_bindings()
        if self.line is not None:
            latest(self, partial(self._show_trials, self.line), "trials")

    async def _show_trials(self, line: RunLine) -> None:
        run_id = line.summary.run_id
        try:
            self._trials = await asyncio.to_thread(self.desk.trials, run_id)
        except DeskError as error:
            self._trials = ()
            self.app.complain(error)
        manifest = line.summary.manifest
        self.trials.border_title = Content(shown(run_id))
        self.trials.border_subtitle = Content(shown(manifest.selection)[:40])
        audits = [summary.trial.audit_id for summary in self._trials]
        index = audits.index(self._audit_id) if self._audit_id in audits else 0
        _fill(self.trials, [trial_line(summary, _width(self.trials)) for summary in self._trials], index)
        if not self._trials:
            self.trials.add_option(Option(Content.styled("no trial of it was finished", "$dim"), disabled=True))
            self.trend.border_title = ""
            self.trend.update("")

    @on(OptionList.OptionHighlighted, "#run-trials")
    def _trial_marked(self) -> None:
        if self.trial is not None:
            if self.focused is self.trials:
                self._audit_id = self.trial.trial.audit_id
            latest(self, partial(self._show_trend, self.trial), "trend")

    async def _show_trend(self, summary: TrialSummary) -> None:
        lanes = await asyncio.to_thread(self.desk.archive.trend, summary.trial.audit_id)
        size = self.trend.content_size
        self.trend.border_title = Content.assemble("Trend  ", (shown(summary.trial.audit_id), "bold"))
        self.trend.update(trend(lanes, summary.run_id, size.width, size.height))

    # Keys

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """A live run is not deleted; without a run there is nothing to open."""
        if action == "delete":
            return self.line is not None and not self.line.live
        return self.line is not None if action == "report" else True

    @on(OptionList.OptionSelected, "#runs")
    def _run_opened(self) -> None:
        self.trials.focus()

    @on(OptionList.OptionSelected, "#run-trials")
    def _trial_opened(self) -> None:
        if self.trial is not None:
            asked = self.trial.trial
            screen = TrialScreen(self.desk, self.board, self.trial.run_id, asked.audit_id, asked.key)
            self.app.push_screen(screen)

    def action_other(self) -> None:
        """From the runs to the trials and back."""
        (self.trials if self.focused is self.runs else self.runs).focus()

    def action_report(self) -> None:
        """The report of the run, at the trial under the mark when that is where one is."""
        if self.line is not None:
            key = self.trial.trial.key if self.trial is not None and self.focused is self.trials else ""
            self.app.push_screen(ReportScreen(self.desk, self.board, self.line.summary.run_id, key))

    def action_find(self) -> None:
        """Search across all trials."""
        self.app.push_screen(FindScreen(self.desk, self.board))

    def action_delete(self) -> None:
        """Delete a run, on a yes."""
        if self.line is not None:
            latest(self, partial(self._delete, self.line), "deeds")

    async def _delete(self, line: RunLine) -> None:
        run_id = line.summary.run_id
        try:
            graded = await asyncio.to_thread(self.desk.archive.graded, run_id)
            if not await self.app.push_screen_wait(
                ConfirmScreen("Delete a run", _question(line, graded), yes="delete")
            ):
                return
            await asyncio.to_thread(self.desk.archive.delete, run_id)
            await self._refill(self.runs.highlighted or 0)
        except DeskError as error:
            self.app.complain(error)

    def action_close(self) -> None:
        """Back."""
        self.dismiss()


def _question(line: RunLine, graded: int) -> str:
    number = line.summary.tally.finished
    asked = f"Delete {line.summary.run_id} with {number} trial{'' if number == 1 else 's'} and their traces?"
    if graded:
        asked += f" {graded} of them {'was' if graded == 1 else 'were'} graded; those assessments go too."
    return asked + " Nothing brings it back."


def _width(listing: OptionList) -> int:
    return max(30, listing.scrollable_content_region.width)


def _fill(listing: OptionList, lines: Sequence[Content], index: int) -> None:
    """Put lines into a list, the mark on one of them."""
    listing.clear_options()
    listing.add_options(Option(line) for line in lines)
    listing.highlighted = index if lines else None
