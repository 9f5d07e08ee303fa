"""Which verdicts changed between two askings of the same trials."""

from collections.abc import Mapping
from dataclasses import dataclass

from workbench.checks.records import Outcome, Verdict


@dataclass(frozen=True, slots=True)
class Flip:
    """One trial whose outcome differs between two sets of verdicts."""

    trial: str
    before: Verdict
    after: Verdict

    @property
    def fixed(self) -> bool:
        """Whether it passes now."""
        return self.after.outcome is Outcome.PASSED

    @property
    def broken(self) -> bool:
        """Whether it fails now."""
        return self.after.outcome is Outcome.FAILED

    def __str__(self) -> str:
        return f"{self.trial} {_NOW[self.after.outcome]}" + (f" ({self.after.reason})" if self.after.reason else "")


_NOW = {
    Outcome.PASSED: "now passes",
    Outcome.FAILED: "now fails",
    Outcome.UNMEASURED: "now unmeasured",
    Outcome.UNJUDGED: "now unjudged",
}


def compare(before: Mapping[str, Verdict], after: Mapping[str, Verdict]) -> tuple[Flip, ...]:
    """Return the flips between two verdict tables, trial key → verdict, in the order of `after`.

    Only trials in both tables are compared: a trial that was never asked before has not flipped.
    A changed reason of the same outcome is no flip.
    """
    return tuple(
        Flip(trial, before[trial], verdict)
        for trial, verdict in after.items()
        if trial in before and before[trial].outcome is not verdict.outcome
    )
