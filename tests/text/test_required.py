"""What a pattern needs: never more than what its matches hold."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.text.patterns import compile_error, search
from workbench.text.required import folded, may_match, required

ATOMS = st.sampled_from(
    ["ab", "b", "c", "[ab]", r"\b", r"\w", ".", "^", r"\.", "(?:ab|c)", "(a|)", "(?=ab)", "(?!ab)", "K", "si", "I"]
)
QUANTIFIERS = st.sampled_from(["", "", "", "?", "*", "+", "{2}", "{0,1}", "+?"])
PIECES = st.tuples(ATOMS, QUANTIFIERS).map("".join)
BRANCHES = st.lists(PIECES, min_size=1, max_size=4).map("".join)
PATTERNS = st.lists(BRANCHES, min_size=1, max_size=3).map("|".join)


@settings(max_examples=300, deadline=None)
@given(PATTERNS, st.text("abcABCkK.\u212a\u017f\u0131\u0130siI \n", max_size=12))
def test_whatever_matches_holds_what_is_required(pattern: str, text: str) -> None:
    if not compile_error(pattern) and search(pattern, text):
        assert may_match(required(pattern), folded(text))


@pytest.mark.parametrize(
    ("pattern", "needs"),
    [
        (r"\bnorth\s+wall\b", [{"north"}, {"wall"}]),
        (r"(?=[\s\S]*zork)(?=[\s\S]*zum)", [{"zork"}, {"zum"}]),
        (r"foo|bar.*quux", [{"foo", "quux"}]),
        (r"pre-?commit", [{"pre"}, {"commit"}]),
        (r"(?:seven|sept) hives", [{"seven", "sept"}, {" hives"}]),
        (r"\d{4}|x", []),
        (r"(?!never)ask", [{"ask"}]),
    ],
)
def test_literals_are_found_in_what_people_write(pattern: str, needs: list[set[str]]) -> None:
    assert [set(one) for one in required(pattern)] == needs
