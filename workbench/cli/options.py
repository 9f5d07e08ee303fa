"""Options that mean the same in every command."""

import re
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand

if TYPE_CHECKING:
    from workbench.corpus.records import Audit
    from workbench.desk.desk import Desk

ProjectOption = Annotated[
    Path | None, typer.Option("--project", help="The project's folder; default: found upward from here.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON on stdout and nothing else.")]
SelectionArgument = Annotated[
    list[str] | None,
    typer.Argument(metavar="[SELECTION]...", help="id, part of an id, tag, tag:, level:, section:, is:failed, -term …"),
]
FilterOption = Annotated[
    list[str] | None, typer.Option("--filter", metavar="X", help="The same as one SELECTION term; at most once.")
]

_EXCLUSION = re.compile(r"-[^-]{2}")


class SelectingCommand(TyperCommand):
    """A command whose SELECTION may hold exclusions, `-term`, beside `--options` and `-h`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put a blank before each exclusion, so that it is no cluster of short options; `terms` takes it away."""
        return super().parse_args(ctx, [f" {arg}" if _EXCLUSION.match(arg) else arg for arg in args])


project_before_command: ContextVar[Path | None] = ContextVar("project_before_command", default=None)
"""What `workbench --project DIR COMMAND` named."""


def opened(project: Path | None) -> "Desk":
    """The desk of the project that was named after or before the command, or found upward from here."""
    from workbench.desk.desk import Desk

    desk = Desk.open(project or project_before_command.get() or Path.cwd())
    if not desk.corpora():
        globs = ", ".join(desk.project.settings.corpora)
        typer.echo(f"workbench: no file in {desk.project.root} matches corpora: {globs}", err=True)
    return desk


def terms(selection: list[str] | None, filtered: list[str] | None) -> list[str]:
    """The selection's terms; `--filter` adds one, and giving it twice is a mistake that must not pass silently."""
    from workbench.desk.records import DeskError

    if filtered and len(filtered) > 1:
        raise DeskError(f"--filter was given {len(filtered)} times; give one, or list the terms: {' '.join(filtered)}")
    return [term.strip() for term in (*(selection or []), *(filtered or []))]


def selected(desk: "Desk", chosen: list[str]) -> "tuple[Audit, ...]":
    """The audits some terms mean, no term all; DeskError for terms that mean none."""
    from workbench.desk.records import DeskError

    audits = desk.select(chosen)
    if chosen and not audits:
        raise DeskError(f"no audit matches {' '.join(chosen)!r}; `workbench list` shows all")
    return audits
