"""A watch on guidance and corpora: what changed, whom that touches, what they say now."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.corpus.records import Problem
from workbench.desk.watching.minding import Minding
from workbench.desk.watching.records import Edit, FlipRow, Hear, Wants

if TYPE_CHECKING:
    from workbench.desk.asking import LiveRun


class Watch(Minding):
    """Watches from `start` to `stop`. All methods belong to the event loop it was started on."""

    @property
    def boxes(self) -> tuple[Path, ...]:
        """The folders audits are asked in."""
        return tuple(self._scene.boxes)

    @property
    def rows(self) -> tuple[FlipRow, ...]:
        """The flip board: the rows of the latest edit first, each edit's likeliest first.

        A row is replaced in its place when its audit was asked; one whose audit a later edit touches before that is
        dropped.
        """
        return self._board.rows

    @property
    def edits(self) -> tuple[Edit, ...]:
        """Every edit so far, latest first."""
        return self._board.edits

    @property
    def wants(self) -> Wants | None:
        """What waits for a yes; None while nothing does."""
        return self._session.wants

    @property
    def costly(self) -> tuple[str, ...]:
        """The engines that cost money among those that are asked."""
        return tuple(dict.fromkeys(who.engine for who in self._whos() if not who.free))

    @property
    def broken(self) -> dict[str, Problem]:
        """Corpora that cannot be read as they are, and why; their last good state holds."""
        return self._hands.library.broken

    @property
    def lost(self) -> tuple[str, ...]:
        """Watched folders that are gone."""
        return self._eyes.lost

    @property
    def slow(self) -> str:
        """Why the watch has to look for changes by itself; empty while the system tells it of them."""
        return self._eyes.slow

    @property
    def live(self) -> "tuple[LiveRun, ...]":
        """The runs it started that are not over: at most one for each engine and model."""
        return tuple(lane.live for lane in self._lanes.values() if lane.live is not None)

    @property
    def waiting(self) -> tuple[str, ...]:
        """Audits that are still to be asked, in the order in which they will be."""
        return tuple(name for lane in self._lanes.values() for name in lane.waiting)

    def subscribe(self, hear: Hear) -> Callable[[], None]:
        """Hand every later event to `hear`, until the returned function is called."""
        return self._session.subscribe(hear)

    def start(self) -> None:
        """Begin to watch, and to ask what a free engine was never asked; returns at once, needs a running loop."""
        self._hands.library.keeping = True
        session, eyes = self._session, self._eyes
        session.reserve.fill()
        session.done, session.rested = self._judge, self._settle
        eyes.tell, eyes.moved = session.tell, self._moved
        self._do(self._watch())

    async def stop(self) -> None:
        """Stop watching and cancel what runs; returns when all of it has ended. What is finished stays."""
        self._hands.library.keeping = False
        tasks = tuple(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._eyes.close()
        await self._chart.close()
        await self._session.close()

    def agree(self, yes: bool) -> None:
        """Answer `wants`, for the whole watch: a yes asks what waits and all that follows, a no withholds it.

        A no can be taken back by a yes.
        """
        self._session.agreed, self._session.wants = yes, None
        for lane in self._lanes.values():
            lane.look_again()
