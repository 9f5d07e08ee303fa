"""Grading mode: the trials that wait, one at a time, full width, by keyboard alone."""

import asyncio
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Literal

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container
from textual.screen import Screen

from workbench.corpus.records import LEVELS
from workbench.desk.grading import QUEUES, Name, name, own
from workbench.desk.records import DeskError, TrialSummary, TrialView
from workbench.grading.levels import missing_note
from workbench.grading.records import Assessment
from workbench.traces.acts import Act, classify
from workbench.tui.commands import Command, bindings
from workbench.tui.grade_session import GradeSession
from workbench.tui.looks import level_words
from workbench.tui.screens.agreement import AgreementScreen
from workbench.tui.screens.definitions import DefinitionsScreen
from workbench.tui.widgets.assessment import Filled
from workbench.tui.widgets.form_fields import VERDICTS
from workbench.tui.widgets.grade_bar import GradeBar
from workbench.tui.widgets.grade_form import GradeForm
from workbench.tui.widgets.grade_panes import GradeAside, GradePage
from workbench.tui.widgets.grade_words import saved_line
from workbench.tui.widgets.keybar import KeyBar
from workbench.tui.workers import latest

if TYPE_CHECKING:
    from workbench.desk.desk import Desk
    from workbench.tui.app import WorkbenchApp

_KEYS: tuple[Command, ...] = (
    Command("1–9", "", "level", "The level; the same digit again takes it out", bar=True),
    Command("p f u", "", "verdict", "Pass, fail, unsure", bar=True),
    Command("c", "cause", "cause", "Choose a cause; there a–k choose one", bar=True),
    Command("n", "note", "note", "Write the note", bar=True),
    Command("enter", "save", "save, next", "Save the assessment and go to the next trial", bar=True),
    Command("j,right", "step(1)", "skip", "The next trial; what was entered is kept", bar=True),
    Command("k,left", "step(-1)", "previous", "The previous trial", bar=True),
    Command("d", "definitions", "levels", "What the nine levels mean", bar=True),
    Command("tab", "queue(1)", "queue", "The next queue: ungraded, failed, marked", bar=True),
    Command("b", "blind", "blind", "Hide or show checks, engine and model until you have saved; kept", bar=True),
    Command("equals_sign", "agreement", "agreement", "How far humans, checks and acts agree", bar=True),
    Command("shift+tab", "queue(-1)", "previous queue", "The previous queue"),
    Command("space", "page", "page down", "Read on; ↑ ↓ pgup pgdn scroll too"),
    Command("escape,q", "close", "back", "Back to the bench; g comes back to this trial", bar=True),
)


class GradeScreen(Screen[str]):
    """Shows one trial of the queue at a time and saves what the human says; closes with the audit one was at."""

    KEYS: ClassVar[tuple[Command, ...]] = _KEYS
    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings(command for command in _KEYS if command.action),
        *(Binding(str(number), f"enter('level', '{level}')", show=False) for number, level in enumerate(LEVELS, 1)),
        *(Binding(key, f"enter('verdict', '{verdict}')", show=False) for key, verdict in VERDICTS.items()),
    ]
    AUTO_FOCUS = "GradePage"

    app: "WorkbenchApp"

    def __init__(self, desk: "Desk", session: GradeSession, terms: str, marked: frozenset[str]) -> None:
        super().__init__()
        self.desk, self.session = desk, session
        self.bar, self.page, self.form, self.aside = GradeBar(), GradePage(), GradeForm(), GradeAside()
        self._terms, self._marked = terms, marked
        self._trials: tuple[TrialSummary, ...] = ()
        self._index = 0
        self._view = TrialView(None, None, None)
        self._acts: tuple[Act, ...] = ()
        self._left: TrialView | None = None
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
        self.bar.filter = self._terms
        self._refill()

    # The queue

    def _refill(self) -> None:
        latest(self, self._load, "queue")

    async def _load(self) -> None:
        wanted = self.session.wanted(self._marked)
        try:
            self._trials = await asyncio.to_thread(self.desk.grading_queue, self._terms, wanted)
        except (DeskError, OSError) as error:
            self._trials = ()
            self.app.complain(error)
        self._go(self.session.place(self._trials))

    def _go(self, index: int) -> None:
        """Show a trial of the queue, or that the queue is empty."""
        self._index = index
        self.bar.kind = self.session.kind
        if not self._trials:
            self._view, self._acts = TrialView(None, None, None), ()
            self._draw()
            return
        self.session.go(self._trials[index])
        latest(self, partial(self._fetch, self._trials[index]), "trial")

    async def _fetch(self, trial: TrialSummary) -> None:
        try:
            view = await asyncio.to_thread(self.desk.trial, trial.trial.audit_id, *name(trial))
            acts = await asyncio.to_thread(classify, view.trace) if view.trace is not None else ()
        except (DeskError, OSError) as error:
            self.app.complain(error)
            view, acts = TrialView(trial, None, None), ()
        self._view, self._acts = view if view.summary is not None else replace(view, summary=trial), acts
        self.page.scroll_home(animate=False)
        self._draw()

    # What may be seen

    @property
    def mine(self) -> Assessment | None:
        """What this grader has saved of the shown trial."""
        return own(self._view.summary.assessments, self.desk.grader) if self._view.summary is not None else None

    @property
    def locked(self) -> bool:
        """Whether level and verdict were given blind, and what they were given blind to may now be seen."""
        return self.desk.blind and self.mine is not None and bool(self.mine.level and self.mine.verdict)

    @property
    def hidden(self) -> bool:
        """Whether checks, engine and model must not be seen yet."""
        return self.desk.blind and not self.locked

    def _draw(self) -> None:
        self.bar.blind = self.desk.blind
        graded = sum(
            name(t) in self.session.done or own(t.assessments, self.desk.grader) is not None for t in self._trials
        )
        self.bar.progress = (self._index + 1, len(self._trials), graded)
        self.page.show(self._view, self._acts, hidden=self.hidden, empty=self._nothing())
        self.aside.show(self._view, self.desk.grader, hidden=self.hidden, early=self.desk.show_observed_early)
        self._draw_form()
        self.refresh_bindings()

    def _draw_form(self) -> None:
        here, mine = self.session.at, self.mine
        filled = self.session.entered.get(here) if here is not None else None
        self.form.show(filled or _filled(here, mine))
        self.form.tell(self.desk.grader, saved=mine is not None, changed=filled is not None, locked=self.locked)

    def _nothing(self) -> str:
        if self._trials:
            return ""
        where = "in what the filter shows" if self._terms else "in the corpora"
        told = {
            "ungraded": f"Nothing {where} waits for {self.desk.grader}.",
            "failed": f"Nothing {where} has failed.",
            "marked": f"Nothing {where} is marked and asked.",
        }
        return f"{told[self.session.kind]}\n\ntab goes to the next queue, esc back to the bench."

    # Keys: judging

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Without a trial there is nothing to judge."""
        if action in ("enter", "cause", "note", "save", "step", "page", "definitions"):
            return bool(self._trials) and self._view.summary is not None
        return True

    def action_enter(self, field: Literal["level", "verdict"], value: str) -> None:
        """Put a level or a verdict into the form."""
        if self.locked:
            self.form.refuse("locked: it was given before the checks showed; cause and note stay open")
        else:
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
            if event.filled == _filled(here, self.mine):
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
        if here is None or _named(self._view) != here:
            return
        if here not in self.session.entered and self.mine is not None:
            self._next()
        elif why := _refusal(filled, blind=self.desk.blind):
            self.form.refuse(why)
        else:
            self.page.focus()
            self.app.keep(filled)
            if not self.hidden:
                self._left = self._view
                self._next()

    def _next(self) -> None:
        self.page.focus()
        if self._index + 1 < len(self._trials):
            self._go(self._index + 1)
        else:
            self.form.say("that was the last one; tab goes to the next queue, = shows the agreement")

    def assessed(self, run_id: str, saved: Assessment) -> None:
        """An assessment is on disk."""
        saved_name = (run_id, saved.trial)
        self.session.done.add(saved_name)
        if self.session.entered.get(saved_name) == _filled(saved_name, saved):
            del self.session.entered[saved_name]
        if self._left is not None and _named(self._left) == saved_name:
            self.form.say(saved_line(saved, with_assessment(self._left, saved)))
            self._left = None
        if _named(self._view) == saved_name:
            self._view = with_assessment(self._view, saved)
            if self.locked:
                self.form.say("saved and locked; this is what the checks say · enter goes on")
        self._draw()

    # Keys: going about

    def action_step(self, by: int) -> None:
        """The next or previous trial, if there is one."""
        if 0 <= self._index + by < len(self._trials):
            self._go(self._index + by)
        else:
            self.form.say("that is the last one" if by > 0 else "that is the first one")

    def action_page(self) -> None:
        """Read on."""
        self.page.scroll_page_down(animate=False)

    def action_queue(self, by: int) -> None:
        """Another queue; grading blind, the failed ones are no queue, for being in it would tell the verdict."""
        queues = [kind for kind in QUEUES if not (self.desk.blind and kind == "failed")]
        here = queues.index(self.session.kind) if self.session.kind in queues else -by
        self.session.kind = queues[(here + by) % len(queues)]
        self._refill()

    def action_blind(self) -> None:
        """Grade blind or not, from here on."""
        latest(self, self._blind, "blind")

    async def _blind(self) -> None:
        try:
            await asyncio.to_thread(self.desk.set_blind, not self.desk.blind)
        except (DeskError, OSError) as error:
            self.app.complain(error)
            return
        if self.desk.blind and self.session.kind == "failed":
            self.session.kind = "ungraded"
            self._refill()
        self.form.say(
            "blind: checks, engine and model show once you have saved" if self.desk.blind else "no longer blind"
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


def _refusal(filled: Filled, *, blind: bool) -> str:
    """Why an assessment is not saved as it is; empty when it can be."""
    if filled.blank:
        return "nothing is entered: 1–9 level, p f u verdict; j skips"
    if blind and not (filled.level and filled.verdict):
        return f"blind, a level and a verdict are both wanted: {'p f u' if filled.level else '1–9'} is missing"
    if missing_note(filled.level, filled.note):
        return f"{level_words(filled.level)} wants a note: n, then what happened"
    return ""


def _filled(here: Name | None, mine: Assessment | None) -> Filled:
    run_id, trial = here or ("", "")
    if mine is None:
        return Filled(run_id, trial)
    return Filled(run_id, trial, mine.level, mine.verdict, mine.cause, mine.note)


def _named(view: TrialView) -> Name | None:
    return name(view.summary) if view.summary is not None else None


def with_assessment(view: TrialView, saved: Assessment) -> TrialView:
    """The view of a trial with an assessment that has just been saved."""
    assert view.summary is not None
    rest = tuple(said for said in view.summary.assessments if said.grader != saved.grader)
    return replace(view, summary=replace(view.summary, assessments=(*rest, saved)))
