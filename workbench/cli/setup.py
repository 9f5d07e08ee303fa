"""`workbench init`: a first corpus in somebody's own repository."""

import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from workbench.cli.options import JsonOption


def init_command(
    folder: Annotated[Path, typer.Argument(help="Your repository; default: this folder.")] = Path(),
    commit: Annotated[
        bool | None, typer.Option("--commit/--no-commit", help="Commit it without asking, or not.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Make a configuration, a first corpus and an ignored reports folder; nothing that exists is touched."""
    from workbench.cli.output import emit
    from workbench.desk.scaffold import commit_scaffold, scaffold

    made = scaffold(folder)
    if not as_json:
        for name in (*made.created, *made.kept):
            typer.echo(f"{'made' if name in made.created else 'kept'} {name}")
    if commit is None:
        asking = made.created and not as_json and sys.stdin.isatty()
        commit = bool(asking and typer.confirm("Commit these files, and nothing else?", default=True))
    result = commit_scaffold(made) if commit and made.created else None
    if as_json:
        emit({"root": str(made.root), "created": made.created, "kept": made.kept, "commit": result and asdict(result)})
        return
    if result:
        typer.echo(f"not committed: {result.refused}" if result.refused else f"committed {result.commit[:12]}")
    typer.echo("Next: write a question in audits/knowledge.yaml, then `workbench run` or `workbench`.")
