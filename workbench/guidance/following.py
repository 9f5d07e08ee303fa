"""What can be reached by following names from text to text, starting with what loads by itself."""

from collections.abc import Container, Sequence
from dataclasses import dataclass
from functools import lru_cache

from workbench.guidance import references
from workbench.guidance.listing import Listing
from workbench.guidance.references import Reference
from workbench.guidance.snapshot_tree import SnapshotTree


@dataclass(frozen=True, slots=True)
class Text:
    """A text an agent has, or can get by following names."""

    path: str
    """Box-relative, links followed."""
    text: str
    """As the agent gets it."""


@dataclass(frozen=True, slots=True)
class Step:
    """A file that a text names."""

    path: str
    """Box-relative, links followed."""
    by: str
    """The file that names it, box-relative."""
    line: int
    """1-based line that does."""
    hops: int
    """Texts that have to be followed from what loads by itself, the naming one included."""


def follow(tree: SnapshotTree, loaded: Sequence[Text], documents: Container[str]) -> list[Step]:
    """Each file that is named, by the shortest way and there by the first text that names it; nearest first.

    A glob leads to all it matches in folders it names; a folder leads to the documents directly in it, and a glob that
    reaches over folders (`src/**`) to the documents among its matches: both say where something holds rather than what
    to read. Names are followed out of `documents` only, as code names many files.
    """
    known = {one.path for one in loaded}
    found: list[Step] = []
    near, hops = list(loaded), 1
    while near:
        steps = [step for one in near for step in _steps(tree, one, hops, known, documents)]
        found += steps
        texts = ((step.path, tree.text(step.path)) for step in steps if step.path in documents)
        near = [Text(path, text) for path, text in texts if text]
        hops += 1
    return found


@lru_cache(maxsize=4096)
def named(text: str, path: str, listing: Listing) -> tuple[Reference, ...]:
    """What the text of a file names, in a box of these paths."""
    return references.find(text, path, listing, listing.root)


def _steps(tree: SnapshotTree, one: Text, hops: int, known: set[str], documents: Container[str]) -> list[Step]:
    """The steps that one text adds; they are known then."""
    found = []
    for reference in named(one.text, one.path, tree.listing):
        for target in _targets(tree.listing, reference, documents) if reference.exists else ():
            path = tree.real_relative(target)
            if path not in known:
                known.add(path)
                found.append(Step(path, one.path, reference.line, hops))
    return found


def _targets(listing: Listing, reference: Reference, documents: Container[str]) -> Sequence[str]:
    """The files that a name leads to."""
    path = reference.path
    if reference.is_glob:
        matching = listing.matching(path)
        return [one for one in matching if one in documents] if "**" in path else matching
    if listing.has(path):
        return (path,)
    return [one for one in listing.directly_in(path) if one in documents]
