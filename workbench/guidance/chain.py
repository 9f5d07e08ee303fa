"""Load chains: which guidance an engine's agent has in context, and what a read brings in later."""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from workbench.boxes.globs import Globs
from workbench.guidance import frontmatter, imports, rules, skills
from workbench.guidance.engine_rules import EngineRules, rules_named
from workbench.guidance.skills import Skill
from workbench.guidance.tree import Tree, join
from workbench.host.files import sha256
from workbench.traces.records import Layer, LoadedFile


class Chain:
    """The guidance of one session: loaded at the start, then growing with what the agent touches."""

    def __init__(self, tree: Tree, cwd: str, engine: EngineRules) -> None:
        self.engine = engine
        self._tree = tree
        self._start = "" if cwd == "." else cwd
        self._loaded: set[str] = set()
        self._rules: list[rules.Rule] = []
        self._entered: set[str] = set()
        folders = tree.folders(cwd)
        self._names = _names(tree, folders, engine)
        found: list[LoadedFile] = []
        for folder in folders:
            found += self._enter(folder, "always", via="")
        for name in engine.start_names:
            found += self._file(join(self._start, name), "always", via="")
        self.files: tuple[LoadedFile, ...] = tuple(_within(found, engine.limit))
        """What is in context before the first word, in the order the agent sees it."""
        self.left_out: tuple[LoadedFile, ...] = tuple(found[len(self.files) :])
        """What would be there too, had the files before it not used up the engine's limit."""
        self.skills: tuple[Skill, ...] = skills.announced(tree, folders, engine, self._start)
        """The skills the agent was told of so far; entering a folder further down may add its own."""

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
                found += self._read_in(folder)
        for rule in self._rules:
            glob = rule.match(plain)
            if glob:
                found += self._file(rule.path, "conditional", via=glob)
        return tuple(found)

    def later(self) -> Iterator[tuple[str, list[LoadedFile]]]:
        """All that can still load by itself, whatever the agent does: what brings it, and the files with their imports.

        It uses the session up: what came here never comes again.
        """
        for folder in self._tree.all_folders() if self.engine.nested else ():
            yield f"reading {folder}/", self._read_in(folder)
        for rule in self._rules:
            yield f"reading {rule.told}", self._file(rule.path, "conditional", via=rule.globs[0])
        for skill in self.skills:
            body = self.body(skill)
            real = self._tree.real_relative(skill.path)
            if body and real not in self._loaded:
                self._loaded.add(real)
                yield body.via, [body]

    def body(self, skill: Skill) -> LoadedFile | None:
        """A skill's file as it enters the context when the agent opens it; None when it has gone."""
        text = self._tree.text(skill.path)
        if text is None:
            return None
        return LoadedFile(path=skill.path, layer="conditional", via=f"skill {skill.name}", size=len(text), text=text)

    def seen(self, text: str) -> str:
        """A guidance file's text as it loads when no limit cuts it; line numbers stay."""
        return bare(text) if self.engine.bare else text

    def below(self, path: str) -> bool:
        """Whether a path lies in or below the folder the agent started in."""
        return not self._start or f"{path}/".startswith(f"{self._start}/")

    def _read_in(self, folder: str) -> list[LoadedFile]:
        """What reading a file in a folder, or below it, loads from that folder."""
        if not self.below(folder):
            return []
        self._meet_skills(folder)
        return self._enter(folder, "conditional", via=folder or ".")

    def _meet_skills(self, folder: str) -> None:
        if folder not in self._entered:
            known = {skill.name for skill in self.skills}
            met = skills.announced(self._tree, [folder], self.engine, folder)
            self.skills += tuple(skill for skill in met if skill.name not in known)

    def _enter(self, folder: str, layer: Layer, via: str) -> list[LoadedFile]:
        """A folder's own guidance files, what they import, its rules; empty when it was entered before."""
        if folder in self._entered:
            return []
        self._entered.add(folder)
        found: list[LoadedFile] = []
        for path in _present(self._tree, folder, self._names, self.engine):
            found += self._file(path, layer, via)
        known = _rules_of(self._tree, folder, self.engine)
        self._rules += [rule for rule in known if rule.globs]
        for rule in known:
            if not rule.globs:
                found += self._file(rule.path, layer, via)
        return found

    def _file(self, path: str, layer: Layer, via: str, depth: int = 0) -> list[LoadedFile]:
        """A file and, below it, its imports: depth first, no file twice, which also ends cycles."""
        real = self._tree.real_relative(path)
        text = None if real in self._loaded else self._tree.text(path)
        if text is None:
            return []
        self._loaded.add(real)
        seen = self.seen(text)
        found = [LoadedFile(path=path, layer=layer, via=via, size=len(seen), text=seen)]
        if self.engine.imports and depth < imports.DEPTH:
            for one in imports.find(seen):
                target = one.target(path)
                if self.below(target):
                    found += self._file(target, layer, via=path, depth=depth + 1)
        return found


@lru_cache(maxsize=1024)
def bare(text: str) -> str:
    """A text without its header and its comment blocks, whose lines are left empty so that line numbers stay."""
    _, body = frontmatter.parse(text)
    header = text.count("\n") - body.count("\n")
    return "\n" * header + imports.without_comments(body)


def load(root: Path, cwd: str, rules: str) -> Chain:
    """What an agent started in `root / cwd` has in context by the rules of `claude`, `codex`, `pi`, or of a version.

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
    return _files_of(Tree(root), rules, extra)


def guidance_sums(tree: Tree, rules: str, extra: Sequence[str] = ()) -> dict[str, str]:
    """The same paths of any tree → hex sha256 of their bytes, links followed."""
    sources = {path: tree.locate(path) for path in _files_of(tree, rules, extra)}
    return {path: sha256(Path(source).read_bytes()) for path, source in sources.items() if source}


def hash_of(sums: Mapping[str, str]) -> str:
    """Hex sha256 over paths and the sha256 of what stands there."""
    parts = (f"{path}\0{total}\n" for path, total in sums.items())
    return sha256("".join(parts).encode("utf-8", "surrogateescape"))


def _files_of(tree: Tree, rules: str, extra: Sequence[str]) -> tuple[str, ...]:
    engine = rules_named(rules)
    more = Globs(extra)
    found = {path for start in more.roots() for path in tree.walk(start) if more.match(path)}
    names = _names(tree, [""], engine)
    for folder in tree.all_folders():
        found.update(_present(tree, folder, names, engine))
        found.update(path for name in engine.start_names if tree.has(path := join(folder, name)))
        found.update(skill.path for skill in skills.announced(tree, [folder], engine, folder))
        found.update(rule.path for rule in _rules_of(tree, folder, engine))
    return tuple(sorted(found | _imports_of(tree, engine, found)))


def guidance_hash(root: Path, paths: Sequence[str]) -> str:
    """Hex sha256 over path and content of some files of a box; raises OSError when one has gone."""
    return hash_of({path: sha256((root / path).read_bytes()) for path in paths})


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
        for one in imports.find(tree.text(path) or ""):
            target = one.target(path)
            if target not in found and tree.has(target):
                found.add(target)
                waiting.append(target)
    return found


def _names(tree: Tree, folders: Sequence[str], engine: EngineRules) -> tuple[tuple[str, ...], ...]:
    """The groups of names that count in a session that starts at the end of these folders."""
    first = (*engine.names[0], *engine.stand_ins)
    ruled_out = engine.one_kind and any(_there(tree, folder, first, engine) for folder in folders)
    return engine.names[:1] if ruled_out else engine.names


def _present(tree: Tree, folder: str, names: tuple[tuple[str, ...], ...], engine: EngineRules) -> list[str]:
    """The guidance files of one folder that would load."""
    for group in names:
        paths = _there(tree, folder, group, engine)
        if paths or _there(tree, folder, engine.stand_ins, engine):
            return paths
    return []


def _there(tree: Tree, folder: str, names: Sequence[str], engine: EngineRules) -> list[str]:
    """Those of some names that are in a folder, and hold anything where the engine minds."""
    paths = [path for path in (join(folder, name) for name in names) if tree.has(path)]
    return [path for path in paths if (tree.text(path) or "").strip()] if engine.one_kind else paths


def _within(files: list[LoadedFile], limit: int) -> list[LoadedFile]:
    """Files as far as a limit in bytes goes: the one that exceeds it is cut, those after it are left out."""
    if not limit:
        return files
    kept: list[LoadedFile] = []
    for file in files:
        text = file.text.encode()[:limit].decode("utf-8", "ignore")
        limit -= len(file.text.encode())
        kept.append(file.model_copy(update={"text": text, "size": len(text)}))
        if limit <= 0:
            break
    return kept
