"""What runs hand on: workers started ahead of time, so that no first question waits for Python, and templates."""

import asyncio
from collections.abc import Coroutine, Sequence

from workbench.runs.pool import Lane
from workbench.runs.shelf import Shelf


class Reserve:
    """Up to `size` idle lanes, each with a worker that has started. Belongs to the event loop it is first filled on.

    Whoever makes one closes it; should that not happen, its workers end with this process.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._idle: list[Lane] = []
        self._busy: set[asyncio.Task[None]] = set()
        self._passed: tuple[str, ...] = ()
        self._starting = 0
        self._closed = False
        self._shelf: Shelf | None = None

    @property
    def shelf(self) -> Shelf:
        """Where the templates of runs stay for those to come; raises BoxError and OSError where it cannot be made."""
        self._shelf = self._shelf or Shelf()
        return self._shelf

    def fill(self, passed: Sequence[str] = ()) -> None:
        """Start what is missing, in the background; `passed` as for `Lane`, for the runs to come."""
        self._passed = tuple(passed)
        while not self._closed and len(self._idle) + self._starting < self._size:
            self._starting += 1
            self._do(self._start())

    def take(self, passed: Sequence[str]) -> Lane:
        """A lane whose worker sees the named variables and no others: a started one where one fits, else a new one."""
        self._passed = tuple(passed)
        unfit = [lane for lane in self._idle if not lane.fits(passed)]
        self._idle = [lane for lane in self._idle if lane not in unfit]
        for lane in unfit:
            self._do(lane.close())
        return self._idle.pop() if self._idle else Lane(passed)

    async def give_back(self, lane: Lane) -> None:
        """Keep an idle lane for another run, or let it go: where there is no room, or it is not as good as new."""
        if lane.burdened or not self._keep(lane):
            await lane.close()
            self.fill(self._passed)

    async def ready(self) -> None:
        """Return once everything that was begun in the background is done."""
        while self._busy:
            await asyncio.wait(self._busy)

    async def close(self) -> None:
        """Let every worker go; what is given back later goes too. No run may be under way any more."""
        self._closed = True
        await self.ready()
        idle, self._idle = self._idle, []
        await asyncio.gather(*(lane.close() for lane in idle))
        shelf, self._shelf = self._shelf, None
        if shelf:
            await asyncio.to_thread(shelf.remove)

    async def _start(self) -> None:
        lane = Lane(self._passed, eager=True)
        try:
            await lane.warm()
        finally:
            self._starting -= 1
        if not self._keep(lane):
            await lane.close()

    def _keep(self, lane: Lane) -> bool:
        """Whether there is room for an idle lane that a run to come can use; it is kept then."""
        room = not self._closed and len(self._idle) < self._size
        if room and lane.fits(self._passed):
            self._idle.append(lane)
            return True
        return False

    def _do(self, work: Coroutine[object, object, None]) -> None:
        task = asyncio.create_task(work)
        self._busy.add(task)
        task.add_done_callback(self._busy.discard)
