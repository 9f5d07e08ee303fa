"""Stored runs that answer a side already: the same agent, asked the same of the same files."""

from collections.abc import Collection, Iterator, Mapping

from workbench.corpus.records import Audit
from workbench.desk.history import History
from workbench.desk.records import RunSummary, TrialSummary
from workbench.runs.identity import audit_hash
from workbench.runs.plan import box_key
from workbench.runs.records import BoxRecord, Manifest

_SAME = ("engine", "model", "rules", "timeout", "command_hash")
"""What must be equal for two runs to have asked alike, beside the engine's version and what was hidden."""


def answered(
    history: History,
    wanted: Manifest,
    version: str,
    audits: Mapping[str, Audit],
    trials: int,
    *,
    without: Collection[str] = (),
) -> dict[str, frozenset[str]]:
    """Stored run → the audits, of those in `audits` by id, that it answers with so many trials; newest runs first.

    `wanted` is the manifest a new run would have; a box counts where it was clean at the very commit. The runs in
    `without` are left alone: what one side is compared with cannot be the other.
    """
    missing = dict(audits)
    found: dict[str, frozenset[str]] = {}
    for run in history.runs() if _fixed(wanted) else ():
        if not missing:
            break
        if run.run_id in without or not _alike(run.manifest, wanted, version):
            continue
        if not history.open(run.run_id).drifted():
            enough = frozenset(_answers(history, run, wanted, missing, trials))
            found |= {run.run_id: enough} if enough else {}
            missing = {name: audit for name, audit in missing.items() if name not in enough}
    return found


def _fixed(wanted: Manifest) -> bool:
    """Whether the files that would be asked about are a commit's, so that they can be known again."""
    return any(box.commit and not box.dirty for box in wanted.boxes.values())


def _alike(run: Manifest, wanted: Manifest, version: str) -> bool:
    same = all(getattr(run, name) == getattr(wanted, name) for name in _SAME)
    return same and run.engine_version == version and set(run.hide) == set(wanted.hide) and not run.imported


def _answers(
    history: History, run: RunSummary, wanted: Manifest, audits: Mapping[str, Audit], trials: int
) -> Iterator[str]:
    by_audit: dict[str, list[TrialSummary]] = {}
    for trial in history.of_run(run.run_id):
        by_audit.setdefault(trial.trial.audit_id, []).append(trial)
    for name, audit in audits.items():
        key = box_key(audit)
        there = [trial for trial in by_audit.get(name, ()) if _stands(trial, audit)]
        if len(there) >= trials and _same_box(run.manifest.boxes.get(key), wanted.boxes.get(key)):
            yield name


def _stands(trial: TrialSummary, audit: Audit) -> bool:
    """Whether a trial asked an audit as it is defined now, and need not be asked again."""
    reason = trial.verdict.reason
    passing = reason is not None and (reason.transient or not trial.finished.asked)
    asked = trial.trial.file == audit.file and not trial.trial.variant
    return asked and not passing and trial.finished.audit_hash == audit_hash(audit)


def _same_box(there: BoxRecord | None, wanted: BoxRecord | None) -> bool:
    if there is None or wanted is None or not wanted.commit or there.dirty or wanted.dirty:
        return False
    return (there.path, there.commit) == (wanted.path, wanted.commit)
