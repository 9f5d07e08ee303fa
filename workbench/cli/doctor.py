"""`workbench doctor`: which engines can be asked here, and what the others lack."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from workbench.cli.options import JsonOption

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.table import Table
    from rich.text import Text

    from workbench.desk.engines import Engines
    from workbench.engines.protocol import Readiness

ALWAYS = "reader"
"""The engine that everybody has; all is well as long as it is there. It is who answers in a rehearsal."""


def doctor_command(
    engine: Annotated[list[str] | None, typer.Option("--engine", help="Only this one; may be repeated.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Show which engines can be asked here, and how to get the others; exit 1 when one that was named cannot be."""
    from workbench.cli.output import emit
    from workbench.desk.engines import Engines

    engines = Engines()
    found = engines.readiness(engine or ())
    rehearsable = _rehearsable(engines, found)
    if as_json:
        emit([_document(one, one.engine in rehearsable) for one in found])
    else:
        _print(found, rehearsable, _home(str(engines.path)))
    wanted = [one for one in found if engine or one.engine == ALWAYS]
    raise typer.Exit(0 if all(one.ready for one in wanted) else 1)


def _rehearsable(engines: "Engines", found: "Sequence[Readiness]") -> tuple[str, ...]:
    """Names of the engines that are there and can be asked with the reader in their model's place, key or no key."""
    from workbench.engines.registry import REHEARSED, rehearsals

    looked_at = {one.engine for one in found}
    possible = [name for name in rehearsals() if name.partition(REHEARSED)[0] in looked_at]
    looked = engines.readiness(possible) if possible else ()
    return tuple(one.engine.partition(REHEARSED)[0] for one in looked if one.ready)


def _document(one: "Readiness", rehearsable: bool) -> dict[str, Any]:
    return one.model_dump(mode="json") | {"ready": one.ready, "rehearsable": rehearsable}


def _print(found: "Sequence[Readiness]", rehearsable: "Sequence[str]", settings: str) -> None:
    """For people; nothing is wrapped on its way into a file or another program, so that commands stay whole."""
    from rich.text import Text

    from workbench.cli.output import console

    out = console()
    out.print(_table(found))
    if out.is_terminal:
        out.print(_grid(found), soft_wrap=False)
    else:
        wide = max(len(one.engine) for one in found)
        for name, said in _asides(found):
            out.print(Text.assemble(f"{name:<{wide}}  ", said))
    if rehearsable:
        names = " ".join(rehearsable)
        out.print(f"\nwithout a key, and free: workbench run --rehearse --engine {rehearsable[0]}  ({names})")
    out.print(f"\nprograms, addresses and the names of key variables are set in {settings}", style="dim")


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


def _asides(found: "Sequence[Readiness]") -> "Iterator[tuple[str, Text]]":
    """What stands in the way of each engine; then where its program is, and what else is worth knowing."""
    from rich.text import Text

    from workbench.text.sanitize import clean

    for one in found:
        name = one.engine
        program = (_home(one.program),) if one.program else ()
        for said, style in (*((p, "") for p in one.problems), *((n, "dim") for n in (*program, *one.notes))):
            yield name, Text(clean(said), style)
            name = ""


def _grid(found: "Sequence[Readiness]") -> "Table":
    """The same, wrapped under itself."""
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, 2))
    table.add_column()
    table.add_column(overflow="fold")
    for name, said in _asides(found):
        table.add_row(Text(name, "bold"), said)
    return table
