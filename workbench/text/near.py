"""Near misses: words that are in a text but for how they are set."""

import re
import unicodedata
from collections.abc import Callable

_QUOTES = str.maketrans(
    {"‘": "'", "’": "'", "‚": "'", "“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "–": "-", "—": "-", "‑": "-"}
)
_MARKS = re.compile(r"[`*]|(?<!\w)_|_(?!\w)")
_BLANKS = re.compile(r"\s+")


def _spaced(text: str) -> str:
    return _BLANKS.sub(" ", text)


def _unmarked(text: str) -> str:
    return _MARKS.sub("", text)


def _straight(text: str) -> str:
    return text.translate(_QUOTES)


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


SETTINGS: tuple[tuple[str, Callable[[str], str]], ...] = (
    ("but over a line break or with other blanks", _spaced),
    ("but with backticks or stars in between", _unmarked),
    ("but with typographic quotes or dashes", _straight),
    ("but in other forms of the same characters", _folded),
)
"""Ways in which words may be set otherwise: how one says so, and what makes both alike."""


def near_miss(wanted: str, text: str) -> str:
    """How a text holds some words that a plain comparison misses, in words; empty when it does not, or does plainly."""
    if not wanted.strip() or wanted.lower() in text.lower():
        return ""
    for how, setting in SETTINGS:
        words = setting(wanted).lower().strip()
        if words and words in setting(text).lower():
            return how
    everything = plainest(wanted).strip()
    return "but for line breaks, marks and quotes" if everything and everything in plainest(text) else ""


def plainest(text: str) -> str:
    """A text with all these differences levelled: what is alike in any of the ways is alike here."""
    for _, setting in SETTINGS:
        text = setting(text)
    return _spaced(text)
