"""Grading as a job of its own: which trials wait for a human, blind or not, and how far judgements agree."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from workbench.checks.records import Outcome
from workbench.desk.history import History, trace_of
from workbench.desk.library import Library
from workbench.desk.listing import Listing
from workbench.desk.project import Project
from workbench.desk.records import DeskError, TrialSummary
from workbench.grading.records import Assessment
from workbench.insight.level import observe
from workbench.runs.store import StoredRun

if TYPE_CHECKING:
    from workbench.insight.agreement import Agreement

QueueKind = Literal["ungraded", "failed", "marked"]
QUEUES: tuple[QueueKind, ...] = ("ungraded", "failed", "marked")
Name = tuple[str, str]
"""A trial, by its run and its key."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which trials a grader wants to see."""

    kind: QueueKind = "ungraded"
    marked: frozenset[str] = frozenset()
    """Ids of marked audits, for the queue of that name."""
    keep: frozenset[Name] = frozenset()
    """Trials that stay whatever became of them: those graded in this sitting, and the one to start at."""


def open_queues(*, blind: bool) -> tuple[QueueKind, ...]:
    """The queues one may choose from; blind, being in the failed one would tell the verdict."""
    return tuple(kind for kind in QUEUES if not (blind and kind == "failed"))


def name(trial: TrialSummary) -> Name:
    """What a trial is known by across runs."""
    return trial.run_id, trial.trial.key


def own(assessments: Iterable[Assessment], grader: str) -> Assessment | None:
    """The grader's own assessment, unless blank."""
    return next((a for a in assessments if a.grader == grader and not a.blank), None)


def queue(trials: Iterable[TrialSummary], wanted: Wanted, grader: str) -> tuple[TrialSummary, ...]:
    """The trials of a queue, in their order; ungraded is what this grader has not graded, whatever others said.

    A trial in which no agent said anything has nothing to grade.
    """

    def waits(trial: TrialSummary) -> bool:
        """Whether a trial waits for a human."""
        match wanted.kind:
            case "ungraded":
                return own(trial.assessments, grader) is None
            case "failed":
                return trial.verdict.outcome is Outcome.FAILED
            case "marked":
                return trial.trial.audit_id in wanted.marked

    return tuple(trial for trial in trials if name(trial) in wanted.keep or (trial.finished.turns and waits(trial)))


class Grading:
    """The hand of the desk that grades."""

    def __init__(self, project: Project, library: Library, history: History, listing: Listing) -> None:
        self._project, self._library = project, library
        self._history, self._listing = history, listing
        self._observed: dict[tuple[str, str, str], str] = {}
        self.blind = project.settings.blind
        """Whether grading mode hides what the checks say, and whom was asked, until the human has spoken."""

    def set_blind(self, on: bool) -> None:
        """Hide verdicts, engine and model while grading, or show them; kept in the configuration."""
        from workbench.desk.configuring import keep_flag

        keep_flag(self._project.root, "blind", on)
        self.blind = on

    def queue(self, terms: Sequence[str] | str, wanted: Wanted) -> tuple[TrialSummary, ...]:
        """The trials of a selection that wait, in the order of the list, every repetition of a last run among them."""
        rows = (row for group in self._listing.sections(terms) for row in group.rows)
        trials = (trial for row in rows for trial in self._history.last(row.audit.id))
        return queue(trials, wanted, self._project.grader())

    def first_of(self, run_id: str) -> TrialSummary:
        """Where grading a run begins: its first trial this grader has not graded, else its first.

        DeskError for a run none of whose trials is an audit's last: the queue does not hold them.
        """
        run_id = self._history.open(run_id).run_id
        there = [t for t in self._history.of_run(run_id) if t.run_id == self._last_run(t.trial.audit_id)]
        if not there:
            raise DeskError(
                f"{run_id} has no trial that is an audit's last one; grade it in its report:"
                f" workbench report {run_id} --output report.md, then workbench grade {run_id} --from report.md"
            )
        return next(iter(queue(there, Wanted(), self._project.grader())), there[0])

    def _last_run(self, audit_id: str) -> str:
        last = self._history.last(audit_id)
        return last[-1].run_id if last else ""

    def agreement(self, terms: Sequence[str] | str = ()) -> "Agreement":
        """How far humans, checks and acts agree, over all graded trials of all runs, or those of a selection."""
        from workbench.insight.agreement import Graded, measure
        from workbench.insight.standing import Asked

        wanted = {row.audit.id for group in self._listing.sections(terms) for row in group.rows}
        chosen = [t for t in self._history.graded() if not terms or t.trial.audit_id in wanted]
        levels = self._levels([t for t in chosen if any(said.level for said in t.assessments)])
        return measure(Graded(Asked(t.trial, t.finished, t.assessments), levels.get(name(t), "")) for t in chosen)

    def _levels(self, trials: Sequence[TrialSummary]) -> dict[Name, str]:
        """The level each trial's acts show; a trace is read once as long as the bench is open."""
        found, runs = {}, dict[str, StoredRun]()
        for trial in trials:
            audit = self._library.audit(trial.trial.audit_id)
            expected = audit.expected_level if audit else ""
            key = (*name(trial), expected)
            if key not in self._observed:
                if trial.run_id not in runs:
                    runs[trial.run_id] = self._history.store.open(trial.run_id)
                self._observed[key] = _observed(runs[trial.run_id], trial.trial.key, expected)
            found[name(trial)] = self._observed[key]
        return found


def _observed(stored: StoredRun, key: str, expected: str) -> str:
    trace = trace_of(stored, key)
    return observe(trace, expected).level if trace else ""
