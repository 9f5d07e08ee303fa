"""Ranking the passages of documents for a question: BM25 over an in-memory full-text index."""

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from workbench.text.splitting import Kind, Passage, split
from workbench.text.words import Word

__all__ = ["Index", "Kind", "Passage", "Ranked", "index_of", "split"]


@dataclass(frozen=True, slots=True)
class Ranked:
    """A passage and how well it fits a question."""

    passage: Passage
    score: float
    """BM25, higher is better; comparable within one index only."""
    words: frozenset[str] = frozenset()
    """The question's words found in the passage or in what stands above it."""
    own: frozenset[str] = frozenset()
    """Those of them found in the passage's own text."""


class Index:
    """Full-text index over passages: BM25 with English stemming, in memory."""

    def __init__(self, passages: Sequence[Passage]) -> None:
        self.passages = tuple(passages)
        # Readers may sit in another thread than the builder; SQLite is built with its own locks (threadsafety 3).
        self._db = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        self._db.execute("CREATE VIRTUAL TABLE p USING fts5(above, body, tokenize='porter unicode61')")
        self._db.execute("BEGIN")
        rows = ((n, _above(passage), passage.text) for n, passage in enumerate(self.passages))
        self._db.executemany("INSERT INTO p(rowid, above, body) VALUES (?, ?, ?)", rows)
        self._db.execute("COMMIT")
        self._found: dict[str, frozenset[int]] = {}

    def rank(self, words: Sequence[Word], limit: int = 5) -> list[Ranked]:
        """The passages holding any of the words, best first; nothing in a word is search syntax."""
        if not words or not self.passages:
            return []
        query = " OR ".join(word.fts for word in words)
        statement = "SELECT rowid, -bm25(p, 0.6, 1.0) FROM p WHERE p MATCH ? ORDER BY 2 DESC, 1 LIMIT ?"
        scored = self._db.execute(statement, (query, limit)).fetchall()
        anywhere = {word.text: self._rows(word.fts) for word in words}
        inside = {word.text: self._rows(f"body : {word.fts}") for word in words}
        return [
            Ranked(
                self.passages[row],
                score,
                frozenset(text for text, rows in anywhere.items() if row in rows),
                frozenset(text for text, rows in inside.items() if row in rows),
            )
            for row, score in scored
        ]

    def frequency(self, word: Word) -> int:
        """How many passages hold the word."""
        return len(self._rows(word.fts))

    def _rows(self, query: str) -> frozenset[int]:
        if query not in self._found:
            rows = self._db.execute("SELECT rowid FROM p WHERE p MATCH ?", (query,))
            self._found[query] = frozenset(row for (row,) in rows)
        return self._found[query]


@lru_cache(maxsize=64)
def index_of(files: tuple[tuple[str, str], ...]) -> Index:
    """The index over (path, text) files, kept for the process by content."""
    return Index([passage for path, text in files for passage in split(path, text)])


def _above(passage: Passage) -> str:
    """What gives a passage its meaning without being in it: titles, the lead-in, the file's name."""
    return f"{passage.heading}\n{passage.lead}\n{passage.about}\n{passage.path}"
