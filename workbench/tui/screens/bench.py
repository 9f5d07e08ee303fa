"""The bench: audits, transcript, checks and assessment side by side, or as tabs where the terminal is narrow."""

import asyncio
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.screen import Screen
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import Tree

from workbench.desk.records import DeskError, SectionRows
from workbench.grading.records import Assessment
from workbench.tui.board import Board, News
from workbench.tui.commands import Command, bindings
from workbench.tui.drafts import Drafts
from workbench.tui.screens.problems import ProblemsScreen
from workbench.tui.screens.showing import Showing
from workbench.tui.screens.status import StatusScreen
from workbench.tui.widgets.assessment import AssessmentForm
from workbench.tui.widgets.audit_pane import AuditPane, FilterInput
from workbench.tui.widgets.audit_tree import AuditTree
from workbench.tui.widgets.checks import CheckList, ChecksPane
from workbench.tui.widgets.form_fields import FormFields
from workbench.tui.widgets.header import HeaderBar
from workbench.tui.widgets.keybar import KeyBar
from workbench.tui.widgets.tabs import PaneTabs
from workbench.tui.widgets.transcript import Transcript

if TYPE_CHECKING:
    from workbench.desk.desk import Desk
    from workbench.tui.app import WorkbenchApp

_PULSE = 0.6
_FILTER_DELAY = 0.15


class BenchScreen(Screen[None]):
    """Turns keys into calls of the desk and what the desk answers into what the widgets show."""

    KEYS: ClassVar[tuple[Command, ...]] = (
        Command("r", "run", "run", "Ask the audit under the cursor", bar=True),
        Command("R", "run_section", "section", "Ask every audit of the section under the cursor", bar=True),
        Command("a", "run_all", "all", "Ask every audit the filter shows", bar=True),
        Command("x", "stop", "stop", "Stop the trial under the cursor; what is finished stays", bar=True),
        Command("X", "stop_all", "stop all", "Stop every live run; what is finished stays", bar=True),
        Command("g", "grade", "grade", "Go to the assessment of the shown trial", bar=True),
        Command("s", "status", "status", "Draft, write and commit the status of this section", bar=True),
        Command("slash", "filter", "filter", "Filter the list: words, tag: level: section: is: age: -term", bar=True),
        Command("u", "undo", "undo", "Take back the last written or committed status"),
        Command("o", "report", "report", "Write the report of the shown trial's run"),
        Command("exclamation_mark", "problems", "problems", "What is wrong in the corpora", bar=True),
        Command("right_square_bracket", "step(1)", "next", "The next audit"),
        Command("left_square_bracket", "step(-1)", "previous", "The previous audit"),
        Command("tab", "pane(1)", "next pane", "The next pane"),
        Command("shift+tab", "pane(-1)", "previous pane", "The previous pane"),
        Command("1", "show_pane(0)", "audits", "Go to the list of audits"),
        Command("2", "show_pane(1)", "transcript", "Go to the transcript"),
        Command("3", "show_pane(2)", "checks", "Go to the checks"),
        Command("ctrl+r", "reload", "reload", "Read corpora and runs again from disk"),
        Command("q", "app.quit", "quit", "Leave the bench; asks when a run is live"),
    )
    BINDINGS: ClassVar[list[BindingType]] = bindings(KEYS)
    HORIZONTAL_BREAKPOINTS: ClassVar[list[tuple[int, str]]] = [(0, "-narrow"), (110, "-wide")]
    AUTO_FOCUS = "AuditTree"

    app: "WorkbenchApp"

    def __init__(self, desk: "Desk", board: Board) -> None:
        super().__init__()
        self.desk, self.board = desk, board
        self._filter = ""
        self._typing: Timer | None = None
        self._bright = True
        self._back: Widget | None = None
        self._drafts = Drafts()
        self.showing = Showing(self, desk, board)

    def compose(self) -> ComposeResult:
        """Header, tabs (narrow only), three panes, keys."""
        yield HeaderBar()
        yield PaneTabs()
        with Horizontal(id="panes"):
            yield AuditPane(id="audits", classes="pane -current")
            yield Transcript(id="transcript")
            with Vertical(id="judgement", classes="pane"):
                yield ChecksPane(id="checks")
                yield AssessmentForm(id="assessment")
        yield KeyBar(self.KEYS)

    def on_mount(self) -> None:
        """Fill everything; the pulse shows that something runs."""
        self.query_one(Transcript).add_class("pane")
        self.set_interval(_PULSE, self._pulse)
        self.refill()
        self.run_worker(self._where(), group="where", exclusive=True)

    async def _where(self) -> None:
        project = self.desk.project
        header = self.query_one(HeaderBar)
        branch, dirty = await asyncio.to_thread(project.state)
        header.set_project(project.name, branch, dirty)
        header.engine = project.settings.engine or "reader"
        self.showing.grader = await asyncio.to_thread(lambda: self.desk.grader)
        self.showing.draw_form()

    # The list

    def refill(self) -> None:
        """Ask the desk for the rows again."""
        self.run_worker(self._fill(), group="list", exclusive=True)

    async def _fill(self) -> None:
        pane = self.query_one(AuditPane)
        try:
            rows = await asyncio.to_thread(self.desk.sections, self._filter)
        except DeskError as error:
            pane.complain(str(error))
            return
        problems = await asyncio.to_thread(self.desk.problems)
        pane.complain("")
        total = sum(len(corpus.audits) for corpus in self.desk.corpora())
        pane.tell(sum(len(section.rows) for section in rows), total, len(problems))
        if not self.board.live:
            self.board.settle()
        self._draw_list(rows)
        self.showing.refresh_rows(rows)
        self.refresh_bindings()

    def _draw_list(self, rows: tuple[SectionRows, ...]) -> None:
        tree = self.query_one(AuditTree)
        tree.show(rows)
        tree.overlay(self.board.running, self.board.outcomes)
        if not any(section.rows for section in rows):
            self.showing.nothing(filtered=bool(self._filter))

    @on(AuditPane.Filtered)
    def _filtered(self, event: AuditPane.Filtered) -> None:
        self._filter = event.text.strip()
        if self._typing is not None:
            self._typing.stop()
        self._typing = self.set_timer(_FILTER_DELAY, self.refill)

    @on(Tree.NodeHighlighted)
    def _highlighted(self) -> None:
        row = self.query_one(AuditTree).audit
        if row is not None:
            self.showing.show(row)
        self.refresh_bindings()

    @on(AuditTree.Activated)
    def _activated(self, event: AuditTree.Activated) -> None:
        self._ask((event.audit_id,), event.audit_id)

    # Live runs

    def hear(self, news: News) -> None:
        """News of a live run; only the shown trial's transcript paints."""
        self.showing.hear(news)
        self.run_changed()

    def run_changed(self) -> None:
        """Header, list and keys follow the board."""
        self.query_one(HeaderBar).tally = self.board.tally
        self.query_one(AuditTree).overlay(self.board.running, self.board.outcomes, bright=self._bright)
        self.refresh_bindings()

    def _pulse(self) -> None:
        if self.board.running:
            self._bright = not self._bright
            self.query_one(AuditTree).overlay(self.board.running, self.board.outcomes, bright=self._bright)
            self.showing.tick()

    def _ask(self, audit_ids: tuple[str, ...], selection: str) -> None:
        if not audit_ids:
            self.notify("There is no audit here to ask", timeout=3)
            return
        try:
            self.app.ask(audit_ids, selection)
        except DeskError as error:
            self.showing.refuse(str(error))

    # Keys

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Keys that would do nothing here and now are off."""
        match action:
            case "stop":
                row = self.query_one(AuditTree).audit
                return row is not None and row.audit.id in self.board.running
            case "stop_all":
                return bool(self.board.live)
            case "grade" | "report":
                return self.showing.finished
            case "problems":
                return bool(self.desk.problems())
        return True

    def action_run(self) -> None:
        """Ask the audit under the cursor."""
        row = self.query_one(AuditTree).audit
        self._ask((row.audit.id,) if row else (), row.audit.id if row else "")

    def action_run_section(self) -> None:
        """Ask the section under the cursor."""
        section = self.query_one(AuditTree).section
        ids = tuple(row.audit.id for row in section.rows) if section else ()
        self._ask(ids, f"section:{section.section.title}" if section else "")

    def action_run_all(self) -> None:
        """Ask everything the filter shows."""
        self._ask(self.query_one(AuditTree).audit_ids, self._filter)

    def action_stop(self) -> None:
        """Stop the trial under the cursor."""
        row = self.query_one(AuditTree).audit
        if row is not None:
            self.app.stop(row.audit.id)

    def action_stop_all(self) -> None:
        """Stop everything."""
        self.app.stop()

    def action_grade(self) -> None:
        """Go to the form, and remember where from."""
        self._back = self.focused
        self._reveal(2)
        self.query_one(AssessmentForm).enter()

    @on(AssessmentForm.Left)
    def _graded(self) -> None:
        back = self._back if self._back is not None else self.query_one(AuditTree)
        pane = next((i for i, pane in enumerate(self.query(".pane")) if back in pane.walk_children(with_self=True)), 0)
        self._reveal(pane)
        back.focus()

    @on(AssessmentForm.Saved)
    def _saved(self, event: AssessmentForm.Saved) -> None:
        self.app.keep(event.filled)

    def assessed(self, run_id: str, saved: Assessment) -> None:
        """An assessment is on disk."""
        self.showing.assessed(run_id, saved)
        self.refill()

    @on(ChecksPane.Jump)
    def _jump(self, event: ChecksPane.Jump) -> None:
        place = event.evidence
        if not self.query_one(Transcript).jump(place.turn, place.start, place.end, place.quote):
            self.notify("The transcript does not hold that place", timeout=3)
        elif self.has_class("-narrow"):
            self.action_show_pane(1)

    def action_status(self) -> None:
        """Open the status screen on the section under the cursor."""
        section = self.query_one(AuditTree).section
        if section is None:
            self.notify("There is no section here", timeout=3)
            return
        row = self.query_one(AuditTree).audit
        screen = StatusScreen(self.desk, self._drafts, section, row.audit.id if row else "")
        self.app.push_screen(screen, lambda _: self.returned())

    def returned(self) -> None:
        """Back from a screen that may have changed corpora."""
        self.refill()
        self.run_worker(self._where(), group="where", exclusive=True)

    def action_undo(self) -> None:
        """Take back the last status."""
        self.run_worker(self._undo(), group="undo", exclusive=True)

    async def _undo(self) -> None:
        try:
            result = await asyncio.to_thread(self.desk.undo)
        except DeskError as error:
            self.app.complain(error)
            return
        if not result.refused:
            self._drafts.undone()
        text = result.refused or (f"Taken back by commit {result.commit[:9]}" if result.commit else "Taken back")
        self.notify(text, severity="error" if result.refused else "information", markup=False)
        self.returned()

    def action_report(self) -> None:
        """Write the report."""
        self.run_worker(self._report(), group="report", exclusive=True)

    async def _report(self) -> None:
        try:
            path = await asyncio.to_thread(self.desk.export_report, self.showing.run_id)
        except (DeskError, OSError) as error:
            self.app.complain(error)
            return
        self.notify(f"Report: {path}", markup=False, timeout=8)

    def action_problems(self) -> None:
        """List what is wrong in the corpora."""
        self.app.push_screen(ProblemsScreen(self.desk.problems()))

    def action_reload(self) -> None:
        """Read everything again."""
        self.run_worker(self._reload(), group="list", exclusive=True)

    async def _reload(self) -> None:
        await asyncio.to_thread(self.desk.reload)
        await self._fill()
        self.notify("Read again from disk", timeout=2)

    def action_filter(self) -> None:
        """Go to the filter."""
        self._reveal(0)
        self.query_one(FilterInput).focus()

    def action_step(self, by: int) -> None:
        """The next or previous audit."""
        self.query_one(AuditTree).step(by)

    # Panes

    def action_pane(self, step: int) -> None:
        """The next or previous place to be."""
        places: list[Widget] = [
            self.query_one(AuditTree),
            self.query_one(Transcript),
            self.query_one(CheckList),
            self.query_one(FormFields),
        ]
        places = [place for place in places if place.display and not place.disabled and not place.is_disabled]
        here = places.index(self.focused) if self.focused in places else -1 if step > 0 else 0
        self._enter(places[(here + step) % len(places)])

    def _enter(self, place: Widget) -> None:
        for index, pane in enumerate(self.query(".pane")):
            if place in pane.walk_children(with_self=True):
                self._reveal(index)
        place.focus()

    def action_show_pane(self, index: int) -> None:
        """Go to a pane by its number."""
        self._enter((self.query_one(AuditTree), self.query_one(Transcript), self.query_one(CheckList))[index])

    @on(PaneTabs.Chosen)
    def _chosen(self, event: PaneTabs.Chosen) -> None:
        self.action_show_pane(event.index)

    def _reveal(self, index: int) -> None:
        """On a narrow terminal, show that pane and hide the others."""
        for number, pane in enumerate(self.query(".pane")):
            pane.set_class(number == index, "-current")
        self.query_one(PaneTabs).current = index

    def settle(self) -> None:
        """Save what is typed and not saved yet."""
        self.query_one(AssessmentForm).flush()
