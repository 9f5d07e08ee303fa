"""Which passages of guidance come closest to some words, where they stand nowhere as they are wanted: BM25.

Beside `text.passages`, whose index is made for one set of documents, this one lives through edits of a few of them.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from itertools import takewhile
from typing import NamedTuple

from workbench.guidance.pages import Page

ENOUGH = 0.6
"""Share of the weight of the words sought that a passage must hold to be worth showing."""
_K1, _B = 1.2, 0.75


_Words = tuple[tuple[str, float], ...]
"""What is sought: the stems of its words, each with its weight."""


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
        self._came: dict[str, int] = {}
        """Text → the how manieth page it was; in that order."""
        self._last = 0
        self._postings: defaultdict[str, dict[str, dict[int, int]]] = defaultdict(dict)
        self._often: Counter[str] = Counter()
        self._count = self._length = 0
        self._shared: dict[_Words, tuple[int, dict[str, list[int]]]] = {}
        """What was sought → the last page that was looked at for it, and the passages that share enough, by text."""

    def hold(self, pages: Mapping[str, Page]) -> None:
        """Hold exactly these pages, by their text."""
        for text in self._pages.keys() - pages.keys():
            self._change(self._pages.pop(text), -1)
            del self._came[text]
            for _, passages in self._shared.values():
                passages.pop(text, None)
        for text in pages.keys() - self._pages.keys():
            self._last += 1
            self._pages[text], self._came[text] = pages[text], self._last
            self._change(pages[text], 1)

    def rank(self, weights: Mapping[str, float], among: Set[str], limit: int) -> list[Close]:
        """The passages of some pages that share enough of the words, best first; `weights` are of their stems."""
        if not any(weight == 1 for weight in weights.values()):
            return []
        shared = self._sharing(weights)
        worth = self._worth(weights)
        close = [
            Close(self._score(self._pages[text], passage, worth), self._pages[text], passage)
            for text, passages in shared.items()
            if text in among
            for passage in passages
        ]
        return sorted(close, key=lambda one: (-one.score, one.page.text, one.passage))[:limit]

    def _sharing(self, weights: Mapping[str, float]) -> Mapping[str, Sequence[int]]:
        """The passages that share enough of the words, by their page's text; only pages that are new are looked at."""
        words = tuple(weights.items())
        seen, shared = self._shared.get(words, (0, {}))
        new = set(takewhile(lambda text: self._came[text] > seen, reversed(self._came)))
        for text, passage in self._search(weights, new) if new else ():
            shared.setdefault(text, []).append(passage)
        self._shared[words] = self._last, shared
        return shared

    def _search(self, weights: Mapping[str, float], among: Set[str]) -> Iterator[tuple[str, int]]:
        """The passages of some pages that share enough of the words."""
        left = sum(weights.values())
        enough = ENOUGH * left - 1e-9
        shared: dict[tuple[str, int], float] = {}
        # Rare words first: once those left could no longer be enough by themselves, no passage can join any more.
        for stem in self._rare_first(weights):
            weight, postings = weights[stem], self._postings.get(stem, {})
            if left >= enough:
                for text in postings.keys() & among:
                    for passage in postings[text]:
                        shared[text, passage] = shared.get((text, passage), 0.0) + weight
            else:
                for key in shared:
                    shared[key] += weight if key[1] in postings.get(key[0], ()) else 0.0
            left -= weight
        yield from (key for key, weight in shared.items() if weight >= enough)

    def _rare_first(self, stems: Iterable[str]) -> list[str]:
        return sorted(stems, key=lambda stem: (self._often[stem], stem))

    def _worth(self, weights: Mapping[str, float]) -> dict[str, float]:
        """What each word counts by BM25: the rarer, the more; always in the same order, so that sums are the same."""
        often = {stem: self._often[stem] for stem in self._rare_first(weights)}
        return {
            stem: weights[stem] * math.log(1 + (self._count - times + 0.5) / (times + 0.5))
            for stem, times in often.items()
        }

    def _score(self, page: Page, passage: int, worth: Mapping[str, float]) -> float:
        """How well a passage fits, by BM25."""
        size = _K1 * (1 - _B + _B * page.lengths[passage] * self._count / max(1, self._length))
        counts = page.stems[passage]
        return sum(
            value * times * (_K1 + 1) / (times + size) for stem, value in worth.items() if (times := counts[stem])
        )

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
