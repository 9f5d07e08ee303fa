"""Where workspaces lie: a private folder outside the project, below no folder that could teach an agent anything."""

import os
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

from workbench.boxes.location import BoxError

_GUIDANCE = (
    "AGENTS.md", "AGENTS.override.md", "CLAUDE.md", "CLAUDE.local.md", "GEMINI.md", ".agents", ".claude", ".codex",
    ".pi", ".cursorrules", ".mcp.json", ".git",
)  # fmt: skip

_ELSEWHERE = ("/var/tmp", "/dev/shm")


def workspaces_base() -> Path:
    """The folder all runs of this user put their workspaces in; made when absent, closed to others.

    It lies in the system's temporary folder (`TMPDIR` holds). Where a folder above carries guidance or a repository,
    which agents would load, `/var/tmp` and `/dev/shm` are tried. Raises BoxError naming what is in the way.
    """
    refused: list[str] = []
    for place in dict.fromkeys((os.environ.get("TMPDIR") or tempfile.gettempdir(), *_ELSEWHERE)):
        base = Path(place).absolute()
        base = base.resolve() / f"boxes-{os.getuid()}"
        if found := next(guidance_above(base), None):
            refused.append(f"{found} would be loaded by agents")
            continue
        try:
            _make_private(base)
        except OSError as error:
            refused.append(f"{base}: {error.strerror or error}")
            continue
        return base
    raise BoxError(f"no place for workspaces: {'; '.join(refused)}; set TMPDIR to a folder without these")


def guidance_above(folder: Path) -> Iterator[Path]:
    """Files and folders in `folder` or above it that an agent started below would load."""
    for parent in (folder, *folder.parents):
        for name in _GUIDANCE:
            if os.path.lexists(parent / name):
                yield parent / name


def _make_private(base: Path) -> None:
    base.mkdir(mode=0o700, exist_ok=True)
    about = base.lstat()
    if not stat.S_ISDIR(about.st_mode) or about.st_uid != os.getuid():
        raise PermissionError(0, "belongs to someone else")
    base.chmod(0o700)
    if not os.access(base, os.W_OK | os.X_OK):
        raise PermissionError(0, "is not writable")
