"""A box's last commits rebuilt for a workspace: same messages, people and dates, without what a trial must not see.

The first-parent line is followed, each commit with one parent: every tree was once the state of the branch. Commits
that only touched hidden paths are left out with their messages. Nothing is shared with the box's object store.
"""

import os
import posixpath
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from workbench.boxes.globs import Globs
from workbench.boxes.location import BoxError
from workbench.boxes.reading import BoxGit
from workbench.boxes.repository import NOBODY
from workbench.boxes.snapshot import Snapshot, is_hidden
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


Tree = dict[str, tuple[str, str]]
"""Box-relative path → (mode, blob)."""


def rebuild(snapshot: Snapshot, root: Path) -> None:
    """Import the snapshot's last `history` visible commits, oldest first, into the empty repository at `root`."""
    git = BoxGit(snapshot.root)
    try:
        kept = _visible(git, snapshot)
        blobs = sorted({blob for _, tree in kept for mode, blob in tree.values()})
        marks = {blob: number for number, blob in enumerate(blobs, start=1)}
        contents = dict(_contents(git, blobs))
        stream = b"".join(_stream(kept, marks, contents, snapshot.branch or "main"))
        Git(root).raw("fast-import", "--quiet", "--date-format=raw-permissive", env=NOBODY, stdin=stream)
    except GitError as error:
        raise BoxError(f"the history of {snapshot.root} cannot be rebuilt: {error}") from error


def _visible(git: Git, snapshot: Snapshot) -> list[tuple[_Commit, Tree]]:
    """The last `history` commits that changed something a trial may see, with what each left, oldest first."""
    commits = _commits(git, snapshot)
    kept: list[tuple[_Commit, Tree]] = []
    tree = _tree(git, commits[0].sha, snapshot.hidden)
    for place, commit in enumerate(commits, start=1):
        if place == len(commits) == _looked_at(snapshot):
            break  # it only tells what the one after it changed
        before = _tree(git, commits[place].sha, snapshot.hidden) if place < len(commits) else {}
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


def _tree(git: Git, commit: str, hidden: tuple[Globs, ...]) -> Tree:
    """What a commit held below the folder git runs in, nested repositories left out."""
    out = git.raw("ls-tree", "-r", "-z", commit)
    tree: Tree = {}
    for record in out.split(b"\0")[:-1]:
        about, _, name = record.partition(b"\t")
        mode, kind, blob = about.decode().split(" ")
        path = os.fsdecode(name)
        if kind == "blob" and not is_hidden(hidden, path):
            tree[path] = (mode, blob)
    return tree


def _contents(git: Git, blobs: list[str]) -> Iterator[tuple[str, bytes]]:
    out = memoryview(git.raw("cat-file", "--batch", stdin="".join(f"{blob}\n" for blob in blobs).encode()))
    at = 0
    for blob in blobs:
        end = at + bytes(out[at : at + 200]).index(b"\n")
        _, kind, size_text = (bytes(out[at:end]) + b" 0").split(b" ")[:3]
        if kind == b"missing":
            raise BoxError(f"object {blob} of the box's history is not here (a partial clone?); lower `history:`")
        size = int(size_text)
        yield blob, bytes(out[end + 1 : end + 1 + size])
        at = end + size + 2


def _stream(
    kept: list[tuple[_Commit, Tree]], marks: dict[str, int], contents: dict[str, bytes], branch: str
) -> Iterable[bytes]:
    """The commits in git's fast-import language."""
    for blob, mark in marks.items():
        yield f"blob\nmark :{mark}\n".encode() + _data(contents[blob])
    for commit, tree in kept:
        yield os.fsencode(f"commit refs/heads/{branch}\nauthor {commit.author}\ncommitter {commit.committer}\n")
        yield _data(os.fsencode(commit.message.rstrip("\n") + "\n")) + b"deleteall\n"
        for path, (mode, blob) in tree.items():
            if mode != "120000" or _stays(path, os.fsdecode(contents[blob])):
                yield f"M {mode} :{marks[blob]} ".encode() + _quoted(path) + b"\n"


def _data(content: bytes) -> bytes:
    return f"data {len(content)}\n".encode() + content + b"\n"


def _quoted(path: str) -> bytes:
    escaped = os.fsencode(path).replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\n", b"\\n")
    return b'"' + escaped + b'"'


def _stays(path: str, target: str) -> bool:
    """Whether a link would lead to a place inside the workspace, were it checked out."""
    whole = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
    return not target.startswith("/") and whole != ".." and not whole.startswith("../")
