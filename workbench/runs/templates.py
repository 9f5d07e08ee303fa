"""One template for all trials that are asked in the same state of the same box."""

import asyncio
import contextlib
import secrets
from collections.abc import Awaitable, Callable, Iterable, Iterator
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath

from workbench.boxes.disposal import kill_inside, remove_tree
from workbench.boxes.location import BoxError
from workbench.boxes.ownership import claim
from workbench.boxes.workspace import Template, workspaces_base
from workbench.runs.plan import Job, RunPlan, box_key, box_record
from workbench.runs.pool import Lane, Live, Lost
from workbench.runs.records import BoxRecord
from workbench.runs.wire import Prepare, Prepared
from workbench.traces.reasons import Reason

PREPARE_LIMIT = 900.0
"""Seconds a snapshot and its template may take."""

Key = tuple[object, ...]


class Templates:
    """Builds templates in worker processes, each once, in a folder of the run's own.

    `boxes` (see `box_key` → state) and `engine_version` are known as far as templates are built.
    """

    def __init__(self, plan: RunPlan) -> None:
        """Make the folder; raises BoxError and OSError where that cannot be."""
        self.boxes: dict[str, BoxRecord] = {}
        self.engine_version = ""
        self._plan = plan
        self._base = workspaces_base() / secrets.token_hex(4)
        self._owned = claim(self._base)
        self._secrets = plan.secrets
        self._built: dict[Key, asyncio.Future[Path]] = {}

    async def of(self, job: Job, lane: Lane, built: Callable[[], Awaitable[None]]) -> Path:
        """The folder of a job's template, built by `lane` when it is the first to want it; raises Lost.

        `built` is called when that was so, before anyone gets the template.
        """
        key = self._key(job)
        future = self._built.get(key)
        if future is None:
            future = self._built[key] = asyncio.get_running_loop().create_future()
            try:
                folder = await self._build(job, lane, len(self._built))
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

    def remove(self) -> None:
        """Delete every template and workspace of the run; blocks while it does. What stays is swept later."""
        kill_inside(self._base)
        self._owned.close()
        with contextlib.suppress(OSError):
            remove_tree(self._base)

    async def _build(self, job: Job, lane: Lane, number: int) -> Path:
        question = job.question
        request = Prepare(
            box=box_record(job),
            template=self._base / f"template-{number}",
            settings=question.settings,
            revision=question.revision,
            answer_key=self._answer_key(job),
            hide=tuple(self._plan.hide),
            secrets=self._secrets,
            engine=self._plan.engine,
            engine_settings=self._plan.engine_settings,
            rules=self._plan.rules_of(job),
        )
        prepared, folder = await _prepared(lane, request)
        if prepared.failure is not None:
            raise Lost(prepared.failure.reason or Reason.CRASHED, prepared.failure.detail)
        key = self._key(job)
        for other in self._plan.jobs:
            place = box_key(other.question.audit)
            if place not in self.boxes and self._key(other) == key:
                self.boxes[place] = prepared.box.model_copy(update={"name": box_record(other).name})
        self.engine_version = prepared.engine_version
        return folder

    def _key(self, job: Job) -> Key:
        s = job.question.settings
        state = (s.include_ignored, s.deny, self._answer_key(job), s.answer_key, s.history, s.guidance)
        return (job.question.box, job.question.revision, *state, self._plan.rules_of(job))

    def _answer_key(self, job: Job) -> tuple[str, ...]:
        box = job.question.box
        known = (*self._plan.answer_key, *inside(box, self._secrets))
        return (*known, *seen_from(box, self._plan.project, self._plan.corpora)) if job.question.revision else known


def inside(box: Path, secrets: tuple[Path, ...]) -> tuple[str, ...]:
    """Anchored globs of those secret paths that lie in a box, their own wildcards escaped."""
    root = box.resolve()
    found = (path.relative_to(root).as_posix() for path in secrets if path != root and path.is_relative_to(root))
    return tuple("/" + _literally(path) for path in found)


def seen_from(box: Path, project: Path, globs: Iterable[str]) -> tuple[str, ...]:
    """Project-relative globs as globs of a box that holds the project, or lies in it; none where neither is so."""
    root, home = box.resolve(), project.resolve()
    parted = [PurePosixPath(glob).parts for glob in globs]
    if home.is_relative_to(root):
        above = tuple(map(_literally, home.relative_to(root).parts))
        return tuple("/" + "/".join((*above, *parts)) for parts in parted)
    below = root.relative_to(home).parts if root.is_relative_to(home) else None
    return tuple("/" + "/".join(rest) for parts in parted if below for rest in _beyond(parts, below))


def _beyond(glob: tuple[str, ...], folders: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """What is left of a glob below folders that its beginning matches."""
    if not glob or not folders:
        yield from [glob] if glob else []
    elif glob[0] == "**":
        yield from (*_beyond(glob[1:], folders), *_beyond(glob, folders[1:]))
    elif fnmatchcase(folders[0], glob[0]):
        yield from _beyond(glob[1:], folders[1:])


def _literally(path: str) -> str:
    return "".join(f"\\{c}" if c in "*?[!\\ " else c for c in path)


async def _prepared(lane: Lane, request: Prepare) -> tuple[Prepared, Path]:
    """What came of a request, and the template's folder.

    A worker that dies over it is replaced once, since all trials of the box wait for it; the next has a clean folder.
    """
    try:
        reply = await lane.ask(request, PREPARE_LIMIT, _nothing)
    except Lost as lost:
        if lost.reason is not Reason.CRASHED:
            raise
        again = request.template.with_name(f"{request.template.name}-again")
        request = request.model_copy(update={"template": again})
        reply = await lane.ask(request, PREPARE_LIMIT, _nothing)
    assert isinstance(reply, Prepared)
    return reply, request.template


async def _nothing(said: Live, size: int) -> None:
    """A template has nothing to tell while it is built."""
