"""What a trial left different: exact, whatever an agent did to times, modes, names and links.

A file counts as unchanged without being read only when size, times, inode and mode are those of the baseline and its
last change lies clearly before the baseline; the kernel's file clock is too coarse to tell later ones apart.
"""

import hashlib
import os
import stat
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from workbench.text.sanitize import clean
from workbench.traces.records import Change

_TEXT_LIMIT = 256 * 1024
_TEXT_TOTAL = 16 * 1024 * 1024
"""Characters of text one trial's changes may carry; beyond it files are told by their hash alone."""
_HASH_LIMIT = 256 * 1024 * 1024
"""Longest file that is hashed; a longer one (a sparse one, say) is told without a hash."""
_CLOCK_STEP = 20_000_000
"""Nanoseconds the kernel's file clock may lag; it steps every 1 to 10 ms."""

_CHUNK = 64 * 1024

_Signature = tuple[int, int, int, int, int]


@dataclass(frozen=True, slots=True)
class _Known:
    signature: _Signature
    sha256: str
    settled: bool
    """Whether any later change must show in the signature."""


class Baseline:
    """A workspace's files at the moment its trial starts."""

    def __init__(self, root: Path, known: Mapping[str, str], before: "Baseline | None" = None) -> None:
        """Look at every file below `root`; hashes come from `known` (path → sha256), else from `before`, else the file.

        `known` is trusted: it must be true of the files as they lie there.
        """
        self.root = root
        moment = time.time_ns() - _CLOCK_STEP
        earlier = before._files if before else {}
        self._files: dict[str, _Known] = {}
        for path, about in _scan(root):
            signature = _signature(about)
            same = earlier.get(path)
            sha = known.get(path) or (same.sha256 if same and same.settled and same.signature == signature else None)
            self._files[path] = _Known(
                signature, _hash(root, path, about, about.st_size) if sha is None else sha, about.st_ctime_ns < moment
            )

    def changes(self) -> tuple[Change, ...]:
        """What differs now, sorted by path; names and text are made safe to show."""
        found: list[Change] = []
        seen: set[str] = set()
        room = _TEXT_TOTAL
        for path, about in _scan(self.root):
            seen.add(path)
            known = self._files.get(path)
            if known and known.settled and known.signature == _signature(about):
                continue
            sha = _hash(self.root, path, about, known.signature[1] if known else 0)
            if known and sha and sha == known.sha256 and known.signature[0] == _signature(about)[0]:
                continue
            text = _text(self.root, path, about) if about.st_size <= min(_TEXT_LIMIT, room) else None
            room -= len(text or "")
            found.append(_change(path, "modified" if known else "created", sha, text))
        found += [_change(path, "deleted") for path in self._files.keys() - seen]
        return tuple(sorted(found, key=lambda change: change.path))


def _change(
    path: str, kind: Literal["created", "modified", "deleted"], sha: str = "", text: str | None = None
) -> Change:
    return Change(path=clean(path), kind=kind, sha256=sha, text=text)


def _signature(about: os.stat_result) -> _Signature:
    kind = about.st_mode & 0o100 if stat.S_ISREG(about.st_mode) else 0
    return (
        stat.S_IFMT(about.st_mode) | kind,
        about.st_size,
        about.st_mtime_ns,
        about.st_ctime_ns,
        about.st_ino,
    )


def _scan(root: Path) -> Iterator[tuple[str, os.stat_result]]:
    """Everything below a folder that is no folder, links not followed, repositories' own files left out.

    What cannot be looked at even by its owner is told with its folder's state, so that it does not go unseen.
    """
    pending = [("", os.lstat(root))]
    while pending:
        prefix, folder = pending.pop()
        place = os.path.join(root, prefix)
        try:
            if folder.st_mode & 0o700 != 0o700:
                os.chmod(place, 0o700)
            entries = list(os.scandir(place))
        except OSError:
            yield prefix.rstrip("/"), folder
            continue
        for entry in entries:
            if entry.name == ".git":
                continue
            try:
                about = entry.stat(follow_symlinks=False)
            except FileNotFoundError:
                continue
            except OSError:  # its path is longer than the system takes
                about = folder
            if stat.S_ISDIR(about.st_mode) and about is not folder:
                pending.append((f"{prefix}{entry.name}/", about))
            else:
                yield prefix + entry.name, about


def _hash(root: Path, path: str, about: os.stat_result, known_size: int) -> str:
    """sha256 of a file's bytes or a link's target; empty for what has no bytes or gives none, and for too many."""
    place = os.path.join(root, path)
    digest = hashlib.sha256()
    try:
        if stat.S_ISLNK(about.st_mode):
            digest.update(os.fsencode(os.readlink(place)))
        elif stat.S_ISREG(about.st_mode) and about.st_size <= max(_HASH_LIMIT, known_size):
            with open(_open(place, about), "rb", buffering=0) as file:
                while chunk := file.read(_CHUNK):
                    digest.update(chunk)
        else:
            return ""
    except OSError:
        return ""
    return digest.hexdigest()


def _text(root: Path, path: str, about: os.stat_result) -> str | None:
    if not stat.S_ISREG(about.st_mode):
        return None
    try:
        with open(_open(os.path.join(root, path), about), "rb", buffering=0) as file:
            data = file.read(_TEXT_LIMIT)
        return None if b"\0" in data else clean(data.decode("utf-8"))
    except (OSError, UnicodeDecodeError):
        return None


def _open(place: str, about: os.stat_result) -> int:
    if not about.st_mode & 0o400:
        os.chmod(place, 0o600)
    return os.open(place, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
