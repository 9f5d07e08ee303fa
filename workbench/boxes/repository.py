"""The git repository a workspace is: made from nothing, with nobody's settings, and packed into few files.

The agent sees an ordinary repository. Names and dates in it are fixed, so that the same snapshot gives the same commit.
"""

import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from workbench.boxes.location import BoxError
from workbench.host.git import Git, GitError

NOBODY: dict[str, str] = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_ATTR_NOSYSTEM": "1",
    "HOME": os.devnull,
    "XDG_CONFIG_HOME": os.devnull,
    "GIT_AUTHOR_NAME": "Box",
    "GIT_AUTHOR_EMAIL": "box@localhost",
    "GIT_AUTHOR_DATE": "2026-01-01T00:00:00+00:00",
    "GIT_COMMITTER_NAME": "Box",
    "GIT_COMMITTER_EMAIL": "box@localhost",
    "GIT_COMMITTER_DATE": "2026-01-01T00:00:00+00:00",
}
"""Environment in which git knows no user, no machine and no clock."""

_CONFIG = """\
[core]
\trepositoryformatversion = 0
\tfilemode = true
\tbare = false
\tlogallrefupdates = false
[gc]
\tauto = 0
[maintenance]
\tauto = false
[user]
\tname = Box
\temail = box@localhost
"""
_MESSAGE = b"Snapshot\n"
_PACKED_AT_ONCE = ("-c", "core.bigFileThreshold=1")
"""Makes git write new objects straight into one pack and try no deltas: a large box is ready several times sooner."""
_SPECIAL = re.compile(rb"([\\*?\[ ])")


def create(root: Path, branch: str, excluded: Sequence[str] = ()) -> None:
    """Make an empty repository without hooks, descriptions or samples; `excluded` paths do not show as untracked."""
    home = root / ".git"
    for folder in ("objects/pack", "refs/heads", "refs/tags"):
        (home / folder).mkdir(parents=True)
    (home / "HEAD").write_bytes(os.fsencode(f"ref: refs/heads/{branch or 'main'}\n"))
    (home / "config").write_text(_CONFIG, encoding="utf-8")
    if excluded:
        info = home / "info"
        info.mkdir()
        lines = (b"/" + _SPECIAL.sub(rb"\\\1", os.fsencode(path)) for path in excluded if "\n" not in path)
        (info / "exclude").write_bytes(b"\n".join(lines) + b"\n")


def commit_snapshot(root: Path, committed: Iterable[str], *, history: bool = False) -> str:
    """Commit exactly the given paths, with `history` on top of it unless that is their state already; the commit."""
    listed = b"\0".join(os.fsencode(path) for path in committed)
    if listed:
        _run(
            root, *_PACKED_AT_ONCE, "-c", "core.safecrlf=false", "--literal-pathspecs",
            "add", "--force", "--pathspec-from-file=-", "--pathspec-file-nul", stdin=listed,
        )  # fmt: skip
    tree = _run(root, "write-tree")
    parent = Git(root).head() if history else ""
    if parent and _run(root, "rev-parse", "HEAD^{tree}") == tree:
        return parent
    commit = _run(root, "commit-tree", tree, *(("-p", parent) if parent else ()), stdin=_MESSAGE)
    _run(root, "update-ref", "HEAD", commit)
    return commit


def commit_all(root: Path, head: str) -> str:
    """Make commit `head` hold the files as they lie there, so that the agent finds a clean tree; the new commit.

    Commits made on top of `head` meanwhile are folded into it.
    """
    _run(root, "update-ref", "HEAD", head)
    _run(root, "-c", "core.safecrlf=false", "add", "--all")
    _run(root, "commit", "--quiet", "--amend", "--no-edit", "--no-verify", "--allow-empty", "--no-post-rewrite")
    return Git(root).head()


def pack(root: Path) -> None:
    """Put objects and refs into few files, and leave nothing that no ref leads to."""
    _run(root, "pack-refs", "--all")
    quick = (*_PACKED_AT_ONCE, "-c", "pack.writeReverseIndex=false")
    _run(root, *quick, "repack", "-a", "-d", "-n", "-q", "--no-write-bitmap-index")
    _run(root, "prune", "--expire=now")


def _run(root: Path, *args: str, stdin: bytes | None = None) -> str:
    try:
        return Git(root).run(*args, env=NOBODY, stdin=stdin)
    except GitError as error:
        raise BoxError(f"the workspace's repository cannot be made: {error}") from error
