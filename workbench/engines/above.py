"""Guidance that stands above a workspace: no part of the box, though programs that look upwards would load it."""

import os
from collections.abc import Iterator
from pathlib import Path

NAMES = ("AGENTS.override.md", "AGENTS.md", "AGENTS.MD", "CLAUDE.md", "CLAUDE.MD", "GEMINI.md")


def guidance_above(workspace: Path, names: tuple[str, ...] = NAMES) -> Iterator[Path]:
    """Files of those names in every folder above a workspace, links followed."""
    for folder in Path(os.path.realpath(workspace)).parents:
        yield from (folder / name for name in names if (folder / name).is_file())
