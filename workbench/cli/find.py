"""`workbench find`: search across all trials of all runs."""

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from workbench.cli.options import JsonOption, ProjectOption, opened
from workbench.text.amounts import many

if TYPE_CHECKING:
    from rich.text import Text

    from workbench.desk.desk import Desk
    from workbench.desk.finding import Hit


def find_command(
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="TERM...", help="read:PATH answer:TEXT command:TEXT search: changed: audit: is: -term …"
        ),
    ],
    as_json: JsonOption = False,
    project: ProjectOption = None,
) -> None:
    """Find trials in all runs: who read a path, who answered what, who ran which command. Bare words: the answer."""
    from workbench.cli.output import console, emit

    desk = opened(project)
    terms = [word.strip() for word in words]
    desk.archive.find(terms)  # a mistake is told before anything is read
    catch_up(desk)
    found = desk.archive.find(terms)
    if as_json:
        emit({"total": found.total, "trials": [_document(hit) for hit in found.hits]})
        return
    out = console()
    for hit in found.hits:
        out.print(_line(hit))
    shown = f", the newest {len(found.hits)} shown" if len(found.hits) < found.total else ""
    out.print(f"{many(found.total, 'trial')}{shown}")


def catch_up(desk: "Desk") -> None:
    """Read what is new in the traces of all runs; on a terminal, say how far it is."""
    telling = sys.stderr.isatty()
    for done, runs in desk.archive.refresh():
        if telling and runs:
            sys.stderr.write(f"\rreading traces, run {done} of {runs}")
    if telling:
        sys.stderr.write("\r\x1b[K")


def _line(hit: "Hit") -> "Text":
    from rich.text import Text

    from workbench.cli.output import glyph

    sign = glyph(hit.outcome) if hit.outcome else Text("?", "yellow")
    return Text.assemble(sign, f" {hit.trial}", (f"  {hit.run_id}", "dim"), f"  {hit.shown}")


def _document(hit: "Hit") -> dict[str, Any]:
    return {
        "run": hit.run_id,
        "trial": hit.trial,
        "audit": hit.audit_id,
        "engine": hit.engine,
        "model": hit.model,
        "at": hit.at,
        "standing": hit.outcome.value if hit.outcome else "unsure",
        "human": hit.human,
        "shown": hit.shown,
    }
