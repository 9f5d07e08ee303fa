"""The git repository a workspace is: made from nothing, with nobody's settings, and packed into few files.

The agent sees an ordinary repository. Names and dates in it are fixed, so that the same snapshot gives the same commit.
"""

import contextlib
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
_PACKED_REFS = b"# pack-refs with: peeled fully-peeled sorted \n"
_SPECIAL = re.compile(rb"([\\*?\[ ])")


def create(root: Path) -> None:
    """Make an empty repository without hooks, descriptions or samples; it needs a `name`."""
    home = root / ".git"
    for folder in ("objects/pack", "refs/heads", "refs/tags"):
        (home / folder).mkdir(parents=True)
    (home / "config").write_text(_CONFIG, encoding="utf-8")


def forget(root: Path, paths: Sequence[str]) -> None:
    """Let a packed repository have no commit, no name and, of these paths, no state.

    What else it has a state of is looked at again only where the disk tells that it changed. Once it has another commit
    and is packed, nothing of the one before is left.
    """
    home = root / ".git"
    for file in ("packed-refs", "info/exclude"):
        (home / file).unlink(missing_ok=True)
    with contextlib.suppress(FileNotFoundError):
        (home / "info").rmdir()
    listed = b"\0".join(map(os.fsencode, paths))
    if listed:
        _run(root, "update-index", "--force-remove", "-z", "--stdin", stdin=listed)


def name(root: Path, branch: str, excluded: Sequence[str] = ()) -> None:
    """Say which branch a repository is on; `excluded` paths do not show as untracked."""
    home = root / ".git"
    (home / "HEAD").write_bytes(os.fsencode(f"ref: refs/heads/{branch or 'main'}\n"))
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
    else:
        (root / ".git" / "index").unlink(missing_ok=True)
    tree = _run(root, "write-tree")
    parent = Git(root).head() if history else ""
    if parent and _run(root, "rev-parse", "HEAD^{tree}") == tree:
        return parent
    commit = _run(root, "commit-tree", tree, *(("-p", parent) if parent else ()), stdin=_MESSAGE)
    if history:
        _run(root, "update-ref", "HEAD", commit)
    else:
        _name_only(root, commit)
    return commit


def _name_only(root: Path, commit: str) -> None:
    """Have the branch that HEAD names be the only ref there is, as `pack-refs` writes it, but without two processes."""
    home = root / ".git"
    ref = (home / "HEAD").read_bytes().removeprefix(b"ref: ")
    (home / "packed-refs").write_bytes(b"%b%b %b" % (_PACKED_REFS, commit.encode("ascii"), ref))


def commit_all(root: Path, head: str) -> str:
    """Make commit `head` hold the files as they lie there, so that the agent finds a clean tree; the new commit.

    Commits made on top of `head` meanwhile are folded into it.
    """
    _run(root, "update-ref", "HEAD", head)
    _run(root, "-c", "core.safecrlf=false", "add", "--all")
    _run(root, "commit", "--quiet", "--amend", "--no-edit", "--no-verify", "--allow-empty", "--no-post-rewrite")
    return Git(root).head()


def pack(root: Path, *, history: bool = False) -> None:
    """Put objects and refs into few files, and leave nothing that no ref leads to.

    Without a history its one ref is packed already, and no loose object is one that the ref does not lead to.
    """
    if history:
        _run(root, "pack-refs", "--all")
    quick = (*_PACKED_AT_ONCE, "-c", "pack.writeReverseIndex=false")
    _run(root, *quick, "repack", "-a", "-d", "-n", "-q", "--no-write-bitmap-index")
    if history:
        _run(root, "prune", "--expire=now")


def _run(root: Path, *args: str, stdin: bytes | None = None) -> str:
    try:
        return Git(root).run(*args, env=NOBODY, stdin=stdin)
    except GitError as error:
        raise BoxError(f"the workspace's repository cannot be made: {error}") from error
