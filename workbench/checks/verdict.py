"""What a trial's checks say together."""

from collections.abc import Sequence

from workbench.checks.records import CheckResult, Outcome, Verdict
from workbench.traces.reasons import Reason


def conclude(results: Sequence[CheckResult], ended: Reason | None, detail: str = "") -> Verdict:
    """The verdict of a trial.

    One that was cut short is unmeasured, whatever its checks say of the part there is. Without checks there is
    nothing to go by. One failure fails it; one check that could not be made leaves it unmeasured.
    """
    if ended is not None:
        return Verdict(outcome=Outcome.UNMEASURED, reason=ended, detail=detail)
    if not results:
        return Verdict(outcome=Outcome.UNJUDGED, detail=detail or "the audit has no checks")
    if any(result.outcome is Outcome.FAILED for result in results):
        return Verdict(outcome=Outcome.FAILED, detail=detail)
    for result in results:
        if result.outcome is not Outcome.PASSED:
            return Verdict(outcome=Outcome.UNMEASURED, reason=result.reason, detail=detail or result.detail)
    return Verdict(outcome=Outcome.PASSED, detail=detail)
