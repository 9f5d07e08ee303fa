"""Load chains: which guidance an engine's agent has in context, and what a read brings in later."""

from collections.abc import Sequence
from pathlib import Path

from workbench.boxes.globs import Globs
from workbench.guidance import imports, rules, skills
from workbench.guidance.engine_rules import EngineRules, rules_named
from workbench.guidance.skills import Skill
from workbench.guidance.tree import Tree, join
from workbench.traces.records import Layer, LoadedFile


class Chain:
    """The guidance of one session: loaded at the start, then growing with what the agent touches."""

    def __init__(self, tree: Tree, cwd: str, engine: EngineRules) -> None:
        self.engine = engine
        self._tree = tree
        self._loaded: set[str] = set()
        self._rules: list[rules.Rule] = []
        self._entered: set[str] = set()
        found: list[LoadedFile] = []
        folders = tree.folders(cwd)
        for folder in folders:
            found += self._folder(folder, "always", via="")
            found += self._unconditional(folder)
        self.files: tuple[LoadedFile, ...] = tuple(found)
        """What is in context before the first word, in the order the agent sees it."""
        self.skills: tuple[Skill, ...] = _skills(tree, folders, engine)
        """The skills the agent is told of."""

    def on_read(self, path: str) -> tuple[LoadedFile, ...]:
        """What reading or editing a box-relative file brings in; each file once in a session.

        A guidance file that the agent reads itself is in its context by that and never comes again.
        """
        plain = join("", path)
        if plain.startswith(("..", "/")):
            return ()
        self._loaded.add(self._tree.real_relative(plain))
        found: list[LoadedFile] = []
        if self.engine.nested:
            for folder in self._tree.folders(plain)[:-1]:
                found += self._folder(folder, "conditional", via=folder or ".")
        for rule in self._rules:
            glob = rule.match(plain)
            if glob:
                found += self._file(rule.path, "conditional", via=glob)
        return tuple(found)

    def body(self, skill: Skill) -> LoadedFile | None:
        """A skill's file as it enters the context when the agent opens it; None when it has gone."""
        text = self._tree.text(skill.path)
        if text is None:
            return None
        return LoadedFile(path=skill.path, layer="conditional", via=f"skill {skill.name}", size=len(text), text=text)

    def _folder(self, folder: str, layer: Layer, via: str) -> list[LoadedFile]:
        """A folder's own guidance files and what they import; empty when it was entered before."""
        if folder in self._entered:
            return []
        self._entered.add(folder)
        found: list[LoadedFile] = []
        for path in _present(self._tree, folder, self.engine):
            found += self._file(path, layer, via)
        return found

    def _unconditional(self, folder: str) -> list[LoadedFile]:
        known = _rules_of(self._tree, folder, self.engine)
        self._rules += [rule for rule in known if rule.globs]
        found: list[LoadedFile] = []
        for rule in known:
            if not rule.globs:
                found += self._file(rule.path, "always", via="")
        return found

    def _file(self, path: str, layer: Layer, via: str, depth: int = 0) -> list[LoadedFile]:
        """A file and, below it, its imports: depth first, no file twice, which also ends cycles."""
        real = self._tree.real_relative(path)
        text = None if real in self._loaded else self._tree.text(path)
        if text is None:
            return []
        self._loaded.add(real)
        found = [LoadedFile(path=path, layer=layer, via=via, size=len(text), text=text)]
        if self.engine.imports and depth < imports.DEPTH:
            for name in imports.find(text):
                found += self._file(_imported(path, name), layer, via=path, depth=depth + 1)
        return found


def load(root: Path, cwd: str, rules: str) -> Chain:
    """What an agent started in `root / cwd` has in context by the rules of `claude`, `codex` or `pi`.

    Whatever lies in the box, this does not raise; a `cwd` outside it is taken as the root. Raises ValueError for
    unknown rules.
    """
    start = join("", cwd)
    return Chain(Tree(root), "" if start.startswith(("..", "/")) else start, rules_named(rules))


def guidance_files(root: Path, rules: str, extra: Sequence[str] = ()) -> tuple[str, ...]:
    """Box-relative paths of all files that can reach an agent's context by itself, plus the `extra` globs; sorted.

    Guidance of every folder counts, with rules, skills and imports: a change in any of them may change an answer.
    Raises BoxError for a glob that is none.
    """
    tree, engine = Tree(root), rules_named(rules)
    more = Globs(extra)
    found = {path for start in more.roots() for path in tree.walk(start) if more.match(path)}
    for folder in {folder for path in tree.walk() for folder in tree.folders(path)[:-1]}:
        found.update(_present(tree, folder, engine))
        found.update(skill.path for skill in _skills(tree, [folder], engine))
        found.update(rule.path for rule in _rules_of(tree, folder, engine))
    return tuple(sorted(found | _imports_of(tree, engine, found)))


def _rules_of(tree: Tree, folder: str, engine: EngineRules) -> list[rules.Rule]:
    return rules.find(tree, folder, engine.rule_folder) if engine.rule_folder else []


def _imports_of(tree: Tree, engine: EngineRules, paths: set[str]) -> set[str]:
    """Everything some files import, however deep."""
    if not engine.imports:
        return set()
    found: set[str] = set()
    waiting = sorted(paths)
    while waiting:
        path = waiting.pop()
        for name in imports.find(tree.text(path) or ""):
            target = _imported(path, name)
            if target not in found and tree.locate(target):
                found.add(target)
                waiting.append(target)
    return found


def _present(tree: Tree, folder: str, engine: EngineRules) -> list[str]:
    """The guidance files of one folder that the engine would load."""
    for group in engine.names:
        paths = [path for path in (join(folder, name) for name in group) if tree.locate(path)]
        if paths:
            return paths
    return []


def _skills(tree: Tree, folders: Sequence[str], engine: EngineRules) -> tuple[Skill, ...]:
    """The skills of some folders, the first of a name."""
    found: dict[str, Skill] = {}
    for folder in folders:
        for skill_folder in engine.skill_folders:
            for skill in skills.find(tree, folder, skill_folder):
                found.setdefault(skill.name, skill)
    return tuple(found.values())


def _imported(importing: str, name: str) -> str:
    """The box-relative path an import names; one from the home folder or the file system's root leaves the box."""
    if name.startswith(("~", "/")):
        return f"../{name}"
    return join(importing.rpartition("/")[0], name)
