"""Locks between processes that vanish with their owner, so a killed one leaves none behind."""

import contextlib
import fcntl
import hashlib
import os
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

_PROBES = 5


class LockedError(RuntimeError):
    """Another process holds the lock."""


@contextlib.contextmanager
def locked(path: Path, *, wait: bool = True) -> Iterator[int]:
    """Hold an advisory lock on `path` (created when absent); raise LockedError at once when `wait` is false.

    Yields the lock's file descriptor: a child that inherits it keeps the lock until it ends, should this process be
    killed before it lets go.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handle = _acquire(path, wait)
    try:
        yield handle
    finally:
        fcntl.flock(handle, fcntl.LOCK_UN)  # closing alone would leave it to a child that inherited it
        os.close(handle)


def is_locked(path: Path) -> bool:
    """Whether some process holds the lock now; an absent file is not locked. Looking takes the lock from nobody."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
        return False
    except BlockingIOError:
        return True
    finally:
        os.close(handle)


def lock_for(path: Path) -> Path:
    """Where the lock for somebody else's file lies: outside their tree, the same for every process of this user.

    Raises PermissionError when that folder is not ours alone.
    """
    folder = Path(tempfile.gettempdir()) / f"workbench-{os.getuid()}"
    with contextlib.suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o022:
        raise PermissionError(f"{folder} must be a folder that only you can write to; remove it and try again")
    name = hashlib.sha256(os.fsencode(path.resolve())).hexdigest()[:32]
    return folder / f"{name}.lock"


def _acquire(path: Path, wait: bool) -> int:
    while True:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            _flock(handle, path, wait)
            if _names(path, handle):
                return handle
        except BaseException:
            os.close(handle)
            raise
        os.close(handle)  # the file was removed while we waited: what we hold, nobody else would look at


def _flock(handle: int, path: Path, wait: bool) -> None:
    if wait:
        fcntl.flock(handle, fcntl.LOCK_EX)
        return
    for _ in range(_PROBES):  # somebody's `is_locked` may hold it for an instant
        with contextlib.suppress(BlockingIOError):
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
    raise LockedError(f"{path} is held by another process")


def _names(path: Path, handle: int) -> bool:
    try:
        return os.path.samestat(path.stat(), os.fstat(handle))
    except FileNotFoundError:
        return False
