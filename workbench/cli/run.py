"""`workbench run`: ask, show progress, tell what came of it by exit code."""

import shlex
import signal
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from workbench.cli import asking_options as ask
from workbench.cli.money import forecast_document, refuse_unnamed
from workbench.cli.options import FilterOption, JsonOption, ProjectOption, SelectionArgument, opened, terms
from workbench.text.amounts import many

if TYPE_CHECKING:
    from workbench.desk.asking import LiveRun
    from workbench.desk.bisecting.live import LiveBisect
    from workbench.desk.changes import ChangeSet
    from workbench.desk.comparing.live import LiveSides
    from workbench.desk.desk import Desk
    from workbench.desk.records import AskRequest
    from workbench.runs.records import Tally

_LISTED = 20
"""Errors that are told when nothing can be asked."""
PASSED, FAILED, USAGE, UNMEASURED, INTERRUPTED = 0, 1, 2, 3, 130


def run_command(
    selection: SelectionArgument = None,
    filtered: FilterOption = None,
    changed: ask.ChangedOption = "",
    box: ask.BoxOption = None,
    dev: ask.DevOption = False,
    engine: ask.EngineOption = "",
    model: ask.ModelOption = "",
    rehearse: ask.RehearseOption = False,
    command: ask.CommandOption = "",
    pi_dev_key: ask.PiDevKeyOption = False,
    trials: ask.TrialsOption = 1,
    parallel: ask.ParallelOption = 0,
    timeout: ask.TimeoutOption = 0,
    max_cost: ask.MaxCostOption = 0,
    resume: ask.ResumeOption = "",
    as_json: JsonOption = False,
    project: ProjectOption = None,
) -> None:
    """Ask the selected audits; exit 0 all well, 1 some failed, 3 nothing failed but some unmeasured."""
    from workbench.desk.records import AskRequest

    desk = opened(project)
    refuse_broken(desk)
    chosen = terms(selection, filtered)
    request = AskRequest(
        audit_ids=() if resume else tuple(audit.id for audit in desk.select(chosen)),
        engine=engine,
        model=model,
        box=box or "",
        surface="dev" if dev else "box" if box else None,
        trials=trials,
        parallel=parallel,
        timeout=timeout,
        max_cost=max_cost,
        command=tuple(words(command)),
        rehearse=rehearse,
        pi_dev_key=pi_dev_key,
        selection=" ".join(chosen),
    )
    other = chosen or changed or box or dev or engine or model or rehearse or trials != 1 or parallel or timeout
    _refuse_contradictions(request, bool(box and dev), bool(resume and other), resume)
    if not resume:
        _refuse_nothing(desk, request)
    if changed:
        request = _touched(desk, request, changed, as_json=as_json)
    raise typer.Exit(_run(desk, request, resume, as_json=as_json) if request.audit_ids or resume else PASSED)


def _touched(desk: "Desk", request: "AskRequest", revision: str, *, as_json: bool) -> "AskRequest":
    """The request with those of its audits that a change since a revision can touch, likeliest first; tells why."""
    import asyncio

    from workbench.cli.changed import tell
    from workbench.desk.records import DeskError

    async def look() -> "ChangeSet":
        """What changed and whom it can touch; the process that drew the maps ends with it."""
        try:
            return await desk.changes.since(revision, request)
        except DeskError as error:
            raise DeskError(f"{error} (a selection stands before --changed)") from error
        finally:
            await desk.maps.close()

    found = asyncio.run(look())
    tell(found, as_json=as_json)
    selection = f"{request.selection} --changed {revision}".strip()
    return replace(request, audit_ids=tuple(touch.audit_id for touch in found.touches), selection=selection)


def headless(project: Path | None) -> int:
    """Ask every audit of the engines that cost nothing: what the bench does where there is no terminal."""
    from workbench.desk.records import AskRequest

    desk = opened(project)
    refuse_broken(desk)
    request = AskRequest(tuple(audit.id for audit in desk.select(())), free_only=True)
    _refuse_nothing(desk, request)
    return _run(desk, request, "", as_json=False)


def words(command: str) -> list[str]:
    """The words of an agent's command, as a shell would split it; DeskError."""
    from workbench.desk.records import DeskError

    try:
        return shlex.split(command)
    except ValueError as error:
        raise DeskError(f"--command {command!r} cannot be split into words: {error}") from error


def _refuse_contradictions(request: "AskRequest", two: bool, beside: bool, resume: str) -> None:
    """Options that cannot both be meant; `two` surfaces, or anything `beside` a run that is gone on with."""
    from workbench.desk.records import DeskError

    if beside:
        allowed = "--max-cost, --command or --pi-dev-key"
        raise DeskError(f"--resume goes on with a run as it was planned; give nothing but {allowed} beside it")
    if two:
        raise DeskError("--box asks box audits and --dev developer audits; give one of them")
    if request.rehearse and request.model:
        raise DeskError("--rehearse lets the reader answer, so --model would name nobody; leave it out")


def _refuse_nothing(desk: "Desk", request: "AskRequest") -> None:
    """A run of no audit: it says what to do, and is no success."""
    from workbench.desk.records import DeskError, NothingMatches

    if not request.audit_ids:
        if request.selection:
            raise NothingMatches(f"no audit matches {request.selection!r}")
        raise DeskError(desk.project.no_audits())


def _run(desk: "Desk", request: "AskRequest", resume: str, *, as_json: bool) -> int:
    import asyncio

    if not _agreed(desk, request, resume, as_json=as_json):
        return INTERRUPTED
    return asyncio.run(_ask(desk, request, resume, as_json=as_json))


def _agreed(desk: "Desk", request: "AskRequest", resume: str, *, as_json: bool) -> bool:
    """Whether a human wants what is to be asked: always where it is free, or whoever costs money was named."""
    from workbench.cli.output import console, emit

    offer = desk.offer(request, resume)
    if offer.free:
        return True
    named = bool(request.engine or resume)
    refuse_unnamed(offer, named=named, as_json=as_json)
    if as_json:
        emit({"type": "forecast", **forecast_document(offer)})
    else:
        console().print(str(offer), style="dim")
    return named or typer.confirm("Ask?")


def refuse_broken(desk: "Desk") -> None:
    """Ask nothing of corpora with errors; a warning, such as a misspelt check, is told and no more."""
    from workbench.desk.records import DeskError
    from workbench.text.sanitize import clean

    problems = desk.problems()
    errors = [problem for problem in problems if problem.severity == "error"]
    if errors:
        more = f"\n  and {len(errors) - _LISTED} more; `workbench lint` lists all" if len(errors) > _LISTED else ""
        listed = "\n".join(f"  {problem}" for problem in errors[:_LISTED])
        raise DeskError(f"the corpora have errors, so nothing was asked; mend them and run again\n{listed}{more}")
    for problem in problems:
        typer.echo(f"workbench: {clean(str(problem))}", err=True)


async def _ask(desk: "Desk", request: "AskRequest", resume: str, *, as_json: bool) -> int:
    from workbench.cli.progress import progress

    begun = time.monotonic()
    live = desk.resume(resume, request) if resume else desk.ask(request)
    interrupted = cancel_on_signals(live)
    with progress(live, as_json=as_json) as seen:
        unsubscribe = live.subscribe(seen)
        tally = await live.wait()
        unsubscribe()
    _summary(desk, live, tally, time.monotonic() - begun, as_json=as_json)
    return INTERRUPTED if interrupted else exit_code(tally)


def exit_code(tally: "Tally") -> int:
    """What a finished run exits with; it follows the checks, never a human's assessment."""
    if tally.failed:
        return FAILED
    return UNMEASURED if tally.unmeasured or tally.finished < tally.planned else PASSED


def cancel_on_signals(live: "LiveRun | LiveSides | LiveBisect") -> list[int]:
    """Stop the run on the first Ctrl-C or SIGTERM; the list holds what arrived."""
    import asyncio

    arrived: list[int] = []

    def stop(number: int) -> None:
        arrived.append(number)
        live.cancel()

    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop, number)
    return arrived


def _summary(desk: "Desk", live: "LiveRun", tally: "Tally", seconds: float, *, as_json: bool) -> None:
    from rich.text import Text

    from workbench.cli.output import console, emit, glyph, tally_line

    if live.trouble:
        typer.echo(f"workbench: {live.trouble}", err=True)
    report = live.folder / "report.md"
    shown = report.relative_to(desk.project.root) if report.is_relative_to(desk.project.root) else report
    left_out = live.manifest.left_out
    if as_json:
        emit({"type": "run", "run": live.run_id, "report": str(shown), "leftOut": left_out, **tally.model_dump()})
        return
    out = console()
    out.print()
    for flip in desk.archive.flips(live.run_id):
        out.print(Text.assemble(glyph(flip.before.outcome), " → ", glyph(flip.after.outcome), f" {flip.trial}"))
    out.print(tally_line(tally))
    if left_out:
        out.print(f"{many(left_out, 'developer audit')} left out; --dev asks them", style="dim")
    out.print("  ".join(filter(None, (f"{seconds:.1f} s", tally.cost, f"report {shown}"))))
