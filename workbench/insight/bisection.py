"""Where along a line of commits an answer changed, found from trials that may come out either way.

The line is a row of points, oldest first. The answer changed in exactly one of the intervals between neighbours; before
it, trials pass with one unknown probability, after it with another. Every trial counts: its outcome weighs, by Bayes,
each interval against the others, with no preference among them. It goes on until the answer is as sure as stated,
so a steady answer takes few trials a point and a flaky one takes more.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import ceil, exp, lgamma, log, log2

ERROR = 0.05
"""How often, over answers however flaky, what is told may be wrong; its odds also say when the ends are different."""
MOST = 12
"""Trials one point is asked at most."""
_FIRST = 4
"""Trials the ends are asked first, where an answer may be flaky."""
_AT_ONCE = 4
"""Trials one point is asked before its outcome is looked at."""
_FLAKY, _STEADY = 1.0, 1e-6
"""How the unknown probabilities are spread beforehand (Beta(x, x)): any is as likely as any other; 0 or 1."""


@dataclass(frozen=True, slots=True)
class Count:
    """The trials of one point that have a verdict."""

    passed: int = 0
    measured: int = 0

    def __str__(self) -> str:
        return f"{self.passed} of {self.measured}"


@dataclass(frozen=True, slots=True)
class Ask:
    """What to ask next."""

    point: int
    trials: int


@dataclass(frozen=True, slots=True)
class Found:
    """The answer changed after point `last_like_start` and no later than at point `first_like_end`.

    Both were measured. They are neighbours unless what lies between could not be, or was not told apart in time.
    """

    last_like_start: int
    first_like_end: int
    sure: float
    """Probability of that."""


@dataclass(frozen=True, slots=True)
class Alike:
    """The ends do not differ, or not so that it could be told."""


def advise(
    counts: Sequence[Count], skipped: Collection[int] = (), *, steady: bool = False, left: int | None = None
) -> Ask | Found | Alike:
    """What to ask of a line next, or what came out.

    `skipped` are points that cannot be measured, no ends among them. `steady`: one trial tells all, as of an engine
    that always says the same. `left`: trials that may still be asked; None: any number.
    """
    prior = _STEADY if steady else _FLAKY
    ends = counts[0], counts[-1]
    first = 1 if steady else _FIRST
    for point, count in ((0, ends[0]), (len(counts) - 1, ends[1])):
        if count.measured < first and left != 0:
            return _bounded(Ask(point, first - count.measured), left)
    apart = _weight(prior, ends[0]) + _weight(prior, ends[1]) - _weight(prior, _sum(ends))
    if apart < log((1 - ERROR) / ERROR):
        point = 0 if ends[0].measured <= ends[1].measured else len(counts) - 1
        room = MOST - counts[point].measured
        if steady or room <= 0 or left == 0 or _sure_alike(ends):
            return Alike()
        return _bounded(Ask(point, min(2, room)), left)
    return _inside(counts, skipped, prior, left)


def forecast(points: int, *, steady: bool = False) -> tuple[int, int]:
    """How many trials a line of so many points takes: usually, and at most; the latter is a promise to be kept."""
    steps = ceil(log2(max(1, points - 1)))
    return (2 + steps, points) if steady else (2 * _FIRST + 2 + 2 * steps, MOST * (2 + steps))


def _sure_alike(ends: tuple[Count, Count]) -> bool:
    """Whether both ends always came out the same way: asking on would hardly tell them apart."""
    return {count.passed / count.measured for count in ends} in ({0.0}, {1.0})


def _inside(counts: Sequence[Count], skipped: Collection[int], prior: float, left: int | None) -> Ask | Found:
    masses = _masses(counts, prior)
    start, end = _window(masses, [n for n, count in enumerate(counts) if count.measured])
    found = Found(start, end, min(1.0, sum(masses[start:end])))
    below = [0.0, *accumulate(masses)]
    open_points = [n for n in range(start + 1, end) if n not in skipped and counts[n].measured < MOST]
    if not open_points or left == 0:
        return found
    point = min(open_points, key=lambda n: abs(below[n] - 0.5))
    return _bounded(Ask(point, _enough(counts, point, prior)), left)


def _masses(counts: Sequence[Count], prior: float) -> list[float]:
    """The probability of each interval; the one at index n lies between points n and n + 1."""
    before = list(accumulate(counts, lambda a, b: _sum((a, b))))
    total = before[-1]
    weights = []
    for here in before[:-1]:
        rest = Count(total.passed - here.passed, total.measured - here.measured)
        weights.append(_weight(prior, here) + _weight(prior, rest))
    top = max(weights)
    scaled = [exp(weight - top) for weight in weights]
    whole = sum(scaled)
    return [one / whole for one in scaled]


def _window(masses: Sequence[float], marks: Sequence[int]) -> tuple[int, int]:
    """The shortest run of intervals that holds the answer but for the stated error; of equals the likeliest.

    It begins and ends at marks, the points with a verdict: nothing tells apart what lies between two of them.
    """
    below = [0.0, *accumulate(masses)]
    wanted = (1 - ERROR) * below[-1]
    runs = []
    last = 0
    for start in marks:
        while last < len(marks) and below[marks[last]] - below[start] < wanted:
            last += 1
        if last < len(marks):
            end = marks[last]
            runs.append((end - start, below[start] - below[end], start, end))
    _, _, start, end = min(runs)
    return start, end


def _enough(counts: Sequence[Count], point: int, prior: float) -> int:
    """How many trials of a point settle on which side of it the change lies, if all come out alike."""
    room = min(_AT_ONCE, MOST - counts[point].measured)
    for trials in range(1, room):
        sides = [sum(_masses(_with(counts, point, passed, trials), prior)[:point]) for passed in (0, trials)]
        if all(max(side, 1 - side) >= 1 - ERROR for side in sides):
            return trials
    return room


def _with(counts: Sequence[Count], point: int, passed: int, trials: int) -> list[Count]:
    return [_sum((count, Count(passed, trials))) if n == point else count for n, count in enumerate(counts)]


def _weight(prior: float, count: Count) -> float:
    """How well one unknown probability explains some trials: the log of what the prior gives them on average."""
    failed = count.measured - count.passed
    return _log_beta(prior + count.passed, prior + failed) - _log_beta(prior, prior)


def _log_beta(a: float, b: float) -> float:
    return lgamma(a) + lgamma(b) - lgamma(a + b)


def _sum(counts: Sequence[Count]) -> Count:
    return Count(sum(count.passed for count in counts), sum(count.measured for count in counts))


def _bounded(ask: Ask, left: int | None) -> Ask:
    return ask if left is None else Ask(ask.point, min(ask.trials, left))
