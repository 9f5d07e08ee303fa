"""A small project under watch, and the ear of a test on what the watch tells."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import TypeVar

from workbench.desk.desk import Desk
from workbench.desk.watching.records import Edited, Flipped, Settled, WatchEvent, WatchRequest
from workbench.desk.watching.watch import Watch

Event = TypeVar("Event")
FILE = "audits/knowledge.yaml"


class Ear:
    """Keeps what a watch tells."""

    def __init__(self, watch: Watch) -> None:
        self.watch = watch
        self.events: list[WatchEvent] = []
        self._woken = asyncio.Event()
        watch.subscribe(self)

    def __call__(self, event: WatchEvent) -> None:
        self.events.append(event)
        self._woken.set()

    async def until(self, kind: type[Event], wanted: Callable[[Event], object] = lambda _: True) -> Event:
        """Wait for an event, and forget what came up to it."""
        async with asyncio.timeout(30):
            while True:
                for place, event in enumerate(self.events):
                    if isinstance(event, kind) and wanted(event):
                        del self.events[: place + 1]
                        return event
                self._woken.clear()
                await self._woken.wait()

    async def settled(self, edits: int) -> None:
        """Wait until all is quiet after so many edits, and forget what came up to it."""
        await self.until(Settled, lambda event: event.edits == edits)

    async def edited(self) -> Edited:
        """Wait for the next edit."""
        return await self.until(Edited)

    @property
    def flips(self) -> dict[str, str | None]:
        """Audit → kind, of what was told and is not forgotten yet."""
        return {event.row.audit_id: event.row.kind for event in self.events if isinstance(event, Flipped)}


@contextlib.asynccontextmanager
async def watched(root: Path, *, settle: bool = True, **request: object) -> AsyncIterator[Ear]:
    """Watch a project; by default everything that costs nothing was asked once when this begins."""
    desk = Desk.open(root)
    watch = desk.watch(WatchRequest(**request))  # type: ignore[arg-type]
    ear = Ear(watch)
    watch.start()
    try:
        if settle:
            await ear.settled(0)
        yield ear
    finally:
        await asyncio.wait_for(watch.stop(), 20)
        await desk.close()
