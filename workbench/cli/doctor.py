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

    found = Engines().readiness(engine or ())
    if as_json:
        emit([_document(one) for one in found])
    else:
        out = console()
        out.print(_table(found))
        for one in found:
            for said, style in (*((p, "") for p in one.problems), *((n, "dim") for n in one.notes)):
                out.print(_aside(one.engine, said, style), soft_wrap=False)
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
    for title in ("", "engine", "version", "credential", "confined by", "program"):
        table.add_column(title, overflow="fold")
    for one in found:
        sign = Text("✓", "green") if one.ready else Text("–", "yellow")
        told = (one.version, one.credential, one.confinement, _home(one.program))
        cells = [Text(clean_line(text, 200) or "–", "" if text else "dim") for text in told]
        table.add_row(sign, Text(one.engine, "bold"), *cells)
    return table


def _home(path: str) -> str:
    """A path with the home folder shortened, as people write it."""
    from pathlib import Path

    home = str(Path.home())
    return f"~{path[len(home) :]}" if home != "/" and path.startswith(f"{home}/") else path


def _aside(engine: str, said: str, style: str) -> "Table":
    """One thing to say of an engine, its further lines below its first."""
    from rich.table import Table
    from rich.text import Text

    from workbench.text.sanitize import clean

    line = Table.grid(padding=(0, 2))
    line.add_column(width=8)
    line.add_column()
    line.add_row(Text(engine, "dim" if style else "bold"), Text(clean(said), style))
    return line
