"""A running campaign: asks every trial of a plan in worker processes, keeps the journal, tells its subscribers."""

import asyncio
import contextlib
import os
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path

from workbench import __version__
from workbench.checks.verdict import conclude
from workbench.engines import registry
from workbench.engines.protocol import Ending
from workbench.host.files import write_atomic
from workbench.runs.coalesce import Coalescer
from workbench.runs.events import RunEnded, Subscriber
from workbench.runs.folder import MANIFEST, RunError, create, free_trace, hold
from workbench.runs.identity import audit_hash, now, safe_name, stamp
from workbench.runs.journal import Entry, Journal
from workbench.runs.plan import Job, RunPlan, corpus_hashes, manifest
from workbench.runs.pool import Lane, Live, Lost
from workbench.runs.records import Manifest, RunResumed, Tally, TrialFinished, TrialStarted
from workbench.runs.templates import Templates
from workbench.runs.wire import Ask, heard
from workbench.traces.reasons import Reason
from workbench.traces.records import AssistantTurn

GRACE = 2.0
"""Seconds past a trial's timeout until its worker is killed; an engine that keeps time itself ends before that."""


def start(plan: RunPlan) -> "Campaign":
    """Make the run's folder and begin to ask; needs a running event loop and returns at once.

    Raises UnknownEngine, and RunError when the run cannot be kept.
    """
    free = registry.get(plan.engine).free
    moment = now()
    folder = create(plan.reports, plan.engine, moment)
    held = hold(folder)
    record = manifest(plan, folder.name, stamp(moment))
    try:
        _write_manifest(folder, record)
    except OSError as error:
        held.close()
        raise RunError(f"{folder}: the run cannot be kept there: {error.strerror}") from error
    return Campaign(plan, folder, record, held, lanes=lanes(plan, free=free))


def lanes(plan: RunPlan, *, free: bool) -> int:
    """How many workers a plan gets; an engine that costs nothing computes here, so more than processors is waste."""
    wanted = min(plan.parallel, len(plan.jobs))
    return max(1, min(wanted, (os.cpu_count() or 1) + 1) if free else wanted)


class Campaign:
    """One run while it runs. All methods belong to the event loop it was started on.

    `tally` counts finished trials at any moment; `error` says why the run had to stop, and is empty otherwise.
    """

    def __init__(
        self,
        plan: RunPlan,
        folder: Path,
        record: Manifest,
        held: contextlib.ExitStack,
        *,
        lanes: int,
        finished: Sequence[TrialFinished] = (),
        resumed: bool = False,
    ) -> None:
        self.run_id, self.folder = folder.name, folder
        self.tally = Tally(planned=len(record.trials))
        for earlier in finished:
            self.tally = self.tally.plus(earlier.verdict.outcome)
        self.error = ""
        self._plan, self._manifest, self._held, self._resumed = plan, record, held, resumed
        self._queue = deque(plan.jobs)
        self._asking: dict[str, Lane] = {}
        self._dropped: set[str] = set()
        self._stopped = self._cancelled = False
        self._journal, self._events = Journal(folder), Coalescer()
        self._secrets = plan.secrets
        self._templates = Templates(plan, folder.name, self._note_boxes)
        self._lanes = [Lane() for _ in range(lanes)]
        self._finishing: list[asyncio.Task[None]] = []
        self._task = asyncio.create_task(self._run(), name=f"campaign {self.run_id}")

    def subscribe(self, subscriber: Subscriber) -> Callable[[], None]:
        """Hand every later batch of events to `subscriber`, until the returned function is called."""
        return self._events.subscribe(subscriber)

    @property
    def running(self) -> tuple[str, ...]:
        """Keys of the trials being asked."""
        return tuple(self._asking)

    def cancel(self) -> None:
        """Stop at once: running trials end as cancelled, waiting ones stay unasked, what is finished stays."""
        if not self._stopped:
            self._cancelled = True
            self._stop()

    def cancel_trial(self, key: str) -> None:
        """Stop one trial, running or waiting; one that is over, or no trial of this run, is left alone."""
        waiting = next((job for job in self._queue if job.trial.key == key), None)
        if waiting is not None:
            self._queue.remove(waiting)
            unasked = _unmeasured(waiting, Lost(Reason.CANCELLED, "cancelled unasked"))
            self._finishing.append(asyncio.create_task(self._finish(unasked)))
            return
        self._dropped.add(key)
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
        except asyncio.CancelledError:
            self._cancelled = True
            raise
        finally:
            self._stop()
            await asyncio.to_thread(self._templates.remove)
            self._held.close()
            self._events.add(RunEnded(self.run_id, self.tally, self._cancelled, self.error))
            self._events.flush()

    async def _work(self, lane: Lane) -> None:
        try:
            await lane.warm()
            while self._queue:
                await self._take(lane, self._queue.popleft())
        finally:
            await lane.close()

    async def _take(self, lane: Lane, job: Job) -> None:
        try:
            template = await self._templates.of(job, lane)
        except Lost as lost:
            if not self._stopped:
                await self._finish(_unmeasured(job, lost))
            return
        key = job.trial.key
        self._asking[key] = lane
        try:
            await self._finish(await self._ask(lane, job, template))
        finally:
            del self._asking[key]

    async def _ask(self, lane: Lane, job: Job, template: Path) -> TrialFinished:
        key, begun, turns = job.trial.key, asyncio.get_running_loop().time(), 0
        request = self._request(job, template)

        async def hear(said: Live, size: int) -> None:
            nonlocal turns
            turns += isinstance(said, AssistantTurn) and not said.parent
            event = heard(key, said)
            assert event is not None
            self._events.add(event, size)
            await self._events.room()

        def lost_at(lost: Lost) -> TrialFinished:
            seconds = asyncio.get_running_loop().time() - begun
            begun_trace = request.trace if turns else ""
            return _unmeasured(job, lost, duration_ms=round(seconds * 1000), turns=turns, trace=begun_trace)

        try:
            await self._keep(TrialStarted(trial=key, at=stamp(), trace=request.trace))
            if self._stopped or key in self._dropped:
                raise Lost(Reason.CANCELLED, "cancelled")
            reply = await lane.ask(request, request.timeout + GRACE, hear)
        except Lost as lost:
            await asyncio.to_thread(self._templates.discard, template, request.workspace)
            return lost_at(lost)
        except asyncio.CancelledError:
            # The loop itself is being torn down; what was running must still be found as cancelled.
            with contextlib.suppress(OSError):
                self._journal.append(lost_at(Lost(Reason.CANCELLED, "the program was stopped")))
            raise
        assert isinstance(reply, TrialFinished)
        return reply

    def _request(self, job: Job, template: Path) -> Ask:
        return Ask(
            trial=job.trial,
            audit=job.question.audit,
            settings=job.question.settings,
            template=template,
            workspace=safe_name(job.trial.key),
            folder=self.folder,
            trace=free_trace(self.folder, job.trial.key),
            engine=self._plan.engine,
            model=self._plan.model_of(job),
            rules=self._plan.rules_of(job),
            surface=self._plan.surface_of(job),
            timeout=self._plan.timeout,
            secrets=self._secrets,
        )

    async def _finish(self, finished: TrialFinished) -> None:
        if await self._keep(finished):
            self.tally = self.tally.plus(finished.verdict.outcome)

    async def _keep(self, entry: Entry) -> bool:
        """Journal an entry and tell it; False, and the run stops, when the journal cannot be written."""
        if self.error:
            return False
        try:
            await asyncio.to_thread(self._journal.append, entry)
        except OSError as error:
            self._fail(self._journal.path, error)
            return False
        if isinstance(entry, TrialStarted | TrialFinished):
            self._events.add(entry)
        return True

    async def _note_boxes(self) -> None:
        """Keep the state of the boxes: in the manifest, or for a resumed run as a journal entry of its own."""
        boxes, version = dict(self._templates.boxes), self._templates.engine_version
        if self._resumed:
            resumed = RunResumed(
                at=stamp(),
                workbench_version=__version__,
                engine_version=version,
                boxes=boxes,
                corpus_hashes=corpus_hashes(self._plan),
            )
            await self._keep(resumed)
            return
        known = {**self._manifest.boxes, **boxes}
        self._manifest = self._manifest.model_copy(update={"boxes": known, "engine_version": version})
        try:
            await asyncio.to_thread(_write_manifest, self.folder, self._manifest)
        except OSError as error:
            self._fail(self.folder / MANIFEST, error)

    def _fail(self, path: Path, error: OSError) -> None:
        self.error = self.error or (
            f"{path} cannot be written: {error.strerror}; what is finished is kept, "
            f"so mend that and go on with `workbench run --resume {self.run_id}`"
        )
        self._stop()

    def _stop(self) -> None:
        self._stopped = True
        self._queue.clear()
        for lane in self._lanes:
            lane.interrupt(Reason.CANCELLED)
            lane.kill()


def _unmeasured(job: Job, lost: Lost, *, duration_ms: int = 0, turns: int = 0, trace: str = "") -> TrialFinished:
    ending = Ending(reason=lost.reason, detail=lost.detail)
    return TrialFinished(
        trial=job.trial.key,
        at=stamp(),
        ending=ending,
        verdict=conclude((), ending.reason, ending.detail),
        duration_ms=duration_ms,
        turns=turns,
        trace=trace,
        audit_hash=audit_hash(job.question.audit),
    )


def _write_manifest(folder: Path, record: Manifest) -> None:
    write_atomic(folder / MANIFEST, record.model_dump_json(indent=1).encode())
