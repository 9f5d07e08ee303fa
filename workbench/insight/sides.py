"""One side of a comparison: its trials with what their traces show, and how each audit stands there."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

from workbench.corpus.records import LEVELS, Audit
from workbench.insight.context import ContextUse
from workbench.insight.interval import Interval, wilson
from workbench.insight.standing import Asked, Standing, count
from workbench.runs.records import Tally


@dataclass(frozen=True, slots=True)
class Tried:
    """One trial of an audit, with what its trace shows."""

    asked: Asked
    run_id: str = ""
    prompt: str = ""
    """What the agent was asked; empty when there is no trace."""
    reply: str = ""
    observed: str = ""
    """The level its acts show; empty where they show none."""
    open: bool = False
    """Whether that may be shown: a human has saved a level, or the project shows it early."""
    use: ContextUse | None = None
    """None when nobody counted."""


@dataclass(frozen=True, slots=True)
class Side:
    """Everything one side was asked."""

    tries: Mapping[str, Sequence[Tried]]
    """Name of the audit → its trials, in order of repetition."""
    definitions: Mapping[str, Audit]
    """Name → the audit as it was judged; one whose definition is not known any more is left out."""


@dataclass(frozen=True, slots=True)
class Stand:
    """How one audit stands on one side."""

    tries: tuple[Tried, ...]
    standing: Standing
    interval: Interval | None
    """Of the measured trials; None when there are none."""

    @property
    def flaky(self) -> bool:
        """Whether it was seen to pass and to fail."""
        return 0 < self.standing.passed < self.standing.measured

    @property
    def share(self) -> float | None:
        """Share of measured trials that passed; None without any."""
        return self.standing.passed / self.standing.measured if self.standing.measured else None

    @property
    def level(self) -> str:
        """The level most of its trials show, nearer ones first among equals; empty where none shows one."""
        return _commonest(one.observed for one in self.tries)

    @property
    def shown_level(self) -> str:
        """The same over the trials whose level may be shown."""
        return _commonest(one.observed for one in self.tries if one.open)

    @property
    def human_level(self) -> str:
        """The level a human saved last; empty where none did."""
        saved = (a.level for one in reversed(self.tries) for a in reversed(one.asked.assessments) if a.level)
        return next(saved, "")

    @property
    def initial(self) -> int | None:
        """Tokens its trials began with, on average; None where nobody counted."""
        return _mean([one.use.initial for one in self.tries if one.use])

    @property
    def peak(self) -> int | None:
        """The largest context of its trials, on average; None where nobody counted."""
        return _mean([one.use.peak for one in self.tries if one.use])

    @property
    def estimated(self) -> bool:
        """Whether any of these sizes is an estimate."""
        return any(one.use.estimated for one in self.tries if one.use)

    @property
    def usd(self) -> float | None:
        """What its trials of known cost came to; None where none is known."""
        costs = [one.asked.finished.ending.cost_usd for one in self.tries]
        known = [cost for cost in costs if cost is not None]
        return sum(known) if known else None


def spent(stands: Iterable[Stand | None]) -> Tally:
    """What the trials of some audits cost, and of how many nobody can tell; it counts nothing else."""
    finished = (one.asked.finished for side in stands if side is not None for one in side.tries)
    return reduce(Tally.spent, finished, Tally())


def stand(tries: Sequence[Tried]) -> Stand:
    """How some trials of one audit stand together."""
    standing = count(one.asked for one in tries)
    return Stand(tuple(tries), standing, wilson(standing.passed, standing.measured))


def _commonest(levels: Iterable[str]) -> str:
    found = Counter(level for level in levels if level)
    order = {level: place for place, level in enumerate(LEVELS)}
    return min(found, key=lambda level: (-found[level], order.get(level, len(order))), default="")


def _mean(numbers: Sequence[int]) -> int | None:
    return round(sum(numbers) / len(numbers)) if numbers else None
