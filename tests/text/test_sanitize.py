"""Whatever an agent, a tool or a file says stays text."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.text.sanitize import clean, clean_line

ANY_TEXT = st.text(st.characters(codec=None, categories=None) | st.sampled_from("\x1b\x07\x9b\r\n\t\x7f\u202e\ud800"))


@pytest.mark.parametrize(
    ("dirty", "expected"),
    [
        ("\x1b]0;title\x07", "␛]0;title␇"),
        ("\x9b31m", "\ufffd31m"),
        ("a\x7fb", "a␡b"),
        ("one\r\ntwo\rthree\n\tfour", "one\ntwo\nthree\n\tfour"),
        ("abc\u202edef\u2066", "abc\ufffddef\ufffd"),
        ("torn \ud83d", "torn \ufffd"),
        ("naïve 漢字 😀 “quoted”", "naïve 漢字 😀 “quoted”"),
    ],
)
def test_clean(dirty: str, expected: str) -> None:
    assert clean(dirty) == expected


@given(ANY_TEXT)
def test_nothing_that_controls_a_terminal_survives(text: str) -> None:
    cleaned = clean(text)
    assert clean(cleaned) == cleaned
    assert not [c for c in cleaned if unicodedata.category(c) in ("Cc", "Cs") and c not in "\t\n"]
    assert not [c for c in cleaned if unicodedata.bidirectional(c) in ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "FSI")]
    cleaned.encode("utf-8")


@given(ANY_TEXT, st.integers(1, 40))
def test_a_line_is_one_line_and_no_longer_than_asked(text: str, limit: int) -> None:
    line = clean_line(text, limit)
    assert len(line) <= limit
    assert len(line.splitlines()) <= 1


def test_a_cut_line_says_so() -> None:
    assert clean_line("one\n two\tthree", 20) == "one two three"
    assert clean_line("one two three", 8) == "one two…"
    assert clean_line("x" * 10_000_000, 5) == "xxxx…"
    assert clean_line(" " * 5000 + "late", 5).endswith("…")
