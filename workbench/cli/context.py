"""`workbench context`: what an installed agent really loads, proved by its own requests."""

import asyncio
import signal
import sys
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from workbench.cli.options import JsonOption, ProjectOption, opened

if TYPE_CHECKING:
    from rich.status import Status

    from workbench.desk.contexts import Contexts
    from workbench.probe.records import ContextReport
    from workbench.probe.wire import Step

_LEAKED = 1


def context_command(
    engine: Annotated[
        list[str] | None,
        typer.Option(
            "--engine", help="claude, codex, pi, api or reader; repeat it. Default: all installed, else the reader."
        ),
    ] = None,
    box: Annotated[str, typer.Option("--box", help="Whose guidance; default: the corpora's box.")] = "",
    cwd: Annotated[str, typer.Option("--cwd", metavar="DIR", help="Box-relative folder the agent starts in.")] = ".",
    model: Annotated[str, typer.Option("--model", help="Which model its requests name; none is asked.")] = "",
    as_json: JsonOption = False,
    project: ProjectOption = None,
) -> None:
    """Show which guidance each agent loads: always, on condition, by reference only, never. No model is asked.

    Exit 1 when something from outside the box reached an agent, or an agent could not be probed.
    """
    from workbench.cli.output import emit

    desk = opened(project)
    names = desk.contexts.engines(engine or ())
    reports = asyncio.run(_probe(desk.contexts, names, box, cwd, model, quiet=as_json))
    if as_json:
        emit([_document(report) for report in reports])
    raise typer.Exit(_LEAKED if any(report.leaks or report.problem for report in reports) else 0)


async def _probe(
    contexts: "Contexts", names: tuple[str, ...], box: str, cwd: str, model: str, *, quiet: bool
) -> "list[ContextReport]":
    """Probe one engine after the other, each shown as soon as it is known."""
    from workbench.cli.context_table import print_context
    from workbench.cli.output import console

    task = asyncio.current_task()
    assert task is not None
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    reports = []
    with console(stderr=True).status("", spinner="dots") as status:
        if quiet or not sys.stderr.isatty():
            status.stop()
        for name in names:
            report = await contexts.probe(name, partial(_tell, status, name), box=box, cwd=cwd, model=model)
            reports.append(report)
            if not quiet:
                print_context(console(), report)
    return reports


def _tell(status: "Status", name: str, step: "Step") -> None:
    from rich.text import Text

    count = f"  {step.done + 1}/{step.of}" if step.done else ""
    status.update(Text.assemble((name, "bold"), f"  {step.told}", (count, "dim")))


def _document(report: "ContextReport") -> dict[str, Any]:
    """A report without the texts of the files, which lie in the box."""
    document: dict[str, Any] = report.model_dump(mode="json", exclude={"files": {"__all__": {"text"}}})
    return document | {"total": report.total}
