"""Files that somebody untrusted may have put there: read without following, waiting, or reading without end."""

import errno
import os
import stat
from pathlib import Path

LARGEST = 256 << 20
"""Bytes of the largest file that is read where nobody says otherwise."""


def read_plain(path: Path, limit: int = LARGEST, start: int = 0) -> bytes:
    """A file's bytes from `start` on.

    Raises OSError for a link, for what is no plain file, such as a pipe that would be waited for, and where there are
    more than `limit` bytes to read.
    """
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        found = os.fstat(handle)
        if not stat.S_ISREG(found.st_mode):
            raise OSError(errno.EINVAL, "not a plain file", str(path))
        if found.st_size - start > limit:
            raise OSError(errno.EFBIG, "too large to be read", str(path))
        with open(handle, "rb", closefd=False) as file:
            file.seek(start)
            return file.read(limit)
    finally:
        os.close(handle)
