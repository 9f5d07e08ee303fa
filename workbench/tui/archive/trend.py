"""One audit over all runs: verdicts, and below each a bar for the context it started with."""

from collections.abc import Sequence

from textual.content import Content

from workbench.insight.trend import Lane
from workbench.tui.archive.lines import look_of
from workbench.tui.looks import thousands
from workbench.tui.transcript.words import clip, shown


def trend(lanes: Sequence[Lane], run_id: str, width: int, rows: int) -> Content:
    """Two rows a lane, as many lanes as fit; the trials of one run stand out."""
    if not lanes:
        return Content.styled("not in the index yet", "$dim")
    names = [clip(shown(" ".join(filter(None, (lane.engine, lane.model)))), 24) for lane in lanes]
    lead = max(map(len, names)) + 2
    fitting = max(1, rows // 2)
    lines = []
    for name, lane in list(zip(names, lanes, strict=True))[:fitting]:
        recent = lane.last(max(8, width - lead - 26))
        lines.append(Content.styled(name.ljust(lead), "$secondary") + _verdicts(recent, run_id) + _count(lane))
        lines.append(Content.styled(" " * lead, "") + Content.styled(recent.sparkline, "$primary") + _sizes(recent))
    if len(lanes) > fitting:
        lines.append(Content.styled(f"{len(lanes) - fitting} more; a taller terminal shows them", "$dim"))
    return Content("\n").join(lines)


def _verdicts(lane: Lane, run_id: str) -> Content:
    signs = []
    for point in lane.points:
        look = look_of(point.outcome)
        here = " bold reverse" if point.run_id == run_id else ""
        signs.append(Content.styled(look.glyph, f"${look.color}{here}"))
    return Content("").join(signs)


def _count(lane: Lane) -> Content:
    asked = f"{len(lane.points)} trial{'' if len(lane.points) == 1 else 's'}"
    return Content.styled(f"  {asked}" + (f", {lane.human} human" if lane.human else ""), "$dim")


def _sizes(lane: Lane) -> Content:
    low, high = lane.span
    if not high:
        return Content.styled("  context not counted", "$dim")
    size = thousands(high) if thousands(low) == thousands(high) else f"{thousands(low)}–{thousands(high)}"
    return Content.styled(f"  {size} at the start{' est.' if lane.estimated else ''}", "$dim")
