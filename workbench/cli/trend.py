"""`workbench trend`: audits over all runs and the context ledger, a lane for each engine and model."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from workbench.cli.options import FilterOption, JsonOption, ProjectOption, SelectionArgument, opened, selected, terms

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from workbench.insight.trend import Lane, Point

_SHOWN = 60


def trend_command(
    selection: SelectionArgument = None,
    filtered: FilterOption = None,
    as_json: JsonOption = False,
    project: ProjectOption = None,
) -> None:
    """Show how audits came out over time, and how much context each trial started with."""
    from rich.text import Text

    from workbench.cli.find import catch_up
    from workbench.cli.output import console, emit

    desk = opened(project)
    audits = selected(desk, terms(selection, filtered))
    catch_up(desk)
    trends = [(audit.id, desk.archive.trend(audit.id)) for audit in audits]
    if as_json:
        emit([{"audit": audit_id, "lanes": trend_document(lanes)} for audit_id, lanes in trends])
        return
    out = console()
    for audit_id, lanes in trends:
        out.print(Text(audit_id, "bold") if lanes else Text(f"{audit_id}  never asked", "dim"))
        print_trend(out, lanes)


def print_trend(out: "Console", lanes: Sequence["Lane"]) -> None:
    """Two lines an engine and model: the verdicts, and below each the context it started with."""
    from rich.text import Text

    for lane in lanes:
        recent = lane.last(_SHOWN)
        asked = f"{len(lane.points)} trials" if len(lane.points) > 1 else "1 trial"
        if recent.human:
            asked += f", {recent.human} human"
        out.print(Text.assemble(("  trend  ", "dim"), _strip(recent), (f"  {lane.name}, {asked}", "dim")))
        first, last = recent.course
        if last:
            mark = " est." if recent.estimated else ""
            size = f"{first:,} → {last:,}" if first != last else f"{last:,}"
            out.print(Text.assemble("         ", recent.sparkline, (f"  {size} tokens at the start{mark}", "dim")))


def _strip(lane: "Lane") -> "Text":
    from rich.text import Text

    from workbench.cli.output import glyph

    def sign(point: "Point") -> "Text":
        return glyph(point.outcome) if point.outcome else Text(point.glyph, "dim" if point.kept else "yellow")

    return Text.assemble(*map(sign, lane.points))


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
                    "standing": point.outcome.value if point.outcome else "unknown" if point.kept else "unsure",
                    "human": point.human,
                    "initialContext": point.initial or None,
                    "estimated": point.estimated,
                }
                for point in lane.points
            ],
        }
        for lane in lanes
    ]
