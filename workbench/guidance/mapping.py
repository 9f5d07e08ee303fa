"""The knowledge map of boxes, made anew after every edit from what the edit left as it was."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from workbench.boxes.globs import Globs
from workbench.boxes.snapshot import Snapshot
from workbench.corpus.records import Audit
from workbench.guidance.engine_rules import rules_named
from workbench.guidance.finder import Finder
from workbench.guidance.layers import layers
from workbench.guidance.nearness import Nearness
from workbench.guidance.pages import Key, Page, key_of
from workbench.guidance.placement import Asked, Ground, place
from workbench.guidance.records import BoxMap, FileWeight
from workbench.guidance.snapshot_tree import SnapshotTree
from workbench.guidance.unasked import Unaskeds
from workbench.guidance.wanted import wanted
from workbench.text.amounts import many

OUTSIDE = 8_000_000
"""Characters of files outside the guidance that are searched; a box may hold any amount of code."""


@dataclass(frozen=True, slots=True)
class Viewpoint:
    """How agents of one kind meet a box."""

    rules: str
    cwd: str = "."
    extra: tuple[str, ...] = ()
    """Globs of files that count as guidance beside the engine's own."""


_Place = tuple[Path, Viewpoint]


class Mapper:
    """Draws maps; a text, an audit or a file layer that it met before costs nothing again.

    A map depends on the snapshot, the viewpoint and the audits alone, whatever was drawn before.
    """

    def __init__(self) -> None:
        self._finder = Finder()
        self._nearness: defaultdict[_Place, Nearness] = defaultdict(Nearness)
        self._unasked: defaultdict[_Place, Unaskeds] = defaultdict(Unaskeds)
        self._asked: dict[tuple[str, str], tuple[Audit, Asked]] = {}
        self._by_hash: dict[str, Page | None] = {}
        self._used: set[Page] = set()

    def map(self, name: str, snapshot: Snapshot, view: Viewpoint, audits: Sequence[Audit]) -> BoxMap:
        """The map of one box; `name` is how a human calls it. Raises BoxError, and ValueError for unknown rules."""
        asked = [self._known(audit) for audit in audits]
        ground, left_out = self._ground(snapshot, view, {})
        staged = {audit.id: self._ground(snapshot, view, audit.fixture)[0] for audit in audits if audit.fixture}
        grounds = (ground, *staged.values())
        pages = {page.text: page for one in grounds for page in one.pages.values()}
        guidance = {text: page for one in grounds for text, page in one.guidance.items()}
        self._used.update(pages.values())
        every = [one for audit in asked for one in audit.wanted]
        self._finder.search(every, list(pages.values()), list(guidance.values()))
        nearness = self._nearness[snapshot.root, view]
        nearness.hold(guidance)
        placements = [place(one, staged.get(one.audit_id, ground), self._finder, nearness) for one in asked]
        sought: set[Key] = {key for one in every for key in (key_of(one), (one.text, "near"))}
        return BoxMap(
            box=name,
            root=str(snapshot.root),
            rules=view.rules,
            cwd=view.cwd,
            files=tuple(self._weights(ground, asked, staged)),
            faults=ground.layers.faults,
            placements=tuple(placements),
            unasked=self._unasked[snapshot.root, view].of(ground, sought),
            unsearched=left_out,
        )

    def tidy(self) -> None:
        """Forget what no map since the last call was drawn from."""
        self._finder.keep(self._used)
        self._by_hash = {digest: page for digest, page in self._by_hash.items() if page in self._used}
        self._used = set()

    def _known(self, audit: Audit) -> Asked:
        known, asked = self._asked.get((audit.file, audit.id), (None, None))
        if asked is None or (known is not audit and known != audit):
            asked = Asked(audit.id, audit.file, audit.expected_level, wanted(audit), audit.full_prompt)
            self._asked[audit.file, audit.id] = (audit, asked)
        return asked

    def _ground(self, snapshot: Snapshot, view: Viewpoint, fixture: Mapping[str, str]) -> tuple[Ground, str]:
        """A box with an audit's files laid over it, and what of it is not searched."""
        tree = SnapshotTree(snapshot, fixture)
        found = layers(tree, view.cwd, view.rules, view.extra)
        hashes = {entry.path: entry.sha256 for entry in snapshot.entries if entry.path not in fixture}
        pages: dict[str, Page] = {}
        outside: list[tuple[int, str, Page]] = []
        for file in found.files:
            page = None if file.link else self._page(tree, file.path, hashes.get(file.path, ""))
            if page is not None and file.layer == "outside":
                outside.append((len(page.text), file.path, page))
            elif page is not None:
                pages[file.path] = page
        left, searched = OUTSIDE, len(pages)
        for size, path, page in sorted(outside, key=lambda one: one[:2]):
            left -= size
            if left >= 0:
                pages[path] = page
        skipped = len(outside) - (len(pages) - searched)
        staged = frozenset(path for path in pages if path not in hashes)
        told = f"{many(skipped, 'file')} outside the guidance, the largest: together they hold too much to be searched"
        bare = rules_named(view.rules).bare
        return Ground(found, pages, Globs(view.extra), bare, staged), told if skipped else ""

    def _page(self, tree: SnapshotTree, path: str, digest: str) -> Page | None:
        """The page of a file; None where it is gone, or no text. One whose content was met before is not read again."""
        if digest in self._by_hash:
            return self._by_hash[digest]
        text = tree.text(path)
        page = self._finder.page(text) if text is not None else None
        page = page if page is not None and page.is_text else None
        if digest:
            self._by_hash[digest] = page
        return page

    def _weights(self, ground: Ground, asked: Sequence[Asked], staged: Mapping[str, Ground]) -> Iterator[FileWeight]:
        """The files worth telling: guidance, and what holds an answer."""
        answers: Counter[str] = Counter()
        for audit in asked:
            texts = {text for one in audit.wanted for text in self._finder.found(one)}
            files = staged.get(audit.audit_id, ground).files
            answers.update({file.path for text in texts for _, file in files.get(text, ())})
        for file in ground.layers.files:
            if file.layer != "outside" or answers[file.path]:
                yield FileWeight(file=file, audits=answers[file.path])
