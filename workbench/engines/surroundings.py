"""Where in a workspace a program starts, and what stands above the workspace that it must not see."""

import os
from collections.abc import Iterator
from pathlib import Path

from workbench.engines.limits import CutShort
from workbench.engines.protocol import Task
from workbench.traces.reasons import Reason

GUIDANCE = ("AGENTS.override.md", "AGENTS.md", "AGENTS.MD", "CLAUDE.md", "CLAUDE.MD")
"""Files that programs looking upwards load, though they are no part of the box."""


def start(task: Task) -> Path:
    """The folder a task starts in, links followed; raises CutShort when it is not there or leads out."""
    root = Path(os.path.realpath(task.workspace))
    folder = Path(os.path.realpath(root / task.cwd))
    if not folder.is_dir() or not folder.is_relative_to(root):
        raise CutShort(Reason.MISSING, f"the folder to work in, {task.cwd!r}, is not in the workspace")
    return folder


def guidance_above(workspace: Path) -> Iterator[Path]:
    """Guidance files in every folder above a workspace, links followed."""
    for folder in Path(os.path.realpath(workspace)).parents:
        yield from (folder / name for name in GUIDANCE if (folder / name).is_file())
