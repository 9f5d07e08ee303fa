"""Grading mode: the trials that wait, one at a time, full width, by keyboard alone."""

import asyncio
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container
from textual.screen import Screen

from workbench.desk.grading import Name, name, open_queues, own
from workbench.desk.records import DeskError, TrialSummary, TrialView
from workbench.grading.records import Assessment
from workbench.traces.acts import classify
from workbench.tui.commands import Command
from workbench.tui.grade_session import GradeSession, Sight, filled_in, refusal, with_saved
from workbench.tui.screens.agreement import AgreementScreen
from workbench.tui.screens.definitions import DefinitionsScreen
from workbench.tui.screens.grade_keys import GRADE_BINDINGS, GRADE_KEYS
from workbench.tui.widgets.assessment import Filled
from workbench.tui.widgets.grade_bar import GradeBar
from workbench.tui.widgets.grade_form import GradeForm
from workbench.tui.widgets.grade_panes import GradeAside, GradePage, Told
from workbench.tui.widgets.grade_words import saved_line
from workbench.tui.widgets.keybar import KeyBar
from workbench.tui.workers import latest

if TYPE_CHECKING:
    from workbench.desk.desk import Desk
    from workbench.tui.app import WorkbenchApp


class GradeScreen(Screen[str]):
    """Shows one trial of the queue at a time and saves what the human says; closes with the audit one was at."""

    KEYS: ClassVar[tuple[Command, ...]] = GRADE_KEYS
    BINDINGS: ClassVar[list[BindingType]] = GRADE_BINDINGS
    AUTO_FOCUS = "GradePage"

    app: "WorkbenchApp"

    def __init__(self, desk: "Desk", session: GradeSession, terms: str, marked: frozenset[str]) -> None:
        super().__init__()
        self.desk, self.session = desk, session
        self.bar, self.page, self.form, self.aside = GradeBar(), GradePage(), GradeForm(), GradeAside()
        self._terms, self._marked = terms, marked
        self._trials: tuple[TrialSummary, ...] = ()
        self._index = 0
        self.sight = Sight(blind=desk.grading.blind)
        self._loading = True
        self._sent: dict[Name, Filled] = {}
        """What is on its way to the disk."""
        self._left: Sight | None = None
        """The trial that was saved and left, to tell what came of it."""

    def compose(self) -> ComposeResult:
        """Queue and progress, the trial, the form beside what the checks say, the keys."""
        yield self.bar
        yield self.page
        with Container(id="grade-below"):
            yield self.form
            yield self.aside
        yield KeyBar(self.KEYS)

    def on_mount(self) -> None:
        """Find what waits."""
        self._refill()

    # The queue

    def _refill(self) -> None:
        latest(self, self._load, "queue")

    async def _load(self) -> None:
        wanted = self.session.wanted(self._marked)
        self.bar.filter = "" if wanted.kind == "marked" else self._terms
        try:
            self.sight.grader = await asyncio.to_thread(lambda: self.desk.grader)
            self._trials = await asyncio.to_thread(self.desk.grading.queue, self.bar.filter, wanted)
        except (DeskError, OSError) as error:
            self._trials = ()
            self.app.complain(error)
        self._go(self.session.place(self._trials))

    def _go(self, index: int) -> None:
        """Show a trial of the queue, or that the queue is empty."""
        self._index = index
        self.bar.kind = self.session.kind
        if not self._trials:
            self._loading = False
            self.sight.view, self.sight.acts = TrialView(None, None, None), ()
            self._draw()
            return
        self.session.go(self._trials[index])
        self._loading = True
        latest(self, partial(self._fetch, self._trials[index]), "trial")

    async def _fetch(self, trial: TrialSummary) -> None:
        try:
            view = await asyncio.to_thread(self.desk.trial, trial.trial.audit_id, *name(trial))
            acts = await asyncio.to_thread(classify, view.trace) if view.trace is not None else ()
        except (DeskError, OSError) as error:
            self.app.complain(error)
            view, acts = TrialView(trial, None, None), ()
        self.sight.view = view if view.summary is not None else replace(view, summary=trial)
        self.sight.acts = acts
        self._loading = False
        self.page.scroll_home(animate=False)
        self._draw()

    def _draw(self) -> None:
        self.bar.blind = self.sight.blind = self.desk.grading.blind
        graded = sum(own(trial.assessments, self.sight.grader) is not None for trial in self._trials)
        self.bar.progress = (self._index + 1, len(self._trials), graded)
        early = self.desk.show_observed_early
        empty = "" if self._trials else self.session.nothing(self.sight.grader, filtered=bool(self.bar.filter))
        told = Told(self.sight.view, self.sight.acts, self.sight.grader, self.sight.hidden, early, empty)
        self.page.show(told)
        self.aside.show(told)
        self._draw_form()
        self.refresh_bindings()

    def _draw_form(self) -> None:
        here, mine = self.session.at, self.sight.mine
        filled = self.session.entered.get(here) if here is not None else None
        self.form.show(filled or filled_in(here, mine))
        self.form.tell(self.sight.grader, saved=mine is not None, changed=filled is not None, locked=self.sight.locked)

    # Keys: judging

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """What cannot be read yet cannot be judged."""
        if action in ("enter", "cause", "note", "save", "definitions"):
            return bool(self._trials) and not self._loading
        return action not in ("step", "page") or bool(self._trials)

    def action_enter(self, field: str, value: str) -> None:
        """Put a level or a verdict into the form."""
        self.form.enter(field, value)

    def action_cause(self) -> None:
        """Choose a cause."""
        self.form.choices.focus()

    def action_note(self) -> None:
        """Write the note."""
        self.form.note.focus()

    def action_definitions(self) -> None:
        """Show what the levels mean; a digit there chooses one."""
        self.app.push_screen(DefinitionsScreen(), self._defined)

    def _defined(self, level: str | None) -> None:
        if level and self.form.filled.level != level:
            self.action_enter("level", level)

    @on(GradeForm.Changed)
    def _entered(self, event: GradeForm.Changed) -> None:
        here = self.session.at
        if here == (event.filled.run_id, event.filled.trial) and here is not None:
            if event.filled == filled_in(here, self.sight.mine):
                self.session.entered.pop(here, None)
            else:
                self.session.entered[here] = event.filled
            self._draw_form()

    @on(GradeForm.Back)
    def _back(self) -> None:
        self.page.focus()

    @on(GradeForm.Save)
    def action_save(self) -> None:
        """Save what is entered, then the next trial; blind, first what the checks say."""
        filled, here = self.form.filled, self.session.at
        if here is None or self._loading:
            return
        if here not in self.session.entered and self.sight.mine is not None:
            self._next()
        elif why := refusal(filled, blind=self.desk.grading.blind):
            self.form.refuse(why)
        else:
            self.page.focus()
            self._sent[here] = filled
            self.app.keep(filled)
            if not self.sight.hidden:
                self._left = replace(self.sight)
                self._next()

    def _next(self) -> None:
        self.page.focus()
        if self._index + 1 < len(self._trials):
            self._go(self._index + 1)
        else:
            self.form.say("that was the last one; tab goes to the next queue, = shows the agreement")

    def assessed(self, run_id: str, saved: Assessment) -> None:
        """An assessment is on disk."""
        judged = (run_id, saved.trial)
        self.session.kept.add(judged)
        if self.session.entered.get(judged) == self._sent.pop(judged, None):
            self.session.entered.pop(judged, None)
        self._trials = tuple(with_saved(trial, saved) if name(trial) == judged else trial for trial in self._trials)
        if self._left is not None and self._left.named == judged:
            self.form.say(saved_line(saved, self._left.view))
            self._left = None
        if self.sight.named == judged:
            self.sight.saved(saved)
            if self.sight.locked:
                self._reveal()
        if not self._loading:
            self._draw()

    def _reveal(self) -> None:
        """Say that what was hidden shows now, and let it be in view."""
        self.form.say("saved and locked; this is what the checks say · enter goes on")
        if self.has_class("-narrow"):
            self.call_after_refresh(self.page.scroll_end, animate=False)

    # Keys: going about

    def action_step(self, by: int) -> None:
        """The next or previous trial, if there is one."""
        if 0 <= self._index + by < len(self._trials):
            self.form.say("")
            self._go(self._index + by)
        else:
            self.form.say("that is the last one" if by > 0 else "that is the first one")

    def action_page(self) -> None:
        """Read on."""
        self.page.scroll_page_down(animate=False)

    def action_queue(self, by: int) -> None:
        """Another queue."""
        queues = open_queues(blind=self.desk.grading.blind)
        here = queues.index(self.session.kind) if self.session.kind in queues else -by
        self.session.switch(queues[(here + by) % len(queues)])
        self._refill()

    def action_blind(self) -> None:
        """Grade blind or not, from here on."""
        latest(self, self._blind, "blind")

    async def _blind(self) -> None:
        try:
            await asyncio.to_thread(self.desk.grading.set_blind, not self.desk.grading.blind)
        except (DeskError, OSError) as error:
            self.app.complain(error)
            return
        if self.desk.grading.blind and self.session.kind == "failed":
            self.session.switch("ungraded")
            self._refill()
        self.form.say(
            "blind: checks, engine and model show once you have saved" if self.desk.grading.blind else "no longer blind"
        )
        self._draw()

    def action_agreement(self) -> None:
        """How far everybody agrees."""
        self.app.push_screen(AgreementScreen(self.desk))

    def action_close(self) -> None:
        """Back to the bench, at the audit one was at, once everything is on disk."""
        latest(self, self._close, "close")

    async def _close(self) -> None:
        saves = [worker for worker in self.app.workers if worker.group == "saves"]
        if saves:
            await self.app.workers.wait_for_complete(saves)
        self.dismiss(self.session.audit_id if self._trials else "")
