"""`workbench compare`: two runs, or two states of the boxes, laid beside each other."""

import contextlib
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from workbench.cli.money import refuse_unnamed
from workbench.cli.options import FilterOption, JsonOption, ProjectOption, SelectionArgument, opened, terms
from workbench.cli.run import FAILED, INTERRUPTED, PASSED, UNMEASURED, cancel_on_signals, refuse_broken
from workbench.text.amounts import many

if TYPE_CHECKING:
    from workbench.desk.comparing.live import LiveSides
    from workbench.desk.comparing.records import Compared, CompareRequest, Prepared
    from workbench.desk.desk import Desk

_SIDE = "A run (its id, the beginning of it, `latest`), a git revision of the boxes, or `.` for the working tree."


def compare_command(
    a: Annotated[str, typer.Argument(metavar="A", help=_SIDE)],
    b: Annotated[str, typer.Argument(metavar="B", help="The same; run:… and rev:… say which is meant.")],
    selection: SelectionArgument = None,
    filtered: FilterOption = None,
    engine: Annotated[
        str, typer.Option("--engine", help="Whom to ask on both sides, and a yes to the costs; default: as the run.")
    ] = "",
    model: Annotated[str, typer.Option("--model", help="Which model of it.")] = "",
    trials: Annotated[
        int, typer.Option("--trials", min=0, help="How often each audit is asked on a side; 0: as the run, else once.")
    ] = 0,
    hide: Annotated[
        list[str] | None, typer.Option("--hide", metavar="GLOB", help="Leave these box paths out of both sides.")
    ] = None,
    parallel: Annotated[
        int, typer.Option("--parallel", min=0, help="Trials at once, shared by the sides; 0: as configured.")
    ] = 0,
    max_cost: Annotated[
        float, typer.Option("--max-cost", min=0, metavar="USD", help="Ask no more once both have spent that.")
    ] = 0,
    diff: Annotated[bool, typer.Option("--diff", help="Show what became of the guidance, too.")] = False,
    as_json: JsonOption = False,
    project: ProjectOption = None,
) -> None:
    """Compare two runs or guidance revisions; exit 1 on a regression beyond chance, 3 if what was asked has no verdict.

    Two runs are compared as they are. A revision or the working tree is asked first, unless stored runs of the same
    commit, engine, model and definitions answer it. Below five trials a side nothing is called a regression.
    """
    from workbench.desk.comparing.records import CompareRequest

    desk = opened(project)
    request = CompareRequest(
        a,
        b,
        terms=tuple(terms(selection, filtered)),
        engine=engine,
        model=model,
        trials=trials,
        hide=tuple(hide or ()),
        parallel=parallel,
        max_cost=max_cost,
    )
    raise typer.Exit(_compare(desk, request, diff=diff, as_json=as_json))


def _compare(desk: "Desk", request: "CompareRequest", *, diff: bool, as_json: bool) -> int:
    import asyncio

    from workbench.cli.compared import document, print_compared
    from workbench.cli.output import console, emit
    from workbench.text.sanitize import clean

    prepared = desk.comparing.prepare(request)
    if prepared.offer is not None:
        for note in prepared.notes:
            typer.echo(f"workbench: {clean(note)}", err=True)
    missing = interrupted = 0
    if prepared.offer is None:
        compared = desk.comparing.compared(prepared)
    else:
        refuse_broken(desk)
        if not _agreed(prepared, named=bool(request.engine), as_json=as_json):
            return INTERRUPTED
        compared, missing, interrupted = asyncio.run(_asked(desk, prepared))
    changed = desk.comparing.guidance_diff(compared) if diff or as_json else ""
    if as_json:
        emit(document(compared, changed))
    else:
        print_compared(console(), compared, changed)
    if interrupted:
        return INTERRUPTED
    return FAILED if compared.comparison.regressions else UNMEASURED if missing else PASSED


def _agreed(prepared: "Prepared", *, named: bool, as_json: bool) -> bool:
    """Whether a human wants what is to be asked, as `run` finds out."""
    from workbench.cli.output import console

    offer = prepared.offer
    if offer is None or offer.free:
        return True
    refuse_unnamed(offer, named=named, as_json=as_json)
    console(stderr=True).print(f"both sides: {offer}", style="dim")
    return named or typer.confirm("Ask?", err=True)


async def _asked(desk: "Desk", prepared: "Prepared") -> "tuple[Compared, int, int]":
    """Ask what is lacking and compare; also how many trials have no verdict, and the signals that stopped it."""
    import asyncio

    live = desk.comparing.ask(prepared, desk.ask)
    stopped = cancel_on_signals(live)
    with _progress(live):
        tally = await live.wait()
    if live.trouble:
        typer.echo(f"workbench: {live.trouble}", err=True)
    compared = await asyncio.to_thread(desk.comparing.compared, prepared, live)
    return compared, tally.unmeasured + tally.planned - tally.finished, len(stopped)


@contextlib.contextmanager
def _progress(live: "LiveSides") -> Iterator[None]:
    """How far both sides are, on stderr: what is printed on stdout is the comparison."""
    from workbench.cli.output import console

    out = console(stderr=True)
    if not sys.stderr.isatty():
        out.print(f"asking {many(live.tally.planned, 'trial')} …", style="dim")
        yield
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("asking"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=out, transient=True) as bar:
        task = bar.add_task("", total=live.tally.planned)
        end = live.subscribe(lambda _: bar.update(task, completed=live.tally.finished))
        yield
        end()
