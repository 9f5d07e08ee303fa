"""Which folders are not worth a watch: what git ignores, what no trial sees, well-known junk."""

import os
import time
from collections.abc import Sequence
from pathlib import Path

from workbench.boxes.listing import JUNK
from workbench.boxes.reading import BoxGit
from workbench.host.git import GitError

_FRESH = 0.2
"""Seconds for which what git said of ignored folders is taken as it is."""


class Pruning:
    """Decides by a folder's absolute path; it asks git again where one turns up that was not there before. Blocks."""

    def __init__(self, boxes: Sequence[Path], hidden: Sequence[Path]) -> None:
        """`hidden` are folders that are left out whatever git says, such as that of the runs."""
        self._boxes = [os.path.realpath(box) for box in boxes]
        self._hidden = {os.path.realpath(folder) for folder in hidden}
        self._ignored: set[str] = set()
        self._seen: set[str] = set()
        self._at = float("-inf")

    def __call__(self, folder: str) -> bool:
        """Whether it is left out."""
        if os.path.basename(folder) in JUNK or folder in self._hidden:
            return True
        if folder not in self._seen:
            if time.monotonic() - self._at > _FRESH:
                self._ask()
            self._seen.add(folder)
        return folder in self._ignored

    def _ask(self) -> None:
        found: set[str] = set()
        for box in self._boxes:
            for path in _ignored_folders(box):
                # A box that is ignored itself is no part of its repository, and is walked like a plain folder.
                if not f"{box}/".startswith(f"{path}/"):
                    found.add(path)
        self._ignored, self._at = found, time.monotonic()


def _ignored_folders(box: str) -> list[str]:
    told = ("ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory")
    try:
        status, out, _ = BoxGit(Path(box)).attempt(*told)
    except GitError:
        return []
    names = os.fsdecode(out).split("\0") if status == 0 else []
    return [os.path.normpath(os.path.join(box, name)) for name in names if name.endswith("/")]


def without_ignored(box: Path, paths: Sequence[str]) -> list[str]:
    """Those of some box-relative paths that git does not ignore; all of them where there is no git. Blocks."""
    if not paths:
        return []
    sent = b"".join(os.fsencode(path) + b"\0" for path in paths)
    try:
        status, out, _ = BoxGit(box).attempt("check-ignore", "-z", "--stdin", stdin=sent)
    except GitError:
        return list(paths)
    ignored = set(os.fsdecode(out).split("\0")) if status == 0 else set()
    return [path for path in paths if path not in ignored]
