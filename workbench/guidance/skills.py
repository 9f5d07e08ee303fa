"""Skills: the agent is told their names and descriptions, and opens the body when it wants it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from workbench.guidance import frontmatter
from workbench.guidance.engine_rules import EngineRules
from workbench.guidance.tree import Tree, join, parents

_FOLDER = re.compile(r"(?:^|/)\.[^/]+/skills/")
"""Every engine's skills lie in a folder of this kind."""


@dataclass(frozen=True, slots=True)
class Skill:
    """One `<name>/SKILL.md`; `description` is a single line."""

    name: str
    description: str
    path: str
    """Box-relative path of its SKILL.md."""


def find(tree: Tree, base: str, skill_folder: str, engine: EngineRules) -> list[Skill]:
    """The skills in `base`'s skill folder, sorted by path; those hidden from the model are left out."""
    folder = join(base, skill_folder)
    found = []
    for path in tree.walk(folder):
        inside = path.removeprefix(f"{folder}/").split("/")
        if inside[-1] != "SKILL.md" or len(inside) < 2 or (len(inside) > 2 and not engine.skills_deep):
            continue
        text = tree.text(path)
        if text is not None and (skill := _skill(path, inside[-2], text, engine)):
            found.append(skill)
    return found


def announced(tree: Tree, folders: Sequence[str], engine: EngineRules, start: str) -> tuple[Skill, ...]:
    """The skills of some folders and of the one the agent starts in, the first of a name."""
    named: dict[str, Skill] = {}
    places = [(start, name) for name in engine.start_skill_folders]
    places += [(folder, name) for folder in folders for name in engine.skill_folders]
    for folder, name in places:
        for skill in find(tree, folder, name, engine):
            named.setdefault(skill.name, skill)
    return tuple(named.values())


def at_start(path: str, cwd: str) -> bool:
    """Whether the skill whose file that is lies on the way to `cwd`, so that who starts there is told of it at once."""
    return _FOLDER.split(path)[0] in parents(cwd)


@lru_cache(maxsize=512)
def described(text: str) -> range:
    """The 1-based lines of a SKILL.md that tell what it is for, which the agent knows without opening it."""
    header, body = frontmatter.parse(text)
    if frontmatter.text_of(header, "description"):
        return frontmatter.lines_of(text, "description")
    first = next((n for n, line in enumerate(body.split("\n")) if line.strip()), 0)
    line = text[: len(text) - len(body)].count("\n") + first + 1
    return range(line, line + 1)


def _skill(path: str, folder: str, text: str, engine: EngineRules) -> Skill | None:
    header, body = frontmatter.parse(text)
    if engine.skills_hide and frontmatter.text_of(header, "disable-model-invocation").lower() == "true":
        return None
    name = folder if engine.skill_tool else frontmatter.text_of(header, "name") or folder
    return Skill(name, frontmatter.text_of(header, "description") or _first_line(body), path)


def _first_line(body: str) -> str:
    return next((line.strip("# ").strip() for line in body.split("\n") if line.strip()), "")
