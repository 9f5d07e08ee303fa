"""What came out both ways is named with k of n; one that has no verdict beside its passes is not."""

from workbench.checks.records import Outcome, Verdict
from workbench.engines.protocol import Ending
from workbench.grading.records import Assessment
from workbench.insight.flaky import flaky
from workbench.insight.standing import Asked
from workbench.runs.records import Trial, TrialFinished

P, F, U = Outcome.PASSED, Outcome.FAILED, Outcome.UNMEASURED


def asked(name: str, outcomes: list[Outcome], human: str = "") -> list[Asked]:
    said = (Assessment.model_validate({"trial": name, "grader": "Ada", "at": "", "verdict": human}),) if human else ()
    found = []
    for number, outcome in enumerate(outcomes, 1):
        trial = Trial(audit_id=name, file="a.yaml", repetition=number)
        finished = TrialFinished(trial=trial.key, at="", ending=Ending(), verdict=Verdict(outcome=outcome))
        found.append(Asked(trial, finished, said if number == 1 else ()))
    return found


def test_only_what_passed_and_failed_is_flaky() -> None:
    trials = [*asked("inbox", [P, F, P]), *asked("card", [P, U]), *asked("memo", [F, F]), *asked("rota", [F])]
    assert flaky(trials) == ("inbox 2/3 (21–94 %)",)
    assert flaky(asked("card", [P, F], human="fail")) == ()
    assert flaky(asked("card", [F, F], human="pass")) == ("card 1/2 (9–91 %)",)
