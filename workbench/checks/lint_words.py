"""What is questionable about the words a check goes by."""

import re

_COMMON = """
a all also an and any are as at be both but by can card code do does doc docs each file files first for from get has
have if in is it its item list make name new no none not of ok on one only or other out run see set should so step
steps task test tests text that the them then there this to true two use used user using value via was what when where
which will with work would yes you your
"""
_COMMON_WORDS = frozenset(_COMMON.split())
"""Words that answers hold whether they are right or wrong."""

_REGEX = re.compile(r"\\[bBdDsSwW]|\.[*+]|\(\?[:=!<]|\[\^?\w-\w\]|\w\|\w|\(\w+\|")
"""Signs of a pattern in a place where every character stands for itself."""

_BARE = re.compile(r"[\w'’-]+(?: [\w'’-]+)?")


def vacuous(literal: str) -> bool:
    """Whether nearly any answer holds it."""
    word = literal.strip().lower()
    return len(word) <= 1 or word in _COMMON_WORDS


def echoed(literal: str, prompt: str) -> bool:
    """Whether the question itself holds it, so that repeating the question passes."""
    return bool(literal) and literal.lower() in prompt.lower()


def looks_like_pattern(literal: str) -> bool:
    """Whether it seems to be meant as a regular expression."""
    return bool(_REGEX.search(literal))


def bare(literal: str) -> bool:
    """Whether it is one or two plain words: a right answer that says not to do it holds them too."""
    return bool(_BARE.fullmatch(literal.strip()))


def bare_pattern(pattern: str) -> bool:
    """Whether a pattern comes down to one or two plain words."""
    return bare(pattern.replace(r"\b", "").replace(r"\s+", " "))
