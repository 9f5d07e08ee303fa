"""What is wrong in a load chain: each fault at its file and line."""

from collections.abc import Iterator, Sequence

from workbench.guidance import imports
from workbench.guidance.chain import Chain
from workbench.guidance.following import Text
from workbench.guidance.imports import Import
from workbench.guidance.missing import hidden, instead, missing
from workbench.guidance.records import ChainFault
from workbench.guidance.references import has_extension
from workbench.guidance.snapshot_tree import SnapshotTree
from workbench.guidance.tree import CUT, LIMIT
from workbench.traces.records import LoadedFile

_ORDER = ("leaves", "cycle", "deep", "cut", "missing")
STOPS = ".,;:!?)\"'"
"""What ends a sentence rather than a path."""
_SHOWN = 6
"""Files of a cycle that are named."""


def faults(
    tree: SnapshotTree, chain: Chain, loaded: Sequence[LoadedFile], texts: Sequence[Text]
) -> tuple[ChainFault, ...]:
    """What is wrong with files that load by themselves, and with the names in all texts an agent can get to.

    Each kind by file and line; what costs guidance comes before what costs a search.
    """
    importing = [file for file in loaded if not file.via.startswith("skill ")] if chain.engine.imports else []
    found = [*_Imports(tree, chain, importing).faults(), *_cut(tree, chain, loaded)]
    told = {_named(fault) for fault in found}
    found += [fault for fault in missing(tree, texts) if _named(fault) not in told]
    return tuple(sorted(found, key=lambda fault: (_ORDER.index(fault.fault), fault.path, fault.line, fault.target)))


def _named(fault: ChainFault) -> tuple[str, int, str]:
    """What an import and a plain name of one file share, though they are sought from different folders."""
    return fault.path, fault.line, fault.target.rpartition("/")[2]


def cut_after(kept: str, whole: str) -> int:
    """The last line that is whole in the kept part of a text, or the first where none is; 0 when nothing is missing."""
    if len(kept) < len(whole):
        return max(1, kept.count("\n") + (whole[len(kept)] == "\n"))
    noted = whole.endswith(f"\n{CUT}")
    return max(1, whole.count("\n") - 1) if noted else 0


def _cut(tree: SnapshotTree, chain: Chain, loaded: Sequence[LoadedFile]) -> Iterator[ChainFault]:
    limit = f"{chain.engine.limit:,} bytes of guidance"
    for file in loaded:
        path = tree.real_relative(file.path)
        whole = chain.seen(tree.text(path) or "")
        line = cut_after(file.text, whole)
        if line and len(file.text) < len(whole):
            told = f"only what stands up to line {line} loads, as the agent takes {limit}; move what matters up"
            yield ChainFault(fault="cut", path=path, line=line, told=told)
        elif line:
            told = f"longer than {LIMIT:,} bytes: nothing after line {line} is looked at; cut it into several files"
            yield ChainFault(fault="cut", path=path, line=line, told=told)
    for file in chain.left_out:
        told = f"does not load: files before it use up the {limit} the agent takes; shorten those"
        yield ChainFault(fault="cut", path=tree.real_relative(file.path), line=1, told=told)


class _Imports:
    """The imports of all files that load."""

    def __init__(self, tree: SnapshotTree, chain: Chain, loaded: Sequence[LoadedFile]) -> None:
        self._tree, self._chain = tree, chain
        self._named: dict[str, list[tuple[Import, str]]] = {}
        """Loaded file → its imports and the files they mean."""
        for file in loaded:
            found = [(one, one.target(file.path)) for one in imports.find(file.text)]
            self._named[tree.real_relative(file.path)] = [(one, tree.real_relative(target)) for one, target in found]

    def faults(self) -> Iterator[ChainFault]:
        """What is wrong with the imports, file by file, then those that go round."""
        for path, named in self._named.items():
            for one, target in named:
                # Many an `@word` is a person or a package; what ends as files do is meant as a file.
                if has_extension(one.name.rstrip(STOPS)) and (fault := self._fault(path, one, target)):
                    yield fault
        yield from self._cycles()

    def _fault(self, path: str, one: Import, target: str) -> ChainFault | None:
        shown = target.removeprefix("../") if one.name.startswith(("~", "/")) else target
        if target.startswith(("../", "/")):
            told = f"{shown} lies outside the box and does not load there; bring what it says into the box"
            return ChainFault(fault="leaves", path=path, line=one.line, target=shown, told=told)
        if not self._tree.has(target):
            return ChainFault(fault="missing", path=path, line=one.line, target=target, told=self._absent(one, target))
        if not self._chain.below(target):
            told = f"{target} lies outside the folder the agent starts in, so it does not load; say it in {path} itself"
            return ChainFault(fault="leaves", path=path, line=one.line, target=target, told=told)
        if target not in self._named:
            told = f"{target} does not load: the agent follows {imports.DEPTH} imports in a row; import it further up"
            return ChainFault(fault="deep", path=path, line=one.line, target=target, told=told)
        return None

    def _absent(self, one: Import, target: str) -> str:
        meant = target.rstrip(STOPS)
        if meant != target and self._tree.has(meant):
            return f"{target} is no file, so nothing is imported: put a blank after {meant}"
        if hidden(self._tree, target):
            return (
                f"{target} is imported, and trials do not hold it: git ignores it, or the project hides it from agents"
            )
        return f"{target} is imported and not there; {instead(self._tree, target)}"

    def _cycles(self) -> Iterator[ChainFault]:
        """Each import that leads back to a file on the way to it."""
        done: set[str] = set()
        for start in self._named:
            way = {start: iter(self._named[start])} if start not in done else {}
            while way:
                path, left = next(reversed(way.items()))
                done.add(path)
                if (step := next(left, None)) is None:
                    way.popitem()
                elif (target := step[1]) in way:
                    yield _cycle(path, step[0], list(way)[list(way).index(target) :])
                elif target in self._named and target not in done:
                    way[target] = iter(self._named[target])


def _cycle(path: str, one: Import, round_trip: Sequence[str]) -> ChainFault:
    target = round_trip[0]
    via = " → ".join([*round_trip[:_SHOWN], *(["…"] if len(round_trip) > _SHOWN else []), target])
    return ChainFault(fault="cycle", path=path, line=one.line, target=target, told=f"imports go round: {via}; drop one")
