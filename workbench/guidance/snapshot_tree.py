"""A box as agents see it: what a snapshot holds, with a fixture's texts laid over."""

from collections.abc import Mapping
from functools import lru_cache

from workbench.boxes.snapshot import Snapshot
from workbench.guidance.listing import Listing
from workbench.guidance.tree import Tree, decoded, join, read, tellable
from workbench.text.sanitize import clean


class SnapshotTree(Tree):
    """The files of a snapshot and no other: what is denied, hidden or ignored is not there.

    `overlay` (box-relative path → text) stands in for what the snapshot holds, or beside it, as a fixture's files do.
    Each file is read at most once, when its text is first asked for.
    """

    def __init__(self, snapshot: Snapshot, overlay: Mapping[str, str] | None = None) -> None:
        super().__init__(snapshot.root)
        self._sources = {entry.path: entry.source for entry in snapshot.entries if entry.kind == "file"}
        links = {entry.path: entry.target for entry in snapshot.entries if entry.kind == "link"}
        base = Listing("", (), links)
        laid = {base.real(join("", path)): clean(text) for path, text in (overlay or {}).items()}
        self._texts: dict[str, str | None] = {path: text for path, text in laid.items() if _inside(path)}
        self.paths: tuple[str, ...] = tuple(sorted({*self._sources, *links, *self._texts}))
        """Every file and link, sorted."""
        files = tuple(path for path in self.paths if path not in links and tellable(path))
        self.listing: Listing = _listing(str(snapshot.root), files, tuple(sorted(links.items())))
        """All of it that texts can name, in a form that answers quickly."""
        self.links: dict[str, str] = {path: self.listing.real(path) for path in links}
        """Link → the box-relative path it stands for, which need not be there."""

    def locate(self, path: str) -> str | None:
        """The absolute path a file's bytes come from; None where there is no such file, or only a laid over text."""
        real = self.listing.real(path)
        return (self._sources.get(real) or None) if real in self.listing.files else None

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
            source = self.locate(real)
            data = read(source) if source else None
            self._texts[real] = None if data is None else decoded(data)
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


def _inside(path: str) -> bool:
    return bool(path) and not path.startswith(("../", "/")) and path != ".."


@lru_cache(maxsize=8)
def _listing(root: str, files: tuple[str, ...], links: tuple[tuple[str, str], ...]) -> Listing:
    """One listing for one set of paths, so that what it remembers outlives an edit that moves no file."""
    return Listing(root, files, dict(links))
