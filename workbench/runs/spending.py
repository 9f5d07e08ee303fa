"""What a campaign has spent, and when its cap is reached."""

from collections.abc import Sequence

from workbench.engines.protocol import Ending
from workbench.runs.records import TrialFinished
from workbench.text.amounts import dollars

BLIND = 3
"""Trials of unknown cost, and none of known cost, after which a cap is taken for one that cannot be kept."""


class Purse:
    """Counts what is asked from now on against a cap in US dollars; 0 is no cap.

    A trial of unknown cost is charged as the dearest of the others.
    """

    def __init__(self, cap: float) -> None:
        self._cap = cap
        self._known: list[float] = []
        self._unknown = 0

    def pay(self, usd: float | None, *, unpriced: bool) -> None:
        """Take a trial into account: what it cost, or whether it cost something that nobody can tell."""
        if usd is not None:
            self._known.append(usd)
        elif unpriced:
            self._unknown += 1

    @property
    def left(self) -> float:
        """What one more trial may come to; 0 where there is no cap."""
        return max(self._cap - self._spent, 0.0)

    @property
    def empty(self) -> str:
        """Why nothing more may be asked; empty while something may."""
        if not self._cap:
            return ""
        if self._unknown >= BLIND and not self._known:
            return f"nobody can tell what a trial costs here, so the cap of {dollars(self._cap)} cannot be kept"
        if self._spent >= self._cap:
            return f"the cap of {dollars(self._cap)} is reached"
        return ""

    def crowded(self, running: int) -> bool:
        """Whether one more trial beside those that run may be one too many, so that it waits for one of them.

        As long as no price is known trials are asked one at a time; after that each is taken for the dearest.
        """
        if not (self._cap and running):
            return False
        return not self._known or self._spent + running * max(self._known) >= self._cap

    @property
    def _spent(self) -> float:
        return sum(self._known) + self._unknown * max(self._known, default=0.0)


def with_earlier(finished: TrialFinished, earlier: Sequence[TrialFinished]) -> Ending:
    """The ending of a trial that was asked several times, with what all of it cost; unknown when any part is."""
    endings = [finished.ending, *(one.ending for one in earlier)]
    if any(one.unpriced for one in (finished, *earlier)):
        return finished.ending.model_copy(update={"cost_usd": None, "cost_basis": ""})
    known = [ending for ending in endings if ending.cost_usd is not None]
    if not known:
        return finished.ending
    basis = "list" if any(ending.cost_basis == "list" for ending in known) else known[0].cost_basis
    return finished.ending.model_copy(
        update={"cost_usd": sum(ending.cost_usd or 0.0 for ending in known), "cost_basis": basis}
    )
