"""Whose a folder of workspaces is: its owner holds a lock in it, which the system frees however the owner ends."""

import contextlib
import os
from pathlib import Path

from workbench.boxes.location import BoxError
from workbench.host.locks import locked

OWNER_LOCK = "owner.lock"
"""Name of the lock. A sweep clears a folder whose lock nobody holds, and never looks at one that has none."""


def claim(folder: Path) -> contextlib.ExitStack:
    """Make a folder, which must be empty or absent, this process's own until what is returned is closed.

    The lock gets its name once it is held, so that no sweep can mistake it for a dead process's. Raises BoxError.
    """
    owned = contextlib.ExitStack()
    unborn = folder / f"{OWNER_LOCK}.{os.getpid()}"
    for _ in range(10):
        with contextlib.suppress(FileNotFoundError):  # a sweep takes empty folders away
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            if any(folder.iterdir()):
                raise BoxError(f"{folder} is not empty; workspaces need a folder of their own")
            owned.enter_context(locked(unborn, wait=False))
            unborn.rename(folder / OWNER_LOCK)
            return owned
    raise BoxError(f"{folder} cannot be made: something keeps removing it")
