"""Copying a template's tree: real files, written one by one, the small ones from memory."""

import os
from pathlib import Path

from workbench.boxes.manifest import Item, Manifest

_CACHED = 4 * 1024 * 1024
"""Bytes of a template's files kept in memory: writing them again costs half of copying."""


class Copier:
    """Makes copies of the tree at `source`."""

    def __init__(self, source: Path, manifest: Manifest) -> None:
        self._source = source
        self._items = manifest.items
        self._bytes: dict[str, bytes] = {}
        self._room = _CACHED

    def copy(self, root: Path) -> None:
        """Fill an empty folder; raises OSError."""
        for item in self._items:
            self._make(item, os.path.join(root, item.path))

    def update(self, root: Path, held: Manifest) -> None:
        """Make a copy of this tree from one that is exactly as another manifest says; raises OSError."""
        before, after = ({item.path: item for item in items} for items in (held.items, self._items))
        for item in reversed(held.items):
            if after.get(item.path) != item:
                (os.rmdir if item.kind == "folder" else os.unlink)(os.path.join(root, item.path))
        for item in self._items:
            if before.get(item.path) != item:
                self._make(item, os.path.join(root, item.path))

    def _make(self, item: Item, place: str) -> None:
        if item.kind == "folder":
            os.mkdir(place)
        elif item.kind == "link":
            os.symlink(item.target, place)
        else:
            self._write(item.path, place, 0o777 if item.executable else 0o666)

    def _write(self, path: str, place: str, mode: int) -> None:
        target = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
        try:
            data = self._bytes.get(path)
            if data is None:
                data = self._read_or_send(path, target)
            if data and os.write(target, data) != len(data):
                raise OSError(f"{place} could not be written whole")
        finally:
            os.close(target)

    def _read_or_send(self, path: str, target: int) -> bytes:
        """A file's bytes, remembered while there is room; of a larger one none, as it is sent to the target at once."""
        with open(self._source / path, "rb", buffering=0) as source:
            size = os.fstat(source.fileno()).st_size
            if size <= self._room:
                self._room -= size
                self._bytes[path] = source.read()
                return self._bytes[path]
            sent = 0
            while sent < size and (count := os.sendfile(target, source.fileno(), sent, size - sent)):
                sent += count
        return b""
