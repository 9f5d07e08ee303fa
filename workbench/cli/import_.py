"""`workbench import`: sessions that were asked elsewhere, taken in as runs."""

from pathlib import Path
from typing import Annotated

import typer

from workbench.cli.options import JsonOption, ProjectOption, opened
from workbench.text.amounts import many


def import_command(
    sessions: Annotated[
        list[Path],
        typer.Argument(metavar="SESSION...", help="Session files of claude, codex or pi; they are only read."),
    ],
    audit: Annotated[
        str,
        typer.Option("--audit", metavar="ID", help="The audit they answer; default: the one that asks their prompt."),
    ] = "",
    as_json: JsonOption = False,
    project: ProjectOption = None,
) -> None:
    """Take in agents' own session files: they open, are checked and are graded like trials that were asked here."""
    from rich.text import Text

    from workbench.cli.output import console, emit, glyph

    done = opened(project).importer.take_in(sessions, audit)
    if as_json:
        emit(
            [
                {
                    "session": str(one.session),
                    "run": one.run_id,
                    "trial": one.trial,
                    "audit": one.audit_id,
                    "engine": one.engine,
                    "outcome": one.verdict.outcome.value,
                    "reason": one.verdict.reason.value if one.verdict.reason else "",
                    "redacted": one.redacted,
                    "earlier": one.earlier,
                }
                for one in done
            ]
        )
        return
    out = console()
    for one in done:
        line = Text.assemble(
            glyph(one.verdict.outcome), f" {one.trial}", (f"  {one.engine}  {one.session.name}", "dim")
        )
        line.append(f"  is in {one.earlier} too, and counts twice" if one.earlier else "", "yellow")
        line.append("" if one.audit_id else "  answers no audit; --audit names one", "yellow")
        line.append(f"  {one.verdict.reason}  {one.verdict.detail}".rstrip() if one.verdict.reason else "", "dim")
        out.print(line)
    redacted = sum(one.redacted for one in done)
    out.print(f"{many(len(done), 'session')} in {', '.join(dict.fromkeys(one.run_id for one in done))}")
    taken = f"{many(redacted, 'value')} shaped like a credential taken out; other secrets" if redacted else "secrets"
    out.print(Text(f"{taken} cannot be told from text: look before you share a run", "dim"))
