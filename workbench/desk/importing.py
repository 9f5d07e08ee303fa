"""Sessions from elsewhere taken in as runs, so that they open, check and are graded like trials of our own."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path, PurePath

from workbench import __version__
from workbench.checks.records import Verdict
from workbench.corpus.records import Audit
from workbench.desk.library import Library
from workbench.desk.project import Project
from workbench.desk.records import DeskError
from workbench.engines.protocol import Ending
from workbench.engines.sessions.credentials import shaped
from workbench.engines.sessions.importing import SessionError, read
from workbench.runs.contamination import seen
from workbench.runs.folder import RunError, create, free_trace, hold
from workbench.runs.identity import audit_hash, now, stamp
from workbench.runs.journal import Journal
from workbench.runs.judge import judge
from workbench.runs.keeping import write_manifest
from workbench.runs.plan import SEVERAL, trial_of
from workbench.runs.records import Manifest, Trial, TrialFinished
from workbench.runs.store import RunStore
from workbench.traces.acts import classify
from workbench.traces.reasons import Reason
from workbench.traces.records import AssistantTurn, Trace, UserTurn
from workbench.traces.store import TraceError, TraceWriter
from workbench.traces.store import read as stored_trace

_IMPORTED = "-imported"
_ELSEWHERE = "asked elsewhere: what else was loaded, allowed or known there is not known here"
_SEVERAL = "more was said to the agent than the question; the checks read all it answered"


@dataclass(frozen=True, slots=True)
class Imported:
    """One session as it was taken in."""

    session: Path
    run_id: str
    trial: str
    audit_id: str
    """Empty when it answers no audit."""
    engine: str
    verdict: Verdict
    redacted: int
    """How many values shaped like credentials were taken out."""
    earlier: str = ""
    """The run that holds a session file of this name already; it counts twice then."""


@dataclass(frozen=True, slots=True)
class _Found:
    session: Path
    trace: Trace
    audit: Audit | None


class Importer:
    """Reads session files and keeps them as runs, one for each engine."""

    def __init__(self, project: Project, library: Library, finish: Callable[[str], None]) -> None:
        """`finish` is told the id of each run that was made."""
        self._project, self._library, self._finish = project, library, finish

    def take_in(self, sessions: Sequence[Path], audit_id: str = "") -> tuple[Imported, ...]:
        """Import sessions, bound to one audit or each to the audit that asks its first prompt.

        DeskError, and nothing imported, when a file is no session or there is no such audit. No session is changed.
        """
        audit = self._library.audit(audit_id)
        if audit_id and audit is None:
            raise DeskError(f"there is no audit {audit_id!r}; `workbench list` shows all")
        try:
            traces = [(path, read(path)) for path in sessions]
        except SessionError as error:
            raise DeskError(f"{error}; nothing was imported") from error
        found = [_Found(path, trace, audit or self._asking(trace.meta.prompt)) for path, trace in traces]
        engines = dict.fromkeys(one.trace.meta.engine for one in found)
        earlier = self._taken_in()
        done: list[Imported] = []
        for engine in engines:
            done += self._keep(engine, [one for one in found if one.trace.meta.engine == engine])
        for run_id in dict.fromkeys(one.run_id for one in done):
            self._finish(run_id)
        return tuple(replace(one, earlier=earlier.get(one.session.name, "")) for one in done)

    def _taken_in(self) -> dict[str, str]:
        """Name of each session file that was imported before → the newest run that holds it."""
        found: dict[str, str] = {}
        for info in RunStore(self._project.reports).runs():
            if _IMPORTED in info.run_id and info.manifest is not None:
                for name in info.manifest.selection.split(SEVERAL):
                    found.setdefault(name, info.run_id)
        return found

    def _asking(self, prompt: str) -> Audit | None:
        """The one audit that asks this; several that ask the same leave it open which is meant."""
        wanted = _folded(prompt)
        asking = [audit for audit in self._library.audits if _folded(audit.full_prompt) == wanted]
        return asking[0] if len(asking) == 1 else None

    def _keep(self, engine: str, found: Sequence[_Found]) -> list[Imported]:
        moment = now()
        try:
            folder = create(self._project.reports, f"{engine}{_IMPORTED}", moment)
            with hold(folder):
                trials = _trials(found)
                write_manifest(folder, _manifest(folder.name, engine, stamp(moment), found, trials))
                return [self._trial(folder, one, trial) for one, trial in zip(found, trials, strict=True)]
        except (RunError, TraceError, OSError) as error:
            raise DeskError(f"the sessions cannot be kept: {error}") from error

    def _trial(self, folder: Path, one: _Found, trial: Trial) -> Imported:
        """Write trace and verdict of one session."""
        secrets = shaped(one.trace)
        relative = free_trace(folder, trial.key)
        _write(folder / relative, one.trace, secrets)
        # What is judged is what is kept: a check quotes what it found.
        kept = replace(one, trace=stored_trace(folder / relative))
        finished = self._judged(kept, trial).model_copy(update={"trace": relative})
        Journal(folder).append(finished)
        audit_id = one.audit.id if one.audit else ""
        engine = one.trace.meta.engine
        return Imported(one.session, folder.name, trial.key, audit_id, engine, finished.verdict, len(secrets))

    def _judged(self, one: _Found, trial: Trial) -> TrialFinished:
        trace = one.trace
        ending = _ending(trace, self._went_for(trace))
        audit = one.audit or Audit(id=trial.audit_id, prompt=trace.meta.prompt)  # one without checks
        checks, verdict = judge(audit, self._library.settings(audit.file), trace, ending)
        return TrialFinished(
            trial=trial.key,
            at=_moments(trace)[-1],
            ending=ending,
            verdict=verdict,
            checks=checks,
            duration_ms=_duration(trace),
            turns=len(trace.assistant_turns),
            audit_hash=audit_hash(one.audit) if one.audit else "",
        )

    def _went_for(self, trace: Trace) -> str:
        """Where the session went for answers: nothing was hidden from it, and it may have run in another clone."""
        files = (*self._project.corpus_files(), self._project.ledger, self._project.reports)
        hidden = [path for path in files if path]
        if found := seen(trace, [path.resolve() for path in hidden]):
            return found
        inside = [path.relative_to(self._project.root).as_posix() for path in hidden]
        for act in classify(trace):
            for path in inside:
                named = act.kind == "command" and re.search(rf"(?<![\w./-]){re.escape(path)}(?![\w.-])", act.command)
                if named or PurePath(act.path).is_relative_to(path):
                    return path
        return ""


def _folded(text: str) -> str:
    return " ".join(text.split())


def _trials(found: Sequence[_Found]) -> tuple[Trial, ...]:
    """A trial for each session: of its audit, else of the session itself; the second of one audit is its repetition."""
    times: Counter[str] = Counter()
    trials = []
    for one in found:
        named = one.trace.meta.session or one.session.stem
        trial = trial_of(one.audit) if one.audit else Trial(audit_id=named, file="")
        times[trial.audit_id] += 1
        trials.append(trial.model_copy(update={"repetition": times[trial.audit_id]}))
    return tuple(trials)


def _manifest(run_id: str, engine: str, at: str, found: Sequence[_Found], trials: tuple[Trial, ...]) -> Manifest:
    metas = [one.trace.meta for one in found]
    return Manifest(
        run_id=run_id,
        started_at=at,
        workbench_version=__version__,
        engine=engine,
        engine_version=SEVERAL.join(sorted({meta.engine_version for meta in metas if meta.engine_version})),
        model=SEVERAL.join(sorted({meta.model for meta in metas if meta.model})),
        trials=trials,
        selection=SEVERAL.join(one.session.name for one in found),
        imported=True,
    )


def _ending(trace: Trace, went_for: str) -> Ending:
    """How a session ended, as far as it shows: with an answer, or in the middle of the work."""
    if went_for:
        return Ending(reason=Reason.CONTAMINATED, detail=f"the agent went for {went_for}, where answers lie")
    said = [turn for turn in trace.turns if not turn.parent]
    if said and isinstance(said[-1], AssistantTurn) and not said[-1].calls:
        return Ending()
    return Ending(reason=Reason.CANCELLED, detail="the session stops before the agent was done")


def _write(path: Path, trace: Trace, secrets: Sequence[str]) -> None:
    prompts = sum(isinstance(turn, UserTurn) and not turn.parent for turn in trace.turns)
    notes = (*trace.meta.notes, _ELSEWHERE, *((_SEVERAL,) if prompts > 1 else ()))
    with TraceWriter(path, redact=secrets) as writer:
        writer.write(trace.meta.model_copy(update={"notes": notes}))
        for record in (*trace.turns, *trace.loaded, *trace.changes):
            writer.write(record)


def _moments(trace: Trace) -> list[str]:
    """When things happened in a session, first to last, as records keep moments; now, where it does not tell."""
    told = (trace.meta.started_at, *(turn.started_at for turn in trace.turns))
    moments = sorted(filter(None, map(_moment, told)))
    return [stamp(moment) for moment in moments] or [stamp()]


def _moment(text: str) -> datetime | None:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _duration(trace: Trace) -> int:
    """Milliseconds from the first moment told to the last."""
    moments = _moments(trace)
    took = datetime.fromisoformat(moments[-1]) - datetime.fromisoformat(moments[0])
    return round(took.total_seconds() * 1000)
