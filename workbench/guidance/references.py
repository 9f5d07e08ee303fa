"""Paths that a guidance text names: what an agent can follow without searching."""

import os
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, Protocol
from urllib.parse import unquote

from workbench.guidance.imports import prose_lines
from workbench.guidance.tree import join

_LINK = re.compile(r"(!?)\[[^\]]*\]\(\s*(?:<([^>]+)>|([^)\s]+))(?:\s+[\"'(][^)]*)?\)")
_SPAN = re.compile(r"`+([^`]+)`+")
_BARE = re.compile(r"(?<![\w@/.:-])@?(?:\.{1,2}/|/)?[\w.@*{}-]+(?:/[\w.@*{},-]*)*")
_URL = re.compile(r"\w+://\S+")
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)
_EXTENSION = re.compile(
    r"\.(md|mdx|mdc|markdown|txt|rst|adoc|card|ya?ml|json|jsonc|toml|ini|cfg|conf|py|pyi|ts|tsx|js|jsx|mjs|cjs|sh|bash|rb|go|rs|java|"
    r"kt|c|h|cpp|hpp|cs|css|scss|html|sql|proto|lock|csv|xml|svg|env|j2)$",
    re.IGNORECASE,
)
_STARS = re.compile(r"[*{?]")

_LINE = 4000
"""Characters of a line that are looked at: nobody names a path further right."""


class Held(Protocol):
    """What answers whether a box holds a path."""

    def holds(self, path: str) -> bool:
        """Whether a box-relative path is a file or a folder."""

    def matching(self, pattern: str) -> tuple[str, ...]:
        """The files that a glob matches."""


@dataclass(frozen=True, slots=True)
class Name:
    """What looks like a path in a text, as it is written."""

    text: str
    line: int
    """1-based."""
    kind: Literal["link", "span", "bare"]
    sure: bool
    """Whether it is a path even when nothing is there."""
    fenced: bool = False
    """Whether it stands in a block of code."""


@dataclass(frozen=True, slots=True)
class Reference:
    """A path named in a text; a folder has no final slash, a glob keeps its stars."""

    path: str
    """Box-relative."""
    line: int
    """1-based line of the text that names it first."""
    exists: bool
    """Whether the box holds it: a file, a folder, or something a glob matches."""
    name: Name
    """As it is written there."""

    @property
    def is_glob(self) -> bool:
        """Whether it means all files that match it."""
        return is_glob(self.path)


def find(text: str, base: str, box: Held, root: str = "") -> tuple[Reference, ...]:
    """The paths a text names, in order, each once: links, code spans, imports and bare paths.

    `base` is the box-relative path of the file the text is from. A path is sought from that file's folder, then from
    the box's root (whose absolute path, `root`, it may begin with); what leaves the box is left out, a bare word with a
    slash counts only when it is there.
    """
    folder = base.rpartition("/")[0]
    found: dict[str, Reference] = {}
    for name in names(text):
        reference = _resolved(box, root, folder, name)
        if reference and (name.sure or reference.exists):
            found.setdefault(reference.path, reference)
    return tuple(found.values())


@lru_cache(maxsize=4096)
def meant(text: str, base: str, root: str = "") -> frozenset[str]:
    """Every path or glob that some name in a text can mean, whatever the box holds; arguments as in `find`."""
    folder = base.rpartition("/")[0]
    return frozenset(path for name in names(text) for path in _candidates(root, folder, name.text))


def named_paths(line: str) -> tuple[str, ...]:
    """The paths one line names as they are written, each once; without a box to look into, only sure ones."""
    return tuple(dict.fromkeys(name for name, _, sure in _named(line) if sure))


@lru_cache(maxsize=2048)
def names(text: str) -> tuple[Name, ...]:
    """All that looks like a path in a text, in order."""
    lines, prose = text.split("\n"), prose_lines(text)
    return tuple(
        Name(name, number, kind, sure, fenced=not prose[number - 1])
        for number, line in enumerate(lines, 1)
        if "." in line or "/" in line
        for name, kind, sure in _named(line)
    )


def is_glob(path: str) -> bool:
    """Whether a named path stands for all files that match it."""
    return bool(_STARS.search(path))


def has_extension(name: str) -> bool:
    """Whether a name ends as files do that people name in a text."""
    return bool(_EXTENSION.search(name))


def _named(line: str) -> list[tuple[str, Literal["link", "span", "bare"], bool]]:
    """What looks like a path in a line, how it is marked, and whether it is one even when nothing is there."""
    line = line[:_LINE]
    found: list[tuple[str, Literal["link", "span", "bare"], bool]] = []
    if "](" in line:
        for match in _LINK.finditer(line):
            target = unquote((match[2] or match[3]).split("#")[0].split("?")[0])
            # A picture that a page shows is nothing an agent would go and read.
            if target and not match[1] and not _SCHEME.match(target):
                found.append((target, "link", True))
        line = _LINK.sub(" ", line)
    if "`" in line:
        for span in _SPAN.finditer(line):
            found += [(name, "span", True) for name in _words(span[1]) if _is_path(name)]
        line = _SPAN.sub(" ", line)
    for name in _words(line):
        if has_extension(name):
            found.append((name, "bare", True))
        elif "/" in name:
            found.append((name, "bare", False))
    return found


def _words(text: str) -> list[str]:
    """The words of a text that hold a slash or a dot; only those can be paths."""
    likely = (word for word in text.split() if "/" in word or "." in word)
    plain = (_URL.sub(" ", word) if "://" in word else word for word in likely)
    return [name for word in plain for match in _BARE.finditer(word) if (name := match[0].lstrip("@").rstrip(".,;:"))]


def _is_path(name: str) -> bool:
    return has_extension(name) or ("/" in name.strip("/") or name.endswith("/"))


def _resolved(box: Held, root: str, folder: str, name: Name) -> Reference | None:
    candidates = _candidates(root, folder, name.text)
    for path in candidates:
        if box.matching(path) if is_glob(path) else box.holds(path):
            return Reference(path, name.line, exists=True, name=name)
    if not candidates:
        return None
    # A missing path is told as the text's author most likely meant it: a link from its file, others from the root.
    meant = candidates[0] if name.text.startswith(".") or name.kind == "link" else candidates[-1]
    return Reference(meant, name.line, exists=False, name=name)


def _candidates(root: str, folder: str, name: str) -> list[str]:
    """The box-relative paths that a name can mean, likeliest first."""
    plain = name.rstrip("/")
    if plain.startswith("/"):
        inside = os.path.relpath(plain, root) if root and plain.startswith(f"{root}/") else plain.lstrip("/")
        candidates = [join("", inside)]
    else:
        candidates = list(dict.fromkeys((join(folder, plain), join("", plain))))
    return [path for path in candidates if plain and not path.startswith("..") and path != "."]
