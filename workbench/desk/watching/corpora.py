"""The corpora of a project while they are edited: read again when their bytes differ, compared entry by entry."""

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from workbench.corpus.records import Problem
from workbench.desk.library import Library
from workbench.desk.project import Project
from workbench.host.files import sha256
from workbench.host.watching import Root
from workbench.insight.edited import edited
from workbench.insight.impact import Reason


@dataclass(frozen=True, slots=True)
class News:
    """What became of the corpora since they were looked at last."""

    edits: dict[str, tuple[Reason, ...]]
    """Audit id → what was edited of it; new audits too."""
    files: tuple[str, ...] = ()
    """Corpora in which that was."""
    broken: tuple[tuple[str, Problem], ...] = ()
    """Corpora that broke, or are broken elsewhere than before."""
    mended: tuple[str, ...] = ()
    changed: bool = False
    """Whether the corpora were read again."""


class Corpora:
    """Looks after the files the project's globs name. `look` blocks."""

    def __init__(self, project: Project, library: Library) -> None:
        self._project, self._library = project, library
        self._seen = self._digests()
        self._known = {corpus.file: corpus for corpus in library.corpora}
        self._broken = dict(library.broken)

    @property
    def count(self) -> int:
        """How many files there are."""
        return len(self._seen)

    def roots(self) -> tuple[Root, ...]:
        """The folders in which they lie or may come to lie, and those that links among them lead to."""
        found: dict[Root, None] = {}
        for glob in self._project.settings.corpora:
            folder, deep = _fixed(glob)
            found[Root(self._project.root / folder, deep)] = None
        for file in self._project.corpus_files():
            found[Root(file.resolve().parent, deep=False)] = None
        return tuple(found)

    def cares(self, path: str) -> bool:
        """Whether an absolute path may be that of a corpus, or of what one is a link to; does not block."""
        return path.endswith(_endings(self._project.settings.corpora)) or path in self._real

    def look(self) -> News:
        """Read the corpora again if any holds other bytes than before; what differs in no entry is no news."""
        digests = self._digests()
        if digests == self._seen:
            return News({})
        differing = {file for file in digests.keys() | self._seen if digests.get(file) != self._seen.get(file)}
        self._seen = digests
        self._library.reload()
        now = {corpus.file: corpus for corpus in self._library.corpora}
        edits = {file: edited(self._known.get(file), now[file]) for file in sorted(differing & now.keys())}
        broken = tuple(pair for pair in self._library.broken.items() if self._broken.get(pair[0]) != pair[1])
        mended = tuple(file for file in self._broken if file not in self._library.broken)
        self._known, self._broken = now, dict(self._library.broken)
        every = {audit_id: reasons for of in edits.values() for audit_id, reasons in of.items()}
        return News(every, tuple(file for file, of in edits.items() if of), broken, mended, changed=True)

    def _digests(self) -> dict[str, str]:
        found: dict[str, str] = {}
        real = set()
        for path in self._project.corpus_files():
            try:
                found[Path(os.path.relpath(path, self._project.root)).as_posix()] = sha256(path.read_bytes())
            except OSError:
                continue
            real.add(os.path.realpath(path))
        self._real = frozenset(real)
        return found


def _fixed(glob: str) -> tuple[str, bool]:
    """The folder before a glob's first wildcard, and whether it reaches below it."""
    parts = PurePosixPath(glob).parts
    wild = next((at for at, part in enumerate(parts) if re.search(r"[*?\[]", part)), len(parts) - 1)
    return "/".join(parts[:wild]), wild < len(parts) - 1


def _endings(globs: Iterable[str]) -> tuple[str, ...]:
    """What the names of corpora end in."""
    return tuple({re.split(r"[*?\]]", glob)[-1] for glob in globs})
