"""Each guidance file where it stood: in the first request, in a later one, by its path alone, nowhere."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from workbench.guidance import frontmatter, imports, references
from workbench.guidance.tree import Tree
from workbench.probe.announced import is_skill, skill_context, told_apart
from workbench.probe.hearing import Hearing
from workbench.probe.matching import Match, Needle, Page
from workbench.probe.records import STANDINGS, FileContext, Part, Standing, Visit

_Files = dict[str, FileContext]


def attribute(root: Path, heard: Hearing, paths: Sequence[str]) -> tuple[FileContext, ...]:
    """Every candidate, and every file of the box that a loaded one names, as `ContextReport.files` has them.

    `paths` are the candidates, relative to `root`, the workspace the agent ran in.
    """
    tree = Tree(root)
    texts = {path: text for path in paths if (text := tree.text(path)) is not None}
    found = _search(root, heard, texts)
    files: _Files = {path: _loaded(texts[path], where) for path, where in found.items()}
    skills = {path: skill_context(path, text, heard) for path, text in texts.items() if is_skill(path)}
    files |= told_apart(root, skills, heard)
    _tell_imports(files)
    files |= _referenced(tree, files, texts)
    for path, text in texts.items():
        files.setdefault(path, FileContext(path=path, standing="never", size=len(text.strip()), text=text))
    place = {path: (where.page, where.match.line) for path, where in found.items()}
    last = (len(heard.first) + len(heard.later), 0)
    return tuple(sorted(files.values(), key=lambda f: (STANDINGS.index(f.standing), place.get(f.path, last), f.path)))


def parts(heard: Hearing, files: Sequence[FileContext], question: str) -> tuple[Part, ...]:
    """The first request by what it is made of; what is none of the rest is the engine's own words."""
    guidance = sum(file.loaded for file in files if file.standing == "always")
    skills = sum(file.told for file in files)
    own = sum(len(page.text) for page in heard.first) - guidance - skills - len(question)
    return (
        Part(name="prompt", size=max(0, own)),
        Part(name="tools", size=heard.tools),
        Part(name="guidance", size=guidance),
        Part(name="skills", size=skills),
        Part(name="question", size=len(question)),
    )


@dataclass(frozen=True, slots=True)
class _Found:
    """Where a candidate's text was found."""

    path: str
    match: Match
    page: int
    """Counted through all requests."""
    standing: Standing
    after: tuple[Visit, ...] = ()


def _search(root: Path, heard: Hearing, texts: dict[str, str]) -> dict[str, _Found]:
    """Each candidate that is no skill at its place; longer ones first, so that none is found inside another."""
    same: defaultdict[tuple[str, ...], dict[str, Needle]] = defaultdict(dict)
    for path, text in texts.items():
        if not is_skill(path):
            needle = Needle.of(text, (str(root / path), path))
            same[needle.lines][path] = needle
    found: dict[str, _Found] = {}
    for lines in sorted(same, key=lambda lines: -sum(map(len, lines))):
        found |= _places(root, same[lines], heard)
    return found


def _places(root: Path, alike: dict[str, Needle], heard: Hearing) -> dict[str, _Found]:
    """Files of one text at their places: each where it is named, else the first that is no link at the first one."""
    found: dict[str, _Found] = {}
    for path, needle in alike.items():
        if (place := _place(path, needle, heard)) and (place.match.named or len(alike) == 1):
            found[path] = place
    if not found:
        path = min(alike, key=lambda path: ((root / path).is_symlink(), path))
        found = {path: place} if (place := _place(path, alike[path], heard)) else {}
    for place in found.values():
        _pages(heard)[place.page].take(place.match)
    return found


def _place(path: str, needle: Needle, heard: Hearing) -> _Found | None:
    """The best place in the first request, else the earliest in a later one."""
    first = [(at, match) for at, page in enumerate(heard.first) for match in page.find(needle)[:1]]
    if first:
        at, match = max(first, key=lambda pair: (pair[1].named, pair[1].size))
        return _Found(path, match, at, "always")
    for at, later in enumerate(heard.later, len(heard.first)):
        for match in later.page.find(needle)[:1]:
            return _Found(path, match, at, "conditional", later.after)
    return None


def _pages(heard: Hearing) -> list[Page]:
    return [*heard.first, *(later.page for later in heard.later)]


def _loaded(text: str, found: _Found) -> FileContext:
    return FileContext(
        path=found.path,
        standing=found.standing,
        via=_brought(text, found.after),
        size=len(text.strip()),
        loaded=found.match.size,
        cut=not found.match.whole,
        text=text if found.match.whole else text[: found.match.size],
    )


def _brought(text: str, after: tuple[Visit, ...]) -> str:
    """What was done right before a file came, and for a rule the globs that the deed met."""
    header, _ = frontmatter.parse(text)
    globs = ", ".join(frontmatter.list_of(header, "paths"))
    told = " or ".join(visit.told for visit in after)
    return f"{told}, by {globs}" if told and globs else told


def _tell_imports(files: _Files) -> None:
    """Say of each loaded file which other one of its standing imports it."""
    for importer in [file for file in files.values() if file.came]:
        for one in imports.find(importer.text):
            target = one.target(importer.path)
            file = files.get(target)
            if file and file.standing == importer.standing and target != importer.path:
                files[target] = file.model_copy(update={"via": f"@ in {importer.path}"})


def _referenced(tree: Tree, files: _Files, candidates: Collection[str]) -> _Files:
    """Files that only a path in a loaded text leads to."""
    found: _Files = {}
    for file in [file for file in files.values() if file.came]:
        for reference in references.find(file.text, file.path, tree, str(tree.root)):
            path, known = reference.path, files.get(reference.path)
            if path in found or (known and known.standing != "never") or (text := tree.text(path)) is None:
                continue
            via = f"{file.path}:{reference.line}"
            guidance = path in candidates
            found[path] = FileContext(
                path=path, standing="referenced", via=via, size=len(text.strip()), guidance=guidance, text=text
            )
    return found
