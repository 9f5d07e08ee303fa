"""One template for all trials that are asked in the same state of the same box."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from pathlib import Path

from workbench.boxes.disposal import kill_inside, remove_tree
from workbench.boxes.location import BoxError
from workbench.boxes.workspace import Template
from workbench.runs.contents import state_of
from workbench.runs.plan import Job, RunPlan, box_key, box_record
from workbench.runs.pool import Lane, Live, Lost
from workbench.runs.preparing import Key, Preparing
from workbench.runs.records import BoxContents, BoxRecord
from workbench.runs.shelf import Shelf
from workbench.runs.wire import Prepared
from workbench.traces.reasons import Reason

PREPARE_LIMIT = 900.0
"""Seconds a snapshot and its template may take."""


class Templates:
    """Has templates built in worker processes, each once.

    `boxes` (see `box_key` → state), `contents` (see `state_of`) and `engine_version` are known as far as templates are
    built.
    """

    def __init__(self, plan: RunPlan, shelf: Shelf | None = None) -> None:
        """On a shelf they stay for later runs; without one the run makes its own, or raises BoxError and OSError."""
        self.boxes: dict[str, BoxRecord] = {}
        self.contents: dict[str, BoxContents] = {}
        self.engine_version = ""
        self._plan = plan
        self._shelf, self._lasting = shelf or Shelf(), shelf is not None
        self._preparing = Preparing(plan)
        self._built: dict[Key, asyncio.Future[Path]] = {}
        self._whole: list[tuple[Path, Path]] = []
        """Boxes, and the folders of their templates that can be kept,"""
        self._waste: list[Path] = []
        """and those that cannot."""

    async def of(self, job: Job, lane: Lane, built: Callable[[], Awaitable[None]]) -> Path:
        """The folder of a job's template, built by `lane` when it is the first to want it; raises Lost.

        `built` is called when that was so, before anyone gets the template.
        """
        key = self._preparing.key(job)
        future = self._built.get(key)
        if future is None:
            future = self._built[key] = asyncio.get_running_loop().create_future()
            try:
                folder = await self._build(job, lane)
                await built()
                future.set_result(folder)
            except BaseException as error:
                lost = error if isinstance(error, Lost) else Lost(Reason.CANCELLED, "the run was stopped")
                future.set_exception(lost)
                future.exception()  # asked for here, so that nobody is warned when no one else waits
                raise
        return await asyncio.shield(future)

    def discard(self, template: Path, workspace: str) -> None:
        """Clear what a killed worker left of one workspace; blocks while it does."""
        with contextlib.suppress(BoxError):
            Template.load(template).discard(workspace)

    async def close(self) -> None:
        """Leave to the shelf what later runs can use; nothing works in a template any more."""
        if self._lasting:
            await asyncio.to_thread(lambda: [kill_inside(folder) for _, folder in self._whole])
            displaced = [self._shelf.keep(*kept) for kept in self._whole]
            self._waste += filter(None, displaced)

    def remove(self) -> None:
        """Delete what nobody will use any more; blocks while it does. What stays is swept later."""
        if not self._lasting:
            self._shelf.remove()
        for folder in self._waste if self._lasting else ():
            kill_inside(folder)
            with contextlib.suppress(OSError):
                remove_tree(folder)

    async def _build(self, job: Job, lane: Lane) -> Path:
        folder = self._shelf.take(job.question.box) or self._shelf.place()
        self._waste.append(folder)
        try:
            prepared = await self._ask(job, lane, folder)
        except Lost as lost:
            if lost.reason is not Reason.CRASHED:
                raise
            # All trials of the box wait for it: the worker is replaced once, and the next has a clean folder.
            folder = self._shelf.place()
            self._waste.append(folder)
            prepared = await self._ask(job, lane, folder)
        if prepared.failure is not None:
            raise Lost(prepared.failure.reason or Reason.CRASHED, prepared.failure.detail)
        key = self._preparing.key(job)
        for other in self._plan.jobs:
            place = box_key(other.question.audit)
            if place not in self.boxes and self._preparing.key(other) == key:
                self.boxes[place] = prepared.box.model_copy(update={"name": box_record(other).name})
        self.contents[state_of(prepared.box)] = prepared.contents
        self.engine_version = prepared.engine_version
        self._waste.remove(folder)
        self._whole.append((job.question.box, folder))
        return folder

    async def _ask(self, job: Job, lane: Lane, folder: Path) -> Prepared:
        reply = await lane.ask(self._preparing.request(job, folder), PREPARE_LIMIT, _nothing)
        assert isinstance(reply, Prepared)
        return reply


async def _nothing(said: Live, size: int) -> None:
    """A template has nothing to tell while it is built."""
