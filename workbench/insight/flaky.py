"""Audits that were asked several times and came out both ways."""

from collections.abc import Iterable

from workbench.insight.interval import wilson
from workbench.insight.standing import Asked, count
from workbench.runs.records import Trial


def asked_of(trial: Trial) -> str:
    """The audit a trial asked, with its variant where it has one, whichever repetition it is."""
    return trial.model_copy(update={"repetition": 1}).key


def flaky(trials: Iterable[Asked]) -> tuple[str, ...]:
    """`inbox-place 2/3 (21–94 %)` for each audit that was seen to pass and to fail, in the order they were asked."""
    by_audit: dict[str, list[Asked]] = {}
    for one in trials:
        by_audit.setdefault(asked_of(one.trial), []).append(one)
    standings = {name: count(asked) for name, asked in by_audit.items()}
    return tuple(
        f"{name} {found.passed}/{found.measured} ({wilson(found.passed, found.measured)})"
        for name, found in standings.items()
        if 0 < found.passed < found.measured
    )
