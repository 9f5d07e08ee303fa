"""What the traces of all runs hold, in an index that may be deleted at any time and grows run by run."""

import contextlib
import os
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from workbench.checks.records import Outcome
from workbench.desk.history import trace_of
from workbench.desk.history_index import run_signature
from workbench.desk.records import DeskError
from workbench.grading.records import Assessment
from workbench.grading.store import AssessmentStore
from workbench.insight.context import measure
from workbench.insight.standing import Asked
from workbench.insight.trend import Point
from workbench.runs.folder import RunError
from workbench.runs.records import Trial, TrialFinished
from workbench.runs.store import RunStore, StoredRun
from workbench.traces.acts import classify
from workbench.traces.records import Trace

_INDEX = ".contents.sqlite"
_VERSION = 4
_TRACE = (
    *("reads", "searches", "commands", "changes", "answer", "plain"),
    *("initial", "input", "output", "counted", "estimated", "served"),
)
_COLUMNS = (
    *("run_id", "trial", "audit_id", "engine", "model", "at", "asked", "outcome", "standing", "human", "duration"),
    *_TRACE,
)
_SCHEMA = f"""
begin immediate;
drop table if exists runs;
drop table if exists trials;
create table runs (run_id text primary key, signature text);
create table trials ({", ".join(_COLUMNS)}, primary key (run_id, trial));
create index of_audit on trials (audit_id);
pragma user_version = {_VERSION};
commit;
"""


@dataclass(frozen=True, slots=True)
class Totals:
    """What a run took, as far as its traces are known."""

    trials: int = 0
    duration_ms: int = 0
    input: int = 0
    output: int = 0
    uncounted: int = 0
    """Trials nobody counted tokens for."""
    estimated: bool = False


class Contents:
    """Reads every trace once. Lists are kept with one entry a line, the answer in lower case too, to be searched."""

    def __init__(self, store: RunStore) -> None:
        self._store = store
        self._path = store.reports / _INDEX
        self._memory: sqlite3.Connection | None = None
        """Stands in where the reports folder does not take a file."""

    def refresh(self) -> Iterator[tuple[int, int]]:
        """Bring the index up to date, run by run, newest first; yields how many are done, and of how many."""
        with self._opened() as index:
            known = dict(index.execute("select run_id, signature from runs"))
            there = {info.run_id: info for info in self._store.runs() if not info.damaged}
            with index:
                for run_id in known.keys() - there.keys():
                    _drop(index, run_id)
            yield 0, len(there)
            for done, (run_id, info) in enumerate(there.items(), 1):
                fresh = run_signature(info.folder)
                if known.get(run_id) != fresh:
                    with index, contextlib.suppress(RunError):
                        self._renew(index, run_id, fresh)
                yield done, len(there)

    def select(self, where: str, values: Sequence[str], limit: int) -> tuple[int, list[sqlite3.Row]]:
        """How many trials a condition holds for, and the newest of them. `where` is ours, `values` are anybody's."""
        with self._opened() as index:
            (number,) = index.execute(f"select count(*) from trials where {where}", values).fetchone()
            newest = f"select * from trials where {where} order by run_id desc, rowid limit {int(limit)}"
            return number, index.execute(newest, values).fetchall()

    def points(self, audit_id: str) -> tuple[Point, ...]:
        """Every known trial of an audit that somebody was asked."""
        _, rows = self.select("audit_id = ? and asked", (audit_id,), 1_000_000)
        return tuple(
            Point(
                run_id=row["run_id"],
                trial=row["trial"],
                at=row["at"],
                engine=row["engine"],
                model=row["served"] or row["model"],
                outcome=Outcome(row["standing"]) if row["standing"] else None,
                human=bool(row["human"]),
                initial=row["initial"],
                estimated=bool(row["estimated"]),
            )
            for row in rows
        )

    def totals(self) -> dict[str, Totals]:
        """Run → what it took."""
        with self._opened() as index:
            rows = index.execute(
                "select run_id, count(*), sum(duration), sum(input), sum(output), sum(not counted), max(estimated)"
                " from trials group by run_id"
            )
            return {row[0]: Totals(row[1], row[2], row[3], row[4], row[5], bool(row[6])) for row in rows}

    @contextlib.contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        """The index, empty where it could not be read; DeskError when it cannot be used."""
        try:
            index = self._open()
            try:
                yield index
            finally:
                if index is not self._memory:
                    index.close()
        except sqlite3.Error as error:
            raise DeskError(
                f"the index of traces cannot be used: {error}; try again, or delete {self._path}"
            ) from error

    def _open(self) -> sqlite3.Connection:
        if not os.access(self._store.reports, os.W_OK):
            self._memory = self._memory or _connected(":memory:")
            return self._memory
        try:
            return _connected(self._path)
        except sqlite3.OperationalError:
            raise  # another process is writing
        except sqlite3.DatabaseError:
            self._path.unlink(missing_ok=True)
            return _connected(self._path)

    def _renew(self, index: sqlite3.Connection, run_id: str, fresh: str) -> None:
        """Take in a run; the trace of a trial that ended when it did is not read again."""
        stored = self._store.open(run_id)
        graded = AssessmentStore(stored.folder).by_trial()
        old = {row["trial"]: row for row in index.execute("select * from trials where run_id = ?", (run_id,))}
        _drop(index, run_id)
        trials = {trial.key: trial for trial in stored.manifest.trials}
        for key, finished in stored.finished.items():
            before = old.get(key)
            same = before is not None and before["at"] == finished.at
            held = (
                {name: before[name] for name in _TRACE} if before is not None and same else _held(trace_of(stored, key))
            )
            if not finished.turns:
                held["counted"] = True  # nobody said a word, so there was nothing to count
            row = _journal(stored, trials[key], finished, graded.get(key, ())) | held
            index.execute(
                f"insert into trials values ({', '.join('?' * len(_COLUMNS))})", [row[name] for name in _COLUMNS]
            )
        index.execute("insert into runs values (?, ?)", (run_id, fresh))


def _connected(where: Path | str) -> sqlite3.Connection:
    # `refresh` may be stepped by one thread after another, never by two at a time.
    index = sqlite3.connect(where, timeout=10, check_same_thread=False)
    index.row_factory = sqlite3.Row
    index.create_function("lower", 1, str.lower, deterministic=True)  # its own knows ASCII only
    if index.execute("pragma user_version").fetchone()[0] != _VERSION:
        index.executescript(_SCHEMA)
    return index


def _drop(index: sqlite3.Connection, run_id: str) -> None:
    index.execute("delete from runs where run_id = ?", (run_id,))
    index.execute("delete from trials where run_id = ?", (run_id,))


def _journal(
    stored: StoredRun, trial: Trial, finished: TrialFinished, assessments: tuple[Assessment, ...]
) -> dict[str, object]:
    asked = Asked(trial, finished, assessments)
    return {
        "run_id": stored.run_id,
        "trial": trial.key,
        "audit_id": trial.audit_id,
        "engine": stored.manifest.engine,
        "model": stored.manifest.model,
        "at": finished.at,
        "asked": finished.asked,
        "outcome": finished.verdict.outcome.value,
        "standing": asked.outcome.value if asked.outcome else "",
        "human": asked.human is not None,
        "duration": finished.duration_ms,
    }


def _held(trace: Trace | None) -> dict[str, object]:
    """The columns that only the trace tells."""
    acts = classify(trace) if trace else ()
    ledgers = [turn.token_ledger for turn in trace.assistant_turns if turn.token_ledger.context] if trace else []
    use, reply = measure(trace), trace.reply if trace else ""
    return {
        "reads": _lines(act.path for act in acts if act.kind == "read" and act.ok),
        "searches": _lines(act.query or act.command for act in acts if act.kind in ("search", "web")),
        "commands": _lines(act.command for act in acts if act.kind == "command"),
        "changes": _lines(change.path for change in trace.changes) if trace else "",
        "answer": reply.lower(),
        "plain": reply,
        "served": trace.meta.model if trace else "",
        "initial": use.initial if use else 0,
        "input": sum(ledger.context for ledger in ledgers),
        "output": sum(ledger.output for ledger in ledgers),
        "counted": use is not None,
        "estimated": use is not None and use.estimated,
    }


def _lines(texts: Iterator[str]) -> str:
    return "\n".join(dict.fromkeys(" ".join(text.split()) for text in texts if text))
