"""Taking away what trials leave: folders an agent made hard to delete, and what killed processes left behind."""

import contextlib
import errno
import os
import secrets
import signal
import time
from collections.abc import Iterator
from pathlib import Path

from workbench.boxes.base import workspaces_base
from workbench.boxes.included import within
from workbench.boxes.ownership import OWNER_LOCK, claim
from workbench.host.locks import LockedError, locked

__all__ = ["OWNER_LOCK", "kill_inside", "passing_folder", "remove_tree", "sweep"]

_PATIENCE = 60.0
"""Seconds after which a folder that something keeps filling is given up."""


@contextlib.contextmanager
def passing_folder() -> Iterator[Path]:
    """A private folder for files of a box that are needed for a while; a sweep clears what a killed process leaves.

    Raises BoxError where it cannot be made. What cannot be deleted at the end is left for a sweep.
    """
    folder = workspaces_base() / secrets.token_hex(4)
    with claim(folder):
        try:
            yield folder / "files"
        finally:
            with contextlib.suppress(OSError):
                remove_tree(folder)


def remove_tree(root: Path) -> None:
    """Delete a folder whatever its modes, its depth and the length of its paths; links are never followed.

    Folders are moved up to the root before they are emptied, so that no path grows and nothing recurses.
    Raises OSError when something cannot be deleted or keeps being made.
    """
    if not root.is_dir() or root.is_symlink():
        root.unlink(missing_ok=True)
        return
    os.chmod(root, 0o700)
    number = 0
    deadline = time.monotonic() + _PATIENCE
    while True:
        for entry in list(os.scandir(root)):
            if entry.is_dir(follow_symlinks=False):
                number = _empty(entry.path, root, number)
            else:
                os.unlink(entry.path)
        try:
            os.rmdir(root)
            return
        except OSError as error:
            if error.errno not in (errno.ENOTEMPTY, errno.EEXIST) or time.monotonic() > deadline:
                raise


def _empty(folder: str, root: Path, number: int) -> int:
    """Delete a folder in the root after moving the folders it holds up beside it; returns the next free number."""
    try:
        return _hollow(folder, root, number)
    except PermissionError:
        os.chmod(folder, 0o700)
        for entry in os.scandir(folder):
            if entry.is_dir(follow_symlinks=False):
                os.chmod(entry.path, 0o700)
        return _hollow(folder, root, number)


def _hollow(folder: str, root: Path, number: int) -> int:
    for entry in list(os.scandir(folder)):
        if not entry.is_dir(follow_symlinks=False):
            os.unlink(entry.path)
            continue
        while os.path.lexists(place := os.path.join(root, f".{number}")):
            number += 1
        os.rename(entry.path, place)
        number += 1
    with contextlib.suppress(OSError):  # something was made here meanwhile; the next pass finds it
        os.rmdir(folder)
    return number


def sweep(base: Path) -> int:
    """Clear what killed processes left below a base: their children first, then the folders. Returns how many.

    A folder whose owner lives is never touched, whoever that owner is.
    """
    cleared = 0
    for folder in list(_owned(base)):
        try:
            with locked(folder / OWNER_LOCK, wait=False):
                kill_inside(folder)
                for entry in list(os.scandir(folder)):
                    if entry.name != OWNER_LOCK:  # last, or a sweep that is killed itself would leave the rest for good
                        remove_tree(Path(entry.path))
                remove_tree(folder)
                cleared += 1
        except (LockedError, OSError):  # alive, gone meanwhile, or not ours to delete
            continue
    for folder in [*base.glob("*/*"), *base.glob("*")]:
        with contextlib.suppress(OSError):
            folder.rmdir()  # only an empty one goes
    return cleared


def _owned(base: Path) -> Iterator[Path]:
    """Folders with an owner, at most three levels down: a base, a run, a box."""
    pending = [(base, 0)]
    while pending:
        folder, depth = pending.pop()
        if (folder / OWNER_LOCK).is_file():
            yield folder
        elif depth < 3:
            with contextlib.suppress(OSError):
                pending += [(Path(e.path), depth + 1) for e in os.scandir(folder) if e.is_dir(follow_symlinks=False)]


def kill_inside(folder: Path) -> int:
    """Kill this user's processes whose working directory lies in a folder; returns how many. Linux only."""
    root = os.path.realpath(folder)
    killed: set[int] = set()
    deadline = time.monotonic() + _PATIENCE
    while (found := set(_processes_in(root))) and time.monotonic() < deadline:
        for pid in found:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        killed |= found
        time.sleep(0.01)
    return len(killed)


def _processes_in(root: str) -> Iterator[int]:
    try:
        names = os.listdir("/proc")
    except OSError:
        return
    for name in names:
        if not name.isdigit() or int(name) == os.getpid():
            continue
        with contextlib.suppress(OSError):
            mine = os.stat(f"/proc/{name}").st_uid == os.getuid()
            if mine and within(os.readlink(f"/proc/{name}/cwd").removesuffix(" (deleted)"), root):
                yield int(name)
