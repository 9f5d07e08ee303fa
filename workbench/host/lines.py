"""Append-only files of lines that several processes may write, and that outlive a kill at any instant."""

import contextlib
import fcntl
import os
from pathlib import Path


def append(path: Path, line: bytes, *, sync: bool) -> None:
    """Append one line (without its newline) to a file, whole or not at all.

    Writers of different processes take turns. What a killed writer left of its line is closed off first, so that it
    cannot swallow this one. `sync` returns only once the line is on the disk. Raises OSError with the file as it was.
    """
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        size = os.fstat(handle).st_size
        torn = size > 0 and os.pread(handle, 1, size - 1) != b"\n"
        try:
            _write(handle, (b"\n" if torn else b"") + line + b"\n")
        except OSError:
            with contextlib.suppress(OSError):
                os.ftruncate(handle, size)
            raise
        if sync:
            os.fsync(handle)
    finally:
        os.close(handle)


def read(path: Path) -> list[bytes]:
    """The complete lines of such a file, without newlines or empty ones; none when it does not exist.

    The last line of a killed writer has no newline and is left out; one that was closed off later is still there.
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return []
    *whole, _ = data.split(b"\n")
    return [line for line in whole if line]


def _write(handle: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(handle, rest) :]
