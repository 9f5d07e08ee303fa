"""The bench: audits, transcript, checks and assessment side by side, or as tabs where the terminal is narrow."""

import asyncio
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Tree

from workbench.desk.records import DeskError
from workbench.grading.records import Assessment
from workbench.tui.board import Board, Choice, News
from workbench.tui.commands import Command, bindings
from workbench.tui.screens.bench_keys import BENCH_KEYS, allowed
from workbench.tui.screens.listing import Listing
from workbench.tui.screens.panes import Panes
from workbench.tui.screens.showing import Showing
from workbench.tui.widgets.assessment import AssessmentForm
from workbench.tui.widgets.audit_pane import AuditPane
from workbench.tui.widgets.audit_tree import AuditTree
from workbench.tui.widgets.checks import ChecksPane
from workbench.tui.widgets.header import HeaderBar
from workbench.tui.widgets.keybar import KeyBar
from workbench.tui.widgets.tabs import PaneTabs
from workbench.tui.widgets.transcript import Transcript
from workbench.tui.workers import latest

if TYPE_CHECKING:
    from workbench.desk.desk import Desk
    from workbench.tui.app import WorkbenchApp

_PULSE = 0.6


class BenchScreen(Screen[None]):
    """Turns keys into calls of the desk and what the desk answers into what the widgets show.

    The other screens are imported where they are opened, so that the list shows sooner.
    """

    KEYS: ClassVar[tuple[Command, ...]] = BENCH_KEYS
    BINDINGS: ClassVar[list[BindingType]] = bindings(BENCH_KEYS)
    AUTO_FOCUS = "AuditTree"

    app: "WorkbenchApp"

    def __init__(self, desk: "Desk", board: Board) -> None:
        super().__init__()
        self.desk, self.board = desk, board
        self.audits = AuditPane()
        self.transcript = Transcript()
        self.audits.add_class("pane", "-current")
        self.transcript.add_class("pane")
        self.checks = ChecksPane()
        self.form = AssessmentForm()
        self.panes = Panes(self)
        self.listing = Listing(self)
        self.showing = Showing(self)
        self._back: Widget | None = None

    @property
    def rows(self) -> AuditTree:
        """The list of audits."""
        return self.audits.rows

    def compose(self) -> ComposeResult:
        """Header, tabs (narrow only), three panes, keys."""
        yield HeaderBar(self.board)
        yield PaneTabs()
        with Horizontal(id="panes"):
            yield self.audits
            yield self.transcript
            with Vertical(id="judgement", classes="pane"):
                yield self.checks
                yield self.form
        yield KeyBar(self.KEYS)

    def on_mount(self) -> None:
        """Fill everything; the pulse shows that something runs."""
        self.set_interval(_PULSE, self._pulse)
        self.listing.refill()

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Where one is, is what a narrow terminal shows."""
        self.panes.follow(event.widget)

    # The list

    @on(AuditPane.Filtered)
    def _filtered(self, event: AuditPane.Filtered) -> None:
        self.listing.follow(event.text)

    @on(Tree.NodeHighlighted)
    def _highlighted(self) -> None:
        row = self.rows.audit
        if row is not None:
            self.showing.show(row)
        self.refresh_bindings()

    # Live runs

    def hear(self, news: News) -> None:
        """News of a live run; only the shown trial's transcript paints."""
        self.showing.hear(news)
        self.run_changed()

    def run_changed(self) -> None:
        """List and keys follow the board."""
        self.listing.overlay()
        self.refresh_bindings()

    def _pulse(self) -> None:
        if self.board.running:
            self.listing.pulse()
            self.showing.tick()

    def _ask(self, audit_ids: tuple[str, ...], selection: str) -> None:
        try:
            self.app.runs.ask(audit_ids, selection)
        except DeskError as error:
            self.showing.refuse(str(error))

    # Keys: asking

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Keys that would do nothing here and now are off."""
        return allowed(self, action)

    @on(AuditTree.Activated)
    def _activated(self, event: AuditTree.Activated) -> None:
        self._ask((event.audit_id,), event.audit_id)

    @on(AuditTree.Marked)
    def _marked(self) -> None:
        self.audits.count()
        self.refresh_bindings()

    def action_run(self) -> None:
        """Ask what is marked; without a mark, the audit under the cursor."""
        if self.rows.marked:
            self._ask(self.rows.marked, " ".join(self.rows.marked))
        elif self.rows.audit is not None:
            self._ask((self.rows.audit.audit.id,), self.rows.audit.audit.id)

    def action_run_section(self) -> None:
        """Ask the section under the cursor."""
        section = self.rows.section
        if section is not None:
            self._ask(tuple(row.audit.id for row in section.rows), f"section:{section.section.title}")

    def action_run_all(self) -> None:
        """Ask everything the filter shows."""
        self._ask(self.rows.audit_ids, self.listing.filter)

    def action_run_everything(self) -> None:
        """Ask every audit there is, whatever the filter."""
        self._ask(tuple(audit.id for corpus in self.desk.corpora() for audit in corpus.audits), "")

    def action_stop(self) -> None:
        """Stop the trial under the cursor."""
        if self.rows.audit is not None:
            self.app.runs.stop(self.rows.audit.audit.id)

    def action_stop_all(self) -> None:
        """Stop everything."""
        self.app.runs.stop()

    # Keys: judging

    def action_grade(self) -> None:
        """Open grading mode on what waits, at the shown trial."""
        from workbench.tui.screens.grade import GradeScreen

        session, summary = self.app.grading, self.showing.summary
        if summary is not None:
            session.start(summary)
        marked = frozenset(self.rows.marked)
        self.app.push_screen(GradeScreen(self.desk, session, self.listing.filter, marked), self._back_from_grading)

    def _back_from_grading(self, audit_id: str | None) -> None:
        """The mark goes to the audit one was at."""
        if audit_id:
            self.rows.go(audit_id)

    def action_agreement(self) -> None:
        """Show how far everybody agrees."""
        from workbench.tui.screens.agreement import AgreementScreen

        self.app.push_screen(AgreementScreen(self.desk))

    def action_form(self) -> None:
        """Go to the form, and remember where from."""
        self._back = self.focused
        self.panes.reveal(2)
        self.form.enter()

    @on(AssessmentForm.Left)
    def _graded(self) -> None:
        self.panes.enter(self._back if self._back is not None else self.rows)

    @on(AssessmentForm.Saved)
    def _saved(self, event: AssessmentForm.Saved) -> None:
        self.app.keep(event.filled)

    def assessed(self, run_id: str, saved: Assessment) -> None:
        """An assessment is on disk; one from another screen replaces what the form held."""
        if self.app.screen is not self:
            self.form.forget()
        self.showing.assessed(run_id, saved)
        self.showing.draw_form()
        self.listing.refill()

    @on(ChecksPane.Jump)
    def _jump(self, event: ChecksPane.Jump) -> None:
        place = event.evidence
        if not self.transcript.jump(place.turn, place.start, place.end, place.quote):
            self.notify("The transcript does not hold that place", timeout=3)
        elif self.has_class("-narrow"):
            self.panes.enter(self.transcript)

    def action_report(self) -> None:
        """Open the report of the shown trial's run, at that trial."""
        from workbench.tui.screens.report import ReportScreen

        row = self.rows.audit
        key = row.last.trial.key if row is not None and row.last is not None else ""
        self.app.push_screen(ReportScreen(self.desk, self.board, self.showing.run_id, key))

    def action_context(self) -> None:
        """Open what each agent loads of the box that the corpus under the cursor asks in."""
        from workbench.tui.screens.context import ContextScreen

        if self.rows.section is not None:
            self.app.push_screen(ContextScreen(self.desk, self.board, self.rows.section.file))

    def action_engines(self) -> None:
        """Choose whom to ask for the rest of the session."""
        from workbench.tui.screens.engines import EnginesScreen

        self.app.push_screen(EnginesScreen(self.desk, self.board.choice), self._ask_of)

    def _ask_of(self, choice: Choice | None) -> None:
        if choice is not None:
            self.board.choice = choice
            self.query_one(HeaderBar).refresh()

    def action_history(self) -> None:
        """Open the history of all runs."""
        from workbench.tui.screens.history import HistoryScreen

        row = self.rows.audit
        screen = HistoryScreen(self.desk, self.board, row.audit.id if row is not None else "")
        self.app.push_screen(screen, lambda _: self.listing.refill())

    def action_find(self) -> None:
        """Search across all trials of all runs."""
        from workbench.tui.screens.find import FindScreen

        self.app.push_screen(FindScreen(self.desk, self.board))

    # Keys: fixing the audit

    def action_edit(self) -> None:
        """Open the audit's own lines."""
        if self.rows.audit is not None:
            latest(self, partial(self._edit, self.rows.audit.audit.id), "entry")

    async def _edit(self, audit_id: str) -> None:
        try:
            edit = await asyncio.to_thread(self.desk.editor.open, audit_id)
        except DeskError as error:
            self.app.complain(error)
            return
        from workbench.tui.screens.edit import EditScreen

        self.app.push_screen(EditScreen(self.desk, self.board, edit))

    def action_patterns(self) -> None:
        """Try the audit's text checks."""
        from workbench.tui.screens.patterns import PatternsScreen

        if self.rows.audit is not None:
            self.app.push_screen(PatternsScreen(self.desk, self.board, self.rows.audit.audit))

    # Keys: recording

    def action_status(self) -> None:
        """Open the status screen on the section under the cursor."""
        from workbench.tui.screens.status import StatusScreen

        section, row = self.rows.section, self.rows.audit
        if section is not None:
            screen = StatusScreen(self.desk, self.board, self.app.drafts, section, row.audit.id if row else "")
            self.app.push_screen(screen, lambda _: self.listing.refill())

    def action_undo(self) -> None:
        """Take back the last status."""
        self.app.undo()

    # Keys: the rest

    def action_problems(self) -> None:
        """List what is wrong in the corpora, and questionable about their audits."""
        from workbench.tui.screens.problems import ProblemsScreen

        self.app.push_screen(ProblemsScreen(self.desk))

    def action_reload(self) -> None:
        """Read everything again."""
        self.listing.refill(reload=True)
        self.app.look_around()

    def action_filter(self) -> None:
        """Go to the filter."""
        self.panes.enter(self.audits.filter)

    def action_step(self, by: int) -> None:
        """The next or previous audit."""
        self.rows.step(by)

    def action_pane(self, step: int) -> None:
        """The next or previous place to be."""
        self.panes.step(step)

    def action_show_pane(self, index: int) -> None:
        """Go to a pane by its number."""
        self.panes.show(index)

    @on(PaneTabs.Chosen)
    def _chosen(self, event: PaneTabs.Chosen) -> None:
        self.action_show_pane(event.index)
