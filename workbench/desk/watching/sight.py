"""What the guidance of a box holds, and what of it changed: decided by content, never by what an event says."""

import os
import stat
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from workbench.boxes.globs import Globs
from workbench.desk.watching.pruning import without_ignored
from workbench.guidance.documents import is_document
from workbench.host.files import sha256
from workbench.host.foreign import open_plain
from workbench.insight.impact import FileChange
from workbench.text.sanitize import clean

_LARGEST = 1 << 20
"""Bytes of a file that is looked into; of a larger one only size and time tell."""
_FOLDERS = frozenset((".claude", ".codex", ".agents", ".pi"))
"""Folders whose every file may bear on an agent."""
_Stamp = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Known:
    """A file as it was looked at: by `stamp` it is taken for the same without being read, by `digest` after."""

    stamp: _Stamp
    digest: str
    text: str | None = None


class Sight:
    """One box, as far as its trials see it. Everything but `cares` blocks while it looks at the disk."""

    def __init__(self, box: Path, name: str, sees: Callable[[str], bool]) -> None:
        """`sees` tells of a box-relative path whether any trial sees it."""
        self.box, self.name = box, name
        self.guidance, self.included = Globs(()), Globs(())
        """What counts beside documents, and what counts though git ignores it."""
        self.pruned: Callable[[str], bool] = lambda folder: False
        """Which folders, by absolute path, are not entered."""
        self._answers: frozenset[str] = frozenset()
        self._root = os.path.realpath(box)
        self._sees = sees
        self._known: dict[str, _Known] = {}

    @property
    def count(self) -> int:
        """Files whose change is noticed."""
        return len(self._known)

    def cares(self, path: str) -> str:
        """The box-relative path of an absolute one whose content may matter; empty for any other."""
        if not path.startswith(f"{self._root}/"):
            return ""
        inside = path[len(self._root) + 1 :]
        return inside if self._matters(inside) else ""

    def look(self, paths: Iterable[str] | None = None) -> tuple[FileChange, ...]:
        """What differs from the last look, by path; of these box-relative paths, or of everything."""
        wanted = sorted({*self._walk(), *self._known}) if paths is None else sorted(set(paths))
        # Of a file that is named as changed no time stamp is believed: two writes may share one.
        found = {path: self._read(path, believing=paths is None) for path in wanted}
        differing = [path for path, known in found.items() if _digest(known) != _digest(self._known.get(path))]
        told = {path for path in differing if self.included.match(path)}
        told |= set(without_ignored(self.box, [path for path in differing if path not in told]))
        changes = [FileChange(path, _text(self._known.get(path)), _text(found[path])) for path in sorted(told)]
        for path, known in found.items():
            if known is None:
                self._known.pop(path, None)
            else:
                self._known[path] = known
        return tuple(changes)

    def take_in(self, paths: Iterable[str]) -> None:
        """Heed some more files from here on, as they are now."""
        fresh = frozenset(path for path in paths if self._sees(path)) - self._answers
        self._answers |= fresh
        for path in fresh - self._known.keys():
            if known := self._read(path):
                self._known[path] = known

    def _matters(self, path: str) -> bool:
        if not self._sees(path):
            return False
        if path in self._known or path in self._answers or is_document(path) or self.guidance.match(path):
            return True
        return not _FOLDERS.isdisjoint(path.split("/")[:-1])

    def _walk(self) -> Iterator[str]:
        for here, folders, files in os.walk(self._root):
            folders[:] = [name for name in folders if not self.pruned(os.path.join(here, name))]
            at = here[len(self._root) + 1 :]
            for name in files:
                path = f"{at}/{name}" if at else name
                if self._matters(path):
                    yield path

    def _read(self, path: str, *, believing: bool = False) -> _Known | None:
        """A file as it is now; None where there is none that a trial could see."""
        place = os.path.join(self._root, path)
        try:
            about = os.lstat(place)
            stamp = (about.st_ino, about.st_size, about.st_mtime_ns, about.st_ctime_ns)
            before = self._known.get(path)
            if believing and before is not None and before.stamp == stamp:
                return before
            if stat.S_ISLNK(about.st_mode):
                return self._link(path, place, stamp)
            if not stat.S_ISREG(about.st_mode) or os.path.realpath(os.path.dirname(place)) != os.path.dirname(place):
                return None
            if about.st_size > _LARGEST:
                return _Known(stamp, f"{about.st_size} {about.st_mtime_ns}")
            with open_plain(place) as file:
                data = file.read(_LARGEST)
        except (OSError, ValueError):
            return None
        return _Known(stamp, sha256(data), _decoded(data))

    def _link(self, path: str, place: str, stamp: _Stamp) -> _Known | None:
        """A link within the box is what it leads to by name; what that file says is told of the file itself."""
        real = os.path.realpath(place)
        if not real.startswith(f"{self._root}/"):
            return None
        target = self._read(real[len(self._root) + 1 :]) if os.path.isfile(real) else None
        return _Known(stamp, f"link to {real}", _text(target))


def _decoded(data: bytes) -> str | None:
    """The text of some bytes; None where they are none."""
    if b"\0" in data:
        return None
    try:
        return clean(data.decode("utf-8").removeprefix("\ufeff"))
    except UnicodeDecodeError:
        return None


def _digest(known: _Known | None) -> str:
    return known.digest if known else ""


def _text(known: _Known | None) -> str | None:
    return known.text if known else None
