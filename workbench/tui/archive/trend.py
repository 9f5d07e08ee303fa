"""One audit over all runs: verdicts, and below each a bar for the context it started with."""

from collections.abc import Sequence

from textual.content import Content

from workbench.insight.trend import Lane
from workbench.text.amounts import many
from workbench.tui.archive.lines import look_of
from workbench.tui.looks import thousands
from workbench.tui.transcript.words import clip, shown


def trend(lanes: Sequence[Lane], run_id: str, width: int, rows: int) -> Content:
    """Three rows a lane, as many lanes as fit; the trials of one run stand out."""
    if not lanes:
        return Content.styled("not in the index yet", "$dim")
    lines = []
    for lane in lanes[: max(1, rows // 3)]:
        recent = lane.last(max(8, width))
        who = clip(shown(lane.name), 24)
        lines.append(Content.assemble((who, "$secondary"), (f"  {_count(lane)} · {_sizes(recent)}", "$dim")))
        lines += [_verdicts(recent, run_id), Content.styled(recent.sparkline, "$primary")]
    return Content("\n").join(line.truncate(width, ellipsis=True) for line in lines)


def _verdicts(lane: Lane, run_id: str) -> Content:
    signs = []
    for point in lane.points:
        if point.kept:
            signs.append(Content.styled(point.glyph, "$dim"))
            continue
        look = look_of(point.outcome)
        here = " bold reverse" if point.run_id == run_id else ""
        signs.append(Content.styled(look.glyph, f"${look.color}{here}"))
    return Content("").join(signs)


def _count(lane: Lane) -> str:
    asked = many(len(lane.points), "trial")
    return asked + (f", {lane.human} human" if lane.human else "")


def _sizes(lane: Lane) -> str:
    """The context the first and the last trial started with."""
    first, last = (thousands(size) for size in lane.course)
    if not lane.course[1]:
        return "context not counted"
    return (last if first == last else f"{first} → {last}") + (" est." if lane.estimated else "")
