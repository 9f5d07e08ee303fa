"""A box as agents see it: what a snapshot holds, with a fixture's texts laid over."""

from collections.abc import Mapping
from functools import lru_cache

from workbench.boxes.snapshot import Entry, Snapshot
from workbench.guidance.listing import Listing
from workbench.guidance.tree import Tree, decoded, join, read, tellable
from workbench.host.files import sha256
from workbench.text.sanitize import clean

_MOST = 64_000_000
"""Characters of texts that are kept."""


class SnapshotTree(Tree):
    """The files of a snapshot and no other: what is denied, hidden or ignored is not there.

    `overlay` (box-relative path → text) stands in for what the snapshot holds, or beside it, as a fixture's files do.
    A file is read when its text is first asked for, and never again while its digest stays the same.
    """

    def __init__(self, snapshot: Snapshot, overlay: Mapping[str, str] | None = None) -> None:
        super().__init__(snapshot.root)
        self._entries = {entry.path: entry for entry in snapshot.entries if entry.kind == "file"}
        links = {entry.path: entry.target for entry in snapshot.entries if entry.kind == "link"}
        base = Listing("", (), links)
        laid = {base.real(join("", path)): clean(text) for path, text in (overlay or {}).items()}
        self._texts: dict[str, str | None] = {path: text for path, text in laid.items() if _inside(path)}
        self.paths: tuple[str, ...] = tuple(sorted({*self._entries, *links, *self._texts}))
        """Every file and link, sorted."""
        files = tuple(path for path in self.paths if path not in links and tellable(path))
        self.listing: Listing = _listing(str(snapshot.root), files, tuple(sorted(links.items())))
        """All of it that texts can name, in a form that answers quickly."""
        self.links: dict[str, str] = {path: self.listing.real(path) for path in links}
        """Link → the box-relative path it stands for, which need not be there."""

    def locate(self, path: str) -> str | None:
        """The absolute path a file's bytes come from; None where there is no such file, or only a laid over text."""
        real = self.listing.real(path)
        entry = self._entries.get(real) if real in self.listing.files else None
        return entry.source or None if entry else None

    def has(self, path: str) -> bool:
        """As in a `Tree`."""
        return self.listing.has(path)

    def holds(self, path: str) -> bool:
        """As in a `Tree`."""
        return self.listing.holds(path)

    def text(self, path: str) -> str | None:
        """As in a `Tree`."""
        real = self.listing.real(path)
        if real not in self._texts:
            self._texts[real] = _TEXTS.of(self._entries[real]) if self.locate(real) else None
        return self._texts[real]

    def walk(self, folder: str = "") -> list[str]:
        """As in a `Tree`."""
        return self.listing.walk(folder)

    def all_folders(self) -> list[str]:
        """As in a `Tree`, `PRUNED` ones among them: who put their files into the snapshot wants them seen."""
        return sorted(self.listing.folders)

    def matching(self, pattern: str) -> tuple[str, ...]:
        """As in a `Tree`."""
        return self.listing.matching(pattern)

    def real_relative(self, path: str) -> str:
        """As in a `Tree`."""
        return self.listing.real(path)


class _Texts:
    """Texts by the digest of their bytes: after an edit, one file is opened. All are forgotten when they grow many."""

    def __init__(self) -> None:
        self._kept: dict[str, str] = {}
        self._size = 0

    def of(self, entry: Entry) -> str | None:
        """An entry's text, as `Tree.text` has it."""
        if entry.sha256 in self._kept:
            return self._kept[entry.sha256]
        data = read(entry.source)
        if data is None:
            return None
        text = decoded(data)
        # What was edited since the snapshot, or is longer than is read, has another digest and is not kept.
        if sha256(data) == entry.sha256:
            if self._size > _MOST:
                self._kept.clear()
                self._size = 0
            self._kept[entry.sha256] = text
            self._size += len(text)
        return text


_TEXTS = _Texts()


def _inside(path: str) -> bool:
    return bool(path) and not path.startswith(("../", "/")) and path != ".."


@lru_cache(maxsize=8)
def _listing(root: str, files: tuple[str, ...], links: tuple[tuple[str, str], ...]) -> Listing:
    """One listing for one set of paths, so that what it remembers outlives an edit that moves no file."""
    return Listing(root, files, dict(links))
