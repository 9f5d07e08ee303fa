"""The door to the process that draws maps: started when a map is first asked for, replaced when it dies or hangs."""

import asyncio
from collections.abc import Sequence

from workbench.corpus.records import Audit
from workbench.guidance.mapper_wire import LINE_LIMIT, BoxAsked, Corpora, Mapped, MapRequest, Refused, replies
from workbench.guidance.records import KnowledgeMap
from workbench.host.workers import LineWorker, WorkerGone, environment

_PROCESS = "workbench.guidance.mapper_process"
_PATIENCE = 120.0
"""Seconds a map may take; a huge box on a slow disk needs some."""


class MapError(RuntimeError):
    """There is no map; the message says why."""


class MapperDoor:
    """One process at a time, for one request at a time; several callers take turns."""

    def __init__(self, patience: float = _PATIENCE) -> None:
        self._patience = patience
        self._worker: LineWorker | None = None
        self._told: Sequence[Audit] | None = None
        self._turn = asyncio.Lock()
        self._drawing: set[asyncio.Task[KnowledgeMap]] = set()

    @property
    def pid(self) -> int | None:
        """The process's id; None while there is none."""
        return self._worker.pid if self._worker is not None else None

    async def map(self, boxes: Sequence[BoxAsked], audits: Sequence[Audit]) -> KnowledgeMap:
        """Have a map drawn; `audits` are all that may be named, told again only when it is another sequence.

        A process that dies is replaced once. Raises MapError. Whoever stops waiting leaves it to be drawn to its end:
        what was learnt on the way is what makes the next one quick.
        """
        line = MapRequest(boxes=tuple(boxes)).model_dump_json().encode()
        drawing = asyncio.create_task(self._drawn(line, audits), name="map")
        drawing.add_done_callback(lambda task: task.cancelled() or task.exception())
        self._drawing.add(drawing)
        drawing.add_done_callback(self._drawing.discard)
        return await asyncio.shield(drawing)

    async def close(self) -> None:
        """End the process, whatever it is at."""
        drawing = tuple(self._drawing)
        for task in drawing:
            task.cancel()
        await asyncio.gather(*drawing, return_exceptions=True)
        await self._drop()

    async def _drawn(self, line: bytes, audits: Sequence[Audit]) -> KnowledgeMap:
        async with self._turn:
            try:
                return await self._asked(line, audits)
            except WorkerGone:
                await self._drop()
            try:
                return await self._asked(line, audits)
            except WorkerGone as error:
                await self._drop()
                raise MapError(f"the map could not be drawn: {error}") from error

    async def _asked(self, line: bytes, audits: Sequence[Audit]) -> KnowledgeMap:
        try:
            async with asyncio.timeout(self._patience):
                worker = await self._ready(audits)
                await worker.send(line)
                said = await worker.receive()
        except TimeoutError:
            await self._drop()
            raise MapError(
                f"the map was not drawn within {self._patience:g} s; try a smaller box or selection"
            ) from None
        except OSError as error:
            raise MapError(f"the process that draws maps could not be started: {error}") from error
        reply = await asyncio.to_thread(replies().validate_json, said)
        match reply:
            case Mapped(map=known):
                return known
            case Refused(detail=detail):
                raise MapError(detail)

    async def _ready(self, audits: Sequence[Audit]) -> LineWorker:
        """The process, told of the audits."""
        if self._worker is None or self._worker.ended:
            await self._drop()
            self._worker = await LineWorker.start(_PROCESS, env=environment(), limit=LINE_LIMIT)
        if audits is not self._told:
            told = await asyncio.to_thread(Corpora(audits=tuple(audits)).model_dump_json)
            await self._worker.send(told.encode())
            self._told = audits
        return self._worker

    async def _drop(self) -> None:
        worker, self._worker, self._told = self._worker, None, None
        if worker is not None:
            worker.kill()
            await worker.close()
