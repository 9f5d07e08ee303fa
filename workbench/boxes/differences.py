"""What a box holds otherwise than at a commit: edits, new files and gone ones, committed or not."""

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from workbench.boxes import objects
from workbench.boxes.location import BoxError
from workbench.boxes.reading import BoxGit
from workbench.boxes.revisions import texts
from workbench.host.files import OutsideError, confine
from workbench.host.foreign import read_plain
from workbench.host.git import GitError

_TEXT_LIMIT = 1 << 20
"""As far as `revisions.texts` reads a file."""


def differing(box: Path, commit: str) -> tuple[str, ...]:
    """Box-relative paths whose content differs from a commit's, untracked files included, sorted.

    What git ignores is not compared: no revision holds it. Raises BoxError.
    """
    git = BoxGit(box)
    told = ("diff", "--name-only", "-z", "--no-renames", "--no-ext-diff", "--ignore-submodules=all", "--relative")
    try:
        tracked = git.raw(*told, commit, "--", ".")
        untracked = git.raw("ls-files", "-z", "--others", "--exclude-standard", "--", ".")
    except GitError as error:
        raise BoxError(f"{box} cannot be compared with {commit[:12]}: {error}") from error
    paths = {os.fsdecode(record) for record in (*tracked.split(b"\0"), *untracked.split(b"\0"))}
    # A nested repository is told as a folder, whose files are another history's.
    return tuple(sorted(path for path in paths if path and not path.endswith("/")))


def earlier(box: Path, commit: str, paths: Sequence[str]) -> dict[str, str | None]:
    """Files as a commit has them, see `revisions.texts`; none where the box itself was not there yet."""
    try:
        there = bool(paths) and bool(objects.tree(BoxGit(box), commit))
    except GitError as error:
        raise BoxError(f"{box} at {commit[:12]} cannot be read: {error}") from error
    return texts(box, commit, paths) if there else {}


def current(box: Path, paths: Iterable[str]) -> dict[str, str | None]:
    """Files as they lie there now, told as `revisions.texts` tells those of a commit."""
    found: dict[str, str | None] = {}
    for path in paths:
        try:
            place = confine(box, path)
            if place.is_file():
                found[path] = _text(place)
        except OutsideError:
            continue
    return found


def _text(place: Path) -> str | None:
    try:
        data = read_plain(place, _TEXT_LIMIT)
        return None if b"\0" in data else data.decode("utf-8")
    except (OSError, UnicodeDecodeError):
        return None
