"""What a Bee Box looks like on disk: the marks it is known by, and where its generated guidance lies."""

from pathlib import Path

CONFIG = "_config/box.json"
PACKAGE_DOCS = "node_modules/beebox/box-docs"
DOCS_MARKER = ".beebox/docs-generated-at"
"""Written by docs generation; while it is current, generation is skipped."""

_MARKER = ".beebox/box.json"

GENERATED: tuple[str, ...] = (
    "/.beebox/box.json",
    "/.beebox/agent-guide.md",
    "/_content/docs/generated/**",
    "/.claude/rules/**",
    "/.claude/skills/**",
    f"/{PACKAGE_DOCS}/**",
)
"""Globs of what a Bee Box's agent loads or is pointed to, and which most boxes keep out of git."""


MEMORY: tuple[str, ...] = ("/.claude/memory",)
"""Globs of what earlier sessions noted down for later ones: a trial must not know it."""


def is_bee_box(root: Path) -> bool:
    """Whether a folder is a Bee Box: it holds the box's settings or its marker."""
    return (root / CONFIG).is_file() or (root / _MARKER).is_file()
