"""What the lanes of one watch share: the purse, the yes, the workers kept ready, who is told."""

import asyncio
import logging
import os
from collections.abc import Callable
from typing import TYPE_CHECKING

from workbench.desk.forecast import together
from workbench.desk.records import DeskError, TrialSummary
from workbench.desk.watching.hands import Hands
from workbench.desk.watching.records import FlipRow, Hear, Wants, WatchEvent, WatchRequest
from workbench.runs.reserve import Reserve
from workbench.runs.spending import Purse

if TYPE_CHECKING:
    from workbench.desk.asking import LiveRun

_log = logging.getLogger(__name__)


class Session:
    """State of a watch from its start to its stop."""

    def __init__(self, hands: Hands, request: WatchRequest) -> None:
        self.hands, self.request = hands, request
        self.agreed: bool | None = True if request.agreed else None
        """What a human said to the costs; None while nobody was asked."""
        self.wants: Wants | None = None
        self._wanted: dict[tuple[str, str], Wants] = {}
        """What the lanes want a yes to, by engine and model."""
        self.purse = Purse(request.max_cost or hands.project.settings.max_cost)
        self.paying = asyncio.Lock()
        """Held by the lane that spends, so that two cannot spend the same last dollar."""
        self.reserve = Reserve((os.cpu_count() or 1) + 1)
        self.moved_at = float("-inf")
        """When something that is watched was last said to change, by the clock of the loop."""
        self.done: Callable[[FlipRow | None, TrialSummary], None] = lambda row, summary: None
        """Takes every verdict; the row is None for one there was none of before."""
        self.rested: Callable[[], None] = lambda: None
        """Called when a lane has come to rest."""
        self._hearing: list[Hear] = []
        self._closing: set[asyncio.Task[None]] = set()

    def subscribe(self, hear: Hear) -> Callable[[], None]:
        """See `Watch.subscribe`."""
        self._hearing.append(hear)

        def leave() -> None:
            if hear in self._hearing:
                self._hearing.remove(hear)

        return leave

    def want(self, wants: Wants) -> None:
        """Ask for a yes to what one lane wants: it is a yes to all of them, so what all of them want is told."""
        self._wanted[wants.offer.engine, wants.offer.model] = wants
        offer = together([one.offer for one in self._wanted.values()], wants.offer.cap)
        self.wants = Wants(offer, tuple(name for one in self._wanted.values() for name in one.audit_ids))
        self.tell(self.wants)

    def tell(self, event: WatchEvent) -> None:
        """Hand an event to everybody who listens."""
        for hear in tuple(self._hearing):
            try:
                hear(event)
            except Exception:
                # A front end's mistake must not end the watch of another.
                _log.exception("a subscriber of the watch failed")

    def see_off(self, live: "LiveRun") -> None:
        """Let a run that is over write its report in its own time; then have what it said of reads ready."""
        task = asyncio.create_task(self._see_off(live))
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)

    async def close(self) -> None:
        """Wait until all that is over has written its report, and let the workers go."""
        while self._closing:
            await asyncio.wait(self._closing)
        await self.reserve.close()

    async def _see_off(self, live: "LiveRun") -> None:
        try:
            await live.wait()
            await asyncio.to_thread(self.hands.changes.opened, [trial.audit_id for trial in live.manifest.trials])
        except (DeskError, OSError) as error:  # somebody took its folder away
            _log.warning("workbench: the run %s could not be closed: %s", live.run_id, error)
        except Exception:
            _log.exception("the run %s could not be closed", live.run_id)
