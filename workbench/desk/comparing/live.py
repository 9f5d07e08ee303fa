"""Both sides of a comparison being asked, side by side."""

import asyncio
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Literal

from workbench.runs.events import Subscriber
from workbench.runs.records import Tally

if TYPE_CHECKING:
    from workbench.desk.asking import LiveRun

Half = Literal["a", "b"]


class LiveSides:
    """The runs that were started for a comparison, by side; they go on at the same time."""

    def __init__(self, lives: "Mapping[Half, LiveRun]") -> None:
        self.lives = dict(lives)

    @property
    def tally(self) -> Tally:
        """How both stand together."""
        tallies = [live.tally for live in self.lives.values()]
        return Tally(**{name: sum(getattr(tally, name) for tally in tallies) for name in Tally.model_fields})

    @property
    def trouble(self) -> str:
        """What could not be kept beside a run; empty when all was."""
        return next((live.trouble for live in self.lives.values() if live.trouble), "")

    def subscribe(self, subscriber: Subscriber) -> Callable[[], None]:
        """Be told what happens in either; the result ends it."""
        ends = [live.subscribe(subscriber) for live in self.lives.values()]

        def end() -> None:
            """Hear no more of either."""
            for one in ends:
                one()

        return end

    def cancel(self) -> None:
        """Stop both at once; what is finished stays."""
        for live in self.lives.values():
            live.cancel()

    async def wait(self) -> Tally:
        """Wait until both are over; DeskError when one had to stop before its end, once the other is over too."""
        outcomes = await asyncio.gather(*(live.wait() for live in self.lives.values()), return_exceptions=True)
        for outcome in outcomes:
            if isinstance(outcome, BaseException):
                raise outcome
        return self.tally
