"""A box as it was at a git revision: read from git's objects alone, so that checkout, index and refs stay untouched."""

import contextlib
import hashlib
import os
import posixpath
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Unpack

from workbench.boxes import beebox_layout, objects
from workbench.boxes.answers import Answers
from workbench.boxes.globs import Globs
from workbench.boxes.included import gather, within
from workbench.boxes.links import stays
from workbench.boxes.listing import Skipped, survey
from workbench.boxes.location import BoxError
from workbench.boxes.objects import EXECUTABLE, LINK, SUBMODULE, Tree
from workbench.boxes.reading import BoxGit
from workbench.boxes.snapshot import Entry, Snapshot, Terms, globs_of, ignored_file, ordered, sum_of
from workbench.host.git import GitError
from workbench.text.sanitize import clean_line

_POINTER = b"version https://git-lfs.github.com/spec/"
_TEXT_LIMIT = 1 << 20


def resolve(box: Path, revision: str) -> str:
    """The full name of the commit that a revision means in a box's repository; BoxError says what to do if none."""
    shown = clean_line(revision, 80)
    if not revision.strip() or revision.startswith("-") or "\0" in revision or "\n" in revision:
        raise BoxError(f"{shown!r} is no git revision; name a commit, a branch or a tag")
    git = BoxGit(box)
    status, out, err = git.attempt("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
    if status == 0 and (commit := out.decode("ascii", "replace").split()):
        return commit[-1]
    if git.attempt("rev-parse", "--git-dir")[0] != 0:
        raise BoxError(f"{box} is in no git repository, so it has no revision {shown!r}; ask it as it lies there")
    said = clean_line(os.fsdecode(err), 200)
    told = f"{box}: git knows no commit {shown!r} here" + (f" ({said})" if said else "")
    raise BoxError(f"{told}; `git log --oneline` shows those there are")


def tree(box: Path, commit: str) -> Tree:
    """Every path a box held at a commit, submodules included; BoxError where it held none, or git cannot tell."""
    try:
        found = objects.tree(BoxGit(box), commit)
    except GitError as error:
        raise BoxError(f"{box} at {commit[:12]} cannot be read: {error}") from error
    if not found:
        raise BoxError(f"{box} held nothing at {commit[:12]}; name a revision at which it was there")
    return found


def texts(box: Path, commit: str, paths: Iterable[str]) -> dict[str, str | None]:
    """The files of those paths at a commit, as text; None for one that is no UTF-8 text or longer than 1 MB.

    What was not there, and links and submodules, are left out. Raises BoxError.
    """
    found = tree(box, commit)
    files = {path: found[path].blob for path in paths if path in found and found[path].mode not in (LINK, SUBMODULE)}
    try:
        read = {blob: _text(data) for blob, data in objects.contents(BoxGit(box), set(files.values()))}
    except GitError as error:
        raise BoxError(f"{box} at {commit[:12]} cannot be read: {error}") from error
    return {path: read[blob] for path, blob in files.items()}


def take_at(box: Path, commit: str, folder: Path, *, secrets: Sequence[Path] = (), **terms: Unpack[Terms]) -> Snapshot:
    """Snapshot a box at a commit (its full name); the files' bytes are put into `folder`, which must be private.

    As `snapshot.take`, but for: what `include_ignored` names, and git ignores today, comes from the box as it lies
    there, told in `skipped`; so are submodules and LFS pointers, which a revision does not hold. Files that equal one
    of `secrets` (absolute paths), and earlier forms of the corpora among these, stay out under any name.
    """
    git = BoxGit(box)
    found = tree(box, commit)
    bee = beebox_layout.is_bee_box(box) or beebox_layout.CONFIG in found
    wanted, hidden = globs_of(terms, bee=bee)
    bare = Snapshot(box, (), commit=commit, hidden=hidden, answers=Answers(secrets))
    skipped: list[Skipped] = []
    try:
        entries = {entry.path: entry for entry in _entries(git, bare.visible(git, found), box, folder, skipped)}
        branch = git.attempt("symbolic-ref", "--quiet", "--short", "HEAD")[1].decode("utf-8", "replace").strip()
    except GitError as error:
        raise BoxError(f"{box} at {commit[:12]} cannot be read: {error}") from error
    for entry in _ignored(bare, wanted, found, skipped):
        entries[entry.path] = entry
    kept = ordered(entries)
    told = tuple(sorted(skipped, key=lambda skip: skip.path))
    return replace(bare, entries=kept, branch=branch, hash=sum_of(kept), skipped=told, history=terms.get("history", 0))


def _entries(git: BoxGit, visible: Tree, box: Path, folder: Path, skipped: list[Skipped]) -> Iterator[Entry]:
    """What a tree's paths become, the bytes of files put into the folder under the names of their blobs."""
    files: dict[str, str] = {}
    links = {path: item.blob for path, item in visible.items() if item.mode == LINK}
    for path, item in visible.items():
        if item.mode == SUBMODULE:
            skipped.append(Skipped(path, "a submodule, which the revision only names"))
        elif item.mode != LINK:
            files[path] = item.blob
    told = dict(objects.contents(git, set(links.values())))
    targets = {path: _relative(path, os.fsdecode(told[blob]), box) for path, blob in links.items()}
    for path, target in targets.items():
        if target and "\0" not in target and stays(path, targets):
            yield Entry(path, "link", hashlib.sha256(os.fsencode(target)).hexdigest(), target=target)
        else:
            skipped.append(Skipped(path, "a link that leaves the box"))
    sums: dict[str, str] = {}
    for blob, data in objects.contents(git, set(files.values())):
        _put(folder, blob, data)
        sums[blob] = "" if data.startswith(_POINTER) else hashlib.sha256(data).hexdigest()
    for path, blob in files.items():
        if sums[blob]:
            yield Entry(path, "file", sums[blob], visible[path].mode == EXECUTABLE, str(folder / blob))
        else:
            skipped.append(Skipped(path, "a pointer of Git LFS, whose file no revision holds"))


def _put(folder: Path, name: str, data: bytes) -> None:
    """Write a file into a folder that is made for it: another process's sweep takes away one that is still empty."""
    while True:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with contextlib.suppress(FileNotFoundError):
            (folder / name).write_bytes(data)
            return


def _relative(path: str, target: str, box: Path) -> str:
    """Where a link leads to from its own folder; where that is no place in the box, as it is written."""
    if not target.startswith("/"):
        return target
    named = next((base for base in map(str, (box.resolve(), box)) if within(posixpath.normpath(target), base)), "")
    return posixpath.relpath(posixpath.relpath(target, named), posixpath.dirname(path) or ".") if named else target


def _ignored(snapshot: Snapshot, wanted: Globs, at_revision: Tree, skipped: list[Skipped]) -> Iterator[Entry]:
    """Files that git ignores in the box as it lies there, and the globs name."""
    if not wanted.patterns:
        return
    today = survey(snapshot.root)
    for found in gather(snapshot.root, wanted, skipped):
        if found.path in today.paths or found.path in at_revision:
            continue
        if entry := ignored_file(snapshot.root, found, snapshot.hidden, skipped):
            skipped.append(Skipped(found.path, "no part of the revision: taken from the box as it lies there"))
            yield entry


def _text(data: bytes) -> str | None:
    if b"\0" in data or len(data) > _TEXT_LIMIT:
        return None
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return None
