"""Looking at a workspace an agent had its way with: nothing is followed, nothing blocks, modes hide nothing."""

import hashlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from workbench.text.sanitize import clean

CLOCK_STEP = 20_000_000
"""Nanoseconds the kernel's file clock may lag, as it steps every 1 to 10 ms: closer writes may look alike."""

TEXT_LIMIT = 256 * 1024
_HASH_LIMIT = 256 * 1024 * 1024
"""Longest file that is hashed; a longer one (a sparse one, say) is told without a hash."""
_CHUNK = 64 * 1024


def scan(root: Path) -> Iterator[tuple[str, os.stat_result]]:
    """Everything below a folder that is no folder, by path; repositories' own files left out.

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


def digest(root: Path, path: str, about: os.stat_result, known_size: int) -> str:
    """sha256 of a file's bytes or a link's target; empty for what has no bytes or gives none, and for too many."""
    place = os.path.join(root, path)
    sha = hashlib.sha256()
    try:
        if stat.S_ISLNK(about.st_mode):
            sha.update(os.fsencode(os.readlink(place)))
        elif stat.S_ISREG(about.st_mode) and about.st_size <= max(_HASH_LIMIT, known_size):
            with open(_open(place, about), "rb", buffering=0) as file:
                while chunk := file.read(_CHUNK):
                    sha.update(chunk)
        else:
            return ""
    except OSError:
        return ""
    return sha.hexdigest()


def text(root: Path, path: str, about: os.stat_result) -> str | None:
    """A file's text, made safe to show; None for what is no text, or more than 256 KB of it."""
    if not stat.S_ISREG(about.st_mode) or about.st_size > TEXT_LIMIT:
        return None
    try:
        with open(_open(os.path.join(root, path), about), "rb", buffering=0) as file:
            data = file.read(TEXT_LIMIT)
        return None if b"\0" in data else clean(data.decode("utf-8"))
    except (OSError, UnicodeDecodeError):
        return None


def _open(place: str, about: os.stat_result) -> int:
    if not about.st_mode & 0o400:
        os.chmod(place, 0o600)
    return os.open(place, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
