"""What a box holds at one moment, without what a trial must not see; taken without writing a byte to the box."""

import hashlib
import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypedDict, Unpack

from workbench.boxes import beebox_layout
from workbench.boxes.answers import Answers
from workbench.boxes.globs import Globs
from workbench.boxes.included import Included, gather, within
from workbench.boxes.listing import Listing, Skipped, survey
from workbench.boxes.objects import Tree
from workbench.host.git import Git

_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class Entry:
    """One file or link of a snapshot."""

    path: str
    """Box-relative, with forward slashes; bytes that are not UTF-8 as surrogates, as `os.fsdecode` has them."""
    kind: Literal["file", "link"]
    sha256: str
    """Of the file's bytes; of a link's target."""
    executable: bool = False
    source: str = ""
    """Absolute path the bytes come from; a link followed into a copy comes from elsewhere than `path`."""
    target: str = ""
    """Where a link points, relative to the link's own folder."""
    ignored: bool = False
    """Whether git does not know it: present in a workspace, absent from the workspace's commits."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A box at one moment; `entries` sorted by path."""

    root: Path
    entries: tuple[Entry, ...]
    commit: str = ""
    """What HEAD named; empty without git or commits."""
    branch: str = ""
    dirty: bool = False
    """Whether the box differs from its commit, untracked files included."""
    hash: str = ""
    """sha256 over path, mode and content of every entry: equal exactly when workspaces would hold the same files."""
    skipped: tuple[Skipped, ...] = ()
    """What was left out although nobody asked for that, such as links that leave the box."""
    history: int = 0
    """How many commits a workspace may show."""
    hidden: tuple[Globs, ...] = ()
    """What neither the files nor the history may hold; each decides for itself, so none can uncover another's."""
    answers: Answers | None = None
    """What they may not hold under any name; None where nothing of the past is shown."""

    @property
    def paths(self) -> tuple[str, ...]:
        """Box-relative paths of all files and links, sorted."""
        return tuple(entry.path for entry in self.entries)

    def visible(self, git: Git, tree: Tree) -> Tree:
        """What a trial may see of a tree of the box's past; raises GitError, and BoxError where a blob is not here."""
        left = {path: item for path, item in tree.items() if not is_hidden(self.hidden, path)}
        telling = self.answers.among(git, left) if self.answers else ()
        return {path: item for path, item in left.items() if item.blob not in telling}


class Terms(TypedDict, total=False):
    """What a snapshot is to hold beside, and instead of, what git tells of a box; globs are .gitignore's."""

    include_ignored: Sequence[str]
    """Files that git ignores and a trial needs."""
    deny: Sequence[str]
    """What a trial must not see,"""
    answer_key: Sequence[str]
    """what gives answers away,"""
    hide: Sequence[str]
    """and what is left out to see what the rest teaches."""
    history: int
    """How many commits a workspace may show; 0: none."""


def take(box: Path, *, secrets: Sequence[Path] = (), **terms: Unpack[Terms]) -> Snapshot:
    """Snapshot a box (a real folder, as `location.resolve` gives it); no file, index or ref of it is written.

    Holds tracked files as they lie there (edits in, deletions out), untracked files, and ignored ones that
    `include_ignored` names, as real copies; a plain folder gives all but well-known junk. Out stay `.git`, what `deny`,
    `answer_key` and `hide` name (a nested repository's paths are also tried from its own top), and, told in `skipped`:
    links that leave the box, files that cannot be read, pipes and sockets. Globs are .gitignore's. `secrets` (absolute
    paths) stay out of the history under any name. Raises BoxError.
    """
    bee = beebox_layout.is_bee_box(box)
    wanted, hidden = globs_of(terms, bee=bee)
    listing = survey(box)
    entries = {entry.path: entry for entry in _own(box, listing, hidden)}
    for found in gather(box, wanted, listing.skipped):
        if found.path not in listing.paths and (entry := ignored_file(box, found, hidden, listing.skipped)):
            entries[found.path] = entry
    kept = ordered(entries)
    history = terms.get("history", 0) if listing.commit else 0
    return Snapshot(
        root=box,
        entries=kept,
        commit=listing.commit,
        branch=listing.branch,
        dirty=listing.dirty,
        hash=sum_of(kept),
        skipped=tuple(sorted(listing.skipped, key=lambda skip: skip.path)),
        history=history,
        hidden=hidden,
        answers=Answers(secrets) if history else None,
    )


def globs_of(terms: Terms, *, bee: bool) -> tuple[Globs, tuple[Globs, ...]]:
    """The ignored paths that are wanted, and what must not be seen, of a box that is a Bee Box or not."""
    hidden = (terms.get("deny", ()), terms.get("answer_key", ()), terms.get("hide", ()))
    memory = beebox_layout.MEMORY if bee else ()
    wanted = (*terms.get("include_ignored", ()), *(beebox_layout.GENERATED if bee else ()))
    return Globs(wanted), tuple(map(Globs, (*hidden, memory)))


def is_hidden(hidden: Iterable[Globs], *paths: str) -> bool:
    """Whether a file, known by one or more box-relative paths, must not be seen."""
    return any(globs.match(*paths) for globs in hidden)


def ignored_file(box: Path, found: Included, hidden: Iterable[Globs], skipped: list[Skipped]) -> Entry | None:
    """The entry of an ignored file that was asked for; None where it is hidden, here or where a link led to it."""
    root = os.path.realpath(box)
    inside = found.source[len(root) + 1 :] if within(found.source, root) else found.path
    if is_hidden(hidden, found.path, inside):
        return None
    return _file(found.path, found.source, skipped, ignored=True)


def ordered(entries: dict[str, Entry]) -> tuple[Entry, ...]:
    """Entries as a snapshot holds them: by path, without what others would have to lie below."""
    return tuple(sorted(_without_clashes(entries), key=lambda entry: entry.path))


def _own(box: Path, listing: Listing, hidden: tuple[Globs, ...]) -> Iterator[Entry]:
    """The entries of the box's own paths; a path below what has become a link is no more."""
    root = os.path.realpath(box)
    real: dict[str, bool] = {}
    for path, inner in listing.paths.items():
        if is_hidden(hidden, path, inner):
            continue
        place = os.path.join(root, path)
        folder = os.path.dirname(place)
        if folder not in real:
            real[folder] = os.path.realpath(folder) == folder
        if not real[folder]:
            continue
        skipped = listing.skipped
        if entry := _link(box, path, skipped) if os.path.islink(place) else _file(path, place, skipped):
            yield entry


def _file(path: str, source: str, skipped: list[Skipped], *, ignored: bool = False) -> Entry | None:
    """Read a regular file's digest; None for one that is gone, and for what has no bytes to copy."""
    try:
        handle = os.open(source, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        skipped.append(Skipped(path, f"cannot be read: {error.strerror}"))
        return None
    with open(handle, "rb", buffering=0) as file:
        about = os.fstat(handle)
        if not stat.S_ISREG(about.st_mode):
            skipped.append(Skipped(path, "not a regular file"))
            return None
        digest = hashlib.sha256()
        try:
            while chunk := file.read(_CHUNK):
                digest.update(chunk)
        except OSError as error:
            skipped.append(Skipped(path, f"cannot be read: {error.strerror}"))
            return None
    return Entry(path, "file", digest.hexdigest(), bool(about.st_mode & 0o100), source, ignored=ignored)


def _link(box: Path, path: str, skipped: list[Skipped]) -> Entry | None:
    """A link that stays in the box, made relative; None, and told, for one that leaves it."""
    place = os.path.join(box, path)
    root = os.path.realpath(box)
    target = os.readlink(place)
    folder = os.path.dirname(os.path.join(root, path))
    if os.path.isabs(target):
        named = next((base for base in (root, os.path.abspath(box)) if within(os.path.normpath(target), base)), None)
        target = os.path.relpath(os.path.join(root, os.path.relpath(target, named)), folder) if named else target
    if not within(os.path.normpath(os.path.join(folder, target)), root) or not within(os.path.realpath(place), root):
        skipped.append(Skipped(path, "a link that leaves the box"))
        return None
    return Entry(path, "link", hashlib.sha256(os.fsencode(target)).hexdigest(), target=target)


def _without_clashes(entries: dict[str, Entry]) -> Iterable[Entry]:
    """Leave out a link where files were asked for below it: those become a real folder."""
    folders = {os.path.dirname(path) for path in entries}
    for folder in list(folders):
        while folder := os.path.dirname(folder):
            folders.add(folder)
    return (entry for path, entry in entries.items() if path not in folders)


def sum_of(entries: Iterable[Entry]) -> str:
    """The hash of a snapshot; see `Snapshot.hash`."""
    whole = hashlib.sha256()
    for entry in entries:
        mode = "link" if entry.kind == "link" else "exec" if entry.executable else "file"
        whole.update(os.fsencode(entry.path) + b"\0" + f"{mode}\0{entry.sha256}\n".encode())
    return whole.hexdigest()
