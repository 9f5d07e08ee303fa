"""Reading guidance out of a box without ever leaving it."""

import os
import stat
from functools import lru_cache
from pathlib import Path, PurePosixPath

from workbench.text.sanitize import clean

LIMIT = 262_144
"""Bytes of one guidance file that are read; the rest is cut with a note."""
PRUNED = frozenset({".git", ".hg", ".svn", "node_modules", ".venv", "__pycache__"})
"""Folders that are not walked in search of guidance."""


class Tree:
    """One box: text files by box-relative path, nothing outside its real root, no error for what is not there."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._real = os.path.realpath(root)

    def locate(self, path: str) -> str | None:
        """The real absolute path of a box-relative one when it is a regular file inside the box, else None.

        So it is too where a name on the way holds what no text can: no agent could be told it.
        """
        if not _tellable(path):
            return None
        try:
            real = os.path.realpath(os.path.join(self._real, path))
            inside = real.startswith(self._real.rstrip(os.sep) + os.sep) and _tellable(real[len(self._real) :])
            return real if inside and stat.S_ISREG(os.stat(real).st_mode) else None
        except (OSError, ValueError):
            return None

    def holds(self, path: str) -> bool:
        """Whether the box has a file or folder of that name, not counting links out of it."""
        real = os.path.realpath(os.path.join(self._real, path))
        return os.path.exists(real) and f"{real}{os.sep}".startswith(self._real.rstrip(os.sep) + os.sep)

    def text(self, path: str) -> str | None:
        """A file's sanitized text, cut at `LIMIT`; None when there is no such file in the box."""
        real = self.locate(path)
        if real is None:
            return None
        try:
            with open(real, "rb") as file:
                data = file.read(LIMIT + 1)
        except OSError:
            return None
        return _decoded(data)

    def folders(self, path: str) -> list[str]:
        """The box-relative folders from the root (empty) down to `path`, itself included."""
        parts = [part for part in PurePosixPath(path).parts if part not in (".", "/")]
        return ["/".join(parts[:count]) for count in range(len(parts) + 1)]

    def walk(self, folder: str = "") -> list[str]:
        """All box-relative file paths below a folder, sorted; links to folders and `PRUNED` ones are not entered."""
        found = []
        for here, names, files in os.walk(os.path.join(self._real, folder)):
            names[:] = sorted(name for name in names if name not in PRUNED)
            relative = os.path.relpath(here, self._real).replace(os.sep, "/")
            found += [join("" if relative == "." else relative, name) for name in files]
        return sorted(found)

    def real_relative(self, path: str) -> str:
        """The box-relative path a link stands for; the path itself when it is no link or not there."""
        real = self.locate(path)
        return os.path.relpath(real, self._real).replace(os.sep, "/") if real else path


def join(folder: str, name: str) -> str:
    """A box-relative path from a folder (empty or `.` for the root) and a relative path; may start with `..`."""
    return os.path.normpath(f"{folder}/{name}" if folder else name).replace(os.sep, "/")


def _tellable(path: str) -> bool:
    return "\n" not in path and clean(path) == path


@lru_cache(maxsize=512)
def _decoded(data: bytes) -> str:
    text = clean(data[:LIMIT].decode("utf-8", "replace").removeprefix("\ufeff"))
    return f"{text}\n[cut after {LIMIT} bytes]" if len(data) > LIMIT else text
