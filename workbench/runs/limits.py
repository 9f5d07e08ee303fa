"""Why a campaign stops asking before its end: its cap is reached, or every trial would end as the last one did."""

import asyncio

from workbench.engines.protocol import Ending, Engine
from workbench.runs.plan import RunPlan
from workbench.runs.pool import Lost
from workbench.runs.records import TrialFinished
from workbench.runs.spending import Purse
from workbench.traces.reasons import Reason

UNASKED = "not asked: "
"""Begins what is told of a trial that nobody was asked for."""


class Limits:
    """Learns from every finished trial whether another one may be asked."""

    def __init__(self, plan: RunPlan, engine: Engine) -> None:
        self._engine, self._keys = engine, tuple(plan.keys)
        self._purse = Purse(plan.max_cost)
        self._hopeless: Lost | None = None

    @property
    def left(self) -> float:
        """US dollars one more trial may come to; 0 where there is no cap."""
        return self._purse.left

    def crowded(self, running: int) -> bool:
        """Whether the cap lets nothing more be asked before one of so many running trials has ended."""
        return self._purse.crowded(running)

    @property
    def refused(self) -> Lost | None:
        """Why nothing more is asked; None while all is well."""
        if self._hopeless is None and (empty := self._purse.empty):
            return _unasked(Reason.BUDGET, empty)
        return self._hopeless

    async def learn(self, finished: TrialFinished) -> None:
        """Take a trial into account."""
        self._purse.pay(finished.ending.cost_usd, unpriced=finished.unpriced)
        if await self._for_all(finished.ending):
            self._hopeless = _unasked(finished.ending.reason or Reason.MISSING, finished.ending.detail)

    async def _for_all(self, ending: Ending) -> bool:
        """Whether every other trial would end the same way: the credential is refused, the engine is not there."""
        if ending.reason is not Reason.MISSING:
            return ending.reason is Reason.AUTH
        return not (await asyncio.to_thread(self._engine.preflight, self._keys)).ready


def _unasked(reason: Reason, detail: str) -> Lost:
    return Lost(reason, f"{UNASKED}{detail}")
