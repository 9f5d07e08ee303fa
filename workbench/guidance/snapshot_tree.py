"""A box as agents see it: what a snapshot holds, with a fixture's texts laid over."""

from collections.abc import Mapping
from functools import cached_property, lru_cache

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

    def __init__(
        self, snapshot: Snapshot, overlay: Mapping[str, str] | None = None, base: "SnapshotTree | None" = None
    ) -> None:
        """Use `over` rather than give a `base`, which is this tree without the overlay."""
        super().__init__(snapshot.root)
        self._snapshot = snapshot
        self.base = base
        entries, links = (base._entries, base._targets) if base else _by_kind(snapshot)
        self._entries: dict[str, Entry] = entries
        self._targets: dict[str, str] = links
        self._real_path = (base.listing if base else Listing("", (), self._targets)).real
        laid = {self._real_path(join("", path)): clean(text) for path, text in (overlay or {}).items()}
        self._texts: dict[str, str | None] = {path: text for path, text in laid.items() if _inside(path)}
        self.laid: frozenset[str] = frozenset(self._texts)
        """What the overlay holds, links followed."""

    def over(self, overlay: Mapping[str, str]) -> "SnapshotTree":
        """This tree with more texts laid over it, which takes far less time than to make one from a snapshot."""
        own = {path: text for path in self.laid if (text := self._texts[path]) is not None}
        return SnapshotTree(self._snapshot, {**own, **overlay}, self.base if self.laid else self)

    @cached_property
    def paths(self) -> tuple[str, ...]:
        """Every file and link, sorted."""
        return tuple(sorted({*self._entries, *self._targets, *self.laid}))

    @cached_property
    def listing(self) -> Listing:
        """All of it that texts can name, in a form that answers quickly."""
        files = tuple(path for path in self.paths if path not in self._targets and tellable(path))
        return _listing(str(self.root), files, tuple(sorted(self._targets.items())))

    @cached_property
    def links(self) -> dict[str, str]:
        """Link → the box-relative path it stands for, which need not be there."""
        return {path: self.listing.real(path) for path in self._targets}

    def lists(self, path: str) -> bool:
        """Whether a path is one of `paths`."""
        return path in self._entries or path in self._targets or path in self.laid

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
        real = self._real_path(path)
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


def _by_kind(snapshot: Snapshot) -> tuple[dict[str, Entry], dict[str, str]]:
    """The files of a snapshot, and its links with their targets."""
    files = {one.path: one for one in snapshot.entries if one.kind == "file"}
    return files, {one.path: one.target for one in snapshot.entries if one.kind == "link"}


def _inside(path: str) -> bool:
    return bool(path) and not path.startswith(("../", "/")) and path != ".."


@lru_cache(maxsize=8)
def _listing(root: str, files: tuple[str, ...], links: tuple[tuple[str, str], ...]) -> Listing:
    """One listing for one set of paths, so that what it remembers outlives an edit that moves no file."""
    return Listing(root, files, dict(links))
