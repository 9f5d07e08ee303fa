"""How trials stand once the humans' verdicts are counted with the checks'."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from workbench.checks.records import Outcome, Verdict
from workbench.grading.records import Assessment
from workbench.runs.records import Trial, TrialFinished


@dataclass(frozen=True, slots=True)
class Asked:
    """One finished trial with what humans said of it."""

    trial: Trial
    finished: TrialFinished
    assessments: tuple[Assessment, ...] = ()
    """The latest of each grader, oldest save first."""

    @property
    def human(self) -> Assessment | None:
        """The assessment saved last that holds a verdict; None while no human has given one."""
        return next((a for a in reversed(self.assessments) if a.verdict), None)

    @property
    def outcome(self) -> Outcome | None:
        """What it counts as: the human's verdict if there is one, else the checks'; None when the human is unsure."""
        if self.human is None:
            return self.finished.verdict.outcome
        return _HUMAN[self.human.verdict]


_HUMAN = {"pass": Outcome.PASSED, "fail": Outcome.FAILED, "unsure": None}


@dataclass(frozen=True, slots=True)
class Standing:
    """Counts of trials; only passed and failed ones are measured, the rest is told apart."""

    passed: int = 0
    measured: int = 0
    human: int = 0
    """How many of the measured verdicts are a human's; the others are the checks'."""
    unsure: int = 0
    unmeasured: tuple[tuple[str, int], ...] = ()
    """Reason → trials, most frequent first."""
    unjudged: int = 0

    def __str__(self) -> str:
        apart = "; ".join(self.apart())
        return f"{self.passed}/{self.measured} pass" + (f" ({apart})" if apart else "")

    def apart(self) -> tuple[str, ...]:
        """What belongs beside `k/n`: whose the verdicts are, and every trial that is not in `n`."""
        parts: list[str] = []
        if self.human:
            parts.append(f"verdicts: {self.human} human, {self.measured - self.human} checks")
        if self.unmeasured:
            parts.append(f"{sum(n for _, n in self.unmeasured)} unmeasured: {_tell(self.unmeasured)}")
        if self.unjudged:
            parts.append(f"{self.unjudged} unjudged")
        if self.unsure:
            parts.append(f"{self.unsure} unsure")
        return tuple(parts)


def count(asked: Iterable[Asked]) -> Standing:
    """Count trials by what they stand for."""
    every = tuple(asked)
    outcomes = Counter(one.outcome for one in every)
    reasons = Counter(_reason(one.finished.verdict) for one in every if one.outcome is Outcome.UNMEASURED)
    measured = {Outcome.PASSED, Outcome.FAILED}
    return Standing(
        passed=outcomes[Outcome.PASSED],
        measured=outcomes[Outcome.PASSED] + outcomes[Outcome.FAILED],
        human=sum(one.human is not None and one.outcome in measured for one in every),
        unsure=outcomes[None],
        unmeasured=tuple(reasons.most_common()),
        unjudged=outcomes[Outcome.UNJUDGED],
    )


def causes(asked: Iterable[Asked]) -> tuple[tuple[str, int], ...]:
    """Count the causes humans gave, most frequent first; one a trial, the one saved last."""
    given = (next((a.cause for a in reversed(one.assessments) if a.cause), "") for one in asked)
    return tuple(Counter(cause for cause in given if cause).most_common())


def _reason(verdict: Verdict) -> str:
    return str(verdict.reason) if verdict.reason else "no reason given"


def _tell(counts: tuple[tuple[str, int], ...]) -> str:
    if len(counts) == 1:
        return counts[0][0]
    return ", ".join(f"{name} {n}" for name, n in counts)
