"""The files that could be guidance for any engine, whether or not one loads them."""

from pathlib import Path

from workbench.guidance.chain import guidance_files
from workbench.guidance.documents import NAMES
from workbench.guidance.engine_rules import RULES
from workbench.guidance.tree import Tree

HIDDEN = (".claude", ".agents", ".codex", ".pi")
"""Folders that hold guidance for the folder they lie in."""


def candidates(root: Path) -> tuple[str, ...]:
    """Box-relative paths, sorted: what the rules of every engine find anywhere, and what goes by a known name."""
    found = {path for rules in RULES for path in guidance_files(root, rules, NAMES)}
    tree = Tree(root)
    return tuple(sorted(path for path in found if tree.locate(path)))
