"""How long a campaign waits when its provider asks for patience, and how often it tries a trial again."""

import asyncio
import contextlib
from collections.abc import Callable

from workbench.engines.protocol import Ending
from workbench.traces.reasons import Reason

ATTEMPTS = 3
"""How often a trial is asked before its provider's trouble becomes its ending."""
FIRST = 2.0
"""Seconds waited where the provider names none; doubled at every further attempt."""


class Pace:
    """One campaign's patience; `hold` makes all of it wait, `wake` makes everyone look again."""

    def __init__(self) -> None:
        self._until = float("-inf")
        self._woken = asyncio.Event()

    def hold(self, seconds: float) -> None:
        """Ask nothing new for some seconds from now on; what was to be waited already is not made shorter."""
        self._until = max(self._until, asyncio.get_running_loop().time() + seconds)

    def wake(self) -> None:
        """Something has changed for those who wait."""
        self._woken.set()

    async def change(self) -> None:
        """Return when something has changed."""
        self._woken.clear()
        await self._woken.wait()

    async def ready(self, given_up: Callable[[], bool]) -> None:
        """Return when asking may go on, or at once when it is given up."""
        loop = asyncio.get_running_loop()
        while (left := self._until - loop.time()) > 0 and not given_up():
            self._woken.clear()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._woken.wait(), left)


def patience(ending: Ending, attempt: int, most: float) -> float:
    """Seconds to wait before a trial is asked again; 0: it is not.

    `attempt` counts from 1. A provider that wants more than `most` seconds is not waited for.
    """
    if ending.reason not in (Reason.RATE_LIMIT, Reason.OVERLOADED) or attempt >= ATTEMPTS:
        return 0.0
    seconds = ending.retry_after or FIRST * 2 ** (attempt - 1)
    return seconds if seconds <= most else 0.0
