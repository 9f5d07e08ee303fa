"""Where templates lie, and stay between runs: the next run in the same box writes only what changed."""

import contextlib
import secrets
from collections import deque
from pathlib import Path

from workbench.boxes.disposal import kill_inside, remove_tree
from workbench.boxes.ownership import claim
from workbench.boxes.workspace import workspaces_base

_KEPT = 8
"""Templates of runs that are over, at most; each may have copies beside it."""


class Shelf:
    """A folder of this process's own for templates. `keep` and `take` belong to the event loop."""

    def __init__(self) -> None:
        """Make the folder; raises BoxError and OSError where that cannot be."""
        self._base = workspaces_base() / secrets.token_hex(4)
        self._owned = claim(self._base)
        self._kept: deque[tuple[Path, Path]] = deque()

    def place(self) -> Path:
        """A folder for a new template, absent yet."""
        return self._base / f"template-{secrets.token_hex(4)}"

    def take(self, box: Path) -> Path | None:
        """The folder of a template of some state of a box, the taker's own from here on; None where none is kept."""
        found = next((kept for kept in self._kept if kept[0] == box), None)
        if found is None:
            return None
        self._kept.remove(found)
        return found[1]

    def keep(self, box: Path, template: Path) -> Path | None:
        """Have a template nobody uses now lie ready for a later run; one that has to make way for it."""
        self._kept.append((box, template))
        return self._kept.popleft()[1] if len(self._kept) > _KEPT else None

    def remove(self) -> None:
        """Delete every template and workspace; blocks while it does. What stays is swept later."""
        kill_inside(self._base)
        self._owned.close()
        with contextlib.suppress(OSError):
            remove_tree(self._base)
