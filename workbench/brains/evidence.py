"""How well passages answer a question: which of its words they hold, and how much those words matter."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from workbench.brains.conversation import Source
from workbench.text.passages import Index, Passage, index_of
from workbench.text.words import Word, content_words

_SENTENCE = re.compile(r"[^.!?\n]*(?:[.!](?=\S)[^.!?\n]*)*\?")
_FENCE = re.compile(r"^(```|~~~).*?^\1", re.DOTALL | re.MULTILINE)
_CANDIDATES = 60
"""Passages of one index that are looked at, best first."""


@dataclass(frozen=True, slots=True)
class Match:
    """A passage measured against a question."""

    passage: Passage
    coverage: float
    """Share of the question's weight its words carry, those of the titles above it counted too; 0 to 1."""
    own: float
    """The same, of the passage's text alone."""
    strong: int
    """How many of the question's meaningful words it holds."""
    score: float


def question_words(prompt: str) -> tuple[Word, ...]:
    """The words a prompt asks with: those of its questions first, the rest only when they say too little."""
    asked = " ".join(match[0] for match in _SENTENCE.finditer(_FENCE.sub(" ", prompt)))
    words = content_words(asked)
    return words if sum(word.weight for word in words) >= 2 else content_words(prompt)


class Evidence:
    """Passages of all that is in context, weighed for one question."""

    def __init__(self, words: Sequence[Word], groups: Iterable[tuple[Source, ...]]) -> None:
        self.words = tuple(words)
        self._indexes = [index_of(group) for group in groups if group]
        self.weights = {word.text: self._weight(word) for word in words}
        self._total = sum(self.weights.values())
        self._strong = {word.text for word in words if word.weight >= 1}
        self.needed = min(2, len(self._strong) or len(self.words))
        """Meaningful words a passage must hold before it can answer."""

    def matches(self) -> list[Match]:
        """All candidate passages, best first."""
        found = [match for index in self._indexes for match in self._in(index)]
        return sorted(found, key=lambda match: (-match.coverage - 0.15 * match.own, -match.score))

    def coverage(self, text: str) -> tuple[float, int]:
        """Coverage and meaningful words of some text that is in no index."""
        found = Index([Passage("", 1, 1, "", text)]).rank_words(self.words)
        return self._share(found[0].words) if found else (0.0, 0)

    def share(self, words: Iterable[str]) -> float:
        """The share of the question's weight that some of its words carry."""
        return sum(self.weights[word] for word in words) / self._total if self._total else 0.0

    def rarest(self) -> list[Word]:
        """The words, those that few passages hold first."""
        return sorted(self.words, key=lambda word: (-self.weights[word.text], self.words.index(word)))

    def _in(self, index: Index) -> list[Match]:
        ranked = index.rank_words(self.words, _CANDIDATES)
        return [Match(r.passage, *self._pair(r.words, r.own), len(r.words & self._strong), r.score) for r in ranked]

    def _pair(self, words: frozenset[str], own: frozenset[str]) -> tuple[float, float]:
        return self.share(words), self.share(own)

    def _share(self, words: frozenset[str]) -> tuple[float, int]:
        return self.share(words), len(words & self._strong) or len(words)

    def _weight(self, word: Word) -> float:
        """A word every other passage holds tells them apart little; one that none holds weighs in full."""
        count = sum(len(index.passages) for index in self._indexes)
        seen = sum(index.frequency(word) for index in self._indexes)
        return word.weight * (1 - 0.6 * (seen / count if count else 0))
