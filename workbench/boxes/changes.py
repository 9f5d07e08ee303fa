"""What a trial left different: exact, whatever an agent did to times, modes, names and links.

A file counts as unchanged without being read only when size, times, inode and mode are those of the baseline and its
last change lies clearly before the baseline; the kernel's file clock is too coarse to tell later ones apart.
"""

import os
import stat
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from workbench.boxes.scanning import CLOCK_STEP, digest, scan, text
from workbench.text.sanitize import clean
from workbench.traces.records import Change

_TEXT_TOTAL = 16 * 1024 * 1024
"""Bytes of text one trial's changes may carry; beyond it files are told by their hash alone."""

_Signature = tuple[int, int, int, int, int]


@dataclass(frozen=True, slots=True)
class _Known:
    signature: _Signature
    sha256: str
    settled: bool
    """Whether any later change must show in the signature."""


class Baseline:
    """A workspace's files at the moment its trial starts."""

    def __init__(self, root: Path, known: Mapping[str, str], before: "Baseline | None" = None) -> None:
        """Look at every file below `root`; hashes come from `known` (path → sha256), else from `before`, else the file.

        `known` is trusted: it must be true of the files as they lie there.
        """
        self.root = root
        moment = time.time_ns() - CLOCK_STEP
        earlier = before._files if before else {}
        self._files: dict[str, _Known] = {}
        for path, about in scan(root):
            signature = _signature(about)
            same = earlier.get(path)
            sha = known.get(path) or (same.sha256 if same and same.settled and same.signature == signature else None)
            if sha is None:
                sha = digest(root, path, about, about.st_size)
            self._files[path] = _Known(signature, sha, about.st_ctime_ns < moment)

    def changes(self) -> tuple[Change, ...]:
        """What differs now, sorted by path; names and text are made safe to show."""
        found: list[Change] = []
        seen: set[str] = set()
        room = _TEXT_TOTAL
        for path, about in scan(self.root):
            seen.add(path)
            known = self._files.get(path)
            if known and known.settled and known.signature == _signature(about):
                continue
            sha = digest(self.root, path, about, known.signature[1] if known else 0)
            if known and sha and sha == known.sha256 and known.signature[0] == _signature(about)[0]:
                continue
            words = text(self.root, path, about) if about.st_size <= room else None
            room -= about.st_size if words else 0
            found.append(_change(path, "modified" if known else "created", sha, words))
        found += [_change(path, "deleted") for path in self._files.keys() - seen]
        return tuple(sorted(found, key=lambda change: change.path))


def _change(
    path: str, kind: Literal["created", "modified", "deleted"], sha: str = "", words: str | None = None
) -> Change:
    return Change(path=clean(path), kind=kind, sha256=sha, text=words)


def _signature(about: os.stat_result) -> _Signature:
    executable = about.st_mode & 0o100 if stat.S_ISREG(about.st_mode) else 0
    kind = stat.S_IFMT(about.st_mode) | executable
    return kind, about.st_size, about.st_mtime_ns, about.st_ctime_ns, about.st_ino
