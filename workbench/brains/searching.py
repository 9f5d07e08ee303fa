"""Searching a folder as a reader does: one pattern of rare words, then the file that says most of them in one place."""

import re
from collections import defaultdict
from collections.abc import Collection, Sequence

from workbench.brains.conversation import Hit
from workbench.brains.evidence import Evidence
from workbench.text.words import Word

WORDS = 5
"""Words one search asks for at most."""
_DATA = re.compile(r"(\.(lock|csv|svg|ipynb|snap|map|log)|[-.]lock\.\w+|\.min\.\w+)$", re.IGNORECASE)
"""Files for machines, where words stand by chance."""
FLOOD = 250
"""Lines at which a search result is likely cut."""
_NEAR = 4
"""Lines within which words count as said together."""


def pattern(evidence: Evidence, count: int) -> str:
    """An alternation of the question's rarest words, cut to what their inflections share; empty when it has none.

    Words the guidance is full of, such as a project's name, are left out when there are others.
    """
    words = [word for word in evidence.rarest() if word.weight >= 1] or evidence.rarest()
    telling = [word for word in words if evidence.is_rare(word)] or words
    parts = dict.fromkeys(re.escape(stem) for word in telling[:count] for stem in word.stems)
    return f"({'|'.join(parts)})" if len(parts) > 1 else "".join(parts)


def best_files(hits: Sequence[Hit], evidence: Evidence, tried: Collection[str]) -> list[tuple[str, float]]:
    """(path, share of the question said in one place) of the files a search found, best first, those tried left out."""
    by_file: dict[str, list[Hit]] = defaultdict(list)
    for hit in hits:
        if hit.path not in tried and not _DATA.search(hit.path):
            by_file[hit.path].append(hit)
    scored = [(path, *_density(lines, evidence)) for path, lines in by_file.items()]
    scored.sort(key=lambda found: (-found[1], not _is_prose(found[0]), -found[2], found[0]))
    return [(path, near) for path, near, _ in scored]


def _density(hits: Sequence[Hit], evidence: Evidence) -> tuple[float, float]:
    """The share of the question said within a few lines, at best, and in the whole file; its name counts too."""
    named = _said(hits[0].path, evidence.words)
    said = [(hit.line, _said(hit.text, evidence.words)) for hit in hits]
    near = max(
        evidence.share(named.union(*(words for line, words in said if start <= line < start + _NEAR)))
        for start, _ in said
    )
    return near, evidence.share(named.union(*(words for _, words in said)))


def _said(text: str, words: Sequence[Word]) -> set[str]:
    lower = text.lower()
    return {word.text for word in words if any(stem in lower for stem in word.stems)}


def _is_prose(path: str) -> bool:
    return path.lower().endswith((".md", ".mdx", ".txt", ".rst", ".card"))
