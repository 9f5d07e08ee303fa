"""A line of commits is searched until the change is found: always right for a steady answer, else as often as said."""

import random
from collections.abc import Collection

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.insight.bisection import ERROR, MOST, Alike, Ask, Count, Found, advise, forecast

Chances = tuple[float, float]
"""How probable it is that a trial passes before the change, and after it."""


def search(
    points: int,
    flip: int,
    chances: Chances,
    *,
    steady: bool = False,
    skipped: Collection[int] = (),
    rng: random.Random | None = None,
) -> tuple[Found | Alike, list[Count]]:
    """Ask a line of which point `flip` is the first after the change, until something is told."""
    rng, most = rng or random.Random(0), forecast(points, steady=steady)[1]
    counts = [Count()] * points
    while True:
        left = most - sum(count.measured for count in counts)
        assert left >= 0
        advice = advise(counts, skipped, steady=steady, left=left)
        if not isinstance(advice, Ask):
            return advice, counts
        assert advice.point not in skipped
        assert 0 < advice.trials <= left
        passed = sum(rng.random() < chances[advice.point >= flip] for _ in range(advice.trials))
        known = counts[advice.point]
        counts[advice.point] = Count(known.passed + passed, known.measured + advice.trials)
        assert counts[advice.point].measured <= MOST


@settings(deadline=None)
@given(st.data(), st.integers(2, 300), st.booleans(), st.booleans())
def test_a_deterministic_answer_is_always_found(data: st.DataObject, points: int, taught: bool, steady: bool) -> None:
    """Lost or taught, whether or not one knows beforehand that the engine is steady, which saves trials."""
    flip = data.draw(st.integers(1, points - 1))
    chances = (0.0, 1.0) if taught else (1.0, 0.0)
    found, counts = search(points, flip, chances, steady=steady)
    assert isinstance(found, Found)
    assert (found.last_like_start, found.first_like_end) == (flip - 1, flip)
    assert found.sure >= 1 - ERROR
    usually, most = forecast(points, steady=steady)
    asked = sum(count.measured for count in counts)
    assert asked <= (usually if steady else min(most, 2 * usually))
    assert max(count.measured for count in counts) == 1 or not steady


@settings(deadline=None)
@given(st.data(), st.integers(3, 60))
def test_what_cannot_be_measured_widens_the_answer_and_never_falsifies_it(data: st.DataObject, points: int) -> None:
    """The range told holds the change, begins and ends at measured points, and has nothing measurable inside."""
    flip = data.draw(st.integers(1, points - 1))
    skipped = data.draw(st.frozensets(st.integers(1, points - 2)))
    found, _ = search(points, flip, (1.0, 0.0), steady=True, skipped=skipped)
    assert isinstance(found, Found)
    assert found.last_like_start < flip <= found.first_like_end
    assert set(range(found.last_like_start + 1, found.first_like_end)) <= skipped
    assert not {found.last_like_start, found.first_like_end} & skipped


_FLAKY = ((1.0, 0.0), (0.95, 0.1), (0.9, 0.2), (0.2, 1.0), (0.75, 0.25), (0.6, 0.95))


@pytest.mark.parametrize("kinds", [_FLAKY, None], ids=["some", "any"])
def test_a_flaky_answer_is_told_wrongly_no_more_often_than_stated(kinds: tuple[Chances, ...] | None) -> None:
    """Of many searches; a range is right where it holds the change, and ends that look alike tell nothing."""
    rng, told, wrong = random.Random(20261130), 0, 0
    for _ in range(800):
        points = rng.randint(3, 20)
        flip = rng.randint(1, points - 1)
        chances = rng.choice(kinds) if kinds else (rng.random(), rng.random())
        found, _ = search(points, flip, chances, rng=rng)
        if isinstance(found, Found):
            told += 1
            wrong += not found.last_like_start < flip <= found.first_like_end
    assert told > 200
    assert wrong <= ERROR * told


@pytest.mark.parametrize("chance", [0.0, 0.5, 1.0])
def test_ends_that_are_alike_are_hardly_ever_called_different(chance: float) -> None:
    """Nothing was lost, so no commit may be blamed."""
    rng = random.Random(7)
    found = [search(9, 4, (chance, chance), rng=rng)[0] for _ in range(200)]
    assert sum(isinstance(one, Found) for one in found) <= 2 * ERROR * len(found)
    steady, counts = search(9, 4, (chance, chance), steady=True)
    if chance != 0.5:
        assert isinstance(steady, Alike)
        assert sum(count.measured for count in counts) == 2


def test_a_flaky_end_is_asked_more_and_so_is_each_step() -> None:
    """Four of four against none of four is enough; three of four is not."""
    clear, flaky, none = Count(4, 4), Count(3, 4), Count(0, 4)
    first = advise([clear, Count(), none])
    assert isinstance(first, Ask)
    assert first.point == 1
    assert advise([flaky, Count(), none]) == Ask(0, 2)
    assert advise([clear, Count(), clear]) == Alike()
    more = advise([Count(8, 12), Count(), Count(0, 8)])
    assert isinstance(more, Ask)
    assert more.point == 1
    assert more.trials > first.trials


def test_no_more_is_asked_than_is_left() -> None:
    """What is known then is told, be it a range."""
    counts = [Count(4, 4), Count(), Count(), Count(0, 4)]
    one = advise(counts, left=1)
    assert isinstance(one, Ask)
    assert one.trials == 1
    found = advise(counts, left=0)
    assert isinstance(found, Found)
    assert (found.last_like_start, found.first_like_end) == (0, 3)
    assert advise([Count(2, 2), Count(), Count()], left=0) == Alike()


def test_where_nothing_between_the_ends_can_be_measured_the_whole_line_is_told() -> None:
    """However many intervals there are: that it is not the very last one is likely, and nothing anybody knows."""
    counts = [Count(1, 1), *[Count()] * 19, Count(0, 1)]
    found = advise(counts, range(1, 20), steady=True)
    assert isinstance(found, Found)
    assert (found.last_like_start, found.first_like_end) == (0, 20)
