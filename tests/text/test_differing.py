"""Where two texts differ: what is left without the spans is the same in both, and words are told whole."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.text import differing as module
from workbench.text.differing import differing

texts = st.lists(st.sampled_from(["inbox", "memo ", " ", "\n", "naïve", ".", "a-b", "日本"]), max_size=40).map("".join)


def without(text: str, spans: tuple[tuple[int, int], ...]) -> str:
    for start, end in reversed(spans):
        assert start < end
        text = text[:start] + text[end:]
    return text


@given(texts, texts)
def test_what_is_outside_the_spans_stands_in_both(before: str, after: str) -> None:
    gone, came = differing(before, after)
    assert without(before, gone) == without(after, came)
    assert (not gone and not came) is (before == after)


def test_words_are_told_whole_and_runs_of_them_as_one() -> None:
    before, after = "Notes lie in the old folder.", "Notes lie in _content/inbox today."
    gone, came = differing(before, after)
    assert [before[a:b] for a, b in gone] == ["the old folder"]
    assert [after[a:b] for a, b in came] == ["_content/inbox today"]


def test_what_is_too_much_for_words_is_told_by_lines_or_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    before, after = "one two\nthree four\n", "one two\nthree five\n"
    monkeypatch.setattr(module, "_MOST", 10)
    assert differing(before, after) == (((8, 19),), ((8, 19),))
    monkeypatch.setattr(module, "_MOST", 1)
    assert differing(before, after) == (((0, 19),), ((0, 19),))


def test_an_agent_that_says_the_same_over_and_over_keeps_nobody_waiting() -> None:
    before, after = "the cat sat on the mat. " * 150, "the cat sat on a mat! " * 150
    began = time.process_time()
    gone, came = differing(before, after)
    assert time.process_time() - began < 2
    assert without(before, gone) == without(after, came)
    assert differing(before, before) == ((), ())
