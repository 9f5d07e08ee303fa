"""Wilson's interval: within 0 and 1, around the share, narrower with more trials, and what it says of a few."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.insight.interval import Interval, wilson

counts = st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


def interval(passed: int, measured: int) -> Interval:
    found = wilson(passed, measured)
    assert found is not None
    return found


@given(counts)
def test_it_holds_the_share_and_stays_between_none_and_all(count: tuple[int, int]) -> None:
    passed, measured = count
    found = interval(passed, measured)
    assert 0 <= found.low <= passed / measured <= found.high <= 1
    assert (found.low == 0) is (passed == 0)
    assert (found.high == 1) is (passed == measured)


@given(counts)
def test_it_is_the_same_seen_from_the_failures(count: tuple[int, int]) -> None:
    passed, measured = count
    ours, theirs = interval(passed, measured), interval(measured - passed, measured)
    assert (ours.low, ours.high) == pytest.approx((1 - theirs.high, 1 - theirs.low))


@given(counts, st.integers(2, 20))
def test_more_trials_of_the_same_share_say_more(count: tuple[int, int], times: int) -> None:
    few, many = interval(*count), interval(count[0] * times, count[1] * times)
    assert many.high - many.low < few.high - few.low


@given(counts, counts)
def test_apart_is_mutual_and_never_so_of_equal_shares(one: tuple[int, int], other: tuple[int, int]) -> None:
    ours, theirs = interval(*one), interval(*other)
    assert ours.apart(theirs) is theirs.apart(ours)
    assert not ours.apart(ours)
    if ours.apart(theirs):
        assert one[0] / one[1] != other[0] / other[1]


def test_known_values() -> None:
    assert (interval(5, 5).low, interval(5, 5).high) == pytest.approx((0.5655, 1), abs=1e-4)
    assert (interval(8, 10).low, interval(8, 10).high) == pytest.approx((0.4902, 0.9433), abs=1e-4)
    assert str(interval(8, 10)) == "49–94 %"
    assert interval(5, 5).apart(interval(0, 5))
    assert not interval(5, 5).apart(interval(1, 5))
    assert wilson(0, 0) is None
    with pytest.raises(ValueError, match="3 of 2"):
        wilson(3, 2)
