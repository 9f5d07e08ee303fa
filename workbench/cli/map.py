"""`workbench map`: where every answer stands in the guidance. Nobody is asked."""

import asyncio
from typing import TYPE_CHECKING, Annotated

import typer

from workbench.cli.options import (
    FilterOption,
    JsonOption,
    ProjectOption,
    SelectionArgument,
    opened,
    selected,
    terms,
)

if TYPE_CHECKING:
    from workbench.desk.desk import Desk
    from workbench.guidance.records import KnowledgeMap


def map_command(
    selection: SelectionArgument = None,
    filtered: FilterOption = None,
    engine: Annotated[
        str, typer.Option("--engine", help="Whose loading rules count; default: those of each audit's engine.")
    ] = "",
    box: Annotated[str, typer.Option("--box", help="Another box to look into than the corpora's.")] = "",
    revision: Annotated[
        str, typer.Option("--revision", metavar="REV", help="Look at the boxes as they were at a git revision.")
    ] = "",
    as_json: JsonOption = False,
    project: ProjectOption = None,
) -> None:
    """Show where each answer stands in the guidance, and whether that is where it is expected. Nobody is asked."""
    from workbench.cli.output import console, emit
    from workbench.text.sanitize import clean

    desk = opened(project)
    for problem in desk.problems():
        typer.echo(f"workbench: {clean(str(problem))}", err=True)
    chosen = terms(selection, filtered)
    ids = tuple(audit.id for audit in selected(desk, chosen)) if chosen else ()
    known = asyncio.run(_read(desk, ids, engine, box, revision))
    if as_json:
        emit(known.model_dump(mode="json", by_alias=True))
        return
    from workbench.cli.map_table import print_map

    sections = {audit.id: audit.section for audit in desk.select(())}
    print_map(console(), known, sections)
    for one in () if revision else known.boxes:
        if told := desk.contexts.remark(one.root, one.cwd, one.rules):
            console().print(f"! {told}", style="yellow")


async def _read(desk: "Desk", ids: tuple[str, ...], engine: str, box: str, revision: str) -> "KnowledgeMap":
    try:
        return await desk.maps.read(ids, engine=engine, box=box, revision=revision)
    finally:
        await desk.maps.close()
