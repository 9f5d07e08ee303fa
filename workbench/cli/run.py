"""`workbench run`: ask, show progress, tell what came of it by exit code."""

import contextlib
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from workbench.cli.options import FilterOption, JsonOption, ProjectOption, SelectionArgument, opened, terms

if TYPE_CHECKING:
    from workbench.desk.asking import LiveRun
    from workbench.desk.desk import Desk
    from workbench.desk.records import AskRequest
    from workbench.runs.events import RunEvent
    from workbench.runs.records import Manifest, Tally, TrialFinished

_LISTED = 20
"""Errors that are told when nothing can be asked."""
PASSED, FAILED, USAGE, UNMEASURED, INTERRUPTED = 0, 1, 2, 3, 130


def run_command(
    selection: SelectionArgument = None,
    filtered: FilterOption = None,
    box: Annotated[str | None, typer.Option("--box", help="Ask in this folder; box audits only.")] = None,
    dev: Annotated[bool, typer.Option("--dev", help="Ask only audits of the developer surface.")] = False,
    engine: Annotated[str, typer.Option("--engine", help="Which agent; default: audit, corpus, configuration.")] = "",
    model: Annotated[str, typer.Option("--model", help="Which model of it.")] = "",
    trials: Annotated[int, typer.Option("--trials", min=1, help="How often each audit is asked.")] = 1,
    parallel: Annotated[int, typer.Option("--parallel", min=0, help="Trials at once; 0: as configured.")] = 0,
    timeout: Annotated[float, typer.Option("--timeout", min=0, help="Seconds for one trial; 0: as configured.")] = 0,
    resume: Annotated[str, typer.Option("--resume", metavar="RUN", help="Go on with a run: its id or `latest`.")] = "",
    as_json: JsonOption = False,
    project: ProjectOption = None,
) -> None:
    """Ask the selected audits; exit 0 all well, 1 some failed, 3 nothing failed but some unmeasured."""
    from workbench.desk.records import AskRequest, DeskError

    desk = opened(project)
    _refuse_broken(desk)
    chosen = terms(selection, filtered)
    if resume:
        if chosen or box or dev or engine or model or trials != 1:
            raise DeskError("--resume goes on with a run as it was planned; leave out selection, box, engine, trials")
        raise typer.Exit(_run(desk, None, resume, as_json=as_json))
    if box and dev:
        raise DeskError("--box asks box audits and --dev developer audits; give one of them")
    request = AskRequest(
        audit_ids=tuple(audit.id for audit in desk.select(chosen)),
        engine=engine,
        model=model,
        box=box or "",
        surface="dev" if dev else "box" if box else None,
        trials=trials,
        parallel=parallel,
        timeout=timeout,
        selection=" ".join(chosen),
    )
    if not request.audit_ids:
        raise DeskError(f"no audit matches {' '.join(chosen)!r}; `workbench list` shows all" if chosen else "no audits")
    raise typer.Exit(_run(desk, request, "", as_json=as_json))


def headless(project: Path | None) -> int:
    """Ask every audit of the engines that cost nothing: what the bench does where there is no terminal."""
    from workbench.desk.records import AskRequest

    desk = opened(project)
    _refuse_broken(desk)
    audits = desk.select(())
    return _run(desk, AskRequest(tuple(audit.id for audit in audits), free_only=True), "", as_json=False)


def _run(desk: "Desk", request: "AskRequest | None", resume: str, *, as_json: bool) -> int:
    import asyncio

    return asyncio.run(_ask(desk, request, resume, as_json=as_json))


def _refuse_broken(desk: "Desk") -> None:
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


async def _ask(desk: "Desk", request: "AskRequest | None", resume: str, *, as_json: bool) -> int:
    begun = time.monotonic()
    live = desk.ask(request) if request else desk.resume(resume)
    interrupted = _cancel_on_signals(live)
    with _progress(live, as_json=as_json) as seen:
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


def _cancel_on_signals(live: "LiveRun") -> list[int]:
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


@contextlib.contextmanager
def _progress(live: "LiveRun", *, as_json: bool) -> "Iterator[Callable[[Sequence[RunEvent]], None]]":
    """What is told while trials finish: JSON lines, a progress bar on a terminal, else a line a trial."""
    from workbench.cli.output import console, emit

    if as_json:
        yield _each_finished(lambda finished: emit({"type": "trial"} | _document(live.manifest, finished)))
        return
    out = console()
    if not sys.stdout.isatty():
        yield _each_finished(lambda finished: out.print(_line(finished)))
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("asking"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=out, transient=True) as bar:
        task = bar.add_task("asking", total=live.tally.planned, completed=live.tally.finished)

        def show(finished: "TrialFinished") -> None:
            bar.console.print(_line(finished))
            bar.update(task, completed=live.tally.finished)

        yield _each_finished(show)


def _each_finished(tell: "Callable[[TrialFinished], None]") -> "Callable[[Sequence[RunEvent]], None]":
    """Tell each trial that finishes for as long as somebody hears it; the run goes on without, and is kept."""
    from workbench.runs.records import TrialFinished

    heard = True

    def seen(events: "Sequence[RunEvent]") -> None:
        nonlocal heard
        try:
            for event in events:
                if heard and isinstance(event, TrialFinished):
                    tell(event)
        except OSError:
            heard = False

    return seen


def _line(finished: "TrialFinished") -> object:
    from rich.text import Text

    from workbench.cli.output import glyph

    line = Text.assemble(glyph(finished.verdict.outcome), f" {finished.trial}")
    if finished.verdict.reason:
        line.append(f"  {finished.verdict.reason}  {finished.verdict.detail}".rstrip(), "dim")
        return line
    failed = [check for check in finished.checks if check.outcome == "failed"]
    if failed:
        line.append(f"  {failed[0].kind} {failed[0].target}", "dim")
        line.append(f"  and {len(failed) - 1} more" if len(failed) > 1 else "", "dim")
    return line


def _document(manifest: "Manifest", finished: "TrialFinished") -> dict[str, object]:
    from workbench.reports.document import document

    trial = next(trial for trial in manifest.trials if trial.key == finished.trial)
    return document(manifest.run_id, manifest.engine, manifest.model, trial, finished, ())


def _summary(desk: "Desk", live: "LiveRun", tally: "Tally", seconds: float, *, as_json: bool) -> None:
    from rich.text import Text

    from workbench.cli.output import console, emit, glyph, tally_line

    report = live.folder / "report.md"
    shown = report.relative_to(desk.project.root) if report.is_relative_to(desk.project.root) else report
    if as_json:
        emit({"type": "run", "run": live.run_id, "report": str(shown), **tally.model_dump()})
        return
    out = console()
    out.print()
    for flip in desk.flips(live.run_id):
        out.print(Text.assemble(glyph(flip.before.outcome), " → ", glyph(flip.after.outcome), f" {flip.trial}"))
    out.print(tally_line(tally))
    out.print(f"{seconds:.1f} s  report {shown}")
