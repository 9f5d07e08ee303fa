"""The run history: every stored run with what it took, search across all trials, the trend of an audit."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from workbench.desk.contents import Contents, Totals
from workbench.desk.finding import Found, find, parse
from workbench.desk.history import History
from workbench.desk.ledger import Books
from workbench.desk.records import DeskError, RunSummary, TrialSummary
from workbench.engines.registry import is_free
from workbench.grading.store import AssessmentStore
from workbench.insight.flips import compare
from workbench.insight.trend import Lane, lanes
from workbench.runs.folder import is_live
from workbench.runs.prune import delete
from workbench.runs.regrade import Flip
from workbench.traces.reasons import Reason


@dataclass(frozen=True, slots=True)
class RunLine:
    """One line of the run history."""

    summary: RunSummary
    totals: Totals
    """As far as its traces are indexed; `totals.trials` below the finished ones means that they are not all."""
    live: bool
    free: bool
    """Whether asking its engine costs nothing; when false, nobody recorded what it cost."""

    @property
    def counted(self) -> bool:
        """Whether `totals` covers every finished trial."""
        return self.totals.trials >= self.summary.tally.finished


class Archive:
    """Looks at all runs at once; its index grows as `refresh` is iterated."""

    def __init__(self, history: History, books: Books) -> None:
        self._history, self._books = history, books
        self._contents = Contents(history.store)

    def lines(self) -> tuple[RunLine, ...]:
        """All runs, newest first."""
        totals = self._contents.totals()
        runs = self._history.runs()
        free = {engine: is_free(engine) for engine in {run.manifest.engine for run in runs}}
        return tuple(
            RunLine(run, totals.get(run.run_id, Totals()), is_live(run.folder), free[run.manifest.engine])
            for run in runs
        )

    def refresh(self) -> Iterator[tuple[int, int]]:
        """Read what is new in the traces, run by run; yields how many runs are done, and of how many."""
        return self._contents.refresh()

    def find(self, terms: Sequence[str] | str) -> Found:
        """The trials a search means, as far as the index knows."""
        return find(self._contents, parse(terms))

    def trend(self, audit_id: str) -> tuple[Lane, ...]:
        """One audit over all runs the index knows, and those only the ledger does: a lane for each engine and model."""
        apart = self._history.apart()
        points = [point for point in self._contents.points(audit_id) if point.run_id not in apart]
        begun = self._begun()
        known = {begun[point.run_id] for point in points if point.run_id in begun}
        return lanes((*points, *self._books.points(audit_id, known)))

    def earlier(self, summary: TrialSummary, model: str) -> tuple[int, ...]:
        """Tokens of context that trials of the same audit, engine and model began with before one, as far as known."""
        begun, at = self._begun().get(summary.run_id, ""), summary.finished.at
        for lane in self.trend(summary.trial.audit_id):
            if (lane.engine, lane.model) == (summary.engine, model):
                # What the ledger knows of the same run may be this very trial.
                return tuple(point.initial for point in lane.points if point.at < at and point.at != begun)
        return ()

    def _begun(self) -> dict[str, str]:
        return {info.run_id: info.digest.started_at for info in self._history.store.runs()}

    def flips(self, run_id: str) -> tuple[Flip, ...]:
        """Trials of a run whose verdict is another one than in the run before that asked the same of the same.

        One that somebody stopped has not flipped.
        """
        trials = [trial for trial in self._history.of_run(run_id) if trial.finished.asked]
        if not trials or run_id in self._history.apart():
            return ()
        asked = (trials[0].engine, trials[0].model)
        earlier = self._history.before(min(trial.finished.at for trial in trials), asked)
        known = [before for trial in trials for before in earlier.get(trial.trial.audit_id, ())]
        before = {one.trial.key: one.verdict for one in known if one.run_id != run_id}
        ended = (one for one in trials if one.verdict.reason is not Reason.CANCELLED)
        return compare(before, {one.trial.key: one.verdict for one in ended})

    def graded(self, run_id: str) -> int:
        """How many trials of a run a human assessed."""
        by_trial = AssessmentStore(self._open(run_id).folder).by_trial()
        return sum(any(not said.blank for said in graders) for graders in by_trial.values())

    def delete(self, run_id: str) -> None:
        """Delete a run, graded or not; DeskError when it is live or cannot be deleted."""
        try:
            gone = delete(self._open(run_id).folder)
        except OSError as error:
            raise DeskError(f"{error.filename}: cannot be deleted: {error.strerror}") from error
        if not gone:
            raise DeskError(f"{run_id} is still going on; stop it first")
        self._history.forget()

    def _open(self, run_id: str) -> RunSummary:
        found = next((run for run in self._history.runs() if run.run_id == run_id), None)
        if found is None:
            raise DeskError(f"there is no run {run_id!r}")
        return found
