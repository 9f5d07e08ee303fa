"""Building a template: the snapshot's files copied, its repository made, the inventory written, the folder owned."""

import contextlib
import hashlib
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from workbench.boxes import history, repository
from workbench.boxes.base import guidance_above
from workbench.boxes.included import within
from workbench.boxes.location import BoxError
from workbench.boxes.manifest import Item, Manifest
from workbench.boxes.ownership import claim
from workbench.boxes.snapshot import Entry, Snapshot
from workbench.host.foreign import open_plain

_CHUNK = 1 << 20
_owned: dict[Path, contextlib.ExitStack] = {}
"""Locks of the folders this process owns, held until released or until the process ends."""


def build_template(snapshot: Snapshot, folder: Path) -> Manifest:
    """Fill a folder with a snapshot's template; see `workspace.build_template`."""
    if found := next(guidance_above(folder.absolute()), None):
        raise BoxError(f"workspaces below {folder} would load {found}; use a folder from workspaces_base()")
    _owned[folder.absolute()] = claim(folder)
    try:
        manifest = _fill(snapshot, folder)
        manifest.write(folder)
    except BaseException:
        release(folder)
        raise
    return manifest


def _fill(snapshot: Snapshot, folder: Path) -> Manifest:
    root = folder / "tree"
    root.mkdir()
    (folder / "copies").mkdir()
    repository.create(root)
    return _completed(snapshot, root, snapshot.entries)


def renew(snapshot: Snapshot, folder: Path, fresh: Sequence[Entry], stale: Sequence[str]) -> None:
    """Complete a template from which what is `stale` was taken, by what is `fresh`; see `renewal.renew`."""
    root = folder / "tree"
    # Attributes decide how git keeps every other file; of a link other links decide whether it stays.
    all_anew = any(os.path.basename(path) == ".gitattributes" for path in (*stale, *(entry.path for entry in fresh)))
    again = [entry.path for entry in snapshot.entries if all_anew or entry.ignored or entry.kind == "link"]
    gone = set(stale).difference(snapshot.paths)
    repository.forget(root, [*sorted(gone), *again])
    _completed(snapshot, root, fresh).write(folder)


def _completed(snapshot: Snapshot, root: Path, missing: Sequence[Entry]) -> Manifest:
    """Put what is missing into a tree, and all of it into its repository."""
    for entry in missing:
        _place(entry, root)
    kept = [entry for entry in snapshot.entries if _stays_inside(entry, root)]
    repository.name(root, snapshot.branch, [entry.path for entry in kept if entry.ignored])
    if snapshot.history:
        history.rebuild(snapshot, root)
    committed = [entry.path for entry in kept if not entry.ignored]
    head = repository.commit_snapshot(root, committed, history=bool(snapshot.history))
    repository.pack(root, history=bool(snapshot.history))
    hashes = {entry.path: entry.sha256 for entry in kept}
    return Manifest(
        name=snapshot.root.name or "box",
        snapshot_hash=snapshot.hash,
        head=head,
        items=tuple(inventory(root, hashes)),
    )


def release(folder: Path) -> None:
    """Give up ownership of a folder; one that is not this process's is left alone."""
    if stack := _owned.pop(folder.absolute(), None):
        stack.close()


def _place(entry: Entry, root: Path) -> None:
    """Put one entry into the tree; raises BoxError when the bytes are no longer the snapshot's."""
    place = root / entry.path
    place.parent.mkdir(parents=True, exist_ok=True)
    if entry.kind == "link":
        place.symlink_to(entry.target)
        return
    digest = hashlib.sha256()
    mode = 0o777 if entry.executable else 0o666
    try:
        handle = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
        with open(handle, "wb") as target, open_plain(entry.source) as source:
            while chunk := source.read(_CHUNK):
                digest.update(chunk)
                target.write(chunk)
    except OSError as error:
        raise BoxError(f"{entry.path!r} cannot be copied: {error}") from error
    if digest.hexdigest() != entry.sha256:
        raise BoxError(f"{entry.path!r} changed while the box was being copied; try again")


def _stays_inside(entry: Entry, root: Path) -> bool:
    """Whether an entry is no link that leads out of the finished tree; such a link is removed."""
    place = root / entry.path
    if entry.kind != "link" or within(os.path.realpath(place), os.path.realpath(root)):
        return True
    place.unlink()
    return False


def inventory(root: Path, hashes: Mapping[str, str]) -> Iterator[Item]:
    """What a template's tree holds; files whose sha256 is not among `hashes` are read."""
    pending = [""]
    while pending:
        prefix = pending.pop()
        for entry in sorted(os.scandir(root / prefix), key=lambda entry: entry.name):
            path = prefix + entry.name
            if entry.is_symlink():
                yield Item(path=path, kind="link", target=os.readlink(entry.path), sha256=hashes.get(path, ""))
            elif entry.is_dir():
                yield Item(path=path, kind="folder")
                pending.append(path + "/")
            else:
                executable = bool(entry.stat().st_mode & 0o100)
                sha = hashes.get(path) or hashlib.sha256(Path(entry.path).read_bytes()).hexdigest()
                yield Item(path=path, kind="file", executable=executable, sha256=sha)
