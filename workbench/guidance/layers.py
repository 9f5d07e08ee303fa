"""Every file of a box by how far an agent has to go for it: always there, on condition, named, just there, outside."""

from collections.abc import Iterator, Sequence

from workbench.boxes.globs import Globs
from workbench.guidance.chain import Chain
from workbench.guidance.documents import is_document
from workbench.guidance.engine_rules import rules_named
from workbench.guidance.faults import cut_after, faults
from workbench.guidance.following import Step, Text, follow
from workbench.guidance.records import LAYERS, FileLayer, Layers
from workbench.guidance.references import has_extension
from workbench.guidance.snapshot_tree import SnapshotTree
from workbench.guidance.tree import join
from workbench.traces.records import LoadedFile


def layers(tree: SnapshotTree, cwd: str, rules: str, extra: Sequence[str] = ()) -> Layers:
    """Every path of the tree with its layer, as agents of some rules meet it that start in `cwd`, and what is wrong.

    `extra` are globs of files that count as documents whatever their names. A `cwd` outside the box is taken as its
    root. Whatever the texts hold, this does not raise; raises ValueError for unknown rules, BoxError for a glob that is
    none.
    """
    more = Globs(extra)
    start = join("", cwd)
    chain = Chain(tree, "" if start.startswith(("..", "/")) else start, rules_named(rules))
    layering = _Layering(tree, chain, more)
    files = sorted(layering.files(), key=lambda file: LAYERS.index(file.layer))
    return Layers(rules=rules, cwd=cwd, files=tuple(files), faults=faults(tree, chain, layering.texts))


class _Layering:
    """The files of one tree, as they are found from near to far."""

    def __init__(self, tree: SnapshotTree, chain: Chain, more: Globs) -> None:
        self._tree, self._chain, self._more = tree, chain, more
        self.texts: list[Text] = []
        """What an agent has or can get by following names."""

    def files(self) -> Iterator[FileLayer]:
        """Each path once: what loads in its order, then what is named, by distance, then the rest by path."""
        found = {file.path: file for file in self._loading()}
        steps = follow(self._tree, self.texts, self._is_document)
        found |= {step.path: self._named(step) for step in sorted(steps, key=lambda step: step.path)}
        self.texts += [
            Text(step.path, text)
            for step in steps
            if self._is_document(step.path)
            if (text := self._tree.text(step.path))
        ]
        found |= {
            path: self._rest(path) for path in self._tree.paths if path not in found and path not in self._tree.links
        }
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
        self.texts.append(Text(path, file.text))
        return FileLayer(
            path=path,
            layer=file.layer,
            via=via or (f"through the link {file.path}" if path != file.path else ""),
            size=len(text),
            loaded=file.size,
            told=next((len(one.name) + len(one.description) for one in self._chain.skills if one.path == file.path), 0),
            cut_after=cut_after(file.text, self._chain.seen(text) if not file.via.startswith("skill ") else text),
        )

    def _named(self, step: Step) -> FileLayer:
        size = self._size(step.path)
        via = f"named in {step.by}:{step.line}"
        return FileLayer(path=step.path, layer="referenced", via=via, hops=step.hops, size=size, loaded=size)

    def _rest(self, path: str) -> FileLayer:
        if not self._is_document(path):
            return FileLayer(path=path, layer="outside")
        size = self._size(path)
        return FileLayer(path=path, layer="present", size=size, loaded=size)

    def _size(self, path: str) -> int:
        """Characters of a file, if its name says that it is a text."""
        return len(self._tree.text(path) or "") if self._is_document(path) or has_extension(path) else 0

    def _is_document(self, path: str) -> bool:
        return is_document(path) or self._more.match(path)


def _link(path: str, target: FileLayer | None, real: str) -> FileLayer:
    """A link stands where its target does, and weighs nothing."""
    if target is None:
        return FileLayer(path=path, layer="outside", link=real)
    return FileLayer(path=path, layer=target.layer, via=f"a link to {real}", hops=target.hops, link=real)
