"""The line of commits between two revisions of a box: what each changed of it, and where the box stayed as it was."""

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from workbench.boxes.location import BoxError
from workbench.boxes.reading import BoxGit
from workbench.host.git import GitError
from workbench.text.sanitize import clean, clean_line

_SUBJECT = 200
_TOLD = ("-z", "--format=%x00%H%x00%aI%x00%an%x00%s")
"""Only NUL stands in no name and no subject. Each commit begins with an empty field, which no path is."""
_FIELDS = 5
_PLAIN = (
    *("--no-color", "--no-ext-diff", "--no-textconv", "--no-renames"),
    *("--relative", "--src-prefix=a/", "--dst-prefix=b/"),
)
"""Told the same whatever the user's own git is set to."""


@dataclass(frozen=True, slots=True)
class Commit:
    """One commit of the line."""

    name: str
    """In full."""
    date: str
    """When it was authored, ISO 8601."""
    author: str
    subject: str
    paths: tuple[str, ...]
    """Box-relative files it changed, against its first parent."""


@dataclass(frozen=True, slots=True)
class State:
    """A box at a commit."""

    commit: str
    """In full."""
    tree: str
    """The same for commits at which the box held the same; empty where there was no box."""


def line(box: Path, good: str, bad: str) -> tuple[Commit, ...]:
    """The commits after one and up to another that changed the box, oldest first, merges as one; BoxError.

    Only the first parents of `bad` are followed: what a merge brought in, that merge changed.
    """
    told = ("log", "--first-parent", "-m", "--reverse", "--name-only", *_TOLD)
    return tuple(_commits(_run(box, *told, *_PLAIN, f"{good}..{bad}", "--", ".")))


def commit_at(box: Path, name: str) -> Commit:
    """One commit by its full name, without its paths; BoxError."""
    return next(_commits(_run(box, "log", "--no-walk", "--no-patch", *_TOLD, name)))


def descends(box: Path, bad: str, good: str) -> bool:
    """Whether a commit has another one among its ancestors."""
    return BoxGit(box).attempt("merge-base", "--is-ancestor", good, bad)[0] == 0


def states(box: Path, revisions: Iterable[str]) -> dict[str, State]:
    """What each revision (a commit's name, or that with `^`) came to, without those that name no commit; BoxError."""
    wanted = list(dict.fromkeys(revisions))
    prefix = _run(box, "rev-parse", "--show-prefix").strip("\n").rstrip("/")
    asked = [f"{one}{part}" for one in wanted for part in ("^{commit}", f":{prefix}")]
    out = _run(box, "cat-file", "--batch-check=%(objectname)", stdin="\n".join((*asked, "")).encode("utf-8", "replace"))
    names = ["" if told.endswith((" missing", " ambiguous")) else told for told in out.splitlines()]
    pairs = zip(wanted, names[::2], names[1::2], strict=True)
    return {one: State(commit, tree) for one, commit, tree in pairs if commit}


def changed(box: Path, before: str, after: str) -> tuple[str, ...]:
    """Box-relative files that differ between two commits; BoxError."""
    return tuple(filter(None, _run(box, "diff", *_PLAIN, "--name-only", "-z", before, after, "--", ".").split("\0")))


def diff(box: Path, before: str, after: str, paths: Sequence[str]) -> str:
    """The unified diff of some box-relative files between two commits, sanitized; BoxError."""
    if not paths:
        return ""
    return clean(_run(box, "--literal-pathspecs", "diff", *_PLAIN, before, after, "--", *paths))


def _commits(out: str) -> Iterator[Commit]:
    fields = out.split("\0")
    at = 0
    while at + _FIELDS < len(fields):
        _, name, date, author, subject = fields[at : at + _FIELDS]
        end = fields.index("", at + _FIELDS)
        first, *others = fields[at + _FIELDS : end] or [""]
        paths = tuple(filter(None, (first.removeprefix("\n"), *others)))
        yield Commit(name, date, clean_line(author, _SUBJECT), clean_line(subject, _SUBJECT), paths)
        at = end


def _run(box: Path, *args: str, stdin: bytes | None = None) -> str:
    try:
        return os.fsdecode(BoxGit(box).raw(*args, stdin=stdin))
    except GitError as error:
        raise BoxError(f"the history of {box} cannot be read: {error}") from error
