"""JavaScript patterns: what the language accepts, where it matches, and that a hostile one costs a second only."""

import os
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.text.patterns import Match, PatternTimeout, compile_error, search


@pytest.mark.parametrize(
    ("pattern", "text", "matched"),
    [
        ("b+", "aBBb", "BBb"),
        (r"\bcard\b", "the CARD.", "CARD"),
        (r"^b", "a\nb", None),
        (r"a$", "a\n", None),
        (r"a.b", "a\nb", None),
        (r"a.b", "a\u2028b", None),
        (r"[^]", "\n", "\n"),
        (r"a{,2}", "a{,2}", "a{,2}"),
        (r"(?<=a+)b", "aab", "b"),
        (r"(?<year>\d{4})-\k<year>", "1999-1999", "1999-1999"),
        (r"\s", "a\u00a0b", "\u00a0"),
        (r"\w", "é", None),
        (r"\d", "٣", None),
        (r"é+", "…ÉÉ", "ÉÉ"),
        (r"k", "\u212a", None),
        (r"x", "😀 x", "x"),
        (r"a.b", "a\ud800b", "a\ud800b"),
    ],
)
def test_patterns_match_as_javascript_does(pattern: str, text: str, matched: str | None) -> None:
    found = search(pattern, text)
    assert (found and found.text) == matched
    assert found is None or found == Match(found.start, found.end, text[found.start : found.end])


@pytest.mark.parametrize(
    "pattern",
    [
        "",
        "(?i)a",
        "a(?i)",
        "(?i:a)",
        "(?-i:a)",
        "(?s-i:a)",
        "(",
        "a)",
        "[b-a]",
        "a**",
        "*",
        "a|*",
        "{1}",
        "a{1}{2}",
        "^*",
        r"\b+",
        r"\B{2}",
        "(?<=a)*",
        "(?<n>a)|(?<n>b)",
        r"(?<n>a)\k<m>",
        "\\",
        "[a",
        "(?P<n>a)",
        "(" * 50_000,
    ],
)
def test_what_javascript_refuses_is_refused_with_a_reason(pattern: str) -> None:
    assert compile_error(pattern)
    with pytest.raises(ValueError, match=r"."):
        search(pattern, "a")


@pytest.mark.parametrize(
    "pattern", ["[(?i:a)]", r"\(?i:a\)?", "(?=a)*", r"\p{L}", r"\u{61}", "]", "}", "a{", r"\c", "[]"]
)
def test_what_looks_odd_but_is_javascript_is_accepted(pattern: str) -> None:
    assert compile_error(pattern) == ""


@pytest.mark.parametrize(("pattern", "text"), [("(a+)+$", "a" * 40 + "b"), ("(.*)*x(.*)*y", "x" * 60)])
def test_a_pattern_that_will_not_end_is_given_up_and_others_go_on(pattern: str, text: str) -> None:
    with pytest.raises(PatternTimeout, match=r"still running after 0\.2 s"):
        search(pattern, text, timeout=0.2)
    assert search("b", "ab") == Match(1, 2, "b")


def test_threads_take_turns_around_a_hanging_pattern() -> None:
    def hang() -> None:
        with pytest.raises(PatternTimeout):
            search("(a+)+$", "a" * 40 + "b", timeout=0.2)

    with ThreadPoolExecutor(6) as pool:
        hanging = [pool.submit(hang) for _ in range(2)]
        finding = [pool.submit(search, "b+", "a" * n + "b") for n in range(60)]
        assert [job.result() for job in finding] == [Match(n, n + 1, "b") for n in range(60)]
        assert [job.result() for job in hanging] == [None, None]


def test_a_forked_process_has_a_helper_of_its_own() -> None:
    assert search("b", "ab")
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            found = search("b", "aab")
            os.write(writing, f"{found.start if found else found}".encode())
        finally:
            os._exit(0)
    os.waitpid(pid, 0)
    assert os.read(reading, 10) == b"2"
    assert search("b", "ab")


def test_the_helper_works_from_a_thread_that_has_ended() -> None:
    found: list[Match | None] = []
    thread = threading.Thread(target=lambda: found.append(search("b", "ab")))
    thread.start()
    thread.join()
    assert [*found, search("b", "ab")] == [Match(1, 2, "b")] * 2


@settings(max_examples=200, deadline=None)
@given(pattern=st.text("ab.*+?()[]{}|\\^$<>:=!k1,-é😀", max_size=12), text=st.text(max_size=20))
def test_no_pattern_is_too_strange(pattern: str, text: str) -> None:
    if compile_error(pattern) == "" and (found := search(pattern, text)):
        assert found.text == text[found.start : found.end]
