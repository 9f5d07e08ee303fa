"""Stored runs: seen, assessed, reported, regraded, and cleared away."""

from collections.abc import Sequence
from dataclasses import replace

from workbench.corpus.records import Audit
from workbench.desk.history import History, trace_of
from workbench.desk.ledger import Books
from workbench.desk.library import Library
from workbench.desk.project import Project
from workbench.desk.records import DeskError, TrialView
from workbench.grading.records import Assessment
from workbench.grading.store import AssessmentStore
from workbench.insight.context import measure
from workbench.insight.hints import annotate
from workbench.insight.level import observe
from workbench.reports.markdown import ReportEntry, ReportInput
from workbench.runs.identity import stamp
from workbench.runs.prune import prune
from workbench.runs.records import TrialFinished
from workbench.runs.regrade import Regraded, regrade
from workbench.runs.store import StoredRun
from workbench.traces.records import Trace
from workbench.traces.store import TraceError, read_tail

_LARGE = 1024 * 1024
"""Bytes above which a trace is worth showing in two steps."""


class Upkeep:
    """What can be done with runs that are on disk."""

    def __init__(self, project: Project, library: Library, history: History, books: Books) -> None:
        self._project, self._library = project, library
        self._history, self._books = history, books

    def open(self, run_id: str) -> StoredRun:
        """The run of that id, as `History.open` finds it."""
        return self._history.open(run_id)

    def view(self, audit_id: str, run_id: str = "", key: str = "") -> TrialView:
        """One trial with its trace, hints and observed level; without a run, the audit's last trial."""
        audit = self._library.audit(audit_id)
        if not run_id:
            last = self._history.last(audit_id)
            if not last:
                return TrialView(None, audit, None)
            run_id, key = last[-1].run_id, last[-1].trial.key
        stored = self.open(run_id)
        key = key or audit_id
        summary = next((s for s in self._history.of_run(stored.run_id) if s.trial.key == key), None)
        trace = trace_of(stored, key)
        if trace is None:
            return TrialView(summary, audit, None)
        if summary:
            summary = replace(summary, finished=self._hinted(summary.finished, trace, audit))
        observed = observe(trace, audit.expected_level if audit else "")
        return TrialView(summary, audit, trace, observed.level, observed.note)

    def _hinted(self, finished: TrialFinished, trace: Trace, audit: Audit | None) -> TrialFinished:
        expected = audit.expected_level if audit else ""
        there = self._library.box_files(audit.file) if audit else None
        if there is not None and audit:
            there |= audit.fixture.keys()
        ended = finished.ending.reason
        checks = annotate(finished.checks, trace, expected_level=expected, ended=ended, box_files=there)
        return finished.model_copy(update={"checks": checks})

    def tail(self, audit_id: str, run_id: str = "", key: str = "") -> Trace | None:
        """The end of a large stored trace; None where there is none, or where `view` is as quick."""
        if not run_id:
            last = self._history.last(audit_id)
            if not last:
                return None
            run_id, key = last[-1].run_id, last[-1].trial.key
        path = self.open(run_id).trace_path(key or audit_id)
        try:
            return read_tail(path) if path is not None and path.stat().st_size > _LARGE else None
        except (TraceError, OSError):
            return None

    def assess(self, run_id: str, trial: str, grader: str, filled: dict[str, str]) -> Assessment:
        """Append an assessment; DeskError when the run has no such trial."""
        stored = self.open(run_id)
        if trial not in {planned.key for planned in stored.manifest.trials}:
            raise DeskError(f"{stored.run_id} has no trial {trial!r}; its report lists those it has")
        saved = Assessment.model_validate({"trial": trial, "grader": grader, "at": stamp(), **filled})
        try:
            AssessmentStore(stored.folder).add(saved)
        except OSError as error:
            raise DeskError(f"{stored.folder}: the assessment cannot be saved: {error.strerror}") from error
        return saved

    def told(self, run_id: str, *, traces: bool = True) -> ReportInput:
        """A run as reports tell it; without its traces, only what the journal holds."""
        stored = self.open(run_id)
        graded = AssessmentStore(stored.folder).by_trial()
        entries = []
        for trial in stored.manifest.trials:
            finished = stored.finished.get(trial.key)
            if finished is None:
                continue
            audit, trace = self._library.audit(trial.audit_id), trace_of(stored, trial.key) if traces else None
            shown = self._hinted(finished, trace, audit) if trace else finished
            entries.append(ReportEntry(audit, trial, shown, trace, graded.get(trial.key, ())))
        baselines = self._baselines(stored, entries) if traces else {}
        return ReportInput(stored.manifest, tuple(entries), baselines, stored.drifted(), stored.replaced)

    def _baselines(self, stored: StoredRun, entries: Sequence[ReportEntry]) -> dict[str, int]:
        """Trial key → tokens of context its audit started with when this engine and model were asked before."""
        # Sessions that were imported ended before their run began.
        begun = min((stored.manifest.started_at, *(entry.finished.at for entry in entries)))
        earlier = self._history.before(begun, (stored.manifest.engine, stored.manifest.model))
        runs = {run_id: self.open(run_id) for run_id in {one.run_id for trials in earlier.values() for one in trials}}
        found = {}
        for entry in entries:
            key, audit_id = entry.trial.key, entry.trial.audit_id
            known = {}
            for summary in earlier.get(audit_id, ()):
                run = runs[summary.run_id]
                if summary.trial.key == key and (use := measure(trace_of(run, key))):
                    known[run.manifest.started_at] = use.initial
            for row in self._books.rows(audit_id):
                if row.date < begun and entry.trace and (row.engine, row.model) == _asked(entry.trace):
                    known[row.date] = row.initial
            if known:
                found[key] = known[max(known)]
        return found

    def regrade(self, run_id: str) -> Regraded:
        """Judge a run's traces by the audits as they are."""
        audits = {audit.id: audit for audit in self._library.audits}
        settings = {corpus.file: corpus.settings for corpus in self._library.corpora}
        return regrade(self.open(run_id), audits, settings)

    def prune(self, keep: int, *, dry_run: bool, force: bool) -> tuple[str, ...]:
        """Delete all but the newest `keep` runs; graded ones only by force, live ones never."""
        try:
            return prune(self._history.store, keep, dry_run=dry_run, force=force)
        except OSError as error:
            raise DeskError(f"{error.filename}: cannot be deleted: {error.strerror}") from error


def _asked(trace: Trace) -> tuple[str, str]:
    return trace.meta.engine, trace.meta.model
