"""The bench's doors: the other screens, each imported where it is opened, so that the list shows sooner."""

import asyncio
from functools import partial
from typing import TYPE_CHECKING

from textual.screen import Screen

from workbench.desk.records import DeskError
from workbench.tui.board import Board, Choice
from workbench.tui.widgets.header import HeaderBar
from workbench.tui.workers import latest

if TYPE_CHECKING:
    from workbench.desk.desk import Desk
    from workbench.tui.app import WorkbenchApp
    from workbench.tui.screens.listing import Listing
    from workbench.tui.screens.showing import Showing
    from workbench.tui.widgets.audit_pane import AuditPane
    from workbench.tui.widgets.audit_tree import AuditTree


class BenchDoors(Screen[None]):
    """The part of the bench that leads elsewhere, with what is under the cursor."""

    app: "WorkbenchApp"
    desk: "Desk"
    board: Board
    audits: "AuditPane"
    listing: "Listing"
    showing: "Showing"

    @property
    def rows(self) -> "AuditTree":
        """The list of audits."""
        return self.audits.rows

    def action_grade(self) -> None:
        """Open grading mode on what waits, at the shown trial."""
        from workbench.tui.screens.grade import GradeScreen

        session, summary = self.app.grading, self.showing.summary
        if summary is not None:
            session.start(summary)
        marked = frozenset(self.rows.marked)
        self.app.push_screen(GradeScreen(self.desk, session, self.listing.filter, marked), self._back_at)

    def _back_at(self, audit_id: str | None) -> None:
        """The mark goes to the audit one was at."""
        if audit_id:
            self.rows.go(audit_id)

    def action_agreement(self) -> None:
        """Show how far everybody agrees."""
        from workbench.tui.screens.agreement import AgreementScreen

        self.app.push_screen(AgreementScreen(self.desk))

    def action_report(self) -> None:
        """Open the report of the shown trial's run, at that trial."""
        from workbench.tui.screens.report import ReportScreen

        row = self.rows.audit
        key = row.last.trial.key if row is not None and row.last is not None else ""
        self.app.push_screen(ReportScreen(self.desk, self.board, self.showing.run_id, key))

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

    def action_status(self) -> None:
        """Open the status screen on the section under the cursor."""
        from workbench.tui.screens.status import StatusScreen

        section, row = self.rows.section, self.rows.audit
        if section is not None:
            screen = StatusScreen(self.desk, self.board, self.app.drafts, section, row.audit.id if row else "")
            self.app.push_screen(screen, lambda _: self.listing.refill())

    def action_context(self) -> None:
        """Open what each agent loads of the box that the corpus under the cursor asks in."""
        from workbench.tui.screens.context import ContextScreen

        if self.rows.section is not None:
            self.app.push_screen(ContextScreen(self.desk, self.board, self.rows.section.file))

    def action_map(self) -> None:
        """Open the map of where every answer stands, at the audit under the cursor."""
        from workbench.tui.screens.map import MapScreen

        row = self.rows.audit
        begin = (row.audit.file, row.audit.id) if row is not None else None
        self.app.push_screen(MapScreen(self.desk, self.board, self.listing.filter, begin), self._back_at)

    def action_watch(self) -> None:
        """Open what the watch saw; where none goes on, begin one of what the filter shows."""
        from workbench.tui.screens.watch import WatchScreen

        if not self.app.watching.on:
            self.app.watching.begin(self.listing.filter)
        self.app.push_screen(WatchScreen(self.desk, self.board))

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

    def action_compare(self) -> None:
        """Compare the run of the shown trial with the one before it, over what the filter shows."""
        from workbench.tui.screens.compare import CompareScreen

        screen = CompareScreen(self.desk, self.board, self.showing.run_id, self.listing.filter)
        self.app.push_screen(screen, lambda _: self.listing.refill())

    def action_find(self) -> None:
        """Search across all trials of all runs."""
        from workbench.tui.screens.find import FindScreen

        self.app.push_screen(FindScreen(self.desk, self.board))

    def action_problems(self) -> None:
        """List what is wrong in the corpora, and questionable about their audits."""
        from workbench.tui.screens.problems import ProblemsScreen

        self.app.push_screen(ProblemsScreen(self.desk))
