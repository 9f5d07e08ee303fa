"""A box's last commits rebuilt for a workspace: same messages, people and dates, without what a trial must not see.

The first-parent line is followed, each commit with one parent: every tree was once the state of the branch. Commits
that only touched hidden paths are left out with their messages. Nothing is shared with the box's object store.
"""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from workbench.boxes import objects
from workbench.boxes.links import stays
from workbench.boxes.location import BoxError
from workbench.boxes.objects import LINK, SUBMODULE, Tree
from workbench.boxes.reading import BoxGit
from workbench.boxes.repository import NOBODY
from workbench.boxes.snapshot import Snapshot
from workbench.host.git import Git, GitError

_HIDDEN_AMONG = 10
"""How many commits are looked at for each that a trial may see."""
_FORMAT = "%x01".join(("%H", "%an <%ae> %ad", "%cn <%ce> %cd", "%B"))


@dataclass(frozen=True, slots=True)
class _Commit:
    sha: str
    author: str
    committer: str
    message: str


def rebuild(snapshot: Snapshot, root: Path) -> None:
    """Import the snapshot's last `history` visible commits, oldest first, into the empty repository at `root`."""
    git = BoxGit(snapshot.root)
    try:
        kept = _visible(git, snapshot)
        blobs = sorted({item.blob for _, tree in kept for item in tree.values()})
        marks = {blob: number for number, blob in enumerate(blobs, start=1)}
        contents = dict(objects.contents(git, blobs))
        stream = b"".join(_stream(kept, marks, contents, snapshot.branch or "main"))
        Git(root).raw("fast-import", "--quiet", "--date-format=raw-permissive", env=NOBODY, stdin=stream)
    except GitError as error:
        raise BoxError(f"the history of {snapshot.root} cannot be rebuilt: {error}") from error


def _visible(git: Git, snapshot: Snapshot) -> list[tuple[_Commit, Tree]]:
    """The last `history` commits that changed something a trial may see, with what each left, oldest first."""
    commits = _commits(git, snapshot)
    kept: list[tuple[_Commit, Tree]] = []
    tree = _tree(git, commits[0].sha, snapshot)
    for place, commit in enumerate(commits, start=1):
        if place == len(commits) == _looked_at(snapshot):
            break  # it only tells what the one after it changed
        before = _tree(git, commits[place].sha, snapshot) if place < len(commits) else {}
        if tree != before:
            kept.append((commit, tree))
        if len(kept) == snapshot.history:
            break
        tree = before
    return kept[::-1]


def _looked_at(snapshot: Snapshot) -> int:
    """Commits that are looked at, newest first, for those a trial may see."""
    return snapshot.history * _HIDDEN_AMONG + 1


def _commits(git: Git, snapshot: Snapshot) -> list[_Commit]:
    """The box's last commits, newest first."""
    out = git.raw(
        "log", "--first-parent", f"--max-count={_looked_at(snapshot)}", "-z", "--date=raw", f"--format={_FORMAT}",
        "--no-show-signature", "--no-mailmap", "--encoding=UTF-8", snapshot.commit, "--", ".",
    )  # fmt: skip
    fields = [record.split("\x01", 3) for record in os.fsdecode(out).split("\0") if record.strip()]
    return [_Commit(*field) for field in fields]


def _tree(git: Git, commit: str, snapshot: Snapshot) -> Tree:
    """What a commit held that a trial may see, nested repositories left out."""
    found = snapshot.visible(git, objects.tree(git, commit))
    return {path: item for path, item in found.items() if item.mode != SUBMODULE}


def _stream(
    kept: list[tuple[_Commit, Tree]], marks: dict[str, int], contents: dict[str, bytes], branch: str
) -> Iterable[bytes]:
    """The commits in git's fast-import language."""
    for blob, mark in marks.items():
        yield f"blob\nmark :{mark}\n".encode() + _data(contents[blob])
    for commit, tree in kept:
        yield os.fsencode(f"commit refs/heads/{branch}\nauthor {commit.author}\ncommitter {commit.committer}\n")
        yield _data(os.fsencode(commit.message.rstrip("\n") + "\n")) + b"deleteall\n"
        targets = {path: os.fsdecode(contents[item.blob]) for path, item in tree.items() if item.mode == LINK}
        for path, item in tree.items():
            if item.mode != LINK or stays(path, targets):
                yield f"M {item.mode} :{marks[item.blob]} ".encode() + _quoted(path) + b"\n"


def _data(content: bytes) -> bytes:
    return f"data {len(content)}\n".encode() + content + b"\n"


def _quoted(path: str) -> bytes:
    escaped = os.fsencode(path).replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\n", b"\\n")
    return b'"' + escaped + b'"'
