"""Which paths a box holds, as its owner sees it: tracked and untracked files of a repository, or a plain folder's.

Nothing is written: the index is not refreshed and no file is opened. Nested repositories and submodules give their
files as plain files; a linked worktree inside a box is another checkout of the same work and is left out.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from workbench.boxes.location import BoxError
from workbench.boxes.reading import BoxGit

JUNK = frozenset(
    (
        ".git", ".hg", ".svn", ".venv", "venv", "node_modules", "__pycache__", ".mypy_cache", ".pytest_cache",
        ".ruff_cache", ".tox", ".nox", ".cache", ".gradle", ".direnv", ".idea", ".DS_Store",
    )
)  # fmt: skip
"""Names a plain folder is not asked for: what a repository of its kind would ignore."""


@dataclass(frozen=True, slots=True)
class Skipped:
    """A path of the box that the workspace does not get, or gets from elsewhere, and why."""

    path: str
    reason: str


@dataclass(slots=True)
class Listing:
    """A box's own paths, before anything is left out."""

    commit: str = ""
    branch: str = ""
    """Name of the branch checked out; empty when detached or without git."""
    dirty: bool = False
    paths: dict[str, str] = field(default_factory=dict)
    """Box-relative path → the same path as seen from the top of a nested repository that holds it."""
    skipped: list[Skipped] = field(default_factory=list)


def survey(box: Path) -> Listing:
    """List a box: by git when it is, or lies in, a work tree that does not ignore it; else by walking the folder.

    Raises BoxError when git refuses for another reason than that there is no repository.
    """
    listing, git = Listing(), BoxGit(box)
    place = _work_tree(git)
    if place is None or not _list_repository(git, "", listing, place):
        for path in _walk(box, "", listing):
            listing.paths[path] = path
    return listing


def _work_tree(git: BoxGit) -> str | None:
    """A folder's place below its work tree's top (`""` at the top, else `a/b/`); None without a work tree."""
    status, out, err = git.attempt("rev-parse", "--is-inside-work-tree", "--show-prefix")
    if status == 0:
        inside, _, prefix = os.fsdecode(out).partition("\n")
        return prefix.removesuffix("\n") if inside == "true" else None
    said = os.fsdecode(err).strip()
    if "not a git repository" in said:
        return None
    raise BoxError(f"git cannot read {git.root}: {said}")


def _list_repository(git: BoxGit, at: str, listing: Listing, prefix: str) -> bool:
    """Add a repository's files, as seen from git's folder, under the box path `at`; False when it ignores that."""
    tracked = _records(git.raw("ls-files", "-z", "--stage"))
    status = _records(
        git.raw(
            "status", "--porcelain=v2", "--branch", "-z", "--no-renames", "--untracked-files=all",
            "--ignore-submodules=all", "--", ".",
        )
    )  # fmt: skip
    heads = dict(line[2:].split(" ", 1) for line in status if line.startswith("# branch.") and " " in line[2:])
    changes = [line for line in status if not line.startswith("# ")]
    untracked = [line[2:].removeprefix(prefix) for line in changes if line.startswith("? ")]
    if not tracked and not untracked and prefix and git.attempt("check-ignore", "-q", "--", str(git.root))[0] == 0:
        return False
    if not at:
        listing.commit = heads.get("branch.oid", "").replace("(initial)", "")
        listing.branch = heads.get("branch.head", "").replace("(detached)", "")
        listing.dirty = bool(changes)
    nested = [path.rstrip("/") for path in untracked if path.endswith("/")]
    for line in tracked:
        about, path = line.split("\t", 1)
        if about.startswith("160000"):
            nested.append(path)
        else:
            listing.paths[at + path] = path
    for path in untracked:
        if not path.endswith("/"):
            listing.paths[at + path] = path
    for path in nested:
        _add_nested(git.root / path, at + path, listing)
    return True


def _add_nested(folder: Path, at: str, listing: Listing) -> None:
    """Add the files of a repository inside the box; an absent or empty one (a submodule not fetched) gives none."""
    mark = folder / ".git"
    if mark.is_file() and "/worktrees/" in mark.read_text("utf-8", "replace"):
        listing.skipped.append(Skipped(at, "another worktree of a repository"))
    elif mark.exists() and _is_readable(folder):
        _list_repository(BoxGit(folder), at + "/", listing, "")
    elif folder.is_dir() and not folder.is_symlink():
        listing.paths.update({path: path for path in _walk(folder, at + "/", listing)})


def _is_readable(folder: Path) -> bool:
    """Whether a folder is a work tree's top and git reads it; a broken one is taken as a plain folder."""
    try:
        return not folder.is_symlink() and _work_tree(BoxGit(folder)) == ""
    except BoxError:
        return False


def _walk(folder: Path, at: str, listing: Listing) -> Iterator[str]:
    """Box paths of the files and links below a plain folder, junk left out, repositories on the way listed by git."""
    pending = [(folder, at)]
    while pending:
        here, prefix = pending.pop()
        try:
            entries = sorted(os.scandir(here), key=lambda entry: entry.name)
        except OSError as error:
            listing.skipped.append(Skipped(prefix.rstrip("/"), f"cannot be opened: {error.strerror}"))
            continue
        for entry in entries:
            path = prefix + entry.name
            if entry.name in JUNK:
                continue
            if not entry.is_dir(follow_symlinks=False):
                yield path
            elif os.path.lexists(os.path.join(entry.path, ".git")):
                _add_nested(Path(entry.path), path, listing)
            else:
                pending.append((Path(entry.path), path + "/"))


def _records(out: bytes) -> list[str]:
    return [os.fsdecode(record) for record in out.split(b"\0") if record]
