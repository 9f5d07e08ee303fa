"""`workbench grade`: what a human filled into a report becomes assessments."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from workbench.cli.options import JsonOption, ProjectOption, opened
from workbench.cli.stored import RunArgument
from workbench.text.amounts import many

if TYPE_CHECKING:
    from workbench.desk.desk import Desk
    from workbench.desk.reading_back import Conflict, ReadBack

_WORDS = ("level", "verdict", "cause", "note")


def grade_command(
    run: RunArgument = "latest",
    source: Annotated[
        Path | None,
        typer.Option("--from", metavar="REPORT", help="A Markdown report with assessment blocks filled in."),
    ] = None,
    as_json: JsonOption = False,
    project: ProjectOption = None,
) -> None:
    """Save the assessments of a filled-in report; without one, open the bench in grading mode at the run's trials."""
    from workbench.cli.output import emit
    from workbench.desk.records import DeskError

    desk = opened(project)
    if source is None:
        _at_the_bench(desk, run, as_json)
        return
    try:
        report = source.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        told = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise DeskError(f"{source}: cannot be read: {told}; name a report written by `workbench report`") from error
    try:
        done = desk.reporter.read_back(run, report)
    except DeskError as error:
        raise DeskError(f"{source}: {error}") from error
    if as_json:
        emit(_document(done))
    else:
        _print(done)
    raise typer.Exit(1 if done.conflicts else 0)


def _at_the_bench(desk: "Desk", run: str, as_json: bool) -> None:
    from workbench.desk.records import DeskError

    if as_json or not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise DeskError("without a terminal, name a filled-in report: `workbench grade RUN --from report.md`")
    from workbench.tui.app import run_bench

    run_bench(desk, desk.grading.first_of(run))


def _document(done: "ReadBack") -> dict[str, Any]:
    return {
        "run": done.run_id,
        "saved": [assessment.model_dump(mode="json") for assessment in done.saved],
        "unchanged": done.unchanged,
        "blank": done.blank,
        "conflicts": [
            {"line": one.line, "trial": one.trial, "report": one.filled, "stored": one.stored.model_dump(mode="json")}
            for one in done.conflicts
        ],
    }


def _print(done: "ReadBack") -> None:
    from rich.text import Text

    from workbench.cli.output import console

    out = console()
    for saved in done.saved:
        out.print(Text.assemble(("✓ ", "green"), f"{saved.trial}  ", (_told(saved.model_dump()), "cyan")))
    for conflict in done.conflicts:
        for line in _parted(conflict):
            out.print(Text(line, "yellow"))
    told = [f"{len(done.saved)} saved", f"{done.unchanged} unchanged", f"{done.blank} blank"]
    conflicts = len(done.conflicts)
    if conflicts:
        told.append(f"{many(conflicts, 'conflict')} left as stored")
    out.print(", ".join(told))


def _parted(conflict: "Conflict") -> tuple[str, ...]:
    stored = conflict.stored
    return (
        f"! {conflict.trial}, line {conflict.line}: graded again since the report was written, so nothing was saved",
        f"    report  {_told(conflict.filled)}",
        f"    stored  {_told(stored.model_dump())}  ({stored.grader}, {stored.at})",
    )


def _told(values: dict[str, str]) -> str:
    from workbench.text.sanitize import clean_line

    return ", ".join(clean_line(values[word]) for word in _WORDS if values[word]) or "cleared"
