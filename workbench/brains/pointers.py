"""Passages that send one elsewhere: `see docs/cards.md`, an index of documents."""

import posixpath
import re

from workbench.guidance.references import named_paths
from workbench.text.passages import Passage

_DOCUMENT = re.compile(r"\.(md|mdx|txt|rst|adoc|card)$", re.IGNORECASE)
_SENDING = re.compile(
    r"\b(see|read|consult|refer|described|documented|explained|covered|covers|details?|more|guides?|docs?|documentation|"
    r"full|explains?|describes?|follow|look|check|start with|reference|how to|when|before)\b",
    re.IGNORECASE,
)
_GENERAL = re.compile(
    r"\b(index|overview|everything else|anything else|table of contents|further|"
    r"(all|other|more|full|the) (the )?(docs|documents|documentation|guides|details|topics|references?))\b",
    re.IGNORECASE,
)
_INDEX_NAMES = {"readme", "index", "summary", "toc", "contents", "overview", "map"}
_PLACE_QUESTION = re.compile(
    r"\b(where|which (file|doc|document|guide|page|folder|directory|path)|what (file|doc|document|guide|page|path)|"
    r"(name|path) of the (file|doc|document))\b",
    re.IGNORECASE,
)


def asks_for_place(question: str) -> bool:
    """Whether a question wants to know where something is, so that a pointer is itself the answer."""
    return _PLACE_QUESTION.search(question) is not None


def documents(passage: Passage) -> list[str]:
    """Root-relative paths of the documents a passage names, likeliest reading first; a path may be meant two ways."""
    found: dict[str, None] = {}
    folder = posixpath.dirname(passage.path)
    for line in passage.text.split("\n"):
        for name in named_paths(line):
            if not _DOCUMENT.search(name) or "*" in name:
                continue
            near, top = _normal(folder, name), _normal("", name)
            from_root = "/" in name and not name.startswith(".") and name.split("/")[0] == passage.path.split("/")[0]
            for path in (top, near) if from_root else (near, top):
                if not path.startswith("..") and path != passage.path:
                    found[path] = None
    return list(found)


def sends_on(passage: Passage) -> bool:
    """Whether a passage tells where the answer is rather than giving it: a document named, and little else said."""
    if not documents(passage):
        return False
    said = re.sub(r"`[^`]*`|\[[^\]]*\]\([^)]*\)|\S+\.\w{1,4}\b", " ", passage.text)
    return bool(_SENDING.search(said)) or len(said.split()) <= 14


def is_general(passage: Passage) -> bool:
    """Whether a passage points to an index of everything, so that it may help with any question."""
    names = {posixpath.splitext(posixpath.basename(path))[0].lower() for path in documents(passage)}
    return bool(names & _INDEX_NAMES) or bool(names and _GENERAL.search(passage.text))


def _normal(folder: str, name: str) -> str:
    return posixpath.normpath(posixpath.join(folder, name.lstrip("/") if not folder.startswith("/") else name))
