"""Paths that a guidance text names: what an agent can follow without searching."""

import os
import re
from dataclasses import dataclass
from pathlib import Path

from workbench.guidance import globs
from workbench.guidance.tree import Tree, join

_LINK = re.compile(r"\[[^\]]*\]\(\s*<?([^)\s>]+)>?(?:\s+[\"'(][^)]*)?\)")
_SPAN = re.compile(r"`+([^`]+)`+")
_BARE = re.compile(r"(?<![\w@/.:-])@?(?:\.{1,2}/|/)?[\w.@*{}-]+(?:/[\w.@*{},-]*)*")
_EXTENSION = re.compile(
    r"\.(md|mdx|txt|rst|adoc|card|ya?ml|json|jsonc|toml|ini|cfg|conf|py|pyi|ts|tsx|js|jsx|mjs|cjs|sh|bash|rb|go|rs|java|"
    r"kt|c|h|cpp|hpp|cs|css|scss|html|sql|proto|lock|csv|xml|svg|env|j2)$",
    re.IGNORECASE,
)

_LINE = 4000
"""Characters of a line that are looked at: nobody names a path further right."""


@dataclass(frozen=True, slots=True)
class Reference:
    """A path named in a text; a folder has no final slash, a glob keeps its stars."""

    path: str
    """Box-relative."""
    line: int
    """1-based line of the text that names it first."""
    exists: bool
    """Whether the box holds it: a file, a folder, or something a glob matches."""


def find(text: str, base: str, root: Path) -> tuple[Reference, ...]:
    """The paths a text names, in order, each once: links, code spans, imports and bare paths.

    `base` is the box-relative path of the file the text is from (or of its folder). A path is sought from that folder,
    then from the root; what leaves the box is left out, a bare word with a slash counts only when it is there.
    """
    tree = Tree(root)
    folder = base if (root / base).is_dir() else base.rpartition("/")[0]
    found: dict[str, Reference] = {}
    for number, line in enumerate(text.split("\n"), 1):
        for name, sure in _named(line):
            reference = _resolved(tree, folder, name, number)
            if reference and (sure or reference.exists):
                found.setdefault(reference.path, reference)
    return tuple(found.values())


def named_paths(line: str) -> tuple[str, ...]:
    """The paths one line names as they are written, each once; without a box to look into, only sure ones."""
    return tuple(dict.fromkeys(name for name, sure in _named(line) if sure))


def _named(line: str) -> list[tuple[str, bool]]:
    """What looks like a path in a line, and whether it is one even when nothing is there."""
    line = line[:_LINE]
    found = []
    for match in _LINK.finditer(line):
        target = match[1].split("#")[0].split("?")[0]
        if target and not re.match(r"[a-z][a-z0-9+.-]*:", target, re.IGNORECASE):
            found.append((target, True))
    rest = _LINK.sub(" ", line)
    for span in _SPAN.finditer(rest):
        found += [(name, _is_path(name)) for name in _words(span[1]) if _is_path(name)]
    for name in _words(_SPAN.sub(" ", rest)):
        if _EXTENSION.search(name):
            found.append((name, True))
        elif "/" in name:
            found.append((name, False))
    return found


def _words(text: str) -> list[str]:
    without_urls = re.sub(r"\w+://\S+", " ", text)
    return [word for match in _BARE.finditer(without_urls) if (word := match[0].lstrip("@").rstrip(".,;:"))]


def _is_path(name: str) -> bool:
    return bool(_EXTENSION.search(name)) or ("/" in name.strip("/") or name.endswith("/"))


def _resolved(tree: Tree, folder: str, name: str, line: int) -> Reference | None:
    plain = name.rstrip("/")
    if plain.startswith("/"):
        inside = os.path.relpath(plain, tree.root) if plain.startswith(f"{tree.root}/") else plain.lstrip("/")
        candidates = [join("", inside)]
    else:
        candidates = list(dict.fromkeys((join(folder, plain), join("", plain))))
    candidates = [path for path in candidates if plain and not path.startswith("..") and path != "."]
    for path in candidates:
        if _there(tree, path):
            return Reference(path, line, exists=True)
    if not candidates:
        return None
    # A missing path is told as the text's author most likely meant it: from the root unless it says otherwise.
    return Reference(candidates[0] if plain.startswith(".") else candidates[-1], line, exists=False)


def _there(tree: Tree, path: str) -> bool:
    if any(star in path for star in "*{?"):
        return any(globs.matches(path, known) for known in tree.walk(globs.fixed_folder(path)))
    return tree.holds(path)
