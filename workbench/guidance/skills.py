"""Skills: the agent is told their names and descriptions, and opens the body when it wants it."""

import os
from dataclasses import dataclass

from workbench.guidance import frontmatter
from workbench.guidance.tree import Tree, join


@dataclass(frozen=True, slots=True)
class Skill:
    """One `<name>/SKILL.md`; `description` is a single line."""

    name: str
    description: str
    path: str
    """Box-relative path of its SKILL.md."""


def find(tree: Tree, base: str, skill_folder: str) -> list[Skill]:
    """The skills in `base`'s skill folder, sorted by folder name; those hidden from the model are left out."""
    folder = join(base, skill_folder)
    found = []
    for name in _names(tree, folder):
        path = join(folder, f"{name}/SKILL.md")
        text = tree.text(path)
        if text is None:
            continue
        header, body = frontmatter.parse(text)
        if frontmatter.text_of(header, "disable-model-invocation").lower() == "true":
            continue
        description = frontmatter.text_of(header, "description") or _first_line(body)
        found.append(Skill(frontmatter.text_of(header, "name") or name, description, path))
    return found


def _names(tree: Tree, folder: str) -> list[str]:
    try:
        return sorted(os.listdir(tree.root / folder))
    except OSError:
        return []


def _first_line(body: str) -> str:
    return next((line.strip("# ").strip() for line in body.split("\n") if line.strip()), "")
