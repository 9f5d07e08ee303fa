"""How well passages answer a question: which of its words they hold, and how much those words matter."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from workbench.brains.cli_prompts import Source
from workbench.text.passages import Index, Passage, index_of
from workbench.text.words import Word, content_words

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n")
_FENCE = re.compile(r"^(```|~~~).*?^\1", re.DOTALL | re.MULTILINE)
_DEFINITION = re.compile(r"\bwhat(?:'s| is| are)\s+(?:an?\s+|the\s+)?[`\"*]*([\w./-]{2,40})[`\"*]*\s*\?", re.IGNORECASE)
_LONG = 3000
"""Characters above which a passage, such as a whole listing, holds a question's words by chance."""
_BRIEF = 600
"""Characters below which a passage has little room for anything but what it holds of the question."""
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
    words: frozenset[str]
    """Those words."""
    strong: int
    """How many of them are meaningful."""
    merit: float
    """What matches are ordered by: coverage, and a little more for saying it itself, briefly, or for defining it."""
    score: float
    """BM25, to order equals."""


def question_words(prompt: str) -> tuple[Word, ...]:
    """The words a prompt asks with: those of its questions first, the rest only when they say too little."""
    asked = " ".join(said for said in _SENTENCE_END.split(_FENCE.sub(" ", prompt)) if "?" in said)
    words = content_words(asked)
    return words if sum(word.weight for word in words) >= 2 else content_words(prompt)


def defines(question: str) -> re.Pattern[str] | None:
    """What a passage says that answers `What is X?`: a pattern for `X is`; None for any other question."""
    asked = _DEFINITION.search(question)
    return re.compile(rf"\b{re.escape(asked[1])}[^\w\s]*\s+(is|are)\b", re.IGNORECASE) if asked else None


class Evidence:
    """Passages of all that is in context, weighed for one question."""

    def __init__(self, question: str, groups: Iterable[tuple[Source, ...]]) -> None:
        self.words = words = question_words(question)
        self._defines = defines(question)
        self._indexes = [index_of(group) for group in groups if group]
        self.weights = {word.text: self._weight(word) for word in words}
        self._total = sum(self.weights.values())
        # A question of weak words alone is asked with these.
        self._strong = {word.text for word in words if word.weight >= 1} or {word.text for word in words}
        self.needed = min(2, len(self._strong))
        """Meaningful words a passage must hold before it can answer."""

    def matches(self) -> list[Match]:
        """All candidate passages, best first."""
        found = [match for index in self._indexes for match in self._in(index)]
        return sorted(found, key=lambda match: (-match.merit, -match.score))

    def coverage(self, text: str) -> tuple[float, int]:
        """Coverage and meaningful words of some text that is in no index."""
        found = index_of((("", text),)).rank(self.words)
        return self._share(found[0].words) if found else (0.0, 0)

    def share(self, words: Iterable[str]) -> float:
        """The share of the question's weight that some of its words carry."""
        return sum(self.weights[word] for word in words) / self._total if self._total else 0.0

    def rarest(self) -> list[Word]:
        """The words, those that few passages hold first; of equals, the longer ones."""
        return sorted(self.words, key=lambda word: (-self.weights[word.text], -len(word.text)))

    def is_rare(self, word: Word) -> bool:
        """Whether few passages hold a word, so that finding it tells something."""
        return self._seen(word) <= 0.1

    def _in(self, index: Index) -> Iterator[Match]:
        for ranked in index.rank(self.words, _CANDIDATES):
            if _is_front_matter(ranked.passage):
                continue
            chance = 0.7 if len(ranked.passage.text) > _LONG else 1.0
            coverage, own = chance * self.share(ranked.words), chance * self.share(ranked.own)
            defining = self._defines is not None and self._defines.search(ranked.passage.text) is not None
            brevity = max(0.0, 1 - len(ranked.passage.text) / _BRIEF)
            merit = coverage + 0.15 * own + 0.05 * brevity + (0.2 if defining else 0)
            yield Match(
                ranked.passage, coverage, own, ranked.words, len(ranked.words & self._strong), merit, ranked.score
            )

    def _share(self, words: frozenset[str]) -> tuple[float, int]:
        return self.share(words), len(words & self._strong)

    def _weight(self, word: Word) -> float:
        """A word every other passage holds tells them apart little; one that none holds weighs in full."""
        return word.weight * (1 - 0.6 * self._seen(word))

    def _seen(self, word: Word) -> float:
        """The share of passages that hold a word."""
        count = sum(len(index.passages) for index in self._indexes)
        return sum(index.frequency(word) for index in self._indexes) / count if count else 0.0


def _is_front_matter(passage: Passage) -> bool:
    """Whether a passage is a document's own label, which says what it is about and answers nothing."""
    return passage.kind == "header" and passage.path.endswith(".md")
