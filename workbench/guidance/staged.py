"""What a fixture changes of a box's layers: most lay files over it that nothing there looks for."""

from collections.abc import Iterable, Sequence

from workbench.guidance import globs, imports, references
from workbench.guidance.chain import Chain
from workbench.guidance.engine_rules import EngineRules
from workbench.guidance.faults import STOPS
from workbench.guidance.following import Text
from workbench.guidance.records import ChainFault
from workbench.guidance.snapshot_tree import SnapshotTree
from workbench.guidance.tree import parents, tellable


class LookedFor:
    """The paths by which a new file would change more of a tree's layers than to be in one itself."""

    def __init__(self, tree: SnapshotTree, chain: Chain, texts: Sequence[Text], faults: Iterable[ChainFault]) -> None:
        self._tree = tree
        self._names, self._folders = _loading(chain.engine)
        self._named: set[str] = {one.target(text.path) for text in texts for one in imports.find(text.text)}
        for text in texts:
            self._named |= references.meant(text.text, text.path, tree.listing.root)
        self._globs = [path for path in self._named if references.is_glob(path)]
        self._missing = {_name(target) for fault in faults for target in (fault.target, fault.target.rstrip(STOPS))}
        self._linked = set(tree.links.values())

    def notices(self, path: str, *, document: bool) -> bool:
        """Whether a text laid over the tree there could matter to other files, or load, or be referenced."""
        listing = self._tree.listing
        if not tellable(path) or self._tree.lists(path) or self._linked.intersection(parents(path)):
            return True
        if _name(path) in self._names or _name(path) in self._missing or path in self._named:
            return True
        if any(f"/{folder}/" in f"/{path}" for folder in self._folders):
            return True
        folders = parents(path)[:-1]
        fresh = (folder for folder in folders if folder not in listing.folders)
        if (document and folders[-1] in self._named) or any(folder in self._named for folder in fresh):
            return True
        return any(
            (document or "**" not in glob or not listing.matching(glob)) and globs.matches(glob, path)
            for glob in self._globs
        )


def _loading(engine: EngineRules) -> tuple[set[str], list[str]]:
    """Names of files, and folders anywhere, by which an engine finds what it loads."""
    files = (*(name for group in engine.names for name in group), *engine.stand_ins, *engine.start_names)
    folders = (engine.rule_folder, *engine.skill_folders, *engine.start_skill_folders)
    return {_name(path) for path in files}, [folder for folder in folders if folder]


def _name(path: str) -> str:
    return path.rpartition("/")[2]
