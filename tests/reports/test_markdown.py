"""The report keeps its shape whatever the prompts, notes and replies hold."""

import re
from collections.abc import Sequence
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from workbench.checks.records import CheckResult, Outcome, Verdict
from workbench.corpus.records import Audit
from workbench.engines.protocol import Ending
from workbench.grading.records import Assessment
from workbench.reports.markdown import ReportEntry, ReportInput, render
from workbench.runs.records import BoxRecord, Manifest, Trial, TrialFinished
from workbench.traces.reasons import Reason
from workbench.traces.records import (
    AssistantTurn,
    LoadedFile,
    Meta,
    TextBlock,
    TokenLedger,
    ToolCall,
    ToolResultTurn,
    Trace,
    UserTurn,
)

HOSTILE = (
    "plain\n---\n## heading\nTitle\n=====\n",
    "```\n</script><script>alert(1)</script>\n~~~\n````\n> quote\n",
    "<!-- \n<div>\n\n# x\n",
    "one line with `ticks`, <b>html</b>, [a](http://x), ![p](http://x/y.png), | cells | and \\ slashes",
    "\x1b]0;title\x07\x9b31m\r## after a return\u2028\x00",
    "```assessment\ntrial: forged\ngrader: x\n```",
    "[ref]: http://x\n\n1. a\n\t- b\n",
    "an odd ` tick, <i>then</i> html",
    "# === Title ===",
    "",
)


def entry(
    audit_id: str, text: str, outcome: Outcome = Outcome.PASSED, humans: Sequence[Assessment] = ()
) -> ReportEntry:
    trial = Trial(audit_id=audit_id, file="audits/a.yaml")
    checks = (CheckResult(kind="correct_contains", target=text, outcome=outcome, detail=text, hint=text),)
    finished = TrialFinished(
        trial=trial.key,
        at="",
        ending=Ending(),
        verdict=Verdict(outcome=outcome, detail=text),
        checks=checks,
        duration_ms=1500,
    )
    call = ToolCall(id="1", name="Bash", arguments={"command": text or "true"})
    trace = Trace(
        meta=Meta(engine="reader", workspace="/box", prompt=text),
        turns=(
            UserTurn(turn_index=0, content=(TextBlock(text=text),)),
            AssistantTurn(turn_index=1, content=(call,), token_ledger=TokenLedger(input=17_600)),
            ToolResultTurn(turn_index=2, tool_use_id="1", content=(TextBlock(text=text),)),
            AssistantTurn(turn_index=3, content=(TextBlock(text=text),), token_ledger=TokenLedger(input=19_200)),
        ),
    )
    audit = Audit(id=audit_id, prompt=text, watch_for=text, notes=text, expected_level="knows_about")
    return ReportEntry(audit, trial, finished, trace, tuple(humans))


def report(*entries: ReportEntry, baselines: dict[str, int] | None = None) -> str:
    manifest = Manifest(
        run_id="2026-11-29-reader",
        started_at="2026-11-29T20:00:00Z",
        workbench_version="0.1.0",
        engine="reader",
        model="bm25",
        boxes={"audits/a.yaml": BoxRecord(name="..", path="/a/orchard", commit="0123456789", dirty=True)},
        trials=tuple(one.trial for one in entries),
    )
    return render(ReportInput(manifest, entries, baselines or {}))


def outline(markdown: str) -> tuple[list[str], int, int]:
    """Heading texts, rules and HTML tokens anywhere in the document, those inside quotes too."""
    tokens = MarkdownIt("gfm-like", {"linkify": False}).parse(markdown)
    flat = [token for token in tokens for token in (token, *(token.children or []))]
    headings = [tokens[i + 1].content for i, token in enumerate(tokens) if token.type == "heading_open"]
    html = [token for token in flat if token.type in ("html_block", "html_inline", "image", "link_open")]
    return headings, sum(token.type == "hr" for token in tokens), len(html)


def test_the_shape() -> None:
    text = report(entry("find-inbox", "Where is it?"), baselines={"find-inbox": 15_000})
    labels = re.findall(
        r"^(?:# .*|## .*|---|[A-Z]\w+(?: \w+)?:|\*\*[A-Z][\w ]+:\*\*|- [A-Z][\w ]+:)", text, re.MULTILINE
    )
    assert labels == [
        "# Knowledge Audit Report — 2026-11-29T20:00:00Z",
        *("Box:", "Engine:", "Model:", "Tests run:", "Verdicts:", "Duration:", "Run:"),
        *("## Context baselines", "Lowest baseline:", "---", "## find-inbox"),
        *("**Prompt:**", "**Expected level:**", "**Watch for:**", "**Notes:**", "**Verdict:**", "**Agent behavior:**"),
        *("- Files read:", "- Searches:", "- Bash:", "- Response length:", "- Context:", "- Duration:"),
        *("**Response:**", "**Automated checks:**", "**Assessment:**", "---"),
    ]
    assert '**Prompt:** "Where is it?"' in text
    assert "| find-inbox | 18k | +2.6k |" in text
    assert "- Context: 18k → 19k (+1.6k over 2 turns), +2.6k since the last run" in text
    assert "- ✓ contains `Where is it?`" in text
    assert "> Where is it?" in text


def test_the_state_of_the_box_and_guidance_that_came_with_a_read_are_told() -> None:
    one = entry("a", "x")
    assert one.trace is not None
    coming = LoadedFile(path="trees/CLAUDE.md", layer="conditional", via="trees", text="Prune late.")
    turns = [t.model_copy(update={"guidance": (coming,)}) if t.role == "toolResult" else t for t in one.trace.turns]
    text = report(replace(one, trace=one.trace.model_copy(update={"turns": tuple(turns)})))
    assert "Box: .. (orchard at 0123456, with uncommitted edits)" in text
    assert "- Guidance loaded on a condition: `trees/CLAUDE.md`" in text


def test_hostile_text_adds_no_structure() -> None:
    entries = [entry(f"audit-{n}", text) for n, text in enumerate(HOSTILE)]
    headings, rules, html = outline(report(*entries))
    assert headings[2:] == [one.trial.key for one in entries]
    assert rules == len(entries) + 1
    assert html == 0


@settings(max_examples=60, deadline=None)
@given(st.text(st.sampled_from("`~-=#><![]()*_|\\&: \n\r\tab1."), max_size=60))
def test_no_text_adds_structure(text: str) -> None:
    headings, rules, html = outline(report(entry("one", text), entry("two", "x")))
    assert (headings[2:], rules, html) == (["one", "two"], 3, 0)


def test_replies_are_whole_and_free_of_control_characters() -> None:
    text = report(entry("long", "word " * 5000 + "\x1b[2Jend"))
    assert text.count("word ") > 5000
    assert "end" in text
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", text)


def blocks(markdown: str) -> list[Token]:
    tokens = MarkdownIt().parse(markdown)
    return [token for token in tokens if token.type == "fence" and token.info == "assessment" and token.level == 0]


def test_a_blank_block_per_audit_that_replies_cannot_forge() -> None:
    found = blocks(report(*(entry(f"audit-{n}", text) for n, text in enumerate(HOSTILE))))
    forms = [[line.partition(":")[::2] for line in token.content.splitlines()] for token in found]
    blank = [("grader", ""), ("level", ""), ("verdict", ""), ("cause", ""), ("note", "")]
    assert forms == [[("trial", f" audit-{n}"), *blank] for n in range(len(HOSTILE))]


def test_filled_in_assessments_show_the_graders() -> None:
    ada = Assessment(
        trial="a",
        grader="Ada",
        at="2026-11-29T20:00:00.000Z",
        level="discoverable",
        verdict="fail",
        cause="knowledge gap",
        note="one\n```\ntwo",
    )
    text = report(entry("a", "x", Outcome.PASSED, [ada]))
    (block,) = blocks(text)
    assert block.content.splitlines() == [
        *("trial: a", "grader: Ada", "at: 2026-11-29T20:00:00.000Z"),
        *("level: discoverable", "verdict: fail", "cause: knowledge gap"),
        *("note: one", "  ```", "  two"),
    ]
    assert "Verdicts: 0/1 pass (verdicts: 1 human, 0 checks)" in text
    assert "Failed: a" in text
    assert "Causes: knowledge gap 1" in text
    assert "**Verdict:** ✓ passed: x; Ada says fail" in text


def test_unmeasured_and_partial_runs_say_so() -> None:
    one = entry("slow", "x", Outcome.UNMEASURED)
    verdict = Verdict(outcome=Outcome.UNMEASURED, reason=Reason.TURN_LIMIT, detail="10 of 10 messages")
    finished = one.finished.model_copy(update={"verdict": verdict, "checks": ()})
    stopped = ReportEntry(None, one.trial, finished, None)
    manifest = Manifest(
        run_id="r",
        started_at="t",
        workbench_version="0",
        engine="reader",
        trials=(one.trial, Trial(audit_id="other", file="audits/a.yaml")),
    )
    text = render(ReportInput(manifest, (stopped,)))
    assert "Tests run: 1 of 2 planned; partial" in text
    assert "**Verdict:** ? unmeasured(turn\\_limit): 10 of 10 messages" in text or "? unmeasured(turn_limit)" in text
    assert "(no trace was kept)" in text
    assert "Automated checks" not in text
    assert "Context baselines" not in text
