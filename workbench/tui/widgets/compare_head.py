"""What stands over a comparison that is not there yet: the sides, what has to be asked, how far that is."""

from collections.abc import Iterable

from textual.content import Content

from workbench.desk.comparing.records import CompareRequest, Prepared, SidePlan
from workbench.runs.records import Tally, TrialFinished
from workbench.text.amounts import many
from workbench.tui.looks import OUTCOMES
from workbench.tui.transcript.words import clip, shown
from workbench.tui.widgets.hanging import hang
from workbench.tui.widgets.header import progress

CHOOSE = "a and b choose the sides: two runs, or two states of the guidance that are asked alike."


def sides_block(request: CompareRequest) -> Content:
    """The names of the sides as they were given."""
    names = [
        Content.assemble((f"{side}  ", "bold $primary"), (shown(name), "bold") if name else ("not chosen", "$dim"))
        for side, name in (("A", request.a), ("B", request.b))
    ]
    return Content("\n").join(names)


def plan_block(prepared: Prepared, request: CompareRequest, width: int) -> Content:
    """What each side is, what of it is stored, and what asking the rest comes to."""
    lines = [_plan(name, side, width) for name, side in zip("AB", prepared.sides, strict=True)]
    if prepared.offer is not None:
        keys = Content.assemble(
            ("r", "bold $attention"), " asks   ", ("t", "bold $attention"), " changes how often an audit is asked"
        )
        number = max(side.request.trials for side in prepared.sides if side.request)
        told = f"{shown(str(prepared.offer))}; {many(number, 'trial')} a side of each audit"
        if request.terms:
            told += f", of {shown(' '.join(request.terms))}"
        lines += [Content(""), hang(Content("   "), Content(told), width), Content(""), Content("   ") + keys]
    return Content("\n").join(lines)


def asking_block(
    prepared: Prepared, tally: Tally, finished: Iterable[tuple[str, TrialFinished]], width: int
) -> Content:
    """How far the sides are that are asked, and the last trials that came to an end."""
    lines = [_plan(name, side, width) for name, side in zip("AB", prepared.sides, strict=True)]
    counts = [
        look.content + f" {number}" for outcome, look in OUTCOMES.items() if (number := getattr(tally, outcome.value))
    ]
    told = Content("  ").join([Content.styled(f"{tally.finished}/{tally.planned}", "bold"), *counts])
    asked = " and ".join(name for name, side in zip("AB", prepared.sides, strict=True) if side.request)
    lines += [Content(""), Content.assemble(("●  ", "$attention"), f"asking {asked}  ") + told, progress(tally, width)]
    for name, trial in finished:
        ended = Content.assemble("   ", (f"{name}  ", "$dim"), OUTCOMES[trial.verdict.outcome].content)
        lines.append(ended + f" {clip(shown(trial.trial), max(8, width - 10))}")
    return Content("\n").join(lines)


def _plan(name: str, side: SidePlan, width: int) -> Content:
    """`A  HEAD~3 (4f2a91c08)  12 audits are asked`."""
    parts = [f"answered by {', '.join(side.reused)}"] if side.reused else []
    if side.request is not None:
        parts.append(f"{many(len(side.request.audit_ids), 'audit')} to ask")
    elif side.named.kind == "run":
        parts.append("a run, as it was asked")
    told = clip(shown(side.told), max(8, width - 6))
    rest = clip(shown(f"   {'; '.join(parts)}"), max(0, width - len(told) - 3))
    return Content.assemble((f"{name}  ", "bold $primary"), (told, "bold"), (rest, "$dim"))
