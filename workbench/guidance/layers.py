"""Every file of a box by how far an agent has to go for it: always there, on condition, named, just there, outside."""

from bisect import insort
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from workbench.boxes.globs import Globs
from workbench.guidance.chain import Chain
from workbench.guidance.documents import is_document
from workbench.guidance.engine_rules import rules_named
from workbench.guidance.faults import cut_after, faults
from workbench.guidance.following import Step, Text, follow
from workbench.guidance.listing import Listing
from workbench.guidance.records import LAYERS, FileLayer, Layers
from workbench.guidance.references import has_extension
from workbench.guidance.snapshot_tree import SnapshotTree
from workbench.guidance.staged import LookedFor
from workbench.guidance.tree import join
from workbench.traces.records import LoadedFile


def layers(tree: SnapshotTree, cwd: str, rules: str, extra: Sequence[str] = ()) -> Layers:
    """Every path of the tree with its layer, as agents of some rules meet it that start in `cwd`, and what is wrong.

    `extra` are globs of files that count as documents whatever their names. A `cwd` outside the box is taken as its
    root. Whatever the texts hold, this does not raise; raises ValueError for unknown rules, BoxError for a glob that is
    none.
    """
    if tree.base is not None:
        base, more = _layered(tree.base, cwd, rules, tuple(extra)), Globs(extra)
        added = {path: _added(tree, path, more) for path in tree.laid}
        if not any(base.looked_for.notices(path, document=file.layer == "present") for path, file in added.items()):
            return base.layers.model_copy(update={"files": _with(base.layers.files, added.values())})
    return _layered(tree, cwd, rules, tuple(extra)).layers


@dataclass(frozen=True, slots=True)
class _Layered:
    layers: Layers
    looked_for: LookedFor


@lru_cache(maxsize=8)
def _layered(tree: SnapshotTree, cwd: str, rules: str, extra: tuple[str, ...]) -> _Layered:
    """The layers of a tree, kept for the fixtures that may be laid over it."""
    start = join("", cwd)
    chain = Chain(tree, "" if start.startswith(("..", "/")) else start, rules_named(rules))
    layering = _Layering(tree, chain, _documents(tree.listing, extra))
    files = tuple(sorted(layering.files(), key=lambda file: LAYERS.index(file.layer)))
    wrong = faults(tree, chain, layering.loaded, layering.texts)
    found = Layers(rules=rules, cwd=cwd, files=files, faults=wrong)
    return _Layered(found, LookedFor(tree, chain, layering.texts, wrong))


def _added(tree: SnapshotTree, path: str, more: Globs) -> FileLayer:
    """A laid over file that nothing looks for."""
    size = len(tree.text(path) or "")
    document = is_document(path) or more.match(path)
    return FileLayer(path=path, layer="present", size=size, loaded=size) if document else _outside(path)


def _with(files: tuple[FileLayer, ...], added: Iterable[FileLayer]) -> tuple[FileLayer, ...]:
    """Files with some more that are present or outside, which stand there by path, before the links."""
    every = list(files)
    for file in added:
        insort(every, file, key=_place)
    return tuple(every)


def _place(file: FileLayer) -> tuple[int, bool, str]:
    near = file.layer not in ("present", "outside")
    return LAYERS.index(file.layer), not near and bool(file.link), "" if near else file.path


class _Layering:
    """The files of one tree, as they are found from near to far."""

    def __init__(self, tree: SnapshotTree, chain: Chain, documents: frozenset[str]) -> None:
        self._tree, self._chain, self._documents = tree, chain, documents
        self.loaded: list[LoadedFile] = []
        """What loads by itself."""
        self.texts: list[Text] = []
        """What an agent has or can get by following names."""

    def files(self) -> Iterator[FileLayer]:
        """Each path once: what loads in its order, then what is named, nearest first, then the rest by path."""
        found = {file.path: file for file in self._loading()}
        for step in follow(self._tree, list(self.texts), self._documents):
            found[step.path] = self._named(step)
            if step.path in self._documents:
                self.texts.append(Text(step.path, self._tree.text(step.path) or ""))
        for path in self._tree.paths:
            if path not in found and path not in self._tree.links:
                found[path] = self._rest(path)
        yield from found.values()
        yield from (_link(path, found.get(target), target) for path, target in self._tree.links.items())

    def _loading(self) -> Iterator[FileLayer]:
        """What loads by itself, at the start or later, in that order."""
        for file in self._chain.files:
            yield self._loads(file, f"imported by {file.via}" if file.via else "")
        for via, files in self._chain.later():
            importers = {file.path for file in files}
            for at, file in enumerate(files):
                yield self._loads(file, f"imported by {file.via}" if at and file.via in importers else via)

    def _loads(self, file: LoadedFile, via: str) -> FileLayer:
        path = self._tree.real_relative(file.path)
        text = self._tree.text(path) or ""
        self.loaded.append(file)
        self.texts.append(Text(path, file.text))
        return FileLayer(
            path=path,
            layer=file.layer,
            via=via or (f"through the link {file.path}" if path != file.path else ""),
            size=len(text),
            loaded=file.size,
            told=self._told(file.path),
            cut_after=cut_after(file.text, self._chain.seen(text)),
        )

    def _told(self, path: str) -> int:
        """Characters by which a skill is announced; 0 for what is none."""
        skill = next((one for one in self._chain.skills if one.path == path), None)
        return len(skill.name) + len(skill.description) if skill else 0

    def _named(self, step: Step) -> FileLayer:
        size = self._size(step.path)
        via = f"named in {step.by}:{step.line}"
        return FileLayer(path=step.path, layer="referenced", via=via, hops=step.hops, size=size, loaded=size)

    def _rest(self, path: str) -> FileLayer:
        if path not in self._documents:
            return _outside(path)
        size = self._size(path)
        return FileLayer(path=path, layer="present", size=size, loaded=size)

    def _size(self, path: str) -> int:
        """Characters of a file, if its name says that it is a text."""
        return len(self._tree.text(path) or "") if path in self._documents or has_extension(path) else 0


@lru_cache(maxsize=16)
def _documents(listing: Listing, extra: tuple[str, ...]) -> frozenset[str]:
    """The files that are documents by their name or by a glob."""
    more = Globs(extra)
    return frozenset(path for path in listing.files if is_document(path) or more.match(path))


@lru_cache(maxsize=65_536)
def _outside(path: str) -> FileLayer:
    """The files nobody reads are most of a box, and the same each time."""
    return FileLayer(path=path, layer="outside")


def _link(path: str, target: FileLayer | None, real: str) -> FileLayer:
    """A link stands where its target does, and weighs nothing."""
    if target is None:
        return FileLayer(path=path, layer="outside", link=real)
    return FileLayer(path=path, layer=target.layer, via=f"a link to {real}", hops=target.hops, link=real)
