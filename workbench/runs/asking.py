"""One trial on its way: what its worker is asked, what it said so far, and what that comes to if it is lost."""

import asyncio
from pathlib import Path

from workbench.checks.verdict import conclude
from workbench.engines.protocol import Ending
from workbench.runs.coalesce import Coalescer
from workbench.runs.folder import free_trace
from workbench.runs.identity import audit_hash, safe_name, stamp
from workbench.runs.plan import Job, RunPlan
from workbench.runs.pool import Live, Lost
from workbench.runs.records import TrialFinished, TrialStarted
from workbench.runs.wire import Ask, heard
from workbench.traces.records import AssistantTurn


class Asking:
    """A trial from its start on. `request` is for the worker, `started` for the journal."""

    def __init__(
        self,
        plan: RunPlan,
        job: Job,
        template: Path,
        folder: Path,
        secrets: tuple[Path, ...],
        events: Coalescer,
        max_cost: float = 0.0,
    ) -> None:
        self.job = job
        self.request = Ask(
            trial=job.trial,
            audit=job.question.audit,
            settings=job.question.settings,
            template=template,
            # Never where a trial of an earlier run was: its agent may have kept something by that path.
            workspace=f"{folder.name} {safe_name(job.trial.key)}",
            folder=folder,
            trace=free_trace(folder, job.trial.key),
            engine=plan.engine,
            engine_settings=plan.engine_settings,
            keys=dict(plan.keys),
            model=plan.model_of(job),
            rules=plan.rules_of(job),
            surface=plan.surface_of(job),
            timeout=plan.timeout,
            max_cost=max_cost,
            secrets=secrets,
        )
        self.started = TrialStarted(trial=job.trial.key, at=stamp(), trace=self.request.trace)
        self._events = events
        self._begun = asyncio.get_running_loop().time()
        self._turns = 0
        self._spoke = False

    async def hear(self, said: Live, size: int) -> None:
        """Pass on what the worker said; returns once there is room for more."""
        self._spoke = True
        self._turns += isinstance(said, AssistantTurn) and not said.parent
        event = heard(self.job.trial.key, said)
        assert event is not None
        self._events.add(event, size)
        await self._events.room()

    def lost(self, lost: Lost) -> TrialFinished:
        """How the trial ended, seen from here, when its worker cannot say it any more."""
        seconds = asyncio.get_running_loop().time() - self._begun
        done = {"duration_ms": round(seconds * 1000), "turns": self._turns, "asked": True}
        trace = self.request.trace if self._spoke else ""
        return unasked(self.job, lost).model_copy(update={**done, "trace": trace})


def unasked(job: Job, lost: Lost) -> TrialFinished:
    """The end of a trial that no worker was ever asked."""
    ending = Ending(reason=lost.reason, detail=lost.detail)
    return TrialFinished(
        trial=job.trial.key,
        at=stamp(),
        ending=ending,
        verdict=conclude((), ending.reason, ending.detail),
        audit_hash=audit_hash(job.question.audit),
        asked=False,
    )
