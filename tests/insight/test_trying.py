"""A candidate judges as the check would, and shows where, how nearly, and why not."""

from workbench.checks.records import Outcome
from workbench.corpus.records import Audit
from workbench.insight.trying import Answer, Candidate, attempt, candidates


def test_a_match_is_shown_where_it_stands() -> None:
    (tried,) = attempt(Candidate("correct_matches", r"\bfri\w+"), [Answer("reader", "  It is on Friday.")])
    assert tried.result.outcome is Outcome.PASSED
    assert tried.span is not None
    assert tried.answer.text[slice(*tried.span)] == "Friday"
    (unwanted,) = attempt(Candidate("response_not_contains", "FRIDAY"), [Answer("reader", "On Friday")])
    assert (unwanted.result.outcome, unwanted.span) == (Outcome.FAILED, (3, 9))


def test_near_misses_are_told_of_literals_and_patterns() -> None:
    answers = [Answer("one", "north\n  wall"), Answer("two", "the `north` wall"), Answer("three", "nowhere")]
    literal = [tried.near for tried in attempt(Candidate("correct_contains", "north wall"), answers)]
    pattern = [tried.near for tried in attempt(Candidate("correct_matches", "north wall"), answers)]
    assert literal == pattern
    assert ["line break" in literal[0], "backticks" in literal[1], literal[2]] == [True, True, ""]


def test_a_refused_pattern_says_why_and_a_slow_one_is_given_up() -> None:
    assert "inline flags" in Candidate("correct_matches", "(?i)x").error
    assert Candidate("correct_contains", "(?i)x").error == ""
    slow = attempt(Candidate("correct_matches", "(a+)+$"), [Answer(n, "a" * 40 + "b") for n in "xyz"])
    assert {tried.result.outcome for tried in slow} == {Outcome.UNMEASURED}
    assert [tried.result.detail for tried in slow[1:]] == ["not tried: the pattern is too slow"] * 2


def test_only_good_samples_can_be_amiss() -> None:
    answers = [Answer("right 1", "x", "right"), Answer("wrong 1", "x", "wrong"), Answer("reader", "x")]
    assert [tried.amiss for tried in attempt(Candidate("correct_contains", "y"), answers)] == [True, False, False]


def test_candidates_are_the_items_of_the_text_checks() -> None:
    audit = Audit(
        id="a", prompt="?", checks={"should_read": ["d"], "correct_matches": ["x", 3], "correct_contains": "y"}
    )
    assert candidates(audit) == (Candidate("correct_matches", "x"),)
