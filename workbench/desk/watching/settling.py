"""When what changed has come to rest: a quiet moment, and no git at work in the repository."""

import os
import time
from collections.abc import Iterable
from pathlib import Path

from workbench.boxes.reading import BoxGit
from workbench.host.git import GitError

_UNDER_WAY = ("rebase-merge", "rebase-apply", "MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "sequencer")
"""What git keeps in its folder while it does something in several steps."""
_DEAD = 30.0
"""Seconds after which a lock is one that a killed git left."""


class Repositories:
    """The repositories of some boxes, looked at without starting git again."""

    def __init__(self, boxes: Iterable[Path]) -> None:
        """Blocks while git is asked where it keeps things."""
        self._folders = tuple(dict.fromkeys(folder for box in boxes if (folder := _folder(box))))

    @property
    def locked(self) -> bool:
        """Whether git is about to write, or writing, in one of them."""
        return any(_is_young(folder / "index.lock") for folder in self._folders)

    @property
    def under_way(self) -> bool:
        """Whether a rebase, merge or the like was begun and not ended, so that its next step may come at once."""
        return any(os.path.lexists(folder / name) for folder in self._folders for name in _UNDER_WAY)


def _folder(box: Path) -> Path | None:
    try:
        status, out, _ = BoxGit(box).attempt("rev-parse", "--absolute-git-dir")
    except (GitError, OSError):
        return None
    return Path(os.fsdecode(out.rstrip(b"\n"))) if status == 0 and out.strip() else None


def _is_young(lock: Path) -> bool:
    try:
        return time.time() - lock.stat().st_mtime < _DEAD
    except OSError:
        return False
