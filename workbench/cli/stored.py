"""`workbench report`, `regrade` and `prune`: what can be done with runs that are on disk."""

from pathlib import Path
from typing import Annotated

import typer

from workbench.cli.options import JsonOption, ProjectOption, opened
from workbench.text.amounts import many

RunArgument = Annotated[str, typer.Argument(metavar="RUN", help="A run's id, a unique beginning of it, or `latest`.")]


FormOption = Annotated[
    str | None, typer.Option("--format", metavar="FORM", help="md (default), html, junit or json; --json is json.")
]


def report_command(
    run: RunArgument = "latest",
    form: FormOption = None,
    output: Annotated[Path | None, typer.Option("--output", help="Write to this file instead of stdout.")] = None,
    as_json: JsonOption = False,
    project: ProjectOption = None,
) -> None:
    """Print a run's report as Markdown, HTML (one self-contained file), JUnit XML or JSON."""
    from workbench.desk.records import DeskError

    if as_json and form not in (None, "json"):
        raise DeskError(f"--json and --format {form} contradict each other; give one")
    text = opened(project).reporter.report(run, "json" if as_json else form or "md")
    if output is None:
        typer.echo(text, nl=False)
        return
    try:
        output.write_text(text, encoding="utf-8")
    except OSError as error:
        raise DeskError(f"{output}: cannot be written: {error.strerror}; name another file") from error


def regrade_command(run: RunArgument = "latest", as_json: JsonOption = False, project: ProjectOption = None) -> None:
    """Judge a stored run by the audits as they are now and list the verdicts that changed; nobody is asked."""
    from rich.text import Text

    from workbench.cli.output import console, emit, glyph

    done = opened(project).regrade(run)
    if as_json:
        flips = [{"trial": f.trial, "before": str(f.before), "after": str(f.after)} for f in done.flips]
        emit({"flips": flips, "judged": done.judged, "gone": list(done.gone), "unreadable": list(done.unreadable)})
        return
    out = console()
    for flip in done.flips:
        out.print(Text.assemble(glyph(flip.before.outcome), " → ", glyph(flip.after.outcome), f"  {flip.trial}"))
    out.print(f"{many(done.judged, 'trial')} judged again, {len(done.flips)} flipped")
    for name, listed in (("no longer in its corpus", done.gone), ("trace unreadable", done.unreadable)):
        if listed:
            out.print(Text(f"{name}: {', '.join(listed)}", "yellow"))


def prune_command(
    keep: Annotated[int, typer.Option("--keep", min=0, help="How many of the newest runs stay.")] = 20,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would go.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Let graded runs go too.")] = False,
    as_json: JsonOption = False,
    project: ProjectOption = None,
) -> None:
    """Delete old runs and what killed ones left behind; graded runs stay unless forced, live ones always."""
    from workbench.cli.output import emit

    gone = opened(project).prune(keep, dry_run=dry_run, force=force)
    if as_json:
        emit({"pruned": list(gone), "dryRun": dry_run})
        return
    for run_id in gone:
        typer.echo(run_id)
    typer.echo(f"{many(len(gone), 'run')} {'would go' if dry_run else 'gone'}")
