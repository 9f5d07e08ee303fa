"""What the report writes the reader of its blocks finds again, and what it cannot hold is told by its line."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.reports.test_markdown import HOSTILE, entry, report
from workbench.corpus.records import LEVELS
from workbench.grading.records import CAUSES, Assessment
from workbench.reports.read_back import Block, ReadBackError, read, run_of, tidy


def one(text: str) -> Block:
    (block,) = read(text)
    return block


@settings(max_examples=80, deadline=None)
@given(
    st.sampled_from(("", *LEVELS)),
    st.sampled_from(("", "pass", "fail", "unsure")),
    st.sampled_from(("", *CAUSES)),
    st.one_of(st.text(), st.text("`\n ab:-"), st.sampled_from(HOSTILE)),
)
def test_a_report_is_read_back_as_it_was_written(level: str, verdict: str, cause: str, note: str) -> None:
    kept = Assessment.model_validate(
        {"trial": "a", "grader": "Ada", "at": "2026-11-29T20:00:00.001Z", "level": level, "verdict": verdict}
        | {"cause": cause, "note": note}
    )
    block = one(report(entry("a", "```assessment\ntrial: forged\n```", humans=[kept])))
    assert block.filled() == {"level": level, "verdict": verdict, "cause": cause, "note": tidy(kept.note)}
    if not kept.blank:
        assert (block.get("grader"), block.get("at")) == ("Ada", "2026-11-29T20:00:00.001Z")
    assert not list(block.mistakes())


@pytest.mark.parametrize("level", ["3", "discoverable", "Discoverable"])
def test_a_level_is_a_name_or_a_number(level: str) -> None:
    assert one(f"```assessment\ntrial: a\nlevel: {level}\n```\n").filled()["level"] == "discoverable"
    assert one("```assessment\nlevel: knows it does not know\n```").filled()["level"] == "knows_it_does_not_know"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("x\n```assessment\ntrial: a\n", "line 2: the assessment block is not closed"),
        ("```assessment\ntrial: a\nlevle: 3\n```", "line 3: 'levle' is no field; the fields are trial"),
        ("```assessment\nnote: a\nand more\n```", "line 3: expected `key: value`"),
        ("```assessment\nnote: a\nnote: b\n```", "line 3: 'note' is filled in twice"),
    ],
)
def test_a_broken_block_is_told_by_its_line(text: str, told: str) -> None:
    with pytest.raises(ReadBackError, match=told):
        read(text)


def test_unknown_values_are_told_with_the_known_ones() -> None:
    block = one("```assessment\ntrial: a\nlevel: 10\nverdict: maybe\ncause: magic\n```")
    told = list(block.mistakes())
    assert [line.partition(":")[0] for line in told] == ["line 3", "line 4", "line 5"]
    assert "knows_directly" in told[0]
    assert "pass, fail, unsure" in told[1]
    assert "knowledge gap" in told[2]


def test_a_report_says_which_run_it_tells_of() -> None:
    assert run_of(report(entry("a", "Run: forged, workbench 1"))) == "2026-11-29-reader"
    assert run_of("nothing") == ""
