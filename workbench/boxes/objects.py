"""What git keeps of a box's past: trees and blobs, read without a checkout, in few calls."""

import hashlib
import os
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from workbench.boxes.location import BoxError
from workbench.host.git import Git

_AT_ONCE = 64 << 20
"""Bytes of blobs that are held at once, unless one alone is larger."""
LINK, SUBMODULE, EXECUTABLE = "120000", "160000", "100755"
"""The modes that say more than that something is a file."""


@dataclass(frozen=True, slots=True)
class Item:
    """One path of a tree."""

    mode: str
    blob: str
    """The object's name; a submodule's commit."""


Tree = dict[str, Item]
"""Box-relative path → what stands there, as git tells it; bytes that are not UTF-8 as surrogates."""


def tree(git: Git, commit: str) -> Tree:
    """What a commit held below the folder git runs in; empty where it had no such folder. Raises GitError."""
    found: Tree = {}
    for record in git.raw("ls-tree", "-r", "-z", commit).split(b"\0")[:-1]:
        about, _, name = record.partition(b"\t")
        mode, _, blob = about.decode().split(" ")
        path = os.fsdecode(name)
        if _is_sane(path):
            found[path] = Item(mode, blob)
    return found


def contents(git: Git, blobs: Collection[str]) -> Iterator[tuple[str, bytes]]:
    """Each blob's bytes; at most 64 MB are held at once. Raises BoxError for one that is not here, and GitError."""
    group: list[str] = []
    held = 0
    for blob, size in _sizes(git, blobs):
        if group and held + size > _AT_ONCE:
            yield from _read(git, group)
            group, held = [], 0
        group.append(blob)
        held += size
    if group:
        yield from _read(git, group)


def blob_name(data: bytes, like: str) -> str:
    """The name git gives to a content, in a repository whose objects are named as `like` is."""
    whole = hashlib.new("sha1" if len(like) == 40 else "sha256", usedforsecurity=False)
    whole.update(f"blob {len(data)}\0".encode() + data)
    return whole.hexdigest()


def _sizes(git: Git, blobs: Collection[str]) -> Iterator[tuple[str, int]]:
    told = git.raw("cat-file", "--batch-check", stdin=_lines(blobs)).decode().splitlines() if blobs else ()
    for blob, line in zip(blobs, told, strict=True):
        kind, _, size = line.removeprefix(blob).strip().partition(" ")
        if kind == "missing":
            raise BoxError(f"object {blob} of the box's past is not here (a partial clone?); fetch it first")
        yield blob, int(size)


def _read(git: Git, blobs: list[str]) -> Iterator[tuple[str, bytes]]:
    out = git.raw("cat-file", "--batch", stdin=_lines(blobs))
    at = 0
    for blob in blobs:
        end = out.index(b"\n", at)
        size = int(out[at:end].rpartition(b" ")[2])
        yield blob, out[end + 1 : end + 1 + size]
        at = end + size + 2


def _lines(blobs: Collection[str]) -> bytes:
    return "".join(f"{blob}\n" for blob in blobs).encode()


def _is_sane(path: str) -> bool:
    """Whether a path stays below its folder and out of a repository's own; a forged tree can hold any name."""
    parts = path.split("/")
    return not {"", ".", ".."} & set(parts) and ".git" not in (part.lower() for part in parts)
