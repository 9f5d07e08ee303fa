"""Bringing a template up to date: what changed is written anew, the rest stays; the outcome is that of building it."""

import contextlib
import os
from pathlib import Path

from workbench.boxes import building
from workbench.boxes.location import BoxError
from workbench.boxes.manifest import Item, Manifest
from workbench.boxes.snapshot import Entry, Snapshot

_Held = dict[str, Item]


def renew(snapshot: Snapshot, folder: Path) -> bool:
    """Turn the template in a folder, which nobody else uses now, into that of a snapshot of the same box.

    False where it must be built anew: it is not what its manifest says, or holds a history. Raises BoxError; what lies
    there then is no template.
    """
    root = folder / "tree"
    earlier = _intact(folder)
    if earlier is None or snapshot.history or earlier.name != (snapshot.root.name or "box"):
        return False
    Manifest.withdraw(folder)
    held = {item.path: item for item in earlier.items if item.path.split("/", 1)[0] != ".git"}
    wanted = {entry.path: entry for entry in snapshot.entries}
    stale = [path for path, item in held.items() if item.kind != "folder" and not _same(item, wanted.get(path))]
    fresh = [entry for entry in snapshot.entries if not _same(held.get(entry.path), entry)]
    try:
        _clear(root, held, stale, wanted)
    except OSError as error:
        raise BoxError(f"the template in {folder} cannot be brought up to date: {error}") from error
    building.renew(snapshot, folder, fresh, stale)
    return True


def _intact(folder: Path) -> Manifest | None:
    """What a template holds; None where it was written to by anybody else, or is none."""
    with contextlib.suppress(BoxError, OSError):
        manifest = Manifest.read(folder)
        if tuple(building.inventory(folder / "tree", {})) == manifest.items:
            return manifest
    return None


def _same(item: Item | None, entry: Entry | None) -> bool:
    if item is None or entry is None:
        return False
    ours = (item.kind, item.sha256, item.executable, item.target)
    return ours == (entry.kind, entry.sha256, entry.executable, entry.target)


def _clear(root: Path, held: _Held, stale: list[str], wanted: dict[str, Entry]) -> None:
    """Take away what is not wanted as it is, and the folders in which nothing lies any more."""
    for path in stale:
        os.unlink(root / path)
    above = {folder for path in wanted for folder in _folders(path)}
    gone = [path for path, item in held.items() if item.kind == "folder" and path not in above]
    for path in reversed(gone):
        os.rmdir(root / path)


def _folders(path: str) -> list[str]:
    parts = path.split("/")[:-1]
    return ["/".join(parts[:depth]) for depth in range(1, len(parts) + 1)]
