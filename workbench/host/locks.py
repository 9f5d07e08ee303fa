"""Locks between processes that vanish with their owner, so a killed one leaves none behind."""

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path


class LockedError(RuntimeError):
    """Another process holds the lock."""


@contextlib.contextmanager
def locked(path: Path, *, wait: bool = True) -> Iterator[None]:
    """Hold an advisory lock on `path` (created when absent); raise LockedError at once when `wait` is false."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except BlockingIOError as error:
            raise LockedError(f"{path} is held by another process") from error
        yield
    finally:
        os.close(handle)


def is_locked(path: Path) -> bool:
    """Whether some process holds the lock now; an absent file is not locked."""
    if not path.exists():
        return False
    try:
        with locked(path, wait=False):
            return False
    except LockedError:
        return True
