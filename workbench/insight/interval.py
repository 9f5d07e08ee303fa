"""How far a share of passed trials can be trusted: Wilson's interval."""

import math
from dataclasses import dataclass

_Z = 1.959964
"""Standard deviations to either side that hold 95 % of a normal distribution."""


@dataclass(frozen=True, slots=True)
class Interval:
    """Where the true share lies, 0–1, with 95 % confidence."""

    low: float
    high: float

    def apart(self, other: "Interval") -> bool:
        """Whether the two do not overlap: the shares differ by more than chance explains."""
        return self.low > other.high or other.low > self.high

    def __str__(self) -> str:
        return f"{100 * self.low:.0f}–{100 * self.high:.0f} %"


def wilson(passed: int, measured: int) -> Interval | None:
    """The 95 % interval of `passed` out of `measured` trials; None without any.

    Unlike the textbook interval it holds for few trials, and for none or all of them passed. Raises ValueError for
    counts that cannot be.
    """
    if not 0 <= passed <= measured:
        raise ValueError(f"{passed} of {measured} trials cannot have passed")
    if not measured:
        return None
    share, square = passed / measured, _Z**2
    middle = (share + square / (2 * measured)) / (1 + square / measured)
    reach = _Z / (1 + square / measured) * math.sqrt(share * (1 - share) / measured + square / (4 * measured**2))
    # At the ends the formula is exact, and only rounding is not.
    low = 0.0 if passed == 0 else max(0.0, middle - reach)
    high = 1.0 if passed == measured else min(1.0, middle + reach)
    return Interval(low, high)
