"""Trials of one audit in lanes of their engine and model."""

from workbench.checks.records import Outcome
from workbench.insight.trend import Point, bars, lanes


def point(number: int, outcome: Outcome | None, initial: int = 0, engine: str = "reader", **more: bool) -> Point:
    return Point(f"run-{number}", "a", f"2026-11-{number:02}", engine, "", outcome, initial=initial, **more)


def test_a_lane_shows_verdicts_over_context() -> None:
    (lane,) = lanes(
        [
            point(3, Outcome.UNMEASURED),
            point(1, Outcome.PASSED, 1000, human=True),
            point(2, Outcome.FAILED, 3000, estimated=True),
            point(4, None, 2000),
            point(5, Outcome.UNJUDGED, 1000),
        ]
    )
    assert lane.strip == "✓✗??–"
    assert lane.sparkline == "▁█·▄▁"
    assert lane.course == (1000, 1000)
    assert lane.estimated
    assert lane.human == 1
    assert (lane.last(2).strip, lane.last(2).estimated) == ("?–", False)


def test_engines_are_never_joined() -> None:
    found = lanes([point(1, Outcome.PASSED, 10), point(2, Outcome.FAILED, 90_000, "claude"), point(3, None, 12)])
    assert [(lane.engine, lane.strip) for lane in found] == [("reader", "✓?"), ("claude", "✗")]
    assert [lane.sparkline for lane in found] == ["▁█", "▁"]


def test_what_nobody_counted_is_a_gap_and_no_zero() -> None:
    assert bars([0, 5, 5, 0]) == "·▁▁·"
    assert bars([]) == ""
