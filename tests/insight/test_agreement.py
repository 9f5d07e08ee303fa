"""Agreement: κ by its direct formula where it says something, a reason where it does not, everything else counted."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.checks.records import Outcome, Verdict
from workbench.engines.protocol import Ending
from workbench.grading.records import Assessment
from workbench.insight.agreement import Concord, Graded, agrees, compare, measure
from workbench.insight.standing import Asked
from workbench.runs.records import Trial, TrialFinished
from workbench.traces.reasons import Reason

judgements = st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abc")), max_size=30)


def direct(pairs: Sequence[tuple[str, str]]) -> float:
    """κ as the textbooks have it, in fractions of one."""
    n = len(pairs)
    observed = sum(one == other for one, other in pairs) / n
    ones, others = [one for one, _ in pairs], [other for _, other in pairs]
    chance = sum((ones.count(name) / n) * (others.count(name) / n) for name in "abc")
    return (observed - chance) / (1 - chance)


@given(judgements)
def test_kappa_is_the_direct_formula_or_has_a_reason(pairs: list[tuple[str, str]]) -> None:
    concord = compare(pairs)
    assert concord.n == len(pairs)
    assert concord.same == sum(one == other for one, other in pairs)
    narrow = len({one for one, _ in pairs}) < 2 or len({other for _, other in pairs}) < 2
    assert (concord.kappa is None) is narrow is bool(concord.undefined)
    assert (concord.percent is None) is (not pairs)
    if concord.kappa is not None:
        assert concord.kappa == pytest.approx(direct(pairs))
        assert (concord.kappa == 1) is (concord.same == concord.n)


@pytest.mark.parametrize(
    ("pairs", "told"),
    [
        ([], "nothing was judged by both"),
        ([("pass", "pass")] * 3, "3 of 3 · 100 % · κ undefined: both said nothing but 'pass'"),
        ([("pass", "fail")] * 2, "0 of 2 · 0 % · κ undefined: each said one thing only"),
        ([("pass", "pass"), ("pass", "fail")], "1 of 2 · 50 % · κ undefined: one side said nothing but 'pass'"),
        ([("pass", "pass"), ("fail", "fail"), ("pass", "fail")], "2 of 3 · 67 % · κ 0.40"),
    ],
)
def test_a_comparison_says_what_it_is_worth(pairs: list[tuple[str, str]], told: str) -> None:
    assert str(compare(pairs)) == told


def said(grader: str, verdict: str = "", level: str = "") -> Assessment:
    return Assessment.model_validate({"trial": "t", "grader": grader, "at": "", "verdict": verdict, "level": level})


def trial(outcome: Outcome, *humans: Assessment, observed: str = "") -> Graded:
    reason = Reason.TURN_LIMIT if outcome is Outcome.UNMEASURED else None
    finished = TrialFinished(trial="t", at="", ending=Ending(), verdict=Verdict(outcome=outcome, reason=reason))
    return Graded(Asked(Trial(audit_id="t", file="a.yaml"), finished, humans), observed)


def test_only_yes_and_no_are_compared_and_the_rest_is_counted_apart() -> None:
    found = measure(
        [
            trial(Outcome.PASSED, said("Ada", "pass")),
            trial(Outcome.FAILED, said("Ada", "pass")),
            trial(Outcome.FAILED, said("Ada", "pass"), said("Bo", "fail")),
            trial(Outcome.FAILED, said("Ada", "fail"), said("Bo", level="guessable")),
            trial(Outcome.UNMEASURED, said("Ada", "pass")),
            trial(Outcome.UNJUDGED, said("Ada", "fail")),
            trial(Outcome.PASSED, said("Ada", "unsure")),
            trial(Outcome.PASSED, said("Ada", level="guessable")),
            trial(Outcome.PASSED, said("Ada")),
            trial(Outcome.PASSED),
        ]
    )
    assert found.trials == 8
    assert found.checks == compare([("pass", "pass"), ("pass", "fail"), ("fail", "fail"), ("fail", "fail")])
    assert dict(found.apart) == {"unmeasured": 1, "unjudged": 1, "unsure": 1, "without a human verdict": 1}


def test_graders_are_compared_in_pairs_whoever_saved_first() -> None:
    found = measure(
        [
            trial(Outcome.PASSED, said("Bo", "pass", "guessable"), said("Ada", "fail", "guessable")),
            trial(Outcome.PASSED, said("Ada", "pass", "deducible"), said("Bo", "pass")),
            trial(Outcome.PASSED, said("Ada", "unsure"), said("Bo", "pass"), said("Cy")),
        ]
    )
    (pair,) = found.pairs
    assert (pair.first, pair.second) == ("Ada", "Bo")
    assert pair.verdicts.table == ((("fail", "pass"), 1), (("pass", "pass"), 1))
    assert pair.levels.table == ((("guessable", "guessable"), 1),)


def test_levels_said_are_laid_beside_levels_observed_what_differs_most_first() -> None:
    found = measure(
        [
            *[trial(Outcome.PASSED, said("Ada", level="knows_about"), observed="discoverable")] * 2,
            trial(Outcome.PASSED, said("Ada", level="knows_about"), observed="knows_about"),
            trial(Outcome.PASSED, said("Ada", level="guessable"), observed="knows_directly"),
            trial(Outcome.PASSED, said("Ada", level="deducible"), observed=""),
        ]
    )
    assert found.levels.n == 4
    assert found.unobserved == 1
    assert found.levels.differing == ((("knows_about", "discoverable"), 2), (("guessable", "knows_directly"), 1))


def test_one_trial_agrees_disagrees_or_cannot_tell() -> None:
    assert agrees(said("Ada", "pass"), Outcome.PASSED) is True
    assert agrees(said("Ada", "pass"), Outcome.FAILED) is False
    assert agrees(said("Ada", "unsure"), Outcome.FAILED) is None
    assert agrees(said("Ada", "fail"), Outcome.UNMEASURED) is None
    assert measure([]).checks == Concord()
