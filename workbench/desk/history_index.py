"""The index behind the history: every finished trial of every run, in a file that may be deleted at any time."""

import contextlib
import sqlite3
from pathlib import Path

from workbench.grading.store import AssessmentStore
from workbench.runs.records import Manifest, TrialFinished
from workbench.runs.store import RunStore, StoredRun
from workbench.traces.reasons import Reason

_SCHEMA = """
create table if not exists runs (
    run_id text primary key, signature text, manifest text, engine text, model text, apart integer);
create table if not exists trials (
    run_id text, audit_id text, trial text, at text, finished text, assessments text, apart integer, cost real,
    primary key (run_id, trial));
create view if not exists told as select rowid, * from trials where not apart;
create index if not exists by_audit on trials (audit_id, at);
"""
_VERSION = 7
_INDEX = ".index.sqlite"


def fresh(store: RunStore) -> sqlite3.Connection:
    """The index, brought up to date with the runs on disk; rebuilt when it cannot be read."""
    try:
        return _refreshed(store.reports / _INDEX, store)
    except sqlite3.DatabaseError:
        with contextlib.suppress(OSError):
            (store.reports / _INDEX).unlink()
        return _refreshed(None, store)


def _refreshed(path: Path | None, store: RunStore) -> sqlite3.Connection:
    writable = path is not None and store.reports.is_dir()
    index = sqlite3.connect(path if path is not None and writable else ":memory:", timeout=5)
    version = index.execute("pragma user_version").fetchone()[0]
    if version not in (0, _VERSION):
        raise sqlite3.DatabaseError("an index of another version")
    index.executescript(f"{_SCHEMA}pragma user_version = {_VERSION};")
    known = dict(index.execute("select run_id, signature from runs"))
    there = {info.run_id: run_signature(info.folder) for info in store.runs() if not info.damaged}
    with index:
        for run_id in known.keys() - there.keys():
            _drop(index, run_id)
        for run_id, signature in sorted(there.items()):
            if known.get(run_id) != signature:
                _drop(index, run_id)
                _add(index, store.open(run_id), signature)
    return index


def _add(index: sqlite3.Connection, stored: StoredRun, signature: str) -> None:
    graded = AssessmentStore(stored.folder).by_trial()
    manifest = stored.manifest
    run_id = stored.run_id
    apart = _asked_apart(manifest)
    told = (run_id, signature, manifest.model_dump_json(), manifest.engine, manifest.model, apart)
    index.execute("insert into runs values (?, ?, ?, ?, ?, ?)", told)
    for trial in stored.manifest.trials:
        finished = stored.finished.get(trial.key)
        if finished:
            assessments = "\n".join(a.model_dump_json() for a in graded.get(trial.key, ()))
            cost = finished.ending.cost_usd if finished.turns else None
            row = (run_id, trial.audit_id, trial.key, finished.at, finished.model_dump_json(), assessments)
            values = (*row, apart or _stopped(finished), cost)
            index.execute("insert into trials values (?, ?, ?, ?, ?, ?, ?, ?)", values)


def _asked_apart(manifest: Manifest) -> bool:
    """Whether a run was asked of another box than the one that lies there: how an audit stands is not for it to say."""
    return bool(manifest.hide) or any(box.revision for box in manifest.boxes.values())


def _stopped(finished: TrialFinished) -> bool:
    """Whether somebody stopped a trial, or a limit kept it from being asked: the one before it still holds."""
    reason = finished.ending.reason
    return reason is Reason.CANCELLED or (not finished.asked and reason in (Reason.BUDGET, Reason.AUTH))


def _drop(index: sqlite3.Connection, run_id: str) -> None:
    index.execute("delete from runs where run_id = ?", (run_id,))
    index.execute("delete from trials where run_id = ?", (run_id,))


def run_signature(folder: Path) -> str:
    """What changes whenever something was appended to a run."""
    parts = []
    for name in ("run.json", "journal.jsonl", "assessments.jsonl"):
        try:
            stat = (folder / name).stat()
            parts.append(f"{stat.st_size}.{stat.st_mtime_ns}")
        except OSError:
            parts.append("-")
    return "/".join(parts)
