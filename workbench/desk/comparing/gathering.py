"""A side's trials with what their traces show."""

from collections.abc import Collection

from workbench.desk.comparing.definitions import Definitions
from workbench.desk.comparing.records import SidePlan, Told
from workbench.desk.history import History, trace_of
from workbench.desk.library import Library
from workbench.desk.records import TrialSummary
from workbench.insight.context import measure
from workbench.insight.flaky import asked_of
from workbench.insight.level import observe
from workbench.insight.sides import Side, Tried
from workbench.insight.standing import Asked
from workbench.runs.store import StoredRun
from workbench.traces.reasons import Reason


class Gatherer:
    """Reads stored runs; `early` says whether observed levels may be shown before a human saved one."""

    def __init__(self, library: Library, history: History, definitions: Definitions, *, early: bool) -> None:
        self._library, self._history, self._definitions, self._early = library, history, definitions, early

    def gather(self, plan: SidePlan, audit_ids: Collection[str], asked: str = "") -> tuple[Told, Side]:
        """A side as it was asked, in the stored runs of its plan and in the one that was `asked` for it now."""
        answers = dict(plan.stored)
        if plan.request is not None and asked:
            answers[asked] = frozenset(plan.request.audit_ids)
        runs = [self._history.open(run_id) for run_id in answers]
        found: dict[str, list[TrialSummary]] = {}
        for run in runs:
            for trial in self._history.of_run(run.run_id):
                if trial.trial.audit_id in answers[run.run_id] & frozenset(audit_ids) and _counts(trial):
                    found.setdefault(asked_of(trial.trial), []).append(trial)
        if plan.trials:
            found = {name: trials[: plan.trials] for name, trials in found.items()}
        opened = {run.run_id: run for run in runs}
        tries = {name: tuple(self._tried(opened[one.run_id], one) for one in trials) for name, trials in found.items()}
        wanted = {
            name: (trials[-1].trial.file, trials[-1].trial.audit_id, trials[-1].finished.audit_hash)
            for name, trials in found.items()
        }
        manifests = sorted((run.manifest for run in runs), key=lambda manifest: manifest.started_at)
        cut = sum(len(_unfinished(run, answers[run.run_id] & frozenset(audit_ids))) for run in runs)
        told = Told(plan.named, plan.told, tuple(manifests), plan.reused, cut)
        return told, Side(tries, self._definitions.find(wanted))

    def _tried(self, stored: StoredRun, trial: TrialSummary) -> Tried:
        asked = Asked(trial.trial, trial.finished, trial.assessments)
        shown = self._early or any(said.level for said in trial.assessments)
        trace = trace_of(stored, trial.trial.key)
        if trace is None:
            return Tried(asked, trial.run_id, open=shown)
        audit = self._library.audit(trial.trial.audit_id)
        level = observe(trace, audit.expected_level if audit else "").level
        return Tried(asked, trial.run_id, trace.meta.prompt, trace.reply, level, shown, measure(trace))


def _counts(trial: TrialSummary) -> bool:
    """Whether it says anything: one that somebody stopped is missing."""
    return trial.verdict.reason is not Reason.CANCELLED


def _unfinished(run: StoredRun, audit_ids: Collection[str]) -> list[str]:
    missing = set(run.missing())
    return [trial.key for trial in run.manifest.trials if trial.key in missing and trial.audit_id in audit_ids]
