"""Names of files that are not there, told only where their author surely meant a file that should be."""

import os
import re
from collections.abc import Iterator, Sequence

from workbench.guidance.documents import is_document
from workbench.guidance.following import Text, named
from workbench.guidance.records import ChainFault
from workbench.guidance.references import Name, Reference, has_extension
from workbench.guidance.snapshot_tree import SnapshotTree

_MADE_UP = re.compile(
    r"[*?{}<>$\[\]|…]|\.\.\.|(^|/)(path/to|foo|bar|baz|qux|example|sample|your|my|some|xxx*|yyyy|nnn*)(?![a-z])|"
    r"YYYY|\d{4}-\d\d|(^|/)\.env",
    re.IGNORECASE,
)
"""Stands for other names, for files that come and go by date, or for what is never put under version control."""


def missing(tree: SnapshotTree, texts: Sequence[Text]) -> Iterator[ChainFault]:
    """A fault for each file that a text names and that is not there, at the line that names it first.

    Files of one folder that is not there either are one fault: most likely something makes them.
    """
    for one in texts:
        gone: dict[str, list[Reference]] = {}
        for reference in named(one.text, one.path, tree.listing):
            if not reference.exists and _meant(tree, reference) and not hidden(tree, reference.path):
                folder = reference.path.rpartition("/")[0]
                gone.setdefault(reference.path if tree.holds(folder) else folder, []).append(reference)
        for first, *more in gone.values():
            others = f" (nor are {len(more)} more of that folder)" if more else ""
            told = f"{first.path} is named and not there{others}; {instead(tree, first.path)}"
            yield ChainFault(fault="missing", path=one.path, line=first.line, target=first.path, told=told)


def instead(tree: SnapshotTree, path: str) -> str:
    """What to do about a path that is not there: the one file of that name is most likely meant."""
    alike = tree.listing.by_name.get(path.rpartition("/")[2], ())
    return f"{alike[0]} has that name" if len(alike) == 1 else "mend the path or add the file"


def hidden(tree: SnapshotTree, path: str) -> bool:
    """Whether a path lies in the box and agents do not see it: then it is no fault to name it."""
    return os.path.lexists(os.path.join(tree.root, path))


def _meant(tree: SnapshotTree, reference: Reference) -> bool:
    """Whether a name that leads nowhere can only be a mistake: an example, a pattern or a word with a slash is none."""
    name = reference.name
    if name.fenced or _MADE_UP.search(name.text) or name.text.startswith("~"):
        return False
    return _a_link(name) if name.kind == "link" else _a_path(tree, reference)


def _a_link(name: Name) -> bool:
    """A link that starts at the root without naming a file is one of a web site."""
    return has_extension(name.text) or ("/" in name.text and not name.text.startswith("/"))


def _a_path(tree: SnapshotTree, reference: Reference) -> bool:
    """Outside a link a path needs a folder that is there; outside a code span only documents are surely meant."""
    name = reference.name
    folder = reference.path.partition("/")[0]
    whole = "/" in name.text.removeprefix("./") and has_extension(name.text) and not name.text.startswith("/")
    return whole and tree.holds(folder) and (name.kind == "span" or is_document(name.text))
