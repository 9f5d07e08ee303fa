"""A running campaign: asks every trial of a plan in worker processes, keeps the journal, tells its subscribers."""

import asyncio
import contextlib
import logging
import os
import shutil
from collections import deque
from collections.abc import Callable
from pathlib import Path

from workbench.boxes.location import BoxError
from workbench.engines import registry
from workbench.host.processes import hide_environment
from workbench.runs.asking import Asking, unasked
from workbench.runs.events import Paused, RunEnded, Subscriber
from workbench.runs.folder import RunError, create, hold
from workbench.runs.identity import now, stamp
from workbench.runs.keeping import Keeper, write_manifest
from workbench.runs.limits import Limits
from workbench.runs.pacing import Pace, patience
from workbench.runs.plan import Job, RunPlan, corpus_hashes, manifest
from workbench.runs.pool import Lane, Lost
from workbench.runs.records import Manifest, Tally, TrialFinished
from workbench.runs.reserve import Reserve
from workbench.runs.spending import with_earlier
from workbench.runs.templates import Templates
from workbench.traces.reasons import Reason

_log = logging.getLogger(__name__)

GRACE = 2.0
"""Seconds past a trial's timeout until its worker is killed; an engine that keeps time itself ends before that."""


def start(plan: RunPlan, reserve: Reserve | None = None) -> "Campaign":
    """Make the run's folder and begin to ask; needs a running event loop and returns at once.

    Workers and templates are taken from the reserve, where there is one, and given back when their work is done.
    Raises UnknownEngine, and RunError when the run cannot be kept.
    """
    registry.get(plan.engine, plan.engine_settings)
    moment = now()
    with contextlib.ExitStack() as undo:
        reserve = reserve if not plan.keys else None  # a worker that was handed a key stays with its run
        templates = ground(plan, reserve)
        undo.callback(templates.remove)
        folder = create(plan.reports, plan.engine, moment)
        undo.callback(shutil.rmtree, folder, ignore_errors=True)
        held = undo.enter_context(hold(folder))
        record = manifest(plan, folder.name, stamp(moment))
        try:
            write_manifest(folder, record)
        except OSError as error:
            raise RunError(f"{folder}: the run cannot be kept there: {error.strerror}") from error
        undo.pop_all()
    return Campaign(plan, Keeper(folder, record), templates, held, reserve)


def ground(plan: RunPlan, reserve: Reserve | None = None) -> Templates:
    """Make the place for a run's workspaces; raises RunError."""
    try:
        return Templates(plan, reserve.shelf if reserve else None)
    except (BoxError, OSError) as error:
        raise RunError(f"no workspace can be made: {error}") from error


def lanes(plan: RunPlan) -> int:
    """How many workers a plan gets; an engine that costs nothing computes here, so more than processors is waste."""
    wanted = min(plan.parallel, len(plan.jobs))
    return max(1, min(wanted, (os.cpu_count() or 1) + 1) if registry.get(plan.engine).free else wanted)


class Campaign:
    """One run while it runs, made by `start` or `resume`. All methods belong to the event loop it was started on."""

    def __init__(
        self,
        plan: RunPlan,
        keeper: Keeper,
        templates: Templates,
        held: contextlib.ExitStack,
        reserve: Reserve | None = None,
    ) -> None:
        hide_environment()
        self.folder, self.run_id = keeper.folder, keeper.folder.name
        self._plan, self._keeper, self._templates, self._held = plan, keeper, templates, held
        self._secrets = plan.secrets
        self._queue = deque(plan.jobs)
        self._asking: dict[str, Lane] = {}
        self._dropped: set[str] = set()
        self._finishing: list[asyncio.Task[bool]] = []
        self._engine = registry.get(plan.engine, plan.engine_settings)
        self._pace, self._limits = Pace(), Limits(plan, self._engine)
        self._stopped = self._cancelled = False
        self._taken = 0
        """Trials under way, their preparation included."""
        self._reserve = reserve or Reserve(0)
        self._lanes = [self._reserve.take(plan.passed) for _ in range(lanes(plan))]
        keeper.stop = self._stop
        self._task = asyncio.create_task(self._run(), name=f"campaign {self.run_id}")

    @property
    def manifest(self) -> Manifest:
        """What is asked, of whom and under which conditions."""
        return self._keeper.manifest

    @property
    def tally(self) -> Tally:
        """Counts of the trials that are finished so far."""
        return self._keeper.tally

    @property
    def error(self) -> str:
        """Why the run had to stop before its end; empty otherwise."""
        return self._keeper.error

    def subscribe(self, subscriber: Subscriber) -> Callable[[], None]:
        """Hand every later batch of events to `subscriber`, until the returned function is called."""
        return self._keeper.events.subscribe(subscriber)

    @property
    def running(self) -> tuple[str, ...]:
        """Keys of the trials being asked."""
        return tuple(self._asking)

    def cancel(self) -> None:
        """Stop at once: running trials end as cancelled, waiting ones stay unasked, what is finished stays."""
        if not self._stopped:
            self._cancelled = True
            self._stop()

    def wind_down(self) -> None:
        """Begin nothing more: trials under way are seen through, waiting ones stay unasked."""
        self._queue.clear()
        self._pace.wake()

    def cancel_trial(self, key: str) -> None:
        """Stop one trial, running or waiting; one that is over, or no trial of this run, is left alone."""
        waiting = next((job for job in self._queue if job.trial.key == key), None)
        if waiting is not None:
            self._queue.remove(waiting)
            dropped = unasked(waiting, Lost(Reason.CANCELLED, "cancelled unasked"))
            self._finishing.append(asyncio.create_task(self._keeper.keep(dropped)))
            return
        self._dropped.add(key)
        self._pace.wake()
        if key in self._asking:
            self._asking[key].interrupt(Reason.CANCELLED)

    async def wait(self) -> Tally:
        """Return the final tally once the run is over; raises RunError when it had to stop before its end."""
        await asyncio.shield(self._task)
        if self.error:
            raise RunError(self.error)
        return self.tally

    async def _run(self) -> None:
        try:
            async with asyncio.TaskGroup() as group:
                for lane in self._lanes:
                    group.create_task(self._work(lane))
            await asyncio.gather(*self._finishing)
        except ExceptionGroup as group:
            _log.exception("the campaign %s failed", self.run_id)
            self._keeper.error = (
                self.error or f"the run broke off: {group.exceptions[0]!r}; this is a fault of the workbench"
            )
        except asyncio.CancelledError:
            self._cancelled = True
            raise
        finally:
            self._stop()
            self._held.close()
            await self._templates.close()
            self._keeper.events.add(RunEnded(self.run_id, self.tally, self._cancelled, self.error))
            self._keeper.events.flush()
            await asyncio.to_thread(self._templates.remove)

    async def _work(self, lane: Lane) -> None:
        try:
            await lane.warm()
            while self._queue:
                await self._pace.ready(lambda: not self._queue)
                while self._queue and (refused := self._limits.refused) is not None:
                    await self._keeper.keep(unasked(self._queue.popleft(), refused))
                if self._queue and self._limits.crowded(self._taken):
                    await self._pace.change()
                elif self._queue:
                    await self._take(lane, self._queue.popleft())
        finally:
            self._lanes.remove(lane)
            await self._reserve.give_back(lane)

    async def _take(self, lane: Lane, job: Job) -> None:
        self._taken += 1
        try:
            await self._see_through(lane, job)
        finally:
            self._taken -= 1
            self._pace.wake()

    async def _see_through(self, lane: Lane, job: Job) -> None:
        try:
            template = await self._templates.of(job, lane, self._know_boxes)
        except Lost as lost:
            if not self._stopped:
                await self._keeper.keep(unasked(job, lost))
            return
        self._asking[job.trial.key] = lane
        try:
            finished = await self._persist(lane, job, template)
        finally:
            del self._asking[job.trial.key]
        await self._keeper.keep(finished)
        await self._limits.learn(finished)

    async def _persist(self, lane: Lane, job: Job, template: Path) -> TrialFinished:
        """Ask until it is answered, or patience with the provider is at its end; each time in a fresh workspace."""
        earlier: list[TrialFinished] = []
        key = job.trial.key
        while True:
            finished = await self._ask(lane, job, template)
            seconds = patience(finished.ending, len(earlier) + 1, self._plan.timeout)
            if not seconds or self._given_up(key):
                break
            earlier.append(finished)
            self._pace.hold(seconds)
            paused = Paused(key, seconds, finished.ending.reason or Reason.OVERLOADED, finished.ending.detail)
            self._keeper.events.add(paused)
            await self._pace.ready(lambda: self._given_up(key))
        return self._priced(finished.model_copy(update={"ending": with_earlier(finished, earlier)}))

    def _priced(self, finished: TrialFinished) -> TrialFinished:
        """An engine that is free is owed nothing, however its trial ended."""
        free = {"cost_usd": 0.0, "cost_basis": ""} if self._engine.free else {}
        return finished.model_copy(update={"ending": finished.ending.model_copy(update=free)})

    def _given_up(self, key: str) -> bool:
        return self._stopped or key in self._dropped

    async def _ask(self, lane: Lane, job: Job, template: Path) -> TrialFinished:
        # Others may have spent what was left since this trial's turn came.
        if (refused := self._limits.refused) is not None:
            return unasked(job, refused)
        asking = Asking(self._plan, job, template, self.folder, self._secrets, self._keeper.events, self._limits.left)
        request = asking.request
        try:
            await self._keeper.keep(asking.started)
            if self._given_up(job.trial.key):
                raise Lost(Reason.CANCELLED, "cancelled")
            reply = await lane.ask(request, request.timeout + GRACE, asking.hear)
        except Lost as lost:
            await asyncio.to_thread(self._templates.discard, request.template, request.workspace)
            return asking.lost(lost)
        except asyncio.CancelledError:
            # The loop itself is being torn down; what was running must still be found as cancelled.
            with contextlib.suppress(OSError):
                cut_off = asking.lost(Lost(Reason.CANCELLED, "the program was stopped"))
                self._keeper.journal.append(self._priced(cut_off))
            raise
        assert isinstance(reply, TrialFinished)
        return reply

    async def _know_boxes(self) -> None:
        templates = self._templates
        known = (dict(templates.boxes), templates.engine_version, corpus_hashes(self._plan), dict(templates.contents))
        await self._keeper.know(*known)

    def _stop(self) -> None:
        self._stopped = True
        self._queue.clear()
        self._pace.wake()
        for lane in self._lanes:
            lane.interrupt(Reason.CANCELLED)
            lane.kill()
