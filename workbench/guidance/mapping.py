"""The knowledge map of boxes, made anew after every edit from what the edit left as it was."""

from collections import Counter, defaultdict, deque
from collections.abc import Iterator, Sequence
from pathlib import Path

from workbench.boxes.snapshot import Snapshot
from workbench.corpus.records import Audit
from workbench.guidance.finder import Finder
from workbench.guidance.ground import Ground, Grounds, Viewpoint
from workbench.guidance.nearness import Nearness
from workbench.guidance.pages import Key, Page, key_of
from workbench.guidance.placement import Asked, place
from workbench.guidance.records import BoxMap, FileWeight
from workbench.guidance.snapshot_tree import SnapshotTree
from workbench.guidance.unasked import Unaskeds
from workbench.guidance.wanted import wanted

_Place = tuple[Path, Viewpoint]
_KEPT = 4
"""Maps whose texts are remembered: front ends take turns in looking at boxes, engines and revisions."""


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
        self._used: deque[tuple[set[Page], set[str]]] = deque([(set(), set())], _KEPT)

    def map(
        self, name: str, snapshot: Snapshot, view: Viewpoint, audits: Sequence[Audit], otherwise: Sequence[Audit] = ()
    ) -> BoxMap:
        """The map of one box; `name` is how a human calls it. Raises BoxError, and ValueError for unknown rules.

        Audits that meet the box `otherwise`, from another folder or by other rules, are not placed: what they ask about
        is no passage that nobody asks about.
        """
        asked = [self._known(audit) for audit in audits]
        grounds = Grounds(snapshot, view, self._page)
        on = [grounds.staged(audit.fixture) for audit in audits]
        pages = {page.text: page for one in grounds.all() for page in one.pages.values()}
        guidance = {text: page for one in grounds.all() for text, page in one.guidance.items()}
        self._used[-1][0].update(pages.values())
        every = [one for audit in (*asked, *map(self._known, otherwise)) for one in audit.wanted]
        self._finder.search(every, list(pages.values()), list(guidance.values()))
        nearness = self._nearness[snapshot.root, view]
        nearness.hold(guidance)
        sought: set[Key] = {key for one in every for key in (key_of(one), (one.text, "near"))}
        return BoxMap(
            box=name,
            root=str(snapshot.root),
            rules=view.rules,
            cwd=view.cwd,
            files=tuple(self._weights(grounds.base, asked, on)),
            faults=grounds.base.layers.faults,
            placements=tuple(place(one, ground, self._finder, nearness) for one, ground in zip(asked, on, strict=True)),
            unasked=self._unasked[snapshot.root, view].of(grounds.base, sought),
            unsearched=grounds.base.unsearched,
        )

    def tidy(self) -> None:
        """Forget what none of the last maps was drawn from; to be called when a map of all boxes is done."""
        self._finder.keep({page for pages, _ in self._used for page in pages})
        met = {digest for _, digests in self._used for digest in digests}
        self._by_hash = {digest: page for digest, page in self._by_hash.items() if digest in met}
        self._used.append((set(), set()))

    def _known(self, audit: Audit) -> Asked:
        known, asked = self._asked.get((audit.file, audit.id), (None, None))
        if known is None or asked is None or not _same(known, audit):
            asked = Asked(audit.id, audit.file, audit.expected_level, wanted(audit), audit.full_prompt)
            self._asked[audit.file, audit.id] = (audit, asked)
        return asked

    def _page(self, tree: SnapshotTree, path: str, digest: str) -> Page | None:
        """The page of a file; None where it is gone, or no text. One whose content was met before is not read again."""
        self._used[-1][1].add(digest)
        if digest in self._by_hash:
            return self._by_hash[digest]
        text = tree.text(path)
        page = self._finder.page(text) if text is not None else None
        page = page if page is not None and page.is_text else None
        if digest:
            self._by_hash[digest] = page
        return page

    def _weights(self, base: Ground, asked: Sequence[Asked], on: Sequence[Ground]) -> Iterator[FileWeight]:
        """The files worth telling: guidance, and what holds an answer."""
        answers: Counter[str] = Counter()
        for audit, ground in zip(asked, on, strict=True):
            texts = {text for one in audit.wanted for text in self._finder.found(one)}
            answers.update({file.path for text in texts for _, file in ground.files.get(text, ())})
        for file in base.layers.files:
            if file.layer != "outside" or answers[file.path]:
                yield FileWeight(file=file, audits=answers[file.path])


def _same(one: Audit, other: Audit) -> bool:
    """Whether two audits are alike, the order of their checks too, in which what they want is told."""
    return one is other or (one == other and list(one.checks) == list(other.checks))
