"""What a run cost and could not see stands in its report; nothing unknown is told as nothing."""

from dataclasses import replace

from tests.reports.test_markdown import entry
from workbench.corpus.records import Surface
from workbench.engines.protocol import Ending
from workbench.reports import html, markdown
from workbench.reports.markdown import ReportEntry, ReportInput
from workbench.runs.records import Manifest


def paid(name: str, ending: Ending, engine: str = "claude", surface: Surface = "box") -> ReportEntry:
    """An entry of an engine that costs money."""
    one = entry(name, "?")
    assert one.trace is not None
    assert one.audit is not None
    meta = one.trace.meta.model_copy(update={"engine": engine, "notes": ("nothing confines it",)})
    return replace(
        one,
        trace=one.trace.model_copy(update={"meta": meta}),
        audit=one.audit.model_copy(update={"surface": surface}),
        finished=one.finished.model_copy(update={"ending": ending, "turns": 2}),
    )


def run(*entries: ReportEntry, engine: str, **more: object) -> ReportInput:
    manifest = Manifest(run_id="r", started_at="", workbench_version="0.1.0", engine=engine)
    return ReportInput(manifest.model_copy(update=more), entries)


def test_costs_are_told_by_trial_and_in_total_and_unknown_is_no_zero() -> None:
    listed = paid("a", Ending(cost_usd=0.4, cost_basis="list"))
    reported = paid("b", Ending(cost_usd=0.0213, cost_basis="reported"))
    text = markdown.render(run(listed, reported, paid("c", Ending()), engine="claude")).replace(r"\$", "$")
    assert "Cost: $0.42 at list prices; cost of 1 trial unknown  \n" in text
    assert [line for line in text.splitlines() if line.startswith("- Cost:")] == [
        "- Cost: $0.40 at list prices",
        "- Cost: $0.02",
        "- Cost: unknown",
    ]
    assert text.count("Limit of these measurements: nothing confines it") == 1
    assert "- Limit of this measurement" not in text
    assert "- Limit of this measurement: nothing confines it" in markdown.render(run(listed, engine="claude"))
    again = replace(run(reported, engine="claude"), paid=(listed.finished,))
    assert r"Cost: \$0.42 at list prices" in markdown.render(again)
    assert "<dt>cost</dt><dd>$0.42 at list prices</dd>" in html.render(again)
    assert "Cost:" not in markdown.render(run(paid("d", Ending(), engine="reader"), engine="reader"))


def test_a_rehearsal_and_the_limits_of_developer_audits_are_said() -> None:
    told = run(paid("a", Ending(), surface="dev"), engine="claude+reader", surface="dev", left_out=0)
    text = markdown.render(told)
    assert "> A rehearsal: claude ran, and the reader answered in its model's place." in text
    assert "**Expected level:** knows_about (developer session)\n\n**Watch for:**" in text
    assert all(word in text for word in ("Codex", "hooks", "lint failures", "memory", "cold question"))
    assert "A rehearsal" in html.render(told)
    assert "2 developer audits left out" in markdown.render(run(engine="reader", left_out=2))
