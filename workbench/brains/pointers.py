"""Passages that send one elsewhere: `see docs/cards.md`, an index of documents."""

import posixpath
import re
from functools import lru_cache

from workbench.guidance.references import named_paths
from workbench.text.passages import Passage

_DOCUMENT = re.compile(
    r"(?<![\w.@-])(?!changelog|licen[cs]e)[\w@-][\w.@-]*\.(md|mdx|txt|rst|adoc|card)\b", re.IGNORECASE
)
_LONG = 2000
"""Characters above which a passage is not read for what it points to."""
_SENDING = re.compile(
    r"\b(see|read|consult|refer|described|documented|explained|covered|covers|details?|guide|documentation|explains?|"
    r"describes?|defines?|conform|follow|look (in|at)|start with)\b",
    re.IGNORECASE,
)
_ASIDE = re.compile(r"(?<!\])\([^()\n]{0,200}\)")
_SENTENCE_END = re.compile(r"(?<=[.!?;])\s+")
_GENERAL = re.compile(
    r"\b(index|overview|everything else|anything else|table of contents|further|"
    r"(all|other|more|full|the) (the )?(docs|documents|documentation|guides|details|topics|references?))\b",
    re.IGNORECASE,
)
_INDEX_NAMES = {"readme", "index", "summary", "toc", "contents", "overview", "map"}
_DOCUMENT_QUESTION = re.compile(
    r"\b((which|what) (file|doc|docs|document|documentation|guide|page|readme|path)|"
    r"where\b[^.?!]*\b(documented|described|explained|written|look|read|find out|learn|"
    r"documentation|docs|guide|details)|"
    r"(name|path) of the (file|doc|document|guide))\b",
    re.IGNORECASE,
)


def asks_for_document(question: str) -> bool:
    """Whether a question wants to know where to read something, so that a pointer is itself the answer."""
    return _DOCUMENT_QUESTION.search(question) is not None


@lru_cache(maxsize=4096)
def documents(passage: Passage) -> tuple[str, ...]:
    """Root-relative paths of the documents a passage names, likeliest reading first; a path may be meant two ways."""
    if not _DOCUMENT.search(passage.text):
        return ()
    found: dict[str, None] = {}
    folder = posixpath.dirname(passage.path)
    for line in passage.text.split("\n"):
        for name in named_paths(line):
            if not _DOCUMENT.fullmatch(posixpath.basename(name)) or "*" in name:
                continue
            for path in _readings(folder, name):
                if not path.startswith("..") and path != passage.path:
                    found[path] = None
    return tuple(found)


@lru_cache(maxsize=4096)
def sends_on(passage: Passage) -> bool:
    """Whether a passage tells where the answer is rather than giving it: a document named, and little else said."""
    if not documents(passage):
        return False
    said = re.sub(r"`[^`]*`|\[[^\]]*\]\([^)]*\)|\S+\.\w{1,4}\b", " ", passage.text[:_LONG])
    return bool(_SENDING.search(said)) or len(said.split()) <= 14


def said_beside(passage: Passage) -> str:
    """What a passage says besides naming documents: its sentences without these, under its title."""
    plain = _ASIDE.sub(lambda aside: "" if _DOCUMENT.search(aside[0]) else aside[0], passage.text)
    kept = [sentence for sentence in _SENTENCE_END.split(plain) if not _DOCUMENT.search(sentence)]
    return "\n".join([passage.heading, *kept])


def is_general(passage: Passage) -> bool:
    """Whether a passage points to an index of everything, so that it may help with any question."""
    names = {posixpath.splitext(posixpath.basename(path))[0].lower() for path in documents(passage)}
    return bool(names & _INDEX_NAMES) or bool(names and _GENERAL.search(passage.text))


def _readings(folder: str, name: str) -> tuple[str, ...]:
    """The paths a name may mean, from the folder of the file that names it and from the root."""
    near = posixpath.normpath(posixpath.join(folder, name.lstrip("/")))
    top = posixpath.normpath(name.lstrip("/"))
    if "/" not in name or name.startswith("."):
        return (near,)
    return (top, near) if folder and name.split("/")[0] == folder.split("/")[0] else (near, top)
