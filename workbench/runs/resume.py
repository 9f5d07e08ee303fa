"""Taking a run up again in its own folder: what is missing, and what may come out better a second time."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Unpack

from workbench.engines import registry
from workbench.engines.protocol import EngineSettings
from workbench.runs.campaign import Campaign, ground
from workbench.runs.folder import RunError, hold
from workbench.runs.keeping import Keeper
from workbench.runs.plan import SEVERAL, Conditions, Job, Question, RunPlan, box_key, command_hash
from workbench.runs.records import Trial
from workbench.runs.store import StoredRun, load


def plan_rest(
    stored: StoredRun, questions: Mapping[str, Question], *, project: Path, **conditions: Unpack[Conditions]
) -> RunPlan:
    """Plan what a stored run still owes, under the conditions its manifest names where none are given.

    `questions` holds the audits as they are, by id; `max_cost` (US dollars, else the run's own cap) is for what is
    asked from here on. Raises RunError when nothing is left to ask, when an audit that is still owed has left its
    corpus, and when the command is another agent's.
    """
    owed = set(stored.unsettled())
    trials = [trial for trial in stored.manifest.trials if trial.key in owed]
    if not trials:
        raise RunError(f"run {stored.run_id} is complete: nothing is missing and nothing is worth asking again")
    gone = [trial for trial in trials if not _asks(trial, questions)]
    if gone:
        names = ", ".join(dict.fromkeys(f"{trial.audit_id} ({trial.file})" for trial in gone))
        raise RunError(f"run {stored.run_id} cannot go on: gone from its corpus: {names}; bring it back or run anew")
    told = stored.manifest
    if told.command_hash not in ("", command_hash(conditions.get("engine_settings", EngineSettings()))):
        raise RunError(f"run {stored.run_id} asked another {told.engine} agent; name its command again with --command")
    kept: Conditions = {
        "engine": told.engine,
        "model": _the_one(told.model),
        "rules": _the_one(told.rules),
        "surface": None if told.surface == "both" else told.surface,
        "parallel": told.parallel,
        "timeout": told.timeout,
        "selection": told.selection,
        "hide": told.hide,
    }
    conditions["max_cost"] = conditions.get("max_cost") or told.max_cost
    jobs = tuple(Job(trial, _where_it_was(stored, questions[trial.audit_id])) for trial in trials)
    return RunPlan(stored.folder.parent.absolute(), project.absolute(), jobs, **(kept | conditions))


def resume(stored: StoredRun, plan: RunPlan) -> Campaign:
    """Go on with a run as `plan_rest` planned it; needs a running event loop and returns at once.

    Raises LiveRun when a process is still working in it, RunError when it has no place to work, and UnknownEngine.
    """
    registry.get(plan.engine, plan.engine_settings)
    held = hold(stored.folder)
    try:
        # Another process may have gone on between the reading and the lock.
        fresh = load(stored.folder)
        owed = set(fresh.unsettled())
        rest = replace(plan, jobs=tuple(job for job in plan.jobs if job.trial.key in owed))
        templates = ground(rest)
    except BaseException:
        held.close()
        raise
    asked = {job.trial.key for job in rest.jobs}
    settled = [finished for key, finished in fresh.finished.items() if key not in asked]
    paid = [*fresh.replaced, *(finished for key, finished in fresh.finished.items() if key in asked)]
    keeper = Keeper(stored.folder, fresh.manifest, earlier=settled, paid=paid, resumed=True)
    return Campaign(rest, keeper, templates, held)


def _where_it_was(stored: StoredRun, question: Question) -> Question:
    """The question in the box the run asked it in, which a flag may have named instead of the corpus."""
    box = stored.manifest.boxes.get(box_key(question.audit))
    if not box or not box.path:
        return question
    commit = box.commit if box.revision else ""
    return replace(question, box=Path(box.path), box_name=box.name, revision=commit, revision_name=box.revision)


def _the_one(told: str) -> str:
    """What every trial was asked with; empty when the corpora named several, which they then name again."""
    return "" if SEVERAL in told else told


def _asks(trial: Trial, questions: Mapping[str, Question]) -> bool:
    question = questions.get(trial.audit_id)
    return question is not None and question.audit.file == trial.file
