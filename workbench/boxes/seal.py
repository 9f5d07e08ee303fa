"""Whether a workspace was written to at all. One that was not is as good as a fresh copy, and far cheaper."""

import os
import stat
import time
from collections.abc import Mapping
from pathlib import Path

from workbench.boxes.scanning import CLOCK_STEP, digest

_State = tuple[int, ...]


class Seal:
    """The state of everything in a fresh copy: files, links, folders, modes, the repository's own files."""

    def __init__(self, root: Path, hashes: Mapping[str, str]) -> None:
        """`hashes` tells the sha256 of every regular file by path."""
        self._hashes = hashes
        self._moment = time.time_ns() - CLOCK_STEP
        self._states = _states(root)

    def holds(self, root: Path) -> bool:
        """Whether nothing was written below `root`, wherever the copy was moved; if so it is sealed anew."""
        moment = time.time_ns() - CLOCK_STEP
        try:
            states = _states(root)
        except OSError:  # what cannot be looked at was made so
            return False
        if states != self._states or not all(self._is_sure(root, path) for path in states):
            return False
        self._moment = moment
        return True

    def _is_sure(self, root: Path, path: str) -> bool:
        """Whether a path's equal state proves equal content; a file that changed just before the seal is read."""
        mode, changed = self._states[path][:2]
        if not stat.S_ISREG(mode) or changed < self._moment:
            return True
        about = os.lstat(root / path)
        return digest(root, path, about, about.st_size) == self._hashes[path]


def _states(root: Path) -> dict[str, _State]:
    states = {"": _state(os.lstat(root))}
    pending = [""]
    while pending:
        prefix = pending.pop()
        for entry in os.scandir(os.path.join(root, prefix)):
            path = prefix + entry.name
            states[path] = _state(entry.stat(follow_symlinks=False))
            if entry.is_dir(follow_symlinks=False):
                pending.append(path + "/")
    return states


def _state(about: os.stat_result) -> _State:
    return (
        about.st_mode,
        about.st_ctime_ns,
        about.st_mtime_ns,
        about.st_size,
        about.st_ino,
        about.st_nlink,
        about.st_uid,
        about.st_gid,
    )
