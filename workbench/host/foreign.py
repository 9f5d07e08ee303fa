"""Files that somebody untrusted may have put there: read without following, waiting, or reading without end."""

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO

LARGEST = 256 << 20
"""Bytes of the largest file that is read where nobody says otherwise."""


def read_plain(path: Path, limit: int = LARGEST, start: int = 0) -> bytes:
    """A file's bytes from `start` on.

    Raises OSError for a link, for what is no plain file, such as a pipe that would be waited for, and where there are
    more than `limit` bytes to read.
    """
    with _opened(path, os.O_NOFOLLOW) as file:
        if os.fstat(file.fileno()).st_size - start > limit:
            raise OSError(errno.EFBIG, "too large to be read", str(path))
        file.seek(start)
        return file.read(limit)


def open_plain(path: Path | str) -> BinaryIO:
    """Open a file for reading, links followed; raises OSError for what is, by now, no plain file, and never waits."""
    return _opened(path, 0)


def _opened(path: Path | str, flags: int) -> BinaryIO:
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | flags)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OSError(errno.EINVAL, "not a plain file", str(path))
    return open(handle, "rb")
