"""Options that mean the same in every command."""

from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
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


project_before_command: ContextVar[Path | None] = ContextVar("project_before_command", default=None)
"""What `workbench --project DIR COMMAND` named."""


def opened(project: Path | None) -> "Desk":
    """The desk of the project that was named after or before the command, or found upward from here."""
    from workbench.desk.desk import Desk

    return Desk.open(project or project_before_command.get() or Path.cwd())


def terms(selection: list[str] | None, filtered: list[str] | None) -> list[str]:
    """The selection's terms; `--filter` adds one, and giving it twice is a mistake that must not pass silently."""
    from workbench.desk.records import DeskError

    if filtered and len(filtered) > 1:
        raise DeskError(f"--filter was given {len(filtered)} times; give one, or list the terms: {' '.join(filtered)}")
    return [*(selection or []), *(filtered or [])]
