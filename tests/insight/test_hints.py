"""Hints stand beside strict verdicts and never change one."""

from typing import Any

import pytest

from tests.traces.making import bash, make, read
from workbench.checks.records import CheckResult, Outcome
from workbench.checks.registry import evaluate
from workbench.corpus.records import Audit
from workbench.insight.hints import annotate
from workbench.text.near import near_miss
from workbench.traces.reasons import Reason
from workbench.traces.records import LoadedFile, Trace

GUIDE = LoadedFile(path="AGENTS.md", layer="always", text="Eggs go into the barn, on straw.")


def hinted(trace: Trace, expected: str = "", ended: Reason | None = None, **checks: Any) -> dict[str, str]:
    """Kind and target → hint, having seen that nothing else changed."""
    results = evaluate(Audit(id="a", prompt="q", checks=checks), trace)
    files = ("AGENTS.md", "docs/eggs.md")
    noted = annotate(results, trace, expected_level=expected, ended=ended, box_files=files)
    assert [r.model_copy(update={"hint": ""}) for r in noted] == [r.model_copy(update={"hint": ""}) for r in results]
    return {f"{result.kind} {result.target}": result.hint for result in noted}


@pytest.mark.parametrize(
    ("wanted", "text", "how"),
    [
        ("the barn", "in the barn", ""),
        ("the barn", "in THE BARN", ""),
        ("the barn", "in the\nbarn", "line break"),
        ("the barn", "in the  barn", "line break"),
        ("the barn", "in the\u00a0barn", "line break"),
        ("the barn", "in the `barn`", "backticks"),
        ("the barn", "in the **barn**", "backticks"),
        ("hen's nest", "the hen’s nest", "typographic"),
        ("a-b", "a–b", "typographic"),
        ("straße", "STRASSE", "other forms"),
        ("the hen's nest", "the\n**hen’s** nest", "line breaks, marks and quotes"),
        ("the barn", "in the shed", ""),
        ("", "x", ""),
        ("`", "x", ""),
    ],
)
def test_near_misses_say_how_near(wanted: str, text: str, how: str) -> None:
    assert (how in near_miss(wanted, text)) if how else near_miss(wanted, text) == ""


def test_a_near_miss_is_told_for_wanted_and_unwanted_words() -> None:
    hints = hinted(make("In the `barn`."), correct_contains=["the barn"], response_not_contains=["the barn", "shed"])
    assert "near miss" in hints["correct_contains the barn"]
    assert "does hold it" in hints["response_not_contains the barn"]
    assert hints["response_not_contains shed"] == ""
    assert (
        "near miss"
        in hinted(make("In the `barn`."), correct_contains_any=["x", "the barn"])["correct_contains_any x | the barn"]
    )


def test_an_empty_reply_says_why() -> None:
    assert (
        "turn limit" in hinted(make(bash("ls")), ended=Reason.TURN_LIMIT, correct_contains=["x"])["correct_contains x"]
    )
    assert hinted(make(bash("ls")), correct_matches=["x"])["correct_matches x"] == "the reply is empty"
    late = hinted(make("I look.", bash("ls")), ended=Reason.TURN_LIMIT, correct_contains=["x"])
    assert "before a final reply" in late["correct_contains x"]


def test_what_was_done_instead_of_said() -> None:
    trace = make(bash("bbx create egg"), "I made it.")
    hints = hinted(trace, correct_contains=["bbx create"], correct_matches=["CREATE +egg"])
    assert all("done instead of said" in hint for hint in hints.values())
    assert hinted(make(bash("grep -r barn ."), "Yes."), correct_contains=["barn"]) == {"correct_contains barn": ""}


def test_what_final_reply_leaves_out() -> None:
    hints = hinted(make("The barn.", bash("ls"), "It is there."), final_reply=True, correct_contains=["barn"])
    assert "final_reply leaves out" in hints["correct_contains barn"]


def test_what_the_agent_had_before_its_eyes() -> None:
    hints = hinted(make("No idea.", guidance=(GUIDE,)), correct_contains=["the barn", "the attic"])
    assert "AGENTS.md, which the agent had loaded" in hints["correct_contains the barn"]
    assert hints["correct_contains the attic"] == ""
    nested = make(read("hens/coop.md", loads="hens/CLAUDE.md"), "No idea.")
    assert (
        "hens/CLAUDE.md, which" in hinted(nested, correct_contains=["mind the hens"])["correct_contains mind the hens"]
    )


def test_a_right_answer_without_the_reading_says_where_it_came_from() -> None:
    hint = hinted(make("Into the barn.", guidance=(GUIDE,)), correct_contains=["barn"], should_read=["docs/eggs.md"])[
        "should_read docs/eggs.md"
    ]
    assert "only the reading is missing" in hint
    assert "the answer stands in AGENTS.md" in hint
    wrong = hinted(make("Into the shed."), correct_contains=["barn"], should_read=["docs/eggs.md"])
    assert wrong["should_read docs/eggs.md"] == ""


def test_reads_that_could_not_be() -> None:
    hints = hinted(
        make("Barn.", guidance=(GUIDE,)), "knows_directly", should_read=["AGENTS.md", "docs/hens.md"],
        should_read_any=["docs/ducks.md"],
    )  # fmt: skip
    assert "in context from the start" in hints["should_read AGENTS.md"]
    assert "no path of the box holds 'docs/hens.md'" in hints["should_read docs/hens.md"]
    assert "no path of the box holds 'docs/ducks.md'" in hints["should_read_any docs/ducks.md"]
    assert all("expects to know directly" in hint for hint in hints.values())


def test_guidance_that_came_with_a_result_is_told_beside_a_missing_read() -> None:
    hints = hinted(make(read("docs/a.md", loads="docs/AGENTS.md"), "Barn."), should_read=["docs/AGENTS.md"])
    assert "docs/AGENTS.md came with what it did" in hints["should_read docs/AGENTS.md"]


def test_a_checks_own_hint_is_kept() -> None:
    trace = make(read("docs/hens.md", error=True), "Barn.")
    hint = hinted(trace, should_read=["docs/hens.md"])["should_read docs/hens.md"]
    assert hint.startswith("Bee Box would count")
    assert hint.endswith("no path of the box holds 'docs/hens.md'")


def test_results_that_need_none_get_none() -> None:
    result = CheckResult(kind="correct_contains", target="x", outcome=Outcome.PASSED)
    assert annotate([result], make("x"), expected_level="", ended=None) == (result,)
