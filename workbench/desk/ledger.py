"""The project's context ledger: added to as measured trials end, read for trends and for what changed since."""

import contextlib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.boxes.location import BoxError
from workbench.corpus.records import Audit, Problem
from workbench.desk.library import Library, locate
from workbench.desk.project import Project
from workbench.engines.registry import is_free
from workbench.host.git import GitError
from workbench.insight.context import measure
from workbench.insight.trend import Point
from workbench.records.ledger import Ledger, LedgerError, Row, append, load
from workbench.runs.events import RunEvent
from workbench.runs.plan import box_key
from workbench.runs.records import BoxRecord, TrialFinished
from workbench.text.sanitize import clean
from workbench.traces.records import Trace
from workbench.traces.store import TraceError, read

if TYPE_CHECKING:
    from workbench.desk.asking import LiveRun


class Books:
    """The ledger of a project; without one (`ledger = ""`) nothing is kept and nothing is known."""

    def __init__(self, project: Project, library: Library) -> None:
        self._project, self._library = project, library
        self._read: tuple[tuple[int, int], Ledger] | None = None
        self._kept: dict[str, _Keeping] = {}

    def follow(self, live: "LiveRun") -> "LiveRun":
        """Add a row as each measured trial of a run ends; nothing for an engine that costs nothing and estimates."""
        path = self._project.ledger
        if path is not None and not is_free(live.manifest.engine):
            self._kept[live.run_id] = keeping = _Keeping(path, live, self._library, self._commit())
            live.subscribe(keeping.hear)
        return live

    def close(self, run_id: str) -> None:
        """Wait until every row of a run that is over is written; what went wrong is told by the run."""
        if keeping := self._kept.pop(run_id, None):
            keeping.close()

    def rows(self, audit_id: str) -> tuple[Row, ...]:
        """What is known of an audit in the box its corpus names, in file order; nothing where it cannot be read."""
        ledger = self._ledger()
        return ledger.rows(audit_id, self._box(self._library.audit(audit_id))) if ledger else ()

    def points(self, audit_id: str, known: set[str]) -> tuple[Point, ...]:
        """What only the ledger tells; `known` are the moments at which the runs began whose trials are known anyway."""
        return tuple(
            Point("", audit_id, row.date, row.engine, row.model, None, initial=row.initial, kept=True)
            for row in self.rows(audit_id)
            if row.date not in known
        )

    def problems(self) -> tuple[Problem, ...]:
        """What is damaged in the ledger, for a human to mend."""
        path = self._project.ledger
        if path is None:
            return ()
        name = self._project.settings.ledger
        try:
            return load(path, name).problems
        except LedgerError as error:
            return (Problem(severity="warning", code="ledger", file=name, message=str(error)),)

    def _ledger(self) -> Ledger | None:
        """The ledger as it is now, read again only when it changed."""
        path = self._project.ledger
        if path is None:
            return None
        try:
            found = path.stat()
            state = found.st_mtime_ns, found.st_size
            if self._read is None or self._read[0] != state:
                self._read = state, load(path)
        except (OSError, LedgerError):
            return None
        return self._read[1]

    def _box(self, audit: Audit | None) -> str:
        """What the ledger calls the box of an audit; empty, which means all of them, where that is not known."""
        if audit is None:
            return ""
        if audit.surface == "dev":
            return self._project.name
        with contextlib.suppress(BoxError):
            return locate(self._project.root, audit.file, self._library.settings(audit.file).box).name
        return ""

    def _commit(self) -> str:
        try:
            return self._project.git().head()
        except GitError:
            return ""


class _Keeping:
    """Writes the rows of one run, in the order its trials end, on a thread of its own."""

    def __init__(self, path: Path, live: "LiveRun", library: Library, repo_commit: str) -> None:
        self._path, self._live, self._library, self._repo_commit = path, live, library, repo_commit
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="ledger")

    def hear(self, events: Sequence[RunEvent]) -> None:
        """Take in a batch of a run's events; what was measured is entered on a thread of its own."""
        for event in events:
            # One that was cut short, or saw what it must not, loaded something else than the audit loads.
            if isinstance(event, TrialFinished) and event.ending.reason is None:
                self._thread.submit(self._enter, event)

    def close(self) -> None:
        """Return once everything heard is entered."""
        self._thread.shutdown(wait=True)

    def _enter(self, finished: TrialFinished) -> None:
        manifest = self._live.manifest
        trial = next(trial for trial in manifest.trials if trial.key == finished.trial)
        audit = self._library.audit(trial.audit_id)
        box = manifest.boxes.get(box_key(audit)) if audit else None
        if (
            trial.variant or box is None or box.revision or manifest.hide
        ):  # other guidance than the box's own is another thing to measure
            return
        try:
            row = self._row(read(self._live.folder / finished.trace), box)
            if row:
                append(self._path, Path(box.path).name, trial.audit_id, row)
        except (LedgerError, TraceError, OSError) as error:
            self._live.trouble = clean(f"the context of {trial.key} is not in the ledger: {error}")

    def _row(self, trace: Trace, box: BoxRecord) -> Row | None:
        use, meta = measure(trace), trace.meta
        if use is None or use.estimated:
            return None
        return Row(
            date=self._live.manifest.started_at,
            box_commit=box.commit,
            repo_commit=self._repo_commit,
            initial=use.initial,
            peak=use.peak,
            added=use.added,
            turns=use.turns,
            engine=meta.engine,
            engine_version=meta.engine_version,
            model=meta.model,
            prompt_hash=meta.prompt_hash,
            snapshot_hash=box.snapshot_hash,
        )
