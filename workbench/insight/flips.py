"""Which verdicts changed between two askings of the same trials."""

from collections.abc import Mapping

from workbench.checks.records import Verdict
from workbench.runs.regrade import Flip


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
