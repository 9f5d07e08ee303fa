"""`workbench selftest`: do the text checks tell right samples from wrong ones?"""

from typing import TYPE_CHECKING, Any

import typer

from workbench.cli.options import FilterOption, JsonOption, ProjectOption, SelectionArgument, opened, selected, terms
from workbench.text.amounts import many

if TYPE_CHECKING:
    from workbench.checks.samples import SampleResult


def selftest_command(
    selection: SelectionArgument = None,
    filtered: FilterOption = None,
    as_json: JsonOption = False,
    project: ProjectOption = None,
) -> None:
    """Try the text checks of audits on their `samples`; exit 1 when one comes out otherwise. Nobody is asked."""
    from rich.text import Text

    from workbench.checks.records import Outcome
    from workbench.cli.output import console, emit, glyph

    desk = opened(project)
    samples = desk.editor.selftest(selected(desk, terms(selection, filtered)))
    amiss = [sample for sample in samples if sample.outcome is not Outcome.PASSED]
    if as_json:
        emit([_document(sample) for sample in samples])
    else:
        out, audit_id = console(), ""
        for sample in samples:
            if sample.audit.id != audit_id:
                audit_id = sample.audit.id
                where = f"  {sample.audit.file}:{sample.audit.position('samples').line}"
                out.print(Text.assemble((audit_id, "bold"), (where, "dim")))
            out.print(Text.assemble("  ", glyph(sample.outcome), f" {sample}"))
        if not samples:
            out.print("no audit of the selection has `samples:`; the manual shows how to write them")
        audits = len({sample.audit.id for sample in samples})
        out.print(f"{many(len(samples), 'sample')} of {many(audits, 'audit')}, {len(amiss)} told wrongly")
    raise typer.Exit(1 if amiss else 0)


def _document(sample: "SampleResult") -> dict[str, Any]:
    return {
        "audit": sample.audit.id,
        "file": sample.audit.file,
        "kind": sample.kind,
        "number": sample.number,
        "text": sample.text,
        "outcome": sample.outcome.value,
        "blamed": [{"check": check.kind, "target": check.target} for check in sample.blamed],
        "checks": [check.model_dump(mode="json") for check in sample.results],
    }
