"""One engine and model in a watch: whom it is to ask, in which order, and the one run in which it does."""

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.desk.forecast import Offer
from workbench.desk.records import AskRequest, DeskError, TrialSummary
from workbench.desk.watching.records import Asking, FlipRow, Outdated, Wants, Withheld
from workbench.desk.watching.scene import Who
from workbench.desk.watching.session import Session
from workbench.runs.events import RunEnded, RunEvent
from workbench.runs.limits import UNASKED
from workbench.runs.records import TrialFinished
from workbench.traces.reasons import Reason

if TYPE_CHECKING:
    from workbench.desk.asking import LiveRun

PAID_QUIET = 1.5
"""Seconds without a change before anything paid is asked."""
_NO = "asking costs money, and the answer was no"
_STOPPED = "it was stopped"


@dataclass(frozen=True, slots=True)
class Wish:
    """An audit that is to be asked; without a row it only lacks a verdict."""

    audit_id: str
    row: FlipRow | None = None


class Lane:
    """Asks what is wished, what an edit touched first. Belongs to the event loop."""

    def __init__(self, who: Who, session: Session) -> None:
        self.who = who
        self.live: LiveRun | None = None
        self._session = session
        self._waiting: dict[str, Wish] = {}
        self._asked: dict[str, Wish] = {}
        self._told: tuple[str, ...] = ()
        """Whom a question about money, or a no to it, was last told of."""
        self._winding = False
        self._woken, self._ended = asyncio.Event(), asyncio.Event()

    @property
    def waiting(self) -> tuple[str, ...]:
        """Who is to be asked, in that order; nobody, once the answer was no."""
        return () if self._is_refused else tuple(self._waiting)

    @property
    def resting(self) -> bool:
        """Whether nothing runs, and nothing waits that anything but a yes could begin."""
        return self.live is None and not self.waiting

    def want(self, wishes: Iterable[Wish]) -> None:
        """Wish for more. What an edit touches comes first, likeliest first, and ends what was being asked of it."""
        fresh = {wish.audit_id: wish for wish in wishes}
        touched = {name: wish for name, wish in fresh.items() if wish.row is not None}
        lacking = {name: wish for name, wish in fresh.items() if wish.row is None and name not in self._asked}
        outdated = tuple(name for name in self._asked if name in touched)
        if self.live is not None and touched:
            self._winding = True
            self.live.wind_down()
            for name in outdated:
                del self._asked[name]
                self.live.cancel_trial(name)
        if outdated:
            self._session.tell(Outdated(outdated))
        rest = {name: wish for name, wish in self._waiting.items() if name not in touched}
        edited = {name: wish for name, wish in rest.items() if wish.row is not None}
        self._waiting = touched | edited | (lacking | rest)
        self._woken.set()

    def forget(self, audit_ids: Iterable[str]) -> None:
        """Ask some audits no more: they are gone."""
        for name in audit_ids:
            self._waiting.pop(name, None)
            if self._asked.pop(name, None) and self.live is not None:
                self.live.cancel_trial(name)

    def look_again(self) -> None:
        """Something changed that may let it go on: somebody said yes, or no."""
        self._told = ()
        self._woken.set()

    async def run(self) -> None:
        """Ask, until cancelled; what runs then is cancelled too."""
        try:
            while True:
                self._woken.clear()
                if not self._waiting or not await self._may():
                    self._session.rested()
                    await self._woken.wait()
                elif self.who.free:
                    await self._ask()
                else:
                    await self._spend()
        finally:
            if self.live is not None:
                self.live.cancel()
                self._session.see_off(self.live)

    @property
    def _is_refused(self) -> bool:
        return not self.who.free and self._session.agreed is False

    async def _may(self) -> bool:
        """Whether what waits may be asked; says why not, once for the same audits."""
        session, names = self._session, tuple(self._waiting)
        if self.who.free or (session.agreed and not session.purse.empty):
            return True
        if session.purse.empty:
            self._withhold(names, session.purse.empty)
        elif names != self._told:
            self._told = names
            await self._say_why(names)
        return False

    async def _say_why(self, names: Sequence[str]) -> None:
        """Ask for a yes to what it costs, or say that the answer was no."""
        session = self._session
        if session.agreed is None:
            offer = await self._offer(names)
            if offer and session.agreed is None:
                session.want(Wants(offer, tuple(names)))
        else:
            session.tell(Withheld(tuple(names), _NO))

    async def _spend(self) -> None:
        """Ask for money: once all is quiet for longer, and never beside another that spends."""
        loop = asyncio.get_running_loop()
        while (left := self._session.moved_at + PAID_QUIET - loop.time()) > 0:
            await asyncio.sleep(left)
        async with self._session.paying:
            if self._waiting and await self._may() and (offer := await self._offer(tuple(self._waiting))):
                await self._ask(offer)

    async def _offer(self, names: Sequence[str]) -> Offer | None:
        """What asking would come to; None, and told why, where it cannot be asked."""
        try:
            return await asyncio.to_thread(self._session.hands.offer, self._request(names))
        except DeskError as error:
            self._withhold(names, str(error))
            return None

    async def _ask(self, offer: Offer | None = None) -> None:
        edited = {name: wish for name, wish in self._waiting.items() if wish.row is not None}
        wishes = edited or dict(self._waiting)
        self._waiting = {name: wish for name, wish in self._waiting.items() if name not in wishes}
        try:
            self.live = live = self._session.hands.ask(self._request(wishes), self._session.reserve)
        except DeskError as error:
            self._withhold(wishes, str(error))
            return
        self._asked, self._winding = wishes, False
        self._ended.clear()
        leave = live.subscribe(self._heard)
        self._session.tell(Asking(live, tuple(wishes), not edited, offer))
        await self._ended.wait()
        leave()
        self.live = None
        self._session.see_off(live)
        left, self._asked = self._asked, {}
        if self._winding:
            self._waiting = self._waiting | {name: wish for name, wish in left.items() if name not in self._waiting}
        elif left:
            self._withhold(left, _STOPPED)

    def _request(self, names: Iterable[str]) -> AskRequest:
        return AskRequest(
            tuple(names),
            engine=self.who.engine,
            model=self.who.model,
            max_cost=self._session.purse.left,
            selection="watch",
        )

    def _heard(self, events: Sequence[RunEvent]) -> None:
        for event in events:
            if isinstance(event, TrialFinished):
                self._finished(event)
            elif isinstance(event, RunEnded):
                self._ended.set()

    def _finished(self, finished: TrialFinished) -> None:
        assert self.live is not None
        manifest = self.live.manifest
        trial = next(trial for trial in manifest.trials if trial.key == finished.trial)
        if not self.who.free:
            self._session.purse.pay(finished.ending.cost_usd, unpriced=finished.unpriced)
        wish = self._asked.pop(trial.audit_id, None)
        if wish is None:
            return
        if finished.verdict.reason is Reason.CANCELLED or not finished.asked:
            # The cap of the run is what the watch had left: the human knows the whole one.
            cap = self._session.purse.empty if finished.verdict.reason is Reason.BUDGET else ""
            self._withhold((wish.audit_id,), cap or finished.verdict.detail.removeprefix(UNASKED) or _STOPPED)
            return
        summary = TrialSummary(manifest.run_id, trial, manifest.engine, manifest.model, finished)
        self._session.done(wish.row, summary)

    def _withhold(self, names: Iterable[str], why: str) -> None:
        gone = tuple(names)
        for name in gone:
            self._waiting.pop(name, None)
        self._told = ()
        self._session.tell(Withheld(gone, why))
