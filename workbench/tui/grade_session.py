"""What outlives the grading screen: the queue that was chosen, where the human was, what is entered and not saved."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from workbench.desk.grading import Name, QueueKind, Wanted, name
from workbench.desk.records import TrialSummary
from workbench.tui.widgets.assessment import Filled


@dataclass(slots=True)
class GradeSession:
    """One sitting; what is on disk says the rest."""

    kind: QueueKind = "ungraded"
    at: Name | None = None
    """The trial one was at."""
    audit_id: str = ""
    """Its audit."""
    done: set[Name] = field(default_factory=set)
    """Trials saved in this sitting: they stay in the queue, so that one can go back and the count holds."""
    entered: dict[Name, Filled] = field(default_factory=dict)
    """What was entered of a trial and is not on disk yet."""

    def start(self, shown: TrialSummary) -> None:
        """Begin at a trial, unless one was at that audit already: then go on where one was."""
        if shown.trial.audit_id != self.audit_id:
            self.go(shown)

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
        here = {self.at} if self.at is not None else set()
        return Wanted(self.kind, marked, frozenset(self.done | here))
