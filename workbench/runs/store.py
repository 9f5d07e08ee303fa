"""Stored runs: listed, opened and read back, whatever state a killed process left them in."""

import functools
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from workbench.host.files import OutsideError, confine
from workbench.runs.folder import MANIFEST, RunError, is_live
from workbench.runs.identity import RUN_NAME
from workbench.runs.index import Digest, Index
from workbench.runs.journal import Journal
from workbench.runs.records import BoxRecord, Manifest, RunResumed, Tally, TrialFinished, TrialRegraded, TrialStarted
from workbench.traces.records import Trace
from workbench.traces.store import read

_SHOWN = 5


class UnknownRun(RunError):  # noqa: N818 - the name says what it is
    """No run, or more than one, answers to a name; the message lists the newest."""


class DamagedRun(RunError):  # noqa: N818 - the name says what it is
    """A run whose manifest cannot be read."""


@dataclass(frozen=True)
class RunInfo:
    """One line of the list of runs; only the manifest is read when it is asked for."""

    run_id: str
    folder: Path
    digest: Digest

    @property
    def tally(self) -> Tally:
        """How its trials came out."""
        return self.digest.tally

    @property
    def complete(self) -> bool:
        """Whether every planned trial is finished."""
        return not self.damaged and self.tally.finished >= self.tally.planned

    @property
    def damaged(self) -> str:
        """Why the run cannot be opened; empty when it can."""
        return self.digest.damaged

    @property
    def live(self) -> bool:
        """Whether a process is working in it now."""
        return is_live(self.folder)

    @functools.cached_property
    def manifest(self) -> Manifest | None:
        """The conditions it ran under; None for a damaged run."""
        try:
            return read_manifest(self.folder)
        except DamagedRun:
            return None


@dataclass(frozen=True)
class StoredRun:
    """A run read from its folder: what was planned, and how each trial stands after the regrades so far."""

    folder: Path
    manifest: Manifest
    started: dict[str, TrialStarted]
    """Trial key → its latest start."""
    finished: dict[str, TrialFinished]
    """Trial key → how it ended, with the latest verdict and checks; in the order of the manifest."""
    resumed: tuple[RunResumed, ...] = ()
    replaced: tuple[TrialFinished, ...] = ()
    """Earlier endings of trials that were asked again: they count no more, but they were paid for."""

    @property
    def run_id(self) -> str:
        """Name of the run's folder."""
        return self.folder.name

    @property
    def tally(self) -> Tally:
        """Counts by outcome, as the verdicts stand."""
        tally = Tally(planned=len(self.manifest.trials))
        for finished in self.finished.values():
            tally = tally.plus(finished)
        for earlier in self.replaced:
            tally = tally.spent(earlier)
        return tally

    @property
    def complete(self) -> bool:
        """Whether every planned trial is finished, however it ended."""
        return not self.missing()

    @property
    def live(self) -> bool:
        """Whether a process is working in it now."""
        return is_live(self.folder)

    def missing(self) -> tuple[str, ...]:
        """Keys of planned trials that never finished, in order."""
        return tuple(trial.key for trial in self.manifest.trials if trial.key not in self.finished)

    def unsettled(self) -> tuple[str, ...]:
        """Keys of trials that are worth asking again unchanged: missing, or unmeasured for a reason that may pass."""
        return tuple(trial.key for trial in self.manifest.trials if not self._settled(trial.key))

    def drifted(self) -> dict[str, tuple[BoxRecord, BoxRecord]]:
        """Corpus path → first and last state of its box, where the run was resumed after the box had changed."""
        last = {file: box for resumed in self.resumed for file, box in resumed.boxes.items()}
        first = self.manifest.boxes
        return {
            file: (first[file], box)
            for file, box in last.items()
            if file in first and first[file].snapshot_hash not in ("", box.snapshot_hash)
        }

    def trace_path(self, trial_key: str) -> Path | None:
        """Where the trace of a trial lies, finished or being written; None when there is none."""
        entry = self.finished.get(trial_key) or self.started.get(trial_key)
        if entry is None or not entry.trace:
            return None
        try:
            path = confine(self.folder, entry.trace)
        except OutsideError:
            return None
        return path if path.is_file() else None

    def trace(self, trial_key: str) -> Trace:
        """The trace of a trial. Raises RunError when it has none, TraceError when it cannot be read."""
        path = self.trace_path(trial_key)
        if path is None:
            raise RunError(f"run {self.run_id} holds no trace of {trial_key}")
        return read(path)

    def _settled(self, key: str) -> bool:
        finished = self.finished.get(key)
        if finished is None:
            return False
        reason = finished.verdict.reason
        return reason is None or not (reason.transient or not finished.asked)


class RunStore:
    """All runs below a reports folder."""

    def __init__(self, reports: Path) -> None:
        self.reports = reports
        self._index = Index(reports)

    def runs(self) -> tuple[RunInfo, ...]:
        """Every run, newest first, damaged ones included."""
        try:
            folders = [e for e in self.reports.iterdir() if RUN_NAME.fullmatch(e.name) and not e.is_symlink()]
        except OSError:
            return ()
        digests = self._index.digests([folder for folder in folders if folder.is_dir()], digest)
        infos = (RunInfo(folder.name, folder, each) for folder, each in digests.items())
        return tuple(sorted(infos, key=_newest, reverse=True))

    def latest(self) -> RunInfo | None:
        """The newest run that can be opened; None when there is none."""
        return next((info for info in self.runs() if not info.damaged), None)

    def find(self, named: str) -> RunInfo:
        """The run of an id, of the beginning of one, or `latest`; raises UnknownRun."""
        runs = self.runs()
        if named == "latest":
            matching = [info for info in runs if not info.damaged][:1]
        else:
            exact = [info for info in runs if info.run_id == named]
            matching = exact or [info for info in runs if named and info.run_id.startswith(named)]
        if len(matching) == 1:
            return matching[0]
        wrong = f"{len(matching)} runs begin with" if matching else "there is no run"
        shown = ", ".join(info.run_id for info in (matching or runs)[:_SHOWN])
        newest = f"the newest are {shown}" if shown else "it holds none"
        raise UnknownRun(f"{wrong} {named!r} in {self.reports}; {newest}")

    def open(self, named: str) -> StoredRun:
        """Read a run, named as for `find`. Raises UnknownRun and DamagedRun."""
        return load(self.find(named).folder)


def load(folder: Path) -> StoredRun:
    """Read the run in a folder; raises DamagedRun."""
    manifest = read_manifest(folder)
    planned = [trial.key for trial in manifest.trials]
    started: dict[str, TrialStarted] = {}
    finished: dict[str, TrialFinished] = {}
    resumed: list[RunResumed] = []
    replaced: list[TrialFinished] = []
    for entry in Journal(folder).read():
        match entry:
            case TrialStarted():
                started[entry.trial] = entry
            case TrialFinished():
                replaced += [finished[entry.trial]] if entry.trial in finished else []
                finished[entry.trial] = entry
            case TrialRegraded():
                if entry.trial in finished:
                    finished[entry.trial] = _regraded(finished[entry.trial], entry)
            case RunResumed():
                resumed.append(entry)
    ordered = {key: finished[key] for key in planned if key in finished}
    return StoredRun(folder, manifest, started, ordered, tuple(resumed), tuple(replaced))


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a run; raises DamagedRun saying what is wrong with it."""
    path = folder / MANIFEST
    try:
        return Manifest.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        raise DamagedRun(f"run {folder.name} has no {MANIFEST}: it was killed before it began; prune it") from None
    except (OSError, ValidationError) as error:
        problem = error.strerror if isinstance(error, OSError) else error.errors(include_url=False)[0]["msg"]
        raise DamagedRun(f"{path} cannot be read: {problem}") from error


def digest(folder: Path) -> Digest:
    """What the list of runs shows of one; never raises for what lies in the folder."""
    try:
        stored = load(folder)
    except DamagedRun as error:
        return Digest(damaged=str(error))
    manifest = stored.manifest
    return Digest(started_at=manifest.started_at, engine=manifest.engine, model=manifest.model, tally=stored.tally)


def _regraded(finished: TrialFinished, entry: TrialRegraded) -> TrialFinished:
    update = {"verdict": entry.verdict, "checks": entry.checks, "audit_hash": entry.audit_hash}
    return finished.model_copy(update=update)


def _newest(info: RunInfo) -> tuple[str, str, int, str]:
    """Sort key: the second in the name, then the exact start where it is known, then the name."""
    return info.run_id[:19], info.digest.started_at, len(info.run_id), info.run_id
