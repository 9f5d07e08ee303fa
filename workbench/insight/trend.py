"""One audit over time: a verdict strip and a context sparkline, a lane for each engine and model."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from workbench.checks.records import GLYPHS, Outcome

_BARS = "▁▂▃▄▅▆▇█"
_GAP = "·"


@dataclass(frozen=True, slots=True)
class Point:
    """One trial of the audit."""

    run_id: str
    trial: str
    at: str
    engine: str
    model: str
    outcome: Outcome | None
    """How it stands, the human's verdict before the checks'; None when the human is unsure."""
    human: bool = False
    """Whether that is a human's verdict."""
    initial: int = 0
    """Tokens of context it started with; 0 when nobody counted them."""
    estimated: bool = False
    kept: bool = False
    """Whether only the ledger knows it: what it loaded, and nothing of how it stood."""

    @property
    def glyph(self) -> str:
        """Its sign in the strip."""
        if self.kept:
            return _GAP
        return GLYPHS[self.outcome] if self.outcome else "?"


@dataclass(frozen=True, slots=True)
class Lane:
    """The trials of one engine and model, oldest first. Lanes are never joined: their numbers do not compare."""

    engine: str
    model: str
    points: tuple[Point, ...]

    @property
    def name(self) -> str:
        """Who was asked."""
        model = "" if self.engine.endswith(f"+{self.model}") else self.model
        return " ".join(filter(None, (self.engine, model))) or "engine not recorded"

    @property
    def strip(self) -> str:
        """A glyph a trial: `✓✓✗?✓`; `·` where only its context is known."""
        return "".join(point.glyph for point in self.points)

    @property
    def sparkline(self) -> str:
        """A bar a trial for the context it started with, below its glyph; `·` where nobody counted."""
        return bars([point.initial for point in self.points])

    @property
    def course(self) -> tuple[int, int]:
        """First and last initial context that was counted; zeros when none was."""
        counted = [point.initial for point in self.points if point.initial]
        return (counted[0], counted[-1]) if counted else (0, 0)

    @property
    def estimated(self) -> bool:
        """Whether any of the sizes is an estimate."""
        return any(point.estimated for point in self.points if point.initial)

    @property
    def human(self) -> int:
        """How many of the verdicts are a human's."""
        return sum(point.human for point in self.points)

    def last(self, number: int) -> "Lane":
        """The lane with its latest trials only."""
        return Lane(self.engine, self.model, self.points[max(0, len(self.points) - number) :])


def lanes(points: Iterable[Point]) -> tuple[Lane, ...]:
    """Sort trials into lanes, the lane that was asked last first."""
    found: dict[tuple[str, str], list[Point]] = {}
    for point in sorted(points, key=lambda point: (point.at, point.run_id, point.trial)):
        found.setdefault((point.engine, point.model), []).append(point)
    made = [Lane(engine, model, tuple(lane)) for (engine, model), lane in found.items()]
    return tuple(sorted(made, key=lambda lane: lane.points[-1].at, reverse=True))


def bars(sizes: Sequence[int]) -> str:
    """Sizes as bars between the smallest and the largest; equal sizes are equally low."""
    counted = [size for size in sizes if size]
    low, high = (min(counted), max(counted)) if counted else (0, 0)
    steps = len(_BARS) - 1
    return "".join(_BARS[(size - low) * steps // ((high - low) or 1)] if size else _GAP for size in sizes)
