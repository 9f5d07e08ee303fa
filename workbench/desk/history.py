"""What was asked before: the last trials of every audit, what they cost, what humans said of them."""

import contextlib
import sqlite3
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

from workbench.desk.history_index import fresh
from workbench.desk.records import DeskError, RunSummary, TrialSummary
from workbench.grading.records import Assessment
from workbench.runs.folder import RunError
from workbench.runs.records import Manifest, TrialFinished
from workbench.runs.store import RunStore, StoredRun
from workbench.traces.records import Trace
from workbench.traces.store import TraceError


class History:
    """Finished trials of all stored runs, newest first, with their assessments."""

    def __init__(self, reports: Path) -> None:
        self.store = RunStore(reports)
        self._last: dict[str, tuple[TrialSummary, ...]] | None = None
        self._others: dict[str, tuple[TrialSummary, ...]] = {}
        self._apart: frozenset[str] = frozenset()

    def forget(self) -> None:
        """Look at the disk again at the next question."""
        self._last = None

    def last(self, audit_id: str) -> tuple[TrialSummary, ...]:
        """The trials of an audit in the run that asked it last, in order of their repetition."""
        return self._latest().get(audit_id, ())

    def others(self, audit_id: str) -> tuple[TrialSummary, ...]:
        """An audit's last trial by each engine and model but the one that was asked last, latest first."""
        self._latest()
        return self._others.get(audit_id, ())

    def apart(self) -> frozenset[str]:
        """Runs that were asked at a git revision or with paths left out: nothing of them is a trend or a flip."""
        self._latest()
        return self._apart

    def before(self, moment: str, asked: tuple[str, str] | None = None) -> dict[str, tuple[TrialSummary, ...]]:
        """Audit id → its trials in the last run that had finished one before `moment` (ISO date or time).

        `asked`, where given, is the engine and the model such a run must have named.
        """
        alike = " and run_id in (select run_id from runs where engine = ? and model = ?)" if asked else ""
        with contextlib.closing(fresh(self.store)) as index:
            return self._last_in(index, f"where at < ?{alike}", (moment, *(asked or ())))

    def of_run(self, run_id: str) -> tuple[TrialSummary, ...]:
        """Every finished trial of a run, in the run's own order."""
        with contextlib.closing(fresh(self.store)) as index:
            return tuple(self._trials(index, run_id))

    def graded(self) -> tuple[TrialSummary, ...]:
        """Every trial of any run that somebody assessed, oldest first."""
        with contextlib.closing(fresh(self.store)) as index:
            rows = index.execute(
                "select t.run_id, t.finished, t.assessments, r.manifest from trials t join runs r using (run_id)"
                " where t.assessments != '' order by t.at, t.rowid"
            ).fetchall()
        asked: dict[str, _Asked] = {}
        for run_id, _, _, manifest in rows:
            if run_id not in asked:
                asked[run_id] = _Asked(manifest)
        return tuple(asked[run_id].summary(finished, assessments) for run_id, finished, assessments, _ in rows)

    def of_audit(self, audit_id: str) -> tuple[TrialSummary, ...]:
        """Every finished trial of an audit in any run, oldest first."""
        with contextlib.closing(fresh(self.store)) as index:
            rows = index.execute(
                "select t.finished, t.assessments, r.manifest from trials t join runs r using (run_id)"
                " where t.audit_id = ? order by t.at, t.rowid",
                (audit_id,),
            ).fetchall()
        return tuple(_Asked(manifest).summary(finished, assessments) for finished, assessments, manifest in rows)

    def costs(self, engine: str, model: str) -> dict[str, tuple[int, float]]:
        """Audit id → how many trials of known cost an engine and model were asked of it, and their US dollars."""
        with contextlib.closing(fresh(self.store)) as index:
            rows = index.execute(
                "select t.audit_id, count(*), sum(t.cost) from trials t join runs r using (run_id)"
                " where r.engine = ? and r.model = ? and t.cost is not null group by t.audit_id",
                (engine, model),
            ).fetchall()
        return {audit_id: (number, usd) for audit_id, number, usd in rows}

    def open(self, run_id: str) -> StoredRun:
        """The run of that id, of a unique beginning of one, or `latest`; DeskError when there is none."""
        try:
            return self.store.open(run_id)
        except RunError as error:
            raise DeskError(str(error)) from error

    def runs(self) -> tuple[RunSummary, ...]:
        """All runs, newest first."""
        return tuple(
            RunSummary(info.run_id, info.folder, info.manifest, info.tally, info.complete)
            for info in self.store.runs()
            if info.manifest is not None
        )

    def _latest(self) -> dict[str, tuple[TrialSummary, ...]]:
        if self._last is None:
            with contextlib.closing(fresh(self.store)) as index:
                last = self._last_in(index, "", ())
                self._others = self._last_of_others(index, last)
                self._apart = frozenset(run_id for (run_id,) in index.execute("select run_id from runs where apart"))
                self._last = last
        return self._last

    @staticmethod
    def _last_of_others(
        index: sqlite3.Connection, last: dict[str, tuple[TrialSummary, ...]]
    ) -> dict[str, tuple[TrialSummary, ...]]:
        engines = index.execute("select count(*) from (select distinct engine, model from runs)").fetchone()[0]
        if engines < 2:
            return {}
        # Beside max(), SQLite takes the other columns from the row that holds the maximum.
        rows = index.execute(
            "select l.run_id, l.finished, l.assessments, r.manifest, max(l.at) from told l join runs r using (run_id)"
            " group by l.audit_id, r.engine, r.model order by max(l.at) desc"
        ).fetchall()
        found: dict[str, list[TrialSummary]] = {}
        asked: dict[str, _Asked] = {}
        for run_id, finished, assessments, manifest, _ in rows:
            if run_id not in asked:
                asked[run_id] = _Asked(manifest)
            summary = asked[run_id].summary(finished, assessments)
            latest = last[summary.trial.audit_id][-1]
            if (summary.engine, summary.model) != (latest.engine, latest.model):
                found.setdefault(summary.trial.audit_id, []).append(summary)
        return {audit_id: tuple(trials) for audit_id, trials in found.items()}

    @staticmethod
    def _last_in(index: sqlite3.Connection, where: str, values: tuple[str, ...]) -> dict[str, tuple[TrialSummary, ...]]:
        # `where` is one of our own clauses, never foreign text.
        rows = index.execute(
            "select t.run_id, t.finished, t.assessments, r.manifest from told t join runs r using (run_id)"
            f" join (select audit_id, run_id, max(at) from told {where} group by audit_id) l"
            " on l.audit_id = t.audit_id and l.run_id = t.run_id order by t.rowid",
            values,
        ).fetchall()
        found: dict[str, list[TrialSummary]] = {}
        asked: dict[str, _Asked] = {}
        for run_id, finished, assessments, manifest in rows:
            if run_id not in asked:
                asked[run_id] = _Asked(manifest)
            summary = asked[run_id].summary(finished, assessments)
            found.setdefault(summary.trial.audit_id, []).append(summary)
        return {audit_id: tuple(trials) for audit_id, trials in found.items()}

    def _trials(self, index: sqlite3.Connection, run_id: str) -> Iterable[TrialSummary]:
        row = index.execute("select manifest from runs where run_id = ?", (run_id,)).fetchone()
        if row is None:
            return
        asked = _Asked(row[0])
        for finished, assessments in index.execute(
            "select finished, assessments from trials where run_id = ? order by rowid", (run_id,)
        ):
            yield asked.summary(finished, assessments)


def trace_of(stored: StoredRun, key: str) -> Trace | None:
    """The trace of a run's trial; None when it left none or none that can be read."""
    try:
        return stored.trace(key)
    except (TraceError, RunError, OSError):
        return None


def age_days(at: str) -> float:
    """Days since an ISO moment."""
    return (datetime.now(UTC) - datetime.fromisoformat(at)).total_seconds() / 86400


class _Asked:
    """A run's manifest with its trials by key, to build summaries of them."""

    def __init__(self, manifest: str) -> None:
        self._manifest = Manifest.model_validate_json(manifest)
        self._trials = {trial.key: trial for trial in self._manifest.trials}

    def summary(self, finished: str, assessments: str) -> TrialSummary:
        """A stored trial as the screens tell it, from its line in the index."""
        record = TrialFinished.model_validate_json(finished)
        return TrialSummary(
            run_id=self._manifest.run_id,
            trial=self._trials[record.trial],
            engine=self._manifest.engine,
            model=self._manifest.model,
            finished=record,
            assessments=tuple(Assessment.model_validate_json(line) for line in filter(None, assessments.split("\n"))),
        )
