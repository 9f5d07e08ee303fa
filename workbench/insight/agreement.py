"""How far judgements agree: humans with the checks, humans with each other, the level said with the level observed."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

from workbench.checks.records import Outcome
from workbench.grading.records import Assessment
from workbench.insight.standing import Asked

_DECIDED = ("pass", "fail")
_OUTCOMES = {Outcome.PASSED: "pass", Outcome.FAILED: "fail"}

Table = tuple[tuple[tuple[str, str], int], ...]
"""(what the one said, what the other said) → how often; most frequent first."""


@dataclass(frozen=True, slots=True)
class Concord:
    """Two judgements of the same things, compared by name."""

    table: Table = ()

    @property
    def n(self) -> int:
        """How many things both judged."""
        return sum(times for _, times in self.table)

    @property
    def same(self) -> int:
        """On how many both said the same."""
        return sum(times for (one, other), times in self.table if one == other)

    @property
    def percent(self) -> float | None:
        """Share of the same, 0–100; None when nothing was judged by both."""
        return 100 * self.same / self.n if self.n else None

    @property
    def kappa(self) -> float | None:
        """Cohen's unweighted κ, at most 1; None where it says nothing, for the reason in `undefined`."""
        if self.undefined:
            return None
        ones, others = self._margins
        # In whole numbers, n² times the agreement that chance alone would give.
        chance = sum(ones[name] * others[name] for name in ones)
        return (self.n * self.same - chance) / (self.n**2 - chance)

    @property
    def undefined(self) -> str:
        """Why there is no κ; empty where there is one.

        With a single category on either side, chance explains any agreement: the formula gives 0/0 or always 0.
        """
        if not self.n:
            return "nothing was judged by both"
        narrow = [next(iter(side)) for side in self._margins if len(side) == 1]
        if len(narrow) == 2:
            return f"both said nothing but {narrow[0]!r}" if narrow[0] == narrow[1] else "each said one thing only"
        return f"one side said nothing but {narrow[0]!r}" if narrow else ""

    @property
    def _margins(self) -> tuple[Counter[str], Counter[str]]:
        ones, others = Counter[str](), Counter[str]()
        for (one, other), times in self.table:
            ones[one] += times
            others[other] += times
        return ones, others

    @property
    def differing(self) -> Table:
        """What was told apart, most frequent first."""
        return tuple(entry for entry in self.table if entry[0][0] != entry[0][1])

    def times(self, one: str, other: str) -> int:
        """How often the one said this and the other that."""
        return dict(self.table).get((one, other), 0)

    def __str__(self) -> str:
        if not self.n:
            return self.undefined
        kappa = f"κ undefined: {self.undefined}" if self.kappa is None else f"κ {self.kappa:.2f}"
        return f"{self.same} of {self.n} · {self.percent:.0f} % · {kappa}"


@dataclass(frozen=True, slots=True)
class Pair:
    """Two graders on the trials both have graded, the one whose name sorts first being the one."""

    first: str
    second: str
    verdicts: Concord
    """Pass and fail only; a trial one of them was unsure about is not in it."""
    levels: Concord


@dataclass(frozen=True, slots=True)
class Agreement:
    """Every comparison over some graded trials, and what had to stay out of each."""

    trials: int = 0
    """Trials with an assessment that is not blank."""
    checks: Concord = Concord()
    """The human verdict saved last × the checks' verdict."""
    apart: tuple[tuple[str, int], ...] = ()
    """Why trials are not in `checks` → how many."""
    pairs: tuple[Pair, ...] = ()
    levels: Concord = Concord()
    """The human level saved last × the level the acts show."""
    unobserved: int = 0
    """Trials with a human level whose acts show none."""


@dataclass(frozen=True, slots=True)
class Graded:
    """One trial with what humans said of it and the level its acts show; an empty level where they show none."""

    asked: Asked
    observed: str = ""


def measure(trials: Iterable[Graded]) -> Agreement:
    """Compare everything that was said of some trials; blank assessments count for nothing."""
    graded = [one for one in trials if any(not a.blank for a in one.asked.assessments)]
    apart = Counter(reason for one in graded if (reason := _left_out(one.asked)))
    said = [(level, one.observed) for one in graded if (level := _last_level(one.asked.assessments))]
    return Agreement(
        trials=len(graded),
        checks=compare(_with_checks(one.asked) for one in graded if not _left_out(one.asked)),
        apart=tuple(sorted(apart.items(), key=lambda entry: (-entry[1], entry[0]))),
        pairs=_pairs([one.asked for one in graded]),
        levels=compare((level, observed) for level, observed in said if observed),
        unobserved=sum(not observed for _, observed in said),
    )


def compare(judgements: Iterable[tuple[str, str]]) -> Concord:
    """Two judgements of each of some things."""
    counted = Counter(judgements)
    return Concord(tuple(sorted(counted.items(), key=lambda entry: (-entry[1], entry[0]))))


def agrees(said: Assessment, outcome: Outcome) -> bool | None:
    """Whether a human verdict and the checks say the same of a trial; None where either says neither yes nor no."""
    if said.verdict not in _DECIDED or outcome not in _OUTCOMES:
        return None
    return said.verdict == _OUTCOMES[outcome]


def _left_out(asked: Asked) -> str:
    """Why a trial cannot be compared with its checks; empty when it can."""
    if asked.human is None:
        return "without a human verdict"
    if asked.human.verdict == "unsure":
        return "unsure"
    outcome = asked.finished.verdict.outcome
    return "" if outcome in _OUTCOMES else str(outcome)


def _with_checks(asked: Asked) -> tuple[str, str]:
    assert asked.human is not None
    return asked.human.verdict, _OUTCOMES[asked.finished.verdict.outcome]


def _last_level(assessments: Sequence[Assessment]) -> str:
    return next((a.level for a in reversed(assessments) if a.level), "")


def _pairs(trials: Sequence[Asked]) -> tuple[Pair, ...]:
    graders = sorted({a.grader for asked in trials for a in asked.assessments if not a.blank})
    by_grader = [{a.grader: a for a in asked.assessments if not a.blank} for asked in trials]
    found = []
    for first, second in combinations(graders, 2):
        both = [(said[first], said[second]) for said in by_grader if first in said and second in said]
        if both:
            verdicts = [(a.verdict, b.verdict) for a, b in both if a.verdict in _DECIDED and b.verdict in _DECIDED]
            levels = [(a.level, b.level) for a, b in both if a.level and b.level]
            found.append(Pair(first, second, compare(verdicts), compare(levels)))
    return tuple(found)
