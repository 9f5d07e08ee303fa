"""The bench: audits, transcript, checks and assessment side by side, or as tabs where the terminal is narrow."""

from typing import TYPE_CHECKING, ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.widget import Widget
from textual.widgets import Tree

from workbench.desk.records import DeskError
from workbench.grading.records import Assessment
from workbench.tui.board import Board, News
from workbench.tui.commands import Command, bindings
from workbench.tui.screens.bench_doors import BenchDoors
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

if TYPE_CHECKING:
    from workbench.desk.desk import Desk

_PULSE = 0.6


class BenchScreen(BenchDoors):
    """Turns keys into calls of the desk and what the desk answers into what the widgets show."""

    KEYS: ClassVar[tuple[Command, ...]] = BENCH_KEYS
    BINDINGS: ClassVar[list[BindingType]] = bindings(BENCH_KEYS)
    AUTO_FOCUS = "AuditTree"

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

    def action_undo(self) -> None:
        """Take back the last status."""
        self.app.undo()

    # Keys: the rest

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
