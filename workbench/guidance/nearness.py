"""Which passages of guidance come closest to some words, where they stand nowhere as they are wanted: BM25.

Beside `text.passages`, whose index is made for one set of documents, this one lives through edits of a few of them.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence, Set
from typing import NamedTuple

from workbench.guidance.pages import Page

ENOUGH = 0.6
"""Share of the weight of the words sought that a passage must hold to be worth showing."""
_K1, _B = 1.2, 0.75


_Key = tuple[str, int]
"""A page's text, and the place of a passage among its passages."""


class Close(NamedTuple):
    """A passage that shares words with what is sought."""

    score: float
    page: Page
    passage: int
    """Its place among the page's passages."""


class Nearness:
    """An index over the passages of pages that come and go."""

    def __init__(self) -> None:
        self._pages: dict[str, Page] = {}
        self._postings: defaultdict[str, dict[str, dict[int, int]]] = defaultdict(dict)
        self._often: Counter[str] = Counter()
        self._count = self._length = 0

    def hold(self, pages: Mapping[str, Page]) -> None:
        """Hold exactly these pages, by their text."""
        for text in self._pages.keys() - pages.keys():
            self._change(self._pages.pop(text), -1)
        for text in pages.keys() - self._pages.keys():
            self._pages[text] = pages[text]
            self._change(pages[text], 1)

    def rank(self, weights: Mapping[str, float], among: Set[str], limit: int) -> list[Close]:
        """The passages of some pages that share enough of the words, best first; `weights` are of their stems."""
        if not any(weight == 1 for weight in weights.values()):
            return []
        enough = ENOUGH * sum(weights.values()) - 1e-9
        often = {stem: self._often[stem] for stem in weights}
        shared: dict[_Key, float] = {}
        left = sum(weights.values())
        # Rare words first: once those left could no longer be enough by themselves, no passage can join any more.
        rare = sorted(weights, key=lambda stem: (often[stem], stem))
        for stem in rare:
            weight, postings = weights[stem], self._postings.get(stem, {})
            if left >= enough:
                for text in postings.keys() & among:
                    for passage in postings[text]:
                        shared[text, passage] = shared.get((text, passage), 0.0) + weight
            else:
                for key in shared:
                    shared[key] += weight if key[1] in postings.get(key[0], ()) else 0.0
            left -= weight
        close = [
            Close(self._score(key, rare, weights, often), self._pages[key[0]], key[1])
            for key, weight in shared.items()
            if weight >= enough
        ]
        return sorted(close, key=lambda one: (-one.score, one.page.text, one.passage))[:limit]

    def _score(
        self, key: "_Key", stems: Sequence[str], weights: Mapping[str, float], often: Mapping[str, int]
    ) -> float:
        """How well a passage fits, by BM25."""
        text, passage = key
        size = _K1 * (1 - _B + _B * self._pages[text].lengths[passage] * self._count / max(1, self._length))
        score = 0.0
        counts = self._pages[text].stems[passage]
        for stem in stems:
            if times := counts[stem]:
                rarity = math.log(1 + (self._count - often[stem] + 0.5) / (often[stem] + 0.5))
                score += weights[stem] * rarity * times * (_K1 + 1) / (times + size)
        return score

    def _change(self, page: Page, sign: int) -> None:
        self._count += sign * len(page.stems)
        self._length += sign * sum(page.lengths)
        for counts in page.stems:
            for stem in counts:
                self._often[stem] += sign
        if sign < 0:
            for stem in {stem for counts in page.stems for stem in counts}:
                del self._postings[stem][page.text]
            return
        for number, counts in enumerate(page.stems):
            for stem, times in counts.items():
                self._postings[stem].setdefault(page.text, {})[number] = times
