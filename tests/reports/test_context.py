"""Context is told in rounded thousands, with what is estimated marked and nothing compared that was not measured."""

import pytest

from workbench.insight.context import ContextUse
from workbench.reports.context import baselines, delta, told


@pytest.mark.parametrize(
    ("use", "words"),
    [
        (ContextUse(18_249, 19_400, 3, estimated=False), "18k → 19k (+1.2k over 3 turns)"),
        (ContextUse(1_250, 1_250, 1, estimated=True), "1.3k est."),
        (ContextUse(950, 9_960, 2, estimated=True), "950 → 10k est. (+9.0k over 2 turns)"),
    ],
)
def test_a_trial_is_told_in_a_line(use: ContextUse, words: str) -> None:
    assert told(use) == words


def test_a_change_is_told_from_a_thousand_on() -> None:
    assert [delta(18_000, before) for before in (None, 18_000, 17_001, 16_000, 20_500)] == [
        "—",
        "~0",
        "~0 (+999)",
        "+2.0k",
        "−2.5k",
    ]


def test_the_highest_baseline_comes_first() -> None:
    low, high = (ContextUse(size, size, 1, estimated=False) for size in (5, 6))
    assert [key for key, _ in baselines([("b", low), ("a", low), ("c", high)])] == ["c", "a", "b"]
