"""`workbench list`, `show` and `lint`: what is asked and how it stands."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from workbench.cli.options import FilterOption, JsonOption, ProjectOption, SelectionArgument, opened, terms
from workbench.text.amounts import many

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import Console

    from workbench.desk.desk import Desk
    from workbench.desk.records import AuditRow, SectionRows
    from workbench.insight.staleness import Staleness


def list_command(
    selection: SelectionArgument = None,
    filtered: FilterOption = None,
    as_json: JsonOption = False,
    project: ProjectOption = None,
) -> None:
    """List audits by corpus and section with their last verdict and human level."""
    from workbench.cli.output import console, emit

    chosen = terms(selection, filtered)
    groups = opened(project).sections(chosen)
    if as_json:
        emit([_row_document(group, row) for group in groups for row in group.rows])
        return
    if chosen and not groups:
        typer.echo(f"no audit matches {' '.join(chosen)!r}", err=True)
    out, file = console(), ""
    for group in groups:
        if group.file != file:
            file = group.file
            out.print(file, style="bold")
        _print_section(out, group)


def _print_section(out: "Console", group: "SectionRows") -> None:
    from rich.text import Text

    from workbench.cli.output import glyph

    status = f"  {group.status.date}" if group.status else ""
    out.print(Text.assemble("  ", (group.section.title or "(no section)", "bold"), (status, "dim")))
    width = max((len(row.audit.id) for row in group.rows), default=0)
    for row in group.rows:
        line = Text.assemble("    ", glyph(row.last.verdict.outcome if row.last else None), f" {row.audit.id:<{width}}")
        line.append(f"  {row.audit.expected_level or '-':<22}", "dim")
        line.append(f"{_age(row.age_days):>5}", "dim")
        line.append("  dev" if row.audit.surface == "dev" else "", "dim")
        line.append(f"  {row.passed}/{row.measured}" if row.measured > 1 else "", "dim")
        human = row.last.human if row.last else None
        if human:
            line.append(f"  {human.verdict or ''} {human.level}".rstrip() + f" ({human.grader})", "cyan")
        line.append(f"  stale: {row.stale.told}" if row.stale else "", "yellow")
        line.rstrip()
        out.print(line)


def _age(days: float | None) -> str:
    """`3 d`, `5 h` or `now`; nothing for what was never asked."""
    if days is None:
        return ""
    if days >= 1:
        return f"{days:.0f} d"
    return f"{days * 24:.0f} h" if days * 24 >= 1 else "now"


def _row_document(group: "SectionRows", row: "AuditRow") -> dict[str, Any]:
    from workbench.cli.output import trial_document

    return {
        "id": row.audit.id,
        "file": group.file,
        "section": group.section.title,
        "surface": row.audit.surface,
        "expectedLevel": row.audit.expected_level,
        "tags": list(row.audit.tags),
        "passed": row.passed,
        "measured": row.measured,
        "last": trial_document(row.last) if row.last else None,
        "stale": _stale_document(row.stale) if row.stale is not None else None,
    }


def _stale_document(stale: "Staleness") -> dict[str, Any]:
    changes = [{"what": one.what, "told": one.told, "files": list(one.files)} for one in stale.changes]
    return {"changes": changes, "unknown": list(stale.unknown)}


def show_command(
    selection: SelectionArgument = None,
    filtered: FilterOption = None,
    agreement: Annotated[
        bool, typer.Option("--agreement", help="Show instead how far humans, checks and acts agree, in all runs.")
    ] = False,
    as_json: JsonOption = False,
    project: ProjectOption = None,
) -> None:
    """Show audits in full: the question, the last trial's checks with evidence, what humans said, trend, statuses."""
    from workbench.cli.find import catch_up
    from workbench.cli.output import console, emit
    from workbench.desk.records import DeskError

    desk = opened(project)
    chosen = terms(selection, filtered)
    groups = desk.sections(chosen)
    if chosen and not groups:
        raise DeskError(f"no audit matches {' '.join(chosen)!r}; `workbench list` shows all")
    if agreement:
        _show_agreement(desk, chosen, as_json=as_json)
        return
    catch_up(desk)
    desk.staleness.settle({row.audit.id for group in groups for row in group.rows})
    groups = desk.sections(chosen)
    if as_json:
        emit([_audit_document(desk, group, row) for group in groups for row in group.rows])
        return
    out = console()
    for group in groups:
        for row in group.rows:
            _print_audit(out, desk, group, row)


def _show_agreement(desk: "Desk", chosen: list[str], *, as_json: bool) -> None:
    from workbench.cli.agreement import agreement_document, print_agreement
    from workbench.cli.output import console, emit

    found = desk.grading.agreement(chosen)
    if as_json:
        emit(agreement_document(found))
    else:
        print_agreement(console(), found)


def _audit_document(desk: "Desk", group: "SectionRows", row: "AuditRow") -> dict[str, Any]:
    from workbench.cli.trend import trend_document

    view = desk.trial(row.audit.id)
    graded = bool(view.summary and view.summary.human) or desk.show_observed_early
    return _row_document(group, row) | {
        "prompt": row.audit.full_prompt,
        "watchFor": row.audit.watch_for,
        "reply": view.trace.reply if view.trace else "",
        "observedLevel": view.observed_level if graded else "",
        "trend": trend_document(desk.archive.trend(row.audit.id)),
        "statuses": [status.model_dump() for status in group.section.statuses],
    }


def _print_audit(out: "Console", desk: "Desk", group: "SectionRows", row: "AuditRow") -> None:
    from rich.text import Text

    from workbench.cli.output import check_lines, glyph
    from workbench.cli.trend import print_trend
    from workbench.text.sanitize import clean

    audit, view = row.audit, desk.trial(row.audit.id)
    out.print(Text.assemble(glyph(row.last.verdict.outcome if row.last else None), " ", (audit.id, "bold")))
    out.print(Text(f"  {group.file}:{audit.position().line}  {group.section.title}", "dim"))
    fields = {"prompt": audit.full_prompt, "expected": audit.expected_level, "watch for": audit.watch_for}
    for name, value in (fields | {"notes": audit.notes}).items():
        if value.strip():
            out.print(Text.assemble((f"  {name}  ", "dim"), clean(value.strip()).replace("\n", "\n    ")))
    if view.summary is None:
        out.print(Text("  never asked", "dim"))
    else:
        verdict = view.summary.verdict
        out.print(Text(f"  {verdict}  {verdict.detail}".rstrip() + f"  {view.summary.run_id}", "dim"))
        for told in _ages(row):
            out.print(Text(f"  {told}", "yellow"))
        for line in check_lines(view.summary.checks):
            out.print(line)
        _print_human(out, desk, view.summary.assessments, view.observed_level)
        print_trend(out, desk.archive.trend(audit.id))
    if view.trace:
        out.print(Text("  reply", "dim"))
        for spoken in view.trace.reply.splitlines() or ["(none)"]:
            out.print(Text(f"    {spoken}"))
    for status in group.section.statuses:
        out.print(Text(f"  status {status.date} {status.qualifier}  {status.text}", "dim"))
    out.print()


def _ages(row: "AuditRow") -> "Iterator[str]":
    """What is known of an audit's staleness, a line each."""
    if row.stale:
        yield f"stale: {row.stale.told}"
    for unknown in row.stale.unknown if row.stale is not None else ():
        yield f"not known: {unknown}"


def _print_human(out: "Console", desk: "Desk", assessments: Any, observed: str) -> None:
    from rich.text import Text

    for said in assessments:
        parts = (said.level, said.verdict, said.cause, said.note)
        out.print(Text(f"  {said.grader}: {', '.join(part for part in parts if part) or 'blank'}", "cyan"))
    if assessments or desk.show_observed_early:
        out.print(Text(f"  observed level  {observed or 'unclear'}", "dim"))


def lint_command(
    selection: SelectionArgument = None,
    filtered: FilterOption = None,
    as_json: JsonOption = False,
    project: ProjectOption = None,
) -> None:
    """Check the corpora: errors, and definitions that cannot tell right from wrong; exit 1 on an error."""
    from rich.text import Text

    from workbench.cli.output import console, emit

    problems = opened(project).lint(terms(selection, filtered))
    errors = sum(problem.severity == "error" for problem in problems)
    if as_json:
        emit([problem.model_dump(mode="json") for problem in problems])
    else:
        out = console()
        for problem in problems:
            out.print(Text(str(problem), "red" if problem.severity == "error" else ""))
        out.print(f"{many(errors, 'error')}, {many(len(problems) - errors, 'warning')}")
    raise typer.Exit(1 if errors else 0)
