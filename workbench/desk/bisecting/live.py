"""A bisection being asked: one run after another, each at the commit that tells most."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from workbench.desk.bisecting.journal import Asked, BisectJournal
from workbench.desk.bisecting.records import Point, Step
from workbench.desk.records import AskRequest, DeskError
from workbench.insight.bisection import Alike, Ask, Count, Found, advise
from workbench.runs.records import TrialFinished
from workbench.runs.store import load

if TYPE_CHECKING:
    from workbench.desk.asking import LiveRun
    from workbench.runs.events import RunEvent

Start = Callable[[AskRequest], "LiveRun"]
Hear = Callable[[Step], None]


class LiveBisect:
    """Asks until something comes out; `cancel` stops it at any instant, and what was asked stays."""

    def __init__(
        self, points: Sequence[Point], journal: BisectJournal, asks: AskRequest, *, steady: bool, most: int, cap: float
    ) -> None:
        """Ask as `asks` says; `most` trials in all, and nothing more once `cap` US dollars are spent (0: no cap)."""
        self.why = ""
        """Why it stopped before its end; empty otherwise."""
        self._points, self._journal, self._asks = tuple(points), journal, asks
        self._steady, self._most, self._cap = steady, most, cap
        self._live: LiveRun | None = None

    def cancel(self) -> None:
        """Stop at once."""
        self.why = self.why or "it was interrupted"
        if self._live:
            self._live.cancel()

    @property
    def counts(self) -> list[Count]:
        """The verdicts of every point."""
        return [self._journal.count(point.commit) for point in self._points]

    def skipped(self) -> dict[int, str]:
        """The points that cannot be measured, and why."""
        told = ((n, self._unmeasurable(n)) for n in range(len(self._points)))
        return {n: why for n, why in told if why}

    def advice(self) -> Ask | Found | Alike:
        """What to ask next, or what came out; DeskError where an end cannot be measured."""
        skipped = self.skipped()
        for point, name in ((0, "GOOD"), (len(self._points) - 1, "BAD")):
            if point in skipped:
                commit = self._points[point].commit[:9]
                raise DeskError(f"{name} ({commit}) cannot be measured: {skipped[point]}; name another commit")
        left = max(0, self._most - self._journal.asked)
        return advise(self.counts, skipped, steady=self._steady, left=left)

    async def run(self, start: Start, hear: Hear) -> Found | Alike | None:
        """Ask, telling each point that was asked, first those that are known; None when it stopped, see `why`."""
        for number, count in enumerate(self.counts):
            why = self._unmeasurable(number)
            if count.measured or why:
                hear(Step(self._points[number], count, why, known=True))
        while True:
            advice = self.advice()
            if not isinstance(advice, Ask):
                return advice
            purse = self._journal.purse(self._cap)
            if purse.empty:
                self.why = f"{purse.empty}; another --max-cost goes on"
            if self.why:
                return None
            point = self._points[advice.point]
            request = replace(self._asks, revision=point.commit, trials=advice.trials, max_cost=purse.left)
            before = len(self._journal.judged())
            await self._ask(request, point.commit, start)
            step = Step(point, self._journal.count(point.commit), self._unmeasurable(advice.point))
            if step.count.measured or step.skipped:
                hear(step)
            self.why = self.why or self._journal.hindered(before)
            if len(self._journal.judged()) == before:
                self.why = self.why or f"nothing was asked at {point.commit[:9]}"

    async def _ask(self, request: AskRequest, commit: str, start: Start) -> None:
        self._live = live = start(request)
        asked = Asked(commit=commit, run_id=live.run_id, trials=request.trials)
        self._journal.append(asked)

        def hear(events: "Sequence[RunEvent]") -> None:
            """Keep each verdict as it comes."""
            self._journal.take_over(asked, [event for event in events if isinstance(event, TrialFinished)])

        end = live.subscribe(hear)
        try:
            if self.why:
                live.cancel()
            await live.wait()
        except asyncio.CancelledError:
            live.cancel()
            raise
        finally:
            end()
            self._live = None
            self._journal.take_over(asked, load(live.folder).finished.values())

    def _unmeasurable(self, point: int) -> str:
        return self._journal.unmeasurable(self._points[point].commit)
