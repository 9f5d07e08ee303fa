"""One audit over all runs, as `workbench show` prints it."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from workbench.insight.trend import Lane

_SHOWN = 60


def print_trend(out: "Console", lanes: Sequence["Lane"]) -> None:
    """Two lines an engine and model: the verdicts, and below each the context it started with."""
    from rich.text import Text

    for lane in lanes:
        recent = lane.last(_SHOWN)
        asked = f"{len(lane.points)} trials" if len(lane.points) > 1 else "1 trial"
        if recent.human:
            asked += f", {recent.human} human"
        name = " ".join(filter(None, (lane.engine, lane.model)))
        out.print(Text.assemble(("  trend  ", "dim"), _strip(recent), (f"  {name}, {asked}", "dim")))
        low, high = recent.span
        if high:
            mark = " est." if recent.estimated else ""
            size = f"{low:,} to {high:,}" if low != high else f"{high:,}"
            out.print(Text.assemble("         ", recent.sparkline, (f"  {size} tokens at the start{mark}", "dim")))


def _strip(lane: "Lane") -> "Text":
    from rich.text import Text

    from workbench.cli.output import glyph

    signs = (glyph(point.outcome) if point.outcome else Text(point.glyph, "yellow") for point in lane.points)
    return Text.assemble(*signs)


def trend_document(lanes: Sequence["Lane"]) -> list[dict[str, Any]]:
    """The lanes as `--json` shows them, the oldest trial first."""
    return [
        {
            "engine": lane.engine,
            "model": lane.model,
            "trials": [
                {
                    "run": point.run_id,
                    "trial": point.trial,
                    "at": point.at,
                    "standing": point.outcome.value if point.outcome else "unsure",
                    "human": point.human,
                    "initialContext": point.initial or None,
                    "estimated": point.estimated,
                }
                for point in lane.points
            ],
        }
        for lane in lanes
    ]
