"""Reading guidance out of a box without ever leaving it."""

import os
import stat
from functools import lru_cache
from pathlib import Path

from workbench.guidance import globs
from workbench.host.foreign import open_plain
from workbench.text.sanitize import clean

LIMIT = 262_144
"""Bytes of one guidance file that are read; the rest is cut with a note."""
CUT = f"[cut after {LIMIT} bytes]"
"""The note in place of the rest."""
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
        if not tellable(path):
            return None
        try:
            there = os.stat(named := os.path.join(self._real, path))  # most names are asked for where nothing is
            real = os.path.realpath(named)
            inside = real.startswith(self._real.rstrip(os.sep) + os.sep) and tellable(real[len(self._real) :])
            return real if inside and stat.S_ISREG(there.st_mode) else None
        except (OSError, ValueError):
            return None

    def has(self, path: str) -> bool:
        """Whether a box-relative path is a regular file inside the box that a text can name."""
        return self.locate(path) is not None

    def holds(self, path: str) -> bool:
        """Whether the box has a file or folder of that name, not counting links out of it."""
        real = os.path.realpath(os.path.join(self._real, path))
        return os.path.exists(real) and f"{real}{os.sep}".startswith(self._real.rstrip(os.sep) + os.sep)

    def text(self, path: str) -> str | None:
        """A file's sanitized text, cut at `LIMIT`; None when there is no such file in the box."""
        real = self.locate(path)
        data = None if real is None else read(real)
        return None if data is None else _decoded(data)

    def folders(self, path: str) -> list[str]:
        """The box-relative folders from the root (empty) down to `path`, itself included."""
        return parents(path)

    def all_folders(self) -> list[str]:
        """Every folder that holds a file of `walk`, directly or further down, the root (empty) among them; sorted."""
        return sorted({"", *(folder for path in self.walk() for folder in parents(path)[:-1])})

    def walk(self, folder: str = "") -> list[str]:
        """All box-relative file paths below a folder, sorted; links to folders and `PRUNED` ones are not entered."""
        found = []
        for here, names, files in os.walk(os.path.join(self._real, folder)):
            names[:] = sorted(name for name in names if name not in PRUNED)
            relative = os.path.relpath(here, self._real).replace(os.sep, "/")
            found += [join("" if relative == "." else relative, name) for name in files]
        return sorted(found)

    def matching(self, pattern: str) -> tuple[str, ...]:
        """The files of `walk` that a glob matches, sorted."""
        return tuple(path for path in self.walk(globs.fixed_folder(pattern)) if globs.matches(pattern, path))

    def real_relative(self, path: str) -> str:
        """The box-relative path a link stands for; the path itself when it is no link or not there."""
        real = self.locate(path)
        return os.path.relpath(real, self._real).replace(os.sep, "/") if real else path


def join(folder: str, name: str) -> str:
    """A box-relative path from a folder (empty or `.` for the root) and a relative path; may start with `..`."""
    return os.path.normpath(f"{folder}/{name}" if folder else name).replace(os.sep, "/")


def parents(path: str) -> list[str]:
    """The root (empty), the folders on the way to a box-relative path, and the path itself."""
    parts = [part for part in path.split("/") if part not in (".", "")]
    return ["/".join(parts[:count]) for count in range(len(parts) + 1)]


def tellable(path: str) -> bool:
    """Whether a text can name a path: it holds no line break, nor anything that `clean` replaces."""
    return "\n" not in path and clean(path) == path


def read(source: str) -> bytes | None:
    """As much of a file as guidance is read, and a byte more when there is more; None when it cannot be read."""
    try:
        with open_plain(source) as file:
            return file.read(LIMIT + 1)
    except OSError:
        return None


def decoded(data: bytes) -> str:
    """The sanitized text of a file's bytes, of which those past `LIMIT` are replaced by `CUT`."""
    text = clean(data[:LIMIT].decode("utf-8", "replace").removeprefix("\ufeff"))
    return f"{text}\n{CUT}" if len(data) > LIMIT else text


_decoded = lru_cache(maxsize=512)(decoded)
