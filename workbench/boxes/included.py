"""Ignored paths a corpus asks for: found by their globs, links followed so that real copies can be made.

A link that leads out of the box is followed where a glob names it, or a path through it. Links met below that must
stay there or in the box: whatever else they point to was not asked for. A folder that holds itself is entered once.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from workbench.boxes.globs import Globs
from workbench.boxes.listing import Skipped
from workbench.boxes.location import BoxError

_LIMIT = 200_000


@dataclass(frozen=True, slots=True)
class Included:
    """An ignored file: the box path it gets, and the real file its bytes come from."""

    path: str
    source: str


@dataclass(frozen=True, slots=True)
class _Place:
    path: str
    real: str
    asked: bool
    """Whether it lies in, or is, something a glob names: from here on links may not lead elsewhere."""
    allowed: tuple[str, ...]
    """Real folders that links may lead to."""
    above: frozenset[str]
    """Real folders on the way here."""


def gather(box: Path, wanted: Globs, skipped: list[Skipped]) -> Iterator[Included]:
    """Yield the files below a box that the globs name, whether or not git knows them; what is skipped is added there.

    Raises BoxError for a glob that starts outside the box or in a repository's own files, and when more than 200 000
    places would have to be looked at.
    """
    home = os.path.realpath(box)
    for root in wanted.roots():
        if {"..", ".git"} & set(root.split("/")):
            raise BoxError(f"include_ignored may not name {root!r}: it is outside the box, or git's own")
    pending = [
        _Place(root, real, bool(root), (home, real), frozenset())
        for root in wanted.roots()
        if os.path.exists(real := os.path.realpath(os.path.join(home, root)))
    ]
    seen: set[str] = set()
    looked = 0
    while pending:
        place = pending.pop()
        looked += 1
        if looked > _LIMIT:
            raise BoxError(f"include_ignored leads to more than {_LIMIT} places; name the paths more narrowly")
        if os.path.isdir(place.real):
            pending += _children(place, wanted, skipped)
        elif place.path not in seen and wanted.match(place.path):
            seen.add(place.path)
            yield Included(place.path, place.real)


def _children(place: _Place, wanted: Globs, skipped: list[Skipped]) -> Iterator[_Place]:
    if place.real in place.above:
        skipped.append(Skipped(place.path, "the folder holds itself"))
        return
    try:
        names = sorted(os.listdir(place.real))
    except OSError as error:
        skipped.append(Skipped(place.path, f"cannot be opened: {error.strerror}"))
        return
    for name in names:
        if name == ".git":
            continue
        path = f"{place.path}/{name}" if place.path else name
        real = os.path.join(place.real, name)
        asked, allowed = place.asked or wanted.match(path), place.allowed
        if os.path.islink(real):
            real = os.path.realpath(real)
            if not any(within(real, root) for root in allowed):
                if place.asked:
                    skipped.append(Skipped(path, "a link that leads to what was not asked for"))
                if place.asked or not asked:
                    continue
                allowed = (*allowed, real)
        yield _Place(path, real, asked, allowed, place.above | {place.real})


def within(path: str, root: str) -> bool:
    """Whether an absolute path is `root` or lies below it; both without links on the way."""
    return path == root or path.startswith(root.rstrip("/") + "/")
