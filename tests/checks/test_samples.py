"""Samples: right and negating ones must pass the text checks, wrong ones must not; everything else is told."""

import pytest

from workbench.checks.records import Outcome
from workbench.checks.samples import misjudged, said, spoken, try_samples, unsampled
from workbench.corpus.loading import parse
from workbench.corpus.records import Audit, Corpus, SampleKind

HEAD = "tests:\n  - id: oil\n    prompt: When?\n    expected_level: knows_directly\n    watch_for: Friday\n"


def corpus(more: str = "") -> Corpus:
    return parse(f"{HEAD}{more}".encode(), "audits/a.yaml")


def tried(kind: SampleKind, text: str, **checks: object) -> tuple[Outcome, list[str]]:
    audit = Audit(id="oil", prompt="When?", checks=checks, samples={kind: [text]})
    (sample,) = try_samples(audit)
    return sample.outcome, [check.kind for check in sample.blamed]


def test_each_kind_of_sample_has_its_own_idea_of_right() -> None:
    checks = {"correct_contains": ["friday"], "response_not_matches": [r"\bon monday"], "should_read": ["docs/"]}
    assert tried("right", "On Friday.", **checks) == (Outcome.PASSED, [])
    assert tried("wrong", "On Monday, not on Friday.", **checks) == (Outcome.PASSED, [])
    assert tried("negation", "Not on Monday but on Friday.", **checks) == (Outcome.FAILED, ["response_not_matches"])
    assert tried("right", "On\nMonday", **checks) == (Outcome.FAILED, ["correct_contains"])
    let_through = ["correct_contains", "response_not_matches"]
    assert tried("wrong", "Never on Friday.", **checks) == (Outcome.FAILED, let_through)
    assert tried("wrong", "anything", should_read=["docs/"]) == (Outcome.FAILED, [])


def test_a_check_that_cannot_tell_is_no_pass() -> None:
    slow = {"correct_matches": ["(a+)+$"]}
    assert tried("right", "a" * 40 + "b", **slow) == (Outcome.UNMEASURED, ["correct_matches"])
    assert tried("wrong", "x", correct_matches=["("]) == (Outcome.UNMEASURED, ["correct_matches"])


def test_what_is_amiss_is_a_problem_at_the_samples() -> None:
    (audit,) = corpus('    correct_contains: ["a  b"]\n    samples: {right: ["a b"], wrong: [no]}\n').audits
    (problem,) = misjudged(audit)
    assert (problem.position.line, problem.message) == (7, "right sample 1 is failed by correct_contains 'a  b'")


@pytest.mark.parametrize(
    ("samples", "told"),
    [
        ("[a]", "`samples` must be a mapping, not a list"),
        ("{right: yes it is}", "`samples` entry 'right' must be a list, not a single text"),
        ("{rihgt: [a]}", "'right', 'wrong' or 'negation'"),
        ("{wrong: [1]}", "must be text, not the number 1"),
    ],
)
def test_a_wrong_shape_is_told_where_it_stands(samples: str, told: str) -> None:
    read = corpus(f"    samples: {samples}\n")
    (problem,) = read.problems
    assert read.audits == ()
    assert told in problem.message
    assert (problem.position.line, problem.position.column, problem.severity) == (6, 5, "error")


def test_an_edited_pattern_wants_samples() -> None:
    recorded = corpus("    correct_matches: [friday]\n")
    edited = corpus("    correct_matches: ['friday|fridays']\n")
    (problem,) = unsampled(edited, recorded)
    assert (problem.code, problem.position.line, problem.audit_id) == ("no-samples", 6, "oil")
    assert unsampled(edited, edited) == ()
    assert len(unsampled(edited, Corpus(file="audits/a.yaml"))) == 1
    assert unsampled(corpus("    correct_matches: ['x']\n    samples: {right: [x]}\n"), recorded) == ()
    assert unsampled(corpus(), recorded) == ()


def test_what_is_said_is_what_the_checks_read() -> None:
    assert said(Audit(id="a", prompt="?"), spoken("  Friday \n")) == "Friday"
