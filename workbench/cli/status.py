"""`workbench status`: draft a status, see the exact diff, write it, commit it."""

import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from workbench.cli.options import JsonOption, ProjectOption, opened

if TYPE_CHECKING:
    from workbench.desk.records import CommitResult, StatusEdit


def status_command(
    section: Annotated[str, typer.Argument(help="A section's title or a part of it; `file:title` when two share it.")],
    audit: Annotated[str, typer.Option("--audit", metavar="ID", help="A status about one audit of the section.")] = "",
    run: Annotated[str, typer.Option("--run", metavar="RUN", help="Draft from it; default: the last of each.")] = "",
    text: Annotated[str | None, typer.Option("--text", help="Your words instead of the draft; - reads stdin.")] = None,
    write: Annotated[bool, typer.Option("--write", help="Write the status into the corpus.")] = False,
    commit: Annotated[bool, typer.Option("--commit", help="Write it and commit exactly that hunk.")] = False,
    whole_file: Annotated[
        bool, typer.Option("--whole-file", help="With --commit: add a corpus git does not track yet, whole.")
    ] = False,
    as_json: JsonOption = False,
    project: ProjectOption = None,
) -> None:
    """Draft a section's status comment and show its diff; nothing is written without --write or --commit."""
    from workbench.desk.records import DeskError

    if whole_file and not commit:
        raise DeskError("--whole-file says how to commit; give --commit with it")
    desk = opened(project)
    file, title = desk.find_section(section)
    edit = desk.recorder.draft(file, title, audit_id=audit, run_id=run)
    if text is not None:
        edit = desk.recorder.redraft(edit, sys.stdin.read() if text == "-" else text)
    result = None
    if write or commit:
        edit = desk.recorder.write(edit)
    if commit:
        result = desk.recorder.commit(edit, whole_file=whole_file)
    _tell(edit, result, as_json=as_json)
    raise typer.Exit(1 if result and result.refused else 0)


def _tell(edit: "StatusEdit", result: "CommitResult | None", *, as_json: bool) -> None:
    from rich.text import Text

    from workbench.cli.output import console, emit
    from workbench.text.sanitize import clean

    if as_json:
        emit(asdict(edit) | {"commit": asdict(result) if result else None})
        return
    out = console()
    for line in edit.diff.splitlines():
        out.print(Text(clean(line), {"+": "green", "-": "red", "@": "cyan"}.get(line[:1], "")))
    if result is None:
        out.print(Text(f"written to {edit.file}" if edit.written else "not written; --write writes it", "dim"))
        return
    if result.output:
        out.print(Text(clean(result.output), "dim"))
    told = f"written, not committed: {result.refused}" if result.refused else f"committed {result.commit[:12]}"
    out.print(Text(told, "yellow" if result.refused else "green"))
