"""Asking what a comparison lacks, both sides at once, and watching it."""

import asyncio
from collections import deque
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from textual.content import Content
from textual.screen import Screen

from workbench.desk.comparing.records import Compared, Prepared
from workbench.desk.records import DeskError
from workbench.runs.events import RunEvent
from workbench.runs.records import TrialFinished
from workbench.tui.money import money_question
from workbench.tui.transcript.words import shown

if TYPE_CHECKING:
    from workbench.desk.comparing.live import LiveSides
    from workbench.desk.desk import Desk
    from workbench.tui.app import WorkbenchApp


class CompareAsking(Screen[None]):
    """The part of the comparison's screen that asks."""

    app: "WorkbenchApp"
    desk: "Desk"
    prepared: Prepared | None = None
    """What the sides mean, once that is known."""
    live: "LiveSides | None" = None
    """What is being asked."""
    compared: Compared | None = None
    reading = False
    """Whether it is being found out what the sides mean, and what asking comes to."""
    wanted = False
    """Whether asking was wanted before that was known."""
    finished: deque[tuple[str, TrialFinished]]
    """The last trials that came to an end, each with its side."""
    said: Content
    """What stands over the table while there is no comparison."""

    def draw(self) -> None:
        """Show whether there is a comparison yet, and which keys do something now."""
        self.set_class(self.compared is None, "-waiting")
        self.refresh_bindings()

    def action_ask(self) -> None:
        """Ask what is lacking; what costs money wants a yes first."""
        if self.reading:
            self.wanted = True
            return
        offer = self.prepared.offer if self.prepared else None
        if offer is None:
            return
        if offer.free:
            self._begin(True)
        else:
            self.app.push_screen(money_question(offer), self._begin)

    def _begin(self, yes: bool | None) -> None:
        if not yes or self.prepared is None:
            return
        try:
            self.live = self.desk.comparing.ask(self.prepared, self.desk.ask)
        except DeskError as error:
            self.app.complain(error)
            return
        for live in self.live.lives.values():
            self.app.runs.adopt(live, ())
        self.run_worker(self._attend(self.prepared, self.live), group="runs", exit_on_error=False)
        self.draw()

    async def _attend(self, prepared: Prepared, live: "LiveSides") -> None:
        self.finished.clear()
        ends = [run.subscribe(partial(self._heard, half.upper())) for half, run in live.lives.items()]
        try:
            await live.wait()
            self.compared = await asyncio.to_thread(self.desk.comparing.compared, prepared, live)
        except (DeskError, OSError) as error:
            self.said = Content.assemble(("✗ ", "$error"), shown(str(error)))
        finally:
            for end in ends:
                end()
            self.live = None
            if self.is_attached:
                self.draw()

    def _heard(self, side: str, events: Sequence[RunEvent]) -> None:
        self.finished.extend((side, event) for event in events if isinstance(event, TrialFinished))
        if self.is_attached:
            self.draw()

    def action_stop(self) -> None:
        """Stop both sides; what they have is compared."""
        if self.live is not None:
            self.live.cancel()
