"""Where two texts differ, word by word."""

import re
from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher

Span = tuple[int, int]
"""Start and end of a piece of a text, in characters."""

_WORD = re.compile(r"\w+|\s+|[^\w\s]")
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_MOST = 4_000_000
"""Pairs of words up to which words are compared; beyond it, lines are, and beyond it again all is said to differ."""

_ALIKE = 100_000
"""Pairs of equal words up to which every word is an anchor; it takes seconds where an agent repeats itself."""


def differing(before: str, after: str) -> tuple[tuple[Span, ...], tuple[Span, ...]]:
    """The spans of each text that the other does not have there, in order; neighbours are joined.

    Every character outside them stands in both texts, in the same order. White space alone is never a difference
    where it only keeps differing words apart.
    """
    for pattern in (_WORD, _LINE):
        ours, theirs = (tuple(pattern.finditer(text)) for text in (before, after))
        if len(ours) * len(theirs) <= _MOST:
            return _compared(ours, theirs)
    whole = (((0, len(before)),), ((0, len(after)),))
    return whole if before != after else ((), ())


def _compared(
    ours: Sequence[re.Match[str]], theirs: Sequence[re.Match[str]]
) -> tuple[tuple[Span, ...], tuple[Span, ...]]:
    a, b = [piece[0] for piece in ours], [piece[0] for piece in theirs]
    left: list[Span] = []
    right: list[Span] = []
    # Comparing costs what words have in common: where all say the same over and over, the commonest are no anchors.
    often = Counter(b)
    alike = sum(number * often[word] for word, number in Counter(a).items())
    for kind, a1, a2, b1, b2 in SequenceMatcher(None, a, b, autojunk=alike > _ALIKE).get_opcodes():
        if kind == "equal":
            # A space both have between words that differ reads as part of the difference.
            if left and right and all(word.isspace() for word in a[a1:a2]) and a2 < len(a) and b2 < len(b):
                left.append((ours[a1].start(), ours[a2 - 1].end()))
                right.append((theirs[b1].start(), theirs[b2 - 1].end()))
            continue
        if a2 > a1:
            left.append((ours[a1].start(), ours[a2 - 1].end()))
        if b2 > b1:
            right.append((theirs[b1].start(), theirs[b2 - 1].end()))
    return _joined(left), _joined(right)


def _joined(spans: Sequence[Span]) -> tuple[Span, ...]:
    joined: list[Span] = []
    for start, end in spans:
        if joined and joined[-1][1] == start:
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return tuple(joined)
