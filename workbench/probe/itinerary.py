"""What to read so that conditional guidance loads: a file for each rule and each folder, then every skill."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

from workbench.guidance import rules, skills
from workbench.guidance.documents import NAMES
from workbench.guidance.engine_rules import RULES
from workbench.guidance.tree import Tree, join
from workbench.probe.candidates import HIDDEN
from workbench.probe.records import Visit

MOST = 48
"""Visits of one probe."""
_LONGEST = 65_536
"""Bytes of a file that is worth reading."""
_FILLER = "Nothing of note.\n"


@dataclass(frozen=True, slots=True)
class Itinerary:
    """The visits in order, and files that have to be put into the workspace so that there is something to read."""

    visits: tuple[Visit, ...]
    staged: dict[str, str]
    """Workspace-relative path → text."""
    skipped: int
    """Visits beyond `MOST`."""


def itinerary(tree: Tree, candidates: frozenset[str]) -> Itinerary:
    """Plan the visits for a box whose guidance files are `candidates`.

    It follows no engine's rules, so that it can prove them wrong. What is read is never guidance itself: a text the
    agent has read would be taken for one that was loaded.
    """
    planner = _Planner(tree, candidates)
    visits = list(dict.fromkeys([*planner.folders(), *planner.rules(), *planner.skills()]))
    staged = {visit.path: _FILLER for visit in visits[:MOST] if visit.path in planner.missing}
    return Itinerary(tuple(visits[:MOST]), staged, max(0, len(visits) - MOST))


class _Planner:
    def __init__(self, tree: Tree, candidates: frozenset[str]) -> None:
        self._tree, self._candidates = tree, candidates
        self._paths = tree.walk()
        self._plain = [path for path in self._paths if path not in candidates]
        self._plain.sort(key=lambda path: (path.count("/"), path))
        self._folders = sorted({folder for path in self._paths for folder in tree.folders(path)[:-1]})
        self.missing: set[str] = set()

    def folders(self) -> Iterator[Visit]:
        """A file in each folder, the root aside, that holds guidance of its own."""
        marked = {_owner(path) for path in self._candidates if "/skills/" not in f"/{path}"}
        for folder in sorted(filter(None, marked), key=lambda folder: (folder.count("/"), folder)):
            here = (path for path in self._plain if path.rpartition("/")[0] == folder)
            yield Visit(kind="read", path=self._or_missing(here, join(folder, "probe.txt")), aim=f"{folder}/")

    def rules(self) -> Iterator[Visit]:
        """A file for each `paths:` rule, wherever it lies."""
        for folder in self._folders:
            for rule in rules.find(self._tree, folder, RULES["claude"].rule_folder):
                if not rule.globs:
                    continue
                covered = (path for path in self._plain if rule.match(path))
                made = next((path for glob in rule.globs if rule.match(path := join(folder, _example(glob)))), "")
                if read := self._or_missing(covered, made):
                    yield Visit(kind="read", path=read, aim=", ".join(rule.globs))

    def skills(self) -> Iterator[Visit]:
        """Every skill of every folder, once."""
        for folder in self._folders:
            for engine in RULES.values():
                for name in (*engine.skill_folders, *engine.start_skill_folders):
                    for skill in skills.find(self._tree, folder, name, engine):
                        yield Visit(kind="skill", path=skill.path, aim=skill.name)

    def _or_missing(self, there: Iterable[str], made: str) -> str:
        """The first file that can be read; else one that will be made, unless nobody knows how to call it."""
        if found := next(filter(self._readable, there), ""):
            return found
        self.missing.add(made)
        return made

    def _readable(self, path: str) -> bool:
        real = self._tree.locate(path)
        if real is None or ".git" in PurePosixPath(path).parts:
            return False
        with open(real, "rb") as file:
            data = file.read(_LONGEST + 1)
        return 0 < len(data) <= _LONGEST and b"\0" not in data


def _owner(path: str) -> str:
    """The folder that a guidance file speaks for, such as `app` for `app/.claude/rules/x.md`; empty for other files."""
    parts = PurePosixPath(path).parts
    hidden = next((index for index, part in enumerate(parts) if part in HIDDEN), None)
    if hidden is None and parts[-1] not in NAMES:
        return ""
    return "/".join(parts[: len(parts) - 1 if hidden is None else hidden])


def _example(glob: str) -> str:
    """A path that a glob is likely to cover."""
    path = re.sub(r"\{([^,{}]*)[^{}]*\}", r"\1", glob.lstrip("/")).replace("**/", "")
    path = re.sub(r"\[(.)[^]]*\]", r"\1", path.replace("**", "probe.txt")).replace("*", "probe").replace("?", "x")
    return path if not path.endswith("/") else f"{path}probe.txt"
