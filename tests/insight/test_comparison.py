"""Comparing two sides: mirrored when they are swapped, careful with few trials, fair about what is missing."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.checks.records import CheckResult, Outcome, Verdict
from workbench.corpus.records import Audit
from workbench.engines.protocol import Ending
from workbench.grading.records import Assessment
from workbench.insight.comparison import COMPARED, ENOUGH, Comparison, Kind, Row, compare
from workbench.insight.context import ContextUse
from workbench.insight.loosening import change
from workbench.insight.sides import Side, Tried, spent, stand
from workbench.insight.standing import Asked
from workbench.runs.records import Trial, TrialFinished
from workbench.traces.reasons import Reason

P, F, U, N = Outcome.PASSED, Outcome.FAILED, Outcome.UNMEASURED, Outcome.UNJUDGED
ASKED = Audit(id="inbox", prompt="Where?", file="a.yaml", checks={"correct_contains": ["inbox/", "memo"]})


def tried(
    outcome: Outcome,
    *,
    level: str = "",
    human: str = "",
    open_: bool = False,
    tokens: int = 0,
    name: str = "inbox",
    checks: tuple[CheckResult, ...] = (),
) -> Tried:
    reason = Reason.TURN_LIMIT if outcome is U else None
    finished = TrialFinished(
        trial=name, at="", ending=Ending(), verdict=Verdict(outcome=outcome, reason=reason), checks=checks
    )
    said = (Assessment.model_validate({"trial": name, "grader": "Ada", "at": "", "verdict": human}),) if human else ()
    use = ContextUse(tokens, tokens, 1, False) if tokens else None
    asked = Asked(Trial(audit_id=name, file="a.yaml", section="S"), finished, said)
    return Tried(asked, reply="In the inbox.", observed=level, open=open_, use=use)


def side(tries: Sequence[Tried], audit: Audit | None = ASKED, name: str = "inbox") -> Side:
    return Side({name: tries} if tries else {}, {name: audit} if audit else {})


def row(a: Side, b: Side) -> Row:
    (found,) = compare(a, b).rows
    return found


def kind(a: Sequence[Outcome], b: Sequence[Outcome]) -> Kind:
    return row(side([tried(one) for one in a]), side([tried(one) for one in b])).kind


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ([F], [P], "fixed"),
        ([P, P], [F], "broken"),
        ([P, F], [P], "more"),
        ([P, P, F], [P, F, F], "less"),
        ([P, F], [F, P, P, F], "unchanged"),
        ([P], [], "only_a"),
        ([], [F], "only_b"),
        ([P], [U], "unmeasured"),
        ([U, N], [N], "unmeasured"),
        ([N], [N], "unjudged"),
        ([P, U], [F], "broken"),
    ],
)
def test_what_came_of_an_audit(a: list[Outcome], b: list[Outcome], expected: str) -> None:
    assert kind(a, b) == expected


outcomes = st.lists(st.sampled_from([P, F, U, N]), max_size=12)
definitions = st.sampled_from(
    [
        None,
        ASKED,
        ASKED.model_copy(update={"checks": {"correct_contains": ["inbox/"]}}),
        ASKED.model_copy(update={"prompt": "Which folder?"}),
    ]
)
sides = st.builds(
    lambda found, audit: side([tried(one) for one in found], audit), outcomes.filter(bool), definitions
) | st.just(Side({}, {}))
_MIRRORED: dict[Kind, Kind] = {
    "broken": "fixed",
    "fixed": "broken",
    "less": "more",
    "more": "less",
    "only_a": "only_b",
    "only_b": "only_a",
    "loosened": "tightened",
    "tightened": "loosened",
}


@given(sides, sides)
def test_swapping_the_sides_tells_the_mirror_image(a: Side, b: Side) -> None:
    there, back = compare(a, b), compare(b, a)
    assert {_MIRRORED.get(one.kind, one.kind) for one in there.rows} == {one.kind for one in back.rows}
    assert [one.beyond_chance for one in there.rows] == [one.beyond_chance for one in back.rows]
    assert there.totals == back.totals[::-1]


@given(sides, sides)
def test_nothing_is_a_regression_below_the_number_nor_what_is_missing_failed(a: Side, b: Side) -> None:
    found = compare(a, b)
    for one in found.rows:
        measured = [half.standing.measured if half else 0 for half in (one.a, one.b)]
        if min(measured) < ENOUGH:
            assert "regression" not in one.told
            assert "improvement" not in one.told
        if not all(measured):
            assert one.kind not in COMPARED
    total = sum(half.standing.measured for one in found.rows if one.kind in COMPARED for half in (one.a, one.b) if half)
    assert sum(half.measured for half in found.totals) == total
    assert len(found.rows) == sum(found.counts.values())


def test_enough_trials_are_spoken_of_and_fewer_say_how_many_are_lacking() -> None:
    few = compare(side([tried(P)] * 3), side([tried(F)] * 3))
    assert few.rows[0].told == "broken"
    assert few.rule == "3 trials a side: too few to speak of a regression or an improvement (5 needed)"
    enough = compare(side([tried(P)] * 5), side([tried(F)] * 5))
    assert enough.rows[0].told == "broken: regression"
    assert enough.regressions == enough.rows
    assert row(side([tried(P)] * 5), side([tried(P)] + [tried(F)] * 4)).told == "passes less often"
    assert row(side([tried(F)] * 8), side([tried(P)] * 7 + [tried(F)])).told == "passes more often: improvement"
    assert compare(side([]), side([tried(P)])).rule == "nothing was measured on both sides"


@pytest.mark.parametrize(
    ("before", "after", "bent"),
    [
        ({"correct_contains": ["inbox/", "memo"]}, {"correct_contains": ["inbox/"]}, "loosened"),
        ({"correct_contains": ["inbox/"]}, {"correct_contains": ["inbox/", "memo"]}, "tightened"),
        ({"correct_contains": ["_content/inbox"]}, {"correct_contains": ["inbox"]}, "loosened"),
        ({"correct_contains": ["inbox"]}, {"correct_contains": ["_content/Inbox"]}, "tightened"),
        ({"correct_contains": ["inbox"]}, {"correct_contains_any": ["inbox", "memo"]}, "loosened"),
        ({"correct_contains_any": ["inbox"]}, {"correct_contains_any": ["inbox", "memo"]}, "loosened"),
        ({"correct_contains_any": ["inbox", "memo"]}, {"correct_contains_any": ["memo"]}, "tightened"),
        ({"correct_contains_any": ["inbox", "memo"]}, {"correct_contains_any": ["memo", "inbox"]}, ""),
        ({"correct_matches": ["in.ox"]}, {"correct_matches": ["in\\w+"]}, "loosened"),
        ({"response_not_contains": ["old"]}, {"response_not_contains": ["docs/old/"]}, "loosened"),
        ({"response_not_contains": ["docs/old/"]}, {"response_not_contains": ["old"]}, "tightened"),
        ({"should_read": ["docs/cards.md"]}, {"should_read_any": ["docs/cards.md", "AGENTS.md"]}, "loosened"),
        ({"should_search": "web"}, {"should_search": "any"}, "loosened"),
        ({"cards_not_under": ["docs/"]}, {"cards_not_under": ["docs/old/"]}, "loosened"),
        ({"correct_contains": ["a"]}, {"correct_contains": ["a"], "final_reply": True}, "loosened"),
        ({"correct_contains": ["a"]}, {}, "loosened"),
    ],
)
def test_checks_that_ask_for_less_are_told(before: dict[str, Any], after: dict[str, Any], bent: str) -> None:
    ours, theirs = (ASKED.model_copy(update={"checks": checks}) for checks in (before, after))
    found = change(ours, theirs)
    assert found.bent == bent
    assert bool(found.told) is bool(bent)
    # Loosened checks turn nothing into a success, and tightened ones nothing into a failure.
    for outcomes_ in (([F], [P]), ([P], [F])):
        told = row(side([tried(o) for o in outcomes_[0]], ours), side([tried(o) for o in outcomes_[1]], theirs))
        assert told.kind == (bent or ("fixed" if outcomes_[1] == [P] else "broken"))


def test_what_is_asked_otherwise_is_apart_and_notes_are_no_difference() -> None:
    noted = ASKED.model_copy(update={"notes": "seen", "tags": ("nav",), "watch_for": "x"})
    assert row(side([tried(F)]), side([tried(P)], noted)).kind == "fixed"
    asked = row(side([tried(F)]), side([tried(P)], ASKED.model_copy(update={"prompt": "Which?"})))
    assert (asked.kind, asked.change.told) == ("edited", ("asked otherwise: prompt",))


def test_where_a_definition_is_gone_the_results_tell_what_was_demanded() -> None:
    def judged(outcome: Outcome, *targets: str) -> Tried:
        return tried(outcome, checks=tuple(CheckResult(kind="correct_contains", target=t, outcome=P) for t in targets))

    loosened = row(side([judged(F, "inbox/", "memo")], None), side([judged(P, "memo")]))
    assert (loosened.kind, loosened.change.told) == ("loosened", ("no longer: correct_contains inbox/",))
    assert row(side([judged(F, "memo")], None), side([judged(P, "memo")])).kind == "fixed"


def test_a_human_verdict_counts_and_an_unsure_one_is_no_failure() -> None:
    assert row(side([tried(F, human="pass")]), side([tried(F)])).kind == "broken"
    unsure = row(side([tried(P)]), side([tried(F, human="unsure")]))
    assert (unsure.kind, unsure.b and unsure.b.standing.unsure) == ("unmeasured", 1)


def test_levels_move_but_are_shown_only_where_a_human_saved_one() -> None:
    a = side([tried(P, level="knows_directly", open_=True)] * 2 + [tried(P, level="discoverable")])
    found = row(a, side([tried(P, level="discoverable")]))
    assert found.kind == "moved"
    assert found.a is not None
    assert found.b is not None
    assert (found.a.shown_level, found.b.shown_level) == ("knows_directly", "")
    assert row(a, side([tried(P)])).kind == "unchanged"  # acts that show nothing have moved nowhere


def test_context_that_nobody_counted_is_not_zero() -> None:
    counted = side([tried(P, tokens=1000), tried(P, tokens=2000), tried(P)])
    assert row(counted, side([tried(P, tokens=2500)])).grown == 1000
    assert row(counted, side([tried(P)])).grown is None


def test_what_differs_comes_first_and_totals_leave_out_what_is_not_compared() -> None:
    def named(found: dict[str, Outcome]) -> Side:
        return Side({name: (tried(outcome, name=name),) for name, outcome in found.items()}, {})

    found: Comparison = compare(named({"a": P, "b": P, "c": F, "d": U}), named({"a": P, "b": F, "d": P, "e": F}))
    assert [(one.name, one.kind) for one in found.rows] == [
        ("b", "broken"),
        ("c", "only_a"),
        ("e", "only_b"),
        ("d", "unmeasured"),
        ("a", "unchanged"),
    ]
    assert [(total.passed, total.measured) for total in found.totals] == [(2, 2), (1, 2)]
    assert found.excluded == {"only_a": 1, "only_b": 1, "unmeasured": 1}


def test_what_nobody_can_tell_the_cost_of_is_counted_apart() -> None:
    def costing(usd: float | None) -> Tried:
        one = tried(P)
        finished = one.asked.finished.model_copy(update={"ending": Ending(cost_usd=usd), "turns": 2})
        return replace(one, asked=replace(one.asked, finished=finished))

    dear, dark = stand([costing(0.25), costing(None)]), stand([costing(None)])
    assert spent([dear, None, dark]).cost == "$0.25; cost of 2 trials unknown"
    assert spent([dark]).cost == "cost of 1 trial unknown"
    assert dark.usd is None
    assert spent([]).cost == ""
