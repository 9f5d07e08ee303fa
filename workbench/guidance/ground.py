"""The files of a box as one kind of agent meets them, with the pages that are searched; and what fixtures change."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from workbench.boxes.globs import Globs
from workbench.boxes.snapshot import Snapshot
from workbench.guidance.documents import is_document
from workbench.guidance.engine_rules import rules_named
from workbench.guidance.layers import layers
from workbench.guidance.pages import Page
from workbench.guidance.records import FileLayer, Layers
from workbench.guidance.skills import at_start, described
from workbench.guidance.snapshot_tree import SnapshotTree
from workbench.guidance.tree import CUT, LIMIT
from workbench.text.amounts import many
from workbench.traces.records import Layer

OUTSIDE = 8_000_000
"""Characters of files outside the guidance that are searched; a box may hold any amount of code."""
_NEAR = ("always", "conditional", "referenced")


@dataclass(frozen=True, slots=True)
class Viewpoint:
    """How agents of one kind meet a box."""

    rules: str
    cwd: str = "."
    extra: tuple[str, ...] = ()
    """Globs of files that count as guidance beside the engine's own."""


Files = dict[str, list[tuple[int, FileLayer]]]
"""Text of a page → the files that hold it, each with its rank among those of its layer; equal ranks go by path."""


@dataclass(frozen=True, slots=True)
class Ground:
    """Files of a box by layer, with their pages."""

    layers: Layers
    pages: Mapping[str, Page]
    """Path → page, of every file that is searched."""
    files: Files
    guidance: Mapping[str, Page]
    """The pages of guidance, by their text."""
    extra: Globs
    bare: bool = False
    """Whether headers and comment blocks are cut off what loads."""
    announced: frozenset[str] = frozenset()
    """Files of skills of which agents are told at the start."""
    staged: frozenset[str] = frozenset()
    """Files an audit lays over the box before it is asked."""
    unsearched: str = ""
    """What is not searched, and why."""

    def is_guidance(self, file: FileLayer) -> bool:
        """Whether a file teaches."""
        return _is_guidance(file, self.extra)

    def layer_of(self, file: FileLayer, page: Page, line: int) -> tuple[Layer, str]:
        """The layer of one line of a file, and what brings it in: what a limit or a header cuts off does not load."""
        if file.layer not in ("always", "conditional"):
            return file.layer, file.via
        if file.path in self.announced and line in described(page.text):
            return "always", f"description of {file.via}"
        if file.cut_after and line > file.cut_after:
            return "present", f"past line {file.cut_after}, where it is cut"
        if self.bare and file.loaded < file.size and not page.bare[line - 1].strip():
            return "present", "in a header or comment, which does not load"
        return file.layer, file.via


PageOf = Callable[[SnapshotTree, str, str], Page | None]
"""The page of a tree's path, given the digest of its bytes or nothing; None for what is no text."""


class Grounds:
    """The ground of a box, and one for each fixture that is laid over it."""

    def __init__(self, snapshot: Snapshot, view: Viewpoint, page_of: PageOf) -> None:
        """Raises ValueError for unknown rules, BoxError for a glob that is none."""
        self._view, self._page_of = view, page_of
        self._tree = SnapshotTree(snapshot)
        self._digests = {entry.path: entry.sha256 for entry in snapshot.entries}
        self._extra, self._engine = Globs(view.extra), rules_named(view.rules)
        self.base = self._whole(self._tree)
        self._known = set(map(id, self.base.layers.files))
        self._staged: dict[tuple[tuple[str, str], ...], Ground] = {}

    def staged(self, fixture: Mapping[str, str]) -> Ground:
        """The ground of an audit with files of its own; the box's for one without."""
        key = tuple(sorted(fixture.items()))
        if key and key not in self._staged:
            self._staged[key] = self._over(fixture)
        return self._staged[key] if key else self.base

    def all(self) -> Sequence[Ground]:
        """Every ground that was asked for, the box's first."""
        return (self.base, *self._staged.values())

    def _over(self, fixture: Mapping[str, str]) -> Ground:
        """The ground with files laid over it: that of the box with a few more, where they change nothing else."""
        tree = self._tree.over(fixture)
        found = layers(tree, self._view.cwd, self._view.rules, self._view.extra)
        fresh = [file for file in found.files if id(file) not in self._known]
        if len(found.files) - len(fresh) < len(self._known) or any(file.layer in _NEAR for file in fresh):
            return self._whole(tree)
        laid = {file.path: page for file in fresh if (page := self._page_of(tree, file.path, ""))}
        files, guidance = dict(self.base.files), dict(self.base.guidance)
        for file in fresh:
            if page := laid.get(file.path):
                files[page.text] = [*files.get(page.text, ()), (0, file)]
                if self.base.is_guidance(file):
                    guidance[page.text] = page
        pages = {**self.base.pages, **laid}
        return replace(self.base, layers=found, pages=pages, files=files, guidance=guidance, staged=frozenset(laid))

    def _whole(self, tree: SnapshotTree) -> Ground:
        found = layers(tree, self._view.cwd, self._view.rules, self._view.extra)
        pages: dict[str, Page] = {}
        outside: list[tuple[int, str, Page]] = []
        for file in found.files:
            digest = "" if file.path in tree.laid else self._digests.get(file.path, "")
            page = None if file.link else self._page_of(tree, file.path, digest)
            if page is not None and file.layer == "outside":
                outside.append((len(page.text), file.path, page))
            elif page is not None:
                pages[file.path] = page
        inside, left = len(pages), OUTSIDE
        for size, path, page in sorted(outside, key=lambda one: one[:2]):
            left -= size
            if left >= 0:
                pages[path] = page
        skipped = len(outside) - (len(pages) - inside)
        files = _by_text(found, pages)
        guidance = {
            text: pages[known[0][1].path]
            for text, known in files.items()
            if any(_is_guidance(file, self._extra) for _, file in known)
        }
        announced = (one.path for one in found.files if one.told and at_start(one.path, self._view.cwd))
        return Ground(
            found,
            pages,
            files,
            guidance,
            self._extra,
            self._engine.bare,
            announced=frozenset(announced),
            staged=tree.laid,
            unsearched=_unsearched(skipped, pages),
        )


def _unsearched(skipped: int, pages: Mapping[str, Page]) -> str:
    """What of a box is not searched: files outside the guidance that were left out, and the ends of long ones."""
    long = sum(page.text.endswith(f"\n{CUT}") for page in pages.values())
    left_out = f"{many(skipped, 'file')} outside the guidance, the largest: together they hold too much to be searched"
    cut = f"{many(long, 'file')} longer than {LIMIT:,} bytes: only what stands before that is searched"
    return "; ".join([*([left_out] if skipped else []), *([cut] if long else [])])


def _by_text(found: Layers, pages: Mapping[str, Page]) -> Files:
    files: defaultdict[str, list[tuple[int, FileLayer]]] = defaultdict(list)
    for rank, file in enumerate(found.files, 1):
        page = pages.get(file.path)
        if page is not None and not file.link:
            files[page.text].append((rank if file.layer in _NEAR else 0, file))
    return dict(files)


def _is_guidance(file: FileLayer, extra: Globs) -> bool:
    """Whether a file teaches: it loads, or is a document. Code and pictures that guidance names are none."""
    if file.layer in ("always", "conditional"):
        return True
    return file.layer != "outside" and (is_document(file.path) or extra.match(file.path))
