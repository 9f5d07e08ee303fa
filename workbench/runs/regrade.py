"""Judging a stored run again by the audits as they are now: nobody is asked anything."""

from collections.abc import Mapping
from dataclasses import dataclass

from workbench.checks.records import Outcome, Verdict
from workbench.corpus.records import Audit, CorpusSettings
from workbench.runs.folder import RunError
from workbench.runs.identity import audit_hash, stamp
from workbench.runs.journal import Journal
from workbench.runs.judge import judge
from workbench.runs.records import TrialFinished, TrialRegraded
from workbench.runs.store import StoredRun
from workbench.traces.store import TraceError


@dataclass(frozen=True, slots=True)
class Flip:
    """A trial whose verdict is another one than before."""

    trial: str
    before: Verdict
    after: Verdict

    def __str__(self) -> str:
        reason = f" ({self.after.reason})" if self.after.reason else ""
        return f"{self.trial} {_NOW[self.after.outcome]}{reason}"


_NOW = {
    Outcome.PASSED: "now passes",
    Outcome.FAILED: "now fails",
    Outcome.UNMEASURED: "now unmeasured",
    Outcome.UNJUDGED: "now unjudged",
}


@dataclass(frozen=True, slots=True)
class Regraded:
    """What judging again came to."""

    flips: tuple[Flip, ...]
    """In the order of the run; a verdict that only words its reason differently is no flip."""
    judged: int
    """Trials that were judged again."""
    gone: tuple[str, ...]
    """Ids of audits that have left their corpus; their trials keep their verdicts."""
    unreadable: tuple[str, ...]
    """Keys of finished trials whose trace cannot be read; they keep their verdicts."""


def regrade(stored: StoredRun, audits: Mapping[str, Audit], settings: Mapping[str, CorpusSettings]) -> Regraded:
    """Judge every trace of a run by the current audits (by id) and corpus settings (by file).

    What comes out otherwise than it stands is appended to the journal; earlier verdicts stay readable there.
    Raises OSError when the journal cannot be written.
    """
    journal = Journal(stored.folder)
    flips: list[Flip] = []
    gone: dict[str, None] = {}
    unreadable: list[str] = []
    judged = 0
    for trial in stored.manifest.trials:
        finished = stored.finished.get(trial.key)
        if finished is None or not finished.trace:
            continue
        audit = audits.get(trial.audit_id)
        if audit is None or audit.file != trial.file:
            gone[trial.audit_id] = None
            continue
        entry = _judged(stored, finished, audit, settings.get(trial.file, CorpusSettings()))
        if entry is None:
            unreadable.append(trial.key)
            continue
        judged += 1
        if (entry.verdict, entry.checks, entry.audit_hash) != (finished.verdict, finished.checks, finished.audit_hash):
            journal.append(entry)
        if (entry.verdict.outcome, entry.verdict.reason) != (finished.verdict.outcome, finished.verdict.reason):
            flips.append(Flip(trial.key, finished.verdict, entry.verdict))
    return Regraded(tuple(flips), judged, tuple(gone), tuple(unreadable))


def _judged(stored: StoredRun, finished: TrialFinished, audit: Audit, settings: CorpusSettings) -> TrialRegraded | None:
    try:
        trace = stored.trace(finished.trial)
    except (OSError, TraceError, RunError):
        return None
    checks, verdict = judge(audit, settings, trace, finished.ending)
    return TrialRegraded(trial=finished.trial, at=stamp(), verdict=verdict, checks=checks, audit_hash=audit_hash(audit))
