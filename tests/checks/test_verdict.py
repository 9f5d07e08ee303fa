"""What a trial's results come to together."""

import pytest

from workbench.checks.records import CheckResult, Outcome, Verdict
from workbench.checks.verdict import conclude
from workbench.traces.reasons import Reason


@pytest.mark.parametrize(
    ("outcomes", "ended", "verdict"),
    [
        ("", None, "unjudged"),
        ("pp", None, "passed"),
        ("pfp", None, "failed"),
        ("pu", None, "unmeasured(no_tool)"),
        ("uf", None, "failed"),
        ("", Reason.CRASHED, "unmeasured(crashed)"),
        ("pp", Reason.TURN_LIMIT, "unmeasured(turn_limit)"),
        ("ff", Reason.TURN_LIMIT, "unmeasured(turn_limit)"),
    ],
)
def test_a_verdict_never_says_more_than_was_measured(outcomes: str, ended: Reason | None, verdict: str) -> None:
    words = {"p": Outcome.PASSED, "f": Outcome.FAILED, "u": Outcome.UNMEASURED}
    results = [
        CheckResult(kind="k", target="t", outcome=words[o], reason=Reason.NO_TOOL if o == "u" else None)
        for o in outcomes
    ]
    assert str(conclude(results, ended)) == verdict


def test_the_detail_of_an_ending_is_kept() -> None:
    verdict = conclude((), Reason.TIMED_OUT, "after 3 s")
    assert verdict == Verdict(outcome=Outcome.UNMEASURED, reason=Reason.TIMED_OUT, detail="after 3 s")
