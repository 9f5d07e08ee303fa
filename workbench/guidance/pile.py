"""Many pages as one text: looking for a thing in all of them is one search."""

from bisect import bisect_right
from collections.abc import Callable, Sequence

from workbench.guidance.pages import Kind, Page
from workbench.text.required import Required, folded, may_match

_APART = "\0"
"""Stands between two pages; no text that was sanitized holds it, nor does anything that is sought."""


_FORMS: dict[Kind, Callable[[Page], str]] = {
    "literal": lambda page: page.lowered,
    "near": lambda page: page.plainest,
    "pattern": lambda page: folded(page.lowered),
}


class Pile:
    """Some pages as what is sought in one of these ways has to be compared with them."""

    def __init__(self, pages: Sequence[Page], kind: Kind) -> None:
        texts = [_FORMS[kind](page) for page in pages]
        self._pages, self._text = pages, _APART.join(texts)
        self._starts: list[int] = []
        at = 0
        for text in texts:
            self._starts.append(at)
            at += len(text) + len(_APART)

    def holding(self, text: str) -> list[Page]:
        """The pages that hold a text, given as the pages are; none for an empty one."""
        return [self._pages[number] for number in self._numbers(text)]

    def may_match(self, needs: Required) -> Sequence[Page]:
        """The pages that hold what a pattern requires; all where it requires nothing."""
        if not needs:
            return self._pages
        # The longest need is likely the rarest: the others are looked for on what it leaves.
        rarest = max(needs, key=lambda need: min(map(len, need)))
        found = sorted({number for literal in rarest for number in self._numbers(literal)})
        return [page for page in (self._pages[number] for number in found) if may_match(needs, folded(page.lowered))]

    def _numbers(self, text: str) -> list[int]:
        found: list[int] = []
        at = self._text.find(text) if text else -1
        while at >= 0:
            number = bisect_right(self._starts, at) - 1
            found.append(number)
            at = self._text.find(text, self._starts[number + 1]) if number + 1 < len(self._starts) else -1
        return found
