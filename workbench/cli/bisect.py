"""`workbench bisect`: which commit of guidance lost an answer, or taught it."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from workbench.cli import asking_options as ask
from workbench.cli.money import forecast_document, refuse_unnamed
from workbench.cli.options import JsonOption, ProjectOption, opened
from workbench.cli.run import FAILED, INTERRUPTED, PASSED, UNMEASURED, cancel_on_signals, refuse_broken, words
from workbench.text.amounts import many

if TYPE_CHECKING:
    from workbench.desk.bisecting.hand import PreparedBisect
    from workbench.desk.bisecting.records import Bisected, BisectRequest, Point, Step
    from workbench.desk.desk import Desk

_SHORT = 9


def bisect_command(
    audit: Annotated[str, typer.Argument(metavar="[AUDIT]", help="The id of the audit whose answer changed.")] = "",
    revisions: Annotated[
        str, typer.Argument(metavar="[GOOD..BAD]", help="Git revisions of its box before and after; BAD: HEAD.")
    ] = "",
    engine: ask.EngineOption = "",
    model: ask.ModelOption = "",
    box: ask.BoxOption = None,
    rehearse: ask.RehearseOption = False,
    command: ask.CommandOption = "",
    parallel: ask.ParallelOption = 0,
    timeout: ask.TimeoutOption = 0,
    max_cost: ask.MaxCostOption = 0,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the one that was interrupted last.")] = False,
    as_json: JsonOption = False,
    project: ProjectOption = None,
) -> None:
    """Find the commit of guidance that lost or taught an answer; exit 1 if both ends answer alike, 3 if it stopped.

    The same command again goes on where it was interrupted, and asks nothing twice.
    """
    from dataclasses import replace

    from workbench.desk.bisecting.records import BisectRequest
    from workbench.desk.records import AskRequest, DeskError

    desk = opened(project)
    refuse_broken(desk)
    if resume and (audit or engine or model or box or rehearse):
        raise DeskError("--resume goes on as it was begun; give the same command again, or --resume alone")
    if not resume and not (audit and revisions):
        raise DeskError("name an audit and GOOD..BAD, such as `workbench bisect find-memo v1.0..HEAD`")
    asks = AskRequest((), engine, model, box or "", "box" if box else None, rehearse=rehearse, max_cost=max_cost)
    request = desk.bisecting.unfinished() if resume else BisectRequest(audit, revisions, asks)
    limits = replace(request.asks, max_cost=max_cost, parallel=parallel, timeout=timeout, command=tuple(words(command)))
    named = bool(engine or resume)
    raise typer.Exit(_bisect(desk, replace(request, asks=limits), named=named, as_json=as_json))


def _bisect(desk: "Desk", request: "BisectRequest", *, named: bool, as_json: bool) -> int:
    import asyncio

    from workbench.cli.output import emit

    prepared = desk.bisecting.prepare(request)
    before = prepared.journal.asked
    if not _agreed(prepared, named=named, as_json=as_json):
        return INTERRUPTED
    told, interrupted = asyncio.run(_asked(desk, prepared, as_json=as_json))
    if as_json:
        emit(document(told))
    else:
        _print(told, before)
    if interrupted:
        return INTERRUPTED
    return {"commit": PASSED, "range": PASSED, "alike": FAILED, "stopped": UNMEASURED}[told.kind]


def _agreed(prepared: "PreparedBisect", *, named: bool, as_json: bool) -> bool:
    """Whether a human wants what is to be asked, as `run` finds out."""
    from workbench.cli.output import console, emit

    says = prepared.offer
    offer = says.offer
    refuse_unnamed(offer, named=named, as_json=as_json)
    if as_json:
        emit({"type": "forecast", **forecast_document(offer), "usually": says.usually})
    else:
        line = f"{many(says.commits, 'commit')} of guidance; {says}"
        console().print(line, style="dim")
    return offer.free or named or not offer.trials or typer.confirm("Ask?")


async def _asked(desk: "Desk", prepared: "PreparedBisect", *, as_json: bool) -> "tuple[Bisected, bool]":
    from workbench.cli.output import console, emit

    live, out = desk.bisecting.live(prepared), console()
    stopped = cancel_on_signals(live)

    def hear(step: "Step") -> None:
        """Tell a point as it is decided."""
        if as_json:
            emit(_step_document(step))
        else:
            out.print(_line(step))

    try:
        return await desk.bisecting.run(prepared, live, desk.ask, hear), bool(stopped)
    finally:
        await desk.maps.close()


def _line(step: "Step") -> object:
    from rich.text import Text

    from workbench.checks.records import Outcome
    from workbench.cli.output import glyph

    name = f" {step.point.commit[:_SHORT]}  "
    if step.skipped:
        return Text.assemble(glyph(Outcome.UNMEASURED), name, (f"cannot be measured: {step.skipped}", "dim"))
    whole = {0: Outcome.FAILED, step.count.measured: Outcome.PASSED}.get(step.count.passed)
    known = "  known" if step.known else ""
    sign = glyph(whole) if whole and step.count.measured else Text("~", "yellow")
    return Text.assemble(sign, name, f"{step.count} pass  ", (f"{step.point.subject}{known}", "dim"))


def _print(told: "Bisected", before: int) -> None:
    """What came out; `before` trials were asked by an earlier call."""
    from rich.text import Text

    from workbench.cli.output import console

    out = console()
    out.print()
    out.print(Text(_headline(told), "bold"))
    for when, placed in zip(("before", "after"), told.placed, strict=True):
        if placed:
            out.print(Text(f"  {when + ':':8}{placed}"))
    for reason in told.stood:
        out.print(Text(f"  {reason.told}"))
    for step in told.skipped:
        out.print(Text(f"  {step.point.commit[:_SHORT]} could not be measured: {step.skipped}", "yellow"))
    for line in told.diff.splitlines():
        out.print(Text(line, {"+": "green", "-": "red", "@": "cyan"}.get(line[:1], "")))
    out.print(Text(", ".join(filter(None, (_trials(told.asked, before), told.spent.cost))), "dim"))


def _trials(asked: int, before: int) -> str:
    """How many trials it took, and how many of them an earlier call asked."""
    if before and before == asked:
        return f"{many(asked, 'trial')} asked before, none now"
    return f"{many(asked, 'trial')} asked{f', {before} of them before' if before else ''}"


def _headline(told: "Bisected") -> str:
    before, after = (f"{count} pass" for count in told.counts)
    if told.kind == "alike":
        return f"GOOD and BAD answer alike: {before}, and {after}; nothing to find, or nothing that could be told apart"
    if told.kind == "stopped":
        return f"stopped: {told.why}; the same command goes on, and asks nothing twice"
    what = "lost" if told.lost else "taught"
    sure = f"{before} before, {after} from there on" + (f"; {int(told.sure * 100)} % sure" if told.sure < 1 else "")
    if told.kind == "commit":
        return f"{what} by {_named(told.after)}\n{sure}"
    where = f"{what} after {told.before.commit[:_SHORT]} and no later than {_named(told.after)}"
    return f"{where}{_between(told)}\n{sure}"


def _between(told: "Bisected") -> str:
    if told.after.others and not told.after.guidance:
        return f"\nby one of {many(told.after.others, 'commit')} that changed no guidance"
    return "\nwhich of the commits between did it could not be told"


def _named(point: "Point") -> str:
    author = f" {point.author}" if point.author else ""
    return " ".join(filter(None, (point.commit[:_SHORT], f"{point.date[:10]}{author}".strip(), point.subject)))


def document(told: "Bisected") -> dict[str, Any]:
    """What came out, as `--json` shows it."""
    return {
        "type": "bisect",
        "outcome": told.kind,
        "direction": "" if told.kind in ("alike", "stopped") else "lost" if told.lost else "taught",
        "before": _point_document(told.before),
        "after": _point_document(told.after),
        "passed": [count.passed for count in told.counts],
        "measured": [count.measured for count in told.counts],
        "sure": told.sure,
        "trials": told.asked,
        "usd": told.spent.usd,
        "unpriced": told.spent.unpriced,
        "why": told.why,
        "placed": list(told.placed),
        "stood": [{"path": one.path, "line": one.line or None, "told": one.told} for one in told.stood],
        "skipped": [{"commit": step.point.commit, "why": step.skipped} for step in told.skipped],
        "diff": told.diff,
    }


def _point_document(point: "Point") -> dict[str, Any]:
    return {
        "commit": point.commit,
        "date": point.date,
        "author": point.author,
        "subject": point.subject,
        "guidance": list(point.guidance),
    }


def _step_document(step: "Step") -> dict[str, Any]:
    counted = {"passed": step.count.passed, "measured": step.count.measured}
    return {"type": "step", **_point_document(step.point), **counted, "skipped": step.skipped, "known": step.known}
