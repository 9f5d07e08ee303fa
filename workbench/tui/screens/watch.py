"""The flip board: what was edited, whom that touched, and what they said before and after."""

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import OptionList

from workbench.checks.records import Outcome
from workbench.desk.records import TrialSummary
from workbench.tui.board import Board, News
from workbench.tui.commands import Command, bindings
from workbench.tui.flips import LOOKS, Flip
from workbench.tui.looks import OUTCOMES, Look
from workbench.tui.money import watch_question
from workbench.tui.screens.trial import TrialScreen
from workbench.tui.screens.watch_keys import WATCH_KEYS, allowed
from workbench.tui.widgets.hanging import Hanging
from workbench.tui.widgets.header import HeaderBar
from workbench.tui.widgets.keybar import KeyBar
from workbench.tui.widgets.tabs import PaneTabs
from workbench.tui.widgets.watch_detail import WatchDetail
from workbench.tui.widgets.watch_head import WatchHead
from workbench.tui.widgets.watch_lines import nothing_yet
from workbench.tui.widgets.watch_list import WatchList

if TYPE_CHECKING:
    from workbench.desk.desk import Desk
    from workbench.tui.app import WorkbenchApp

PULSE = 0.8
"""Seconds of a beat: the sign that it watches is brighter and dimmer by turns."""
_SOON = 0.05
"""Seconds within which what happened is drawn at once."""
_PANES = ("Edits", "Diff", "Answers")


class WatchScreen(Screen[None]):
    """Left the edits with the audits they touch; right the diff that did it, and both answers."""

    KEYS: ClassVar[tuple[Command, ...]] = WATCH_KEYS
    LEGEND: ClassVar[tuple[Look, ...]] = (
        *LOOKS.values(),
        *(look for outcome, look in OUTCOMES.items() if outcome is not Outcome.UNMEASURED),
    )
    BINDINGS: ClassVar[list[BindingType]] = bindings(WATCH_KEYS[1:])
    AUTO_FOCUS = "WatchList"

    app: "WorkbenchApp"

    def __init__(self, desk: "Desk", board: Board) -> None:
        super().__init__()
        self.desk, self.board = desk, board
        self.listing, self.detail = WatchList(), WatchDetail(desk)
        self.head, self.empty = WatchHead(), Hanging("watch-empty")
        self.due = False
        """Whether something happened that is not drawn yet."""

    def compose(self) -> ComposeResult:
        """Header, how the watch stands, the board, keys."""
        yield HeaderBar(self.board)
        yield self.head
        yield PaneTabs(_PANES)
        yield self.empty
        with Horizontal(id="watch-panes"):
            yield self.listing
            yield self.detail
        yield KeyBar(self.KEYS)

    def on_mount(self) -> None:
        """Show how it stands; the pulse shows that it lives."""
        self.set_interval(PULSE, self._pulse)
        self._reveal(0)
        self._renew()

    # What happened

    def renew(self) -> None:
        """Something changed: draw it soon, and whatever else changes until then along with it."""
        if not self.due:
            self.due = True
            self.set_timer(_SOON, self._renew)

    def _renew(self) -> None:
        self.due = False
        watching = self.app.watching
        board = watching.board()
        self.set_class(not board, "-empty")
        self.head.show(flip for _, rows in board for flip in rows)
        self.empty.lay(nothing_yet(watching.watched) if watching.on else ())
        self.listing.show(board, watching.hunks)
        self.refresh_bindings()
        self._ask_for_money()

    def _pulse(self) -> None:
        if self.is_current:
            self.head.beat()

    def hear(self, news: News) -> None:
        """News of a live run: rows follow what runs, and the answer under the mark grows."""
        flip = self.flip
        if news.started or news.finished:
            self.renew()
        elif flip is not None and flip.audit_id in news.trace:
            self.detail.stream()

    def on_screen_resume(self) -> None:
        """A trial may have been graded meanwhile; what has to be asked waited until somebody looks."""
        self.detail.reload()
        self.renew()

    @on(WatchList.Marked)
    def _marked(self, event: WatchList.Marked) -> None:
        self.detail.show(event.edit, event.flip, self.app.watching.hunks.get(event.edit.number, ()))
        self.refresh_bindings()

    # Money

    def _ask_for_money(self) -> None:
        watching = self.app.watching
        if watching.wants is not None and not watching.asked and self.is_current:
            self.action_pay()

    def action_pay(self) -> None:
        """Show what asking costs, and take a yes or a no."""
        watching = self.app.watching
        if watching.wants is not None:
            watching.asked = True
            self.app.push_screen(watch_question(watching.wants.offer), partial(watching.agree, watching.wants))

    # Keys

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Keys that would do nothing here and now are off."""
        return allowed(self, action)

    @property
    def flip(self) -> Flip | None:
        """The audit under the mark; None on an edit."""
        marked = self.listing.marked
        return marked[1] if marked else None

    @on(OptionList.OptionSelected)
    def _selected(self) -> None:
        flip = self.flip
        if flip is None:
            self._enter(self.detail.diff)
        elif flip.row.after is None and flip.audit_id in self.board.running:
            self._open(self.board.running[flip.audit_id], flip.audit_id, flip.audit_id)
        else:
            self._open_trial(flip.row.after or flip.row.before)

    def action_before(self) -> None:
        """The transcript from before the edit."""
        if self.flip is not None:
            self._open_trial(self.flip.row.before)

    def _open_trial(self, trial: TrialSummary | None) -> None:
        if trial is not None:
            self._open(trial.run_id, trial.trial.audit_id, trial.trial.key)

    def _open(self, run_id: str, audit_id: str, key: str) -> None:
        self.app.push_screen(TrialScreen(self.desk, self.board, run_id, audit_id, key))

    def action_grade(self) -> None:
        """Grade the trial after the edit, or the one before while there is none."""
        from workbench.tui.screens.grade import GradeScreen

        flip = self.flip
        trial = (flip.row.after or flip.row.before) if flip is not None else None
        if trial is not None:
            self.app.grading.start(trial)
            self.app.push_screen(GradeScreen(self.desk, self.app.grading, "", frozenset([trial.trial.audit_id])))

    def action_step(self, by: int) -> None:
        """To an older or a newer edit."""
        self.listing.step(by)

    def action_stop(self) -> None:
        """Stop what is being asked."""
        self.app.watching.stop_asking()

    def action_end_watch(self) -> None:
        """Stop watching."""
        self.app.run_worker(self._stop(), group="watch")

    def action_begin_watch(self) -> None:
        """Watch again, what was watched before."""
        self.app.watching.begin(self.app.watching.filter)

    async def _stop(self) -> None:
        await self.app.watching.end()
        self.app.notify("Not watching any more; what was asked is kept", timeout=4)

    # Panes

    @property
    def _places(self) -> list[Widget]:
        every: list[Widget] = [self.listing, self.detail.diff, self.detail.sides.before, self.detail.sides.after]
        return [place for place in every if not (self.has_class("-empty") or self._hidden(place))]

    def _hidden(self, place: Widget) -> bool:
        return self.detail.sides in place.ancestors and not self.detail.sides.display

    def action_pane(self, step: int) -> None:
        """The next or previous pane."""
        places = self._places
        if places:
            here = places.index(self.focused) if self.focused in places else 0
            self._enter(places[(here + step) % len(places)])

    def action_show_pane(self, index: int) -> None:
        """Go to a pane by its number."""
        self._enter((self.listing, self.detail.diff, self.detail.sides.after)[index])

    def _enter(self, place: Widget) -> None:
        if place in self._places:
            self._reveal(0 if place is self.listing else 1 if place is self.detail.diff else 2)
            place.focus()

    def _reveal(self, index: int) -> None:
        """On a narrow terminal, show that pane and hide the others."""
        for number in range(len(_PANES)):
            self.set_class(number == index, f"-pane-{number}")
        self.query_one(PaneTabs).current = index

    @on(PaneTabs.Chosen)
    def _chosen(self, event: PaneTabs.Chosen) -> None:
        self.action_show_pane(event.index)

    def action_close(self) -> None:
        """Back to the bench."""
        self.dismiss()
