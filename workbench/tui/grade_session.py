"""What outlives the grading screen: the queue that was chosen, where the human was, what is entered and not saved."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from workbench.desk.grading import Name, QueueKind, Wanted, name, own
from workbench.desk.records import TrialSummary, TrialView
from workbench.grading.levels import missing_note
from workbench.grading.records import Assessment
from workbench.traces.acts import Act
from workbench.tui.looks import level_words
from workbench.tui.widgets.assessment import Filled


@dataclass(slots=True)
class Sight:
    """The shown trial, and how much of it this grader may see."""

    grader: str = ""
    blind: bool = False
    view: TrialView = field(default_factory=lambda: TrialView(None, None, None))
    acts: tuple[Act, ...] = ()

    @property
    def named(self) -> Name | None:
        """Which trial it is."""
        return name(self.view.summary) if self.view.summary is not None else None

    @property
    def mine(self) -> Assessment | None:
        """What this grader has saved of it."""
        return own(self.view.summary.assessments, self.grader) if self.view.summary is not None else None

    @property
    def locked(self) -> bool:
        """Whether level and verdict were given, so that what they were given blind to shows and they stay."""
        return self.blind and self.mine is not None and bool(self.mine.level and self.mine.verdict)

    @property
    def hidden(self) -> bool:
        """Whether checks, engine and model must not be seen yet."""
        return self.blind and not self.locked

    def saved(self, assessment: Assessment) -> None:
        """An assessment of this trial is on disk."""
        if self.view.summary is not None:
            self.view = replace(self.view, summary=with_saved(self.view.summary, assessment))


@dataclass(slots=True)
class GradeSession:
    """One sitting; what is on disk says the rest."""

    kind: QueueKind = "ungraded"
    at: Name | None = None
    """The trial one was at."""
    audit_id: str = ""
    """Its audit."""
    kept: set[Name] = field(default_factory=set)
    """Trials that stay in the queue whatever becomes of them, so that one can go back and the count holds."""
    entered: dict[Name, Filled] = field(default_factory=dict)
    """What was entered of a trial and is not on disk yet."""

    def start(self, shown: TrialSummary) -> None:
        """Begin at a trial, unless one was at that audit already: then go on where one was."""
        if shown.trial.audit_id != self.audit_id:
            self.kept.add(name(shown))
            self.go(shown)

    def switch(self, kind: QueueKind) -> None:
        """Go over to another queue, which holds its own trials only."""
        self.kind = kind
        self.kept.clear()

    def go(self, trial: TrialSummary) -> None:
        """One is at this trial."""
        self.at, self.audit_id = name(trial), trial.trial.audit_id

    def place(self, trials: Sequence[TrialSummary]) -> int:
        """Where to be in a queue: at the trial one was at, else at one of its audit, else at the start."""
        names = [name(trial) for trial in trials]
        if self.at in names:
            return names.index(self.at)
        return next((i for i, trial in enumerate(trials) if trial.trial.audit_id == self.audit_id), 0)

    def wanted(self, marked: frozenset[str]) -> Wanted:
        """What to ask the desk for."""
        return Wanted(self.kind, marked, frozenset(self.kept))

    def nothing(self, grader: str, *, filtered: bool) -> str:
        """What to say where the queue is empty."""
        where = "in what the filter shows" if filtered else "in the corpora"
        told = {
            "ungraded": f"Nothing {where} waits for {grader}.",
            "failed": f"Nothing {where} has failed.",
            "marked": f"Nothing {where} is marked and asked.",
        }[self.kind]
        return f"{told}\n\ntab goes to the next queue, esc back to the bench."


def refusal(filled: Filled, *, blind: bool) -> str:
    """Why an assessment is not saved as it is; empty when it can be."""
    if filled.blank:
        return "nothing is entered: 1–9 level, p f u verdict; j skips"
    if blind and not (filled.level and filled.verdict):
        return f"blind, a level and a verdict are both wanted: {'p f u' if filled.level else '1–9'} is missing"
    if missing_note(filled.level, filled.note):
        return f"{level_words(filled.level)} wants a note: n, then what happened"
    return ""


def filled_in(here: Name | None, mine: Assessment | None) -> Filled:
    """What a form holds for a trial: what the grader has saved, or nothing."""
    run_id, trial = here or ("", "")
    if mine is None:
        return Filled(run_id, trial)
    return Filled(run_id, trial, mine.level, mine.verdict, mine.cause, mine.note)


def with_saved(trial: TrialSummary, saved: Assessment) -> TrialSummary:
    """A trial with an assessment that has just been saved."""
    rest = tuple(said for said in trial.assessments if said.grader != saved.grader)
    return replace(trial, assessments=(*rest, saved))
