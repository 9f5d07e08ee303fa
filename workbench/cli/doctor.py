"""`workbench doctor`: which engines can be asked here, and what the others lack."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from workbench.cli.options import JsonOption

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.table import Table

    from workbench.engines.protocol import Readiness

ALWAYS = "reader"
"""The engine that everybody has; all is well as long as it is there."""


def doctor_command(
    engine: Annotated[list[str] | None, typer.Option("--engine", help="Only this one; may be repeated.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Show which engines can be asked here, and how to get the others; exit 1 when one that was named cannot be."""
    from workbench.cli.output import console, emit
    from workbench.desk.engines import Engines

    engines = Engines()
    found = engines.readiness(engine or ())
    if as_json:
        emit([_document(one) for one in found])
    else:
        out = console()
        out.print(_table(found))
        out.print(_asides(found), soft_wrap=False)
        out.print(f"\nprograms, keys and addresses are set in {_home(str(engines.path))}", style="dim")
    wanted = [one for one in found if engine or one.engine == ALWAYS]
    raise typer.Exit(0 if all(one.ready for one in wanted) else 1)


def _document(one: "Readiness") -> dict[str, Any]:
    return one.model_dump(mode="json") | {"ready": one.ready}


def _table(found: "Sequence[Readiness]") -> "Table":
    from rich import box
    from rich.table import Table
    from rich.text import Text

    from workbench.text.sanitize import clean_line

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="dim", border_style="dim")
    for title in ("", "engine", "version", "credential", "confined by"):
        table.add_column(title, overflow="fold")
    for one in found:
        sign = Text("✓", "green") if one.ready else Text("–", "yellow")
        told = (one.version, one.credential, one.confinement)
        cells = [Text(clean_line(text, 200) or "–", "" if text else "dim") for text in told]
        table.add_row(sign, Text(one.engine, "bold"), *cells)
    return table


def _home(path: str) -> str:
    """A path with the home folder shortened, as people write it."""
    from pathlib import Path

    home = str(Path.home())
    return f"~{path[len(home) :]}" if home != "/" and path.startswith(f"{home}/") else path


def _asides(found: "Sequence[Readiness]") -> "Table":
    """What stands in the way of each engine; then where its program is, and what else is worth knowing."""
    from rich.table import Table
    from rich.text import Text

    from workbench.text.sanitize import clean

    table = Table.grid(padding=(0, 2))
    for one in found:
        name = one.engine
        program = (_home(one.program),) if one.program else ()
        for said, style in (*((p, "") for p in one.problems), *((n, "dim") for n in (*program, *one.notes))):
            table.add_row(Text(name, "bold"), Text(clean(said), style))
            name = ""
    return table
