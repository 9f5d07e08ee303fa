"""The repository a file lies in, and what of it a commit must know: entries, blobs, refs."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from workbench.host.git import Git


class Refused(Exception):  # noqa: N818 - the user's state, not a fault
    """A commit that is not made: the message says why and what to do, `output` what git or a hook said."""

    def __init__(self, reason: str, output: str = "") -> None:
        super().__init__(reason)
        self.output = output


class Entry(BaseModel):
    """What a tree or an index holds under a path: a mode such as `100644`, and an object's hash."""

    model_config = ConfigDict(frozen=True)

    mode: str
    blob: str


@dataclass(frozen=True, slots=True)
class Repository:
    """A work tree with its git folder; paths in it are "/"-separated from the top."""

    git: Git
    top: Path
    folder: Path
    """The work tree's own git folder: a linked one has HEAD, index and operations to itself."""
    index: Path

    @property
    def desk(self) -> Path:
        """Where a commit under way keeps its papers: beside the index, so that a rename can publish one."""
        return self.folder / "workbench"

    def relative(self, file: Path) -> str:
        """The path of a real file in this work tree; raises Refused when it lies elsewhere."""
        try:
            return file.relative_to(self.top).as_posix()
        except ValueError:
            raise Refused(f"{file} does not lie in {self.top}; commit it where it lies") from None

    def head(self) -> str:
        """The commit HEAD names; empty before the first."""
        return self.git.head()

    def committed(self, path: str) -> Entry | None:
        """The path's entry in HEAD."""
        out = self.git.raw("ls-tree", "-z", "HEAD", "--", path).partition(b"\0")[0]
        if not out:
            return None
        mode, _, blob = out.partition(b"\t")[0].decode().split()
        return Entry(mode=mode, blob=blob)

    def staged(self, path: str) -> Entry | None:
        """The path's entry in the user's index; raises Refused while it is unmerged."""
        out = self.git.raw("--literal-pathspecs", "ls-files", "-s", "-z", "--", path)
        for record in out.split(b"\0")[:-1]:
            described, _, name = record.partition(b"\t")
            mode, blob, stage = described.decode().split()
            if os.fsdecode(name) != path:
                continue
            if stage != "0":
                raise Refused(f"{path} is unmerged; resolve it and `git add` it, then commit again")
            return Entry(mode=mode, blob=blob)
        return None

    def read(self, blob: str) -> bytes:
        """A blob's bytes, as stored."""
        return self.git.raw("cat-file", "blob", blob)

    def store(self, data: bytes, *, filtered_as: str = "") -> str:
        """Store bytes and return their hash; as they are, or as git would take them from a file of that path."""
        path = (f"--path={filtered_as}",) if filtered_as else ()
        return self.git.run("hash-object", "-w", "--stdin", *path, stdin=data)

    def set_entries(self, entries: Mapping[str, Entry], index: Path | None = None) -> None:
        """Set paths in an index: the user's (git takes its lock) or a private one."""
        infos = (f"{entry.mode},{entry.blob},{path}" for path, entry in entries.items())
        arguments = [part for info in infos for part in ("--cacheinfo", info)]
        self.git.raw("update-index", "--add", *arguments, env=in_index(index) if index else None)

    def changes(self, old: str, new: str) -> dict[str, Entry]:
        """What a commit changed since another (or since nothing): path to new entry, mode `000000` for a removal."""
        base = old or self.git.run("hash-object", "-t", "tree", "--stdin", stdin=b"")
        out = self.git.raw("diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", base, new)
        fields = out.split(b"\0")[:-1]
        found = {}
        for described, name in zip(fields[::2], fields[1::2], strict=True):
            _, mode, _, blob, _ = described.decode().split()
            found[os.fsdecode(name)] = Entry(mode=mode, blob=blob)
        return found


def in_index(index: Path) -> dict[str, str]:
    """The environment that makes git, and the hooks it runs, use another index."""
    return {"GIT_INDEX_FILE": str(index)}


def find_repository(folder: Path) -> Repository:
    """The repository a folder lies in; raises Refused where there is none that can be committed to."""
    asked = ("--show-toplevel", "--git-dir", "--git-path", "index", "--show-superproject-working-tree")
    status, out, err = Git(folder).attempt("rev-parse", "--path-format=absolute", *asked)
    if status != 0:
        said = err.decode("utf-8", "replace").strip()
        if "not a git repository" in said:
            raise Refused(f"{folder} is not in a git repository; run `git init` there, or keep the file uncommitted")
        raise Refused(f"git cannot work in {folder}: {said.partition(chr(10))[0]}", said)
    top, git_folder, index, *superproject = (Path(line) for line in os.fsdecode(out).removesuffix("\n").split("\n"))
    if superproject:
        raise Refused(
            f"{top} is a submodule of {superproject[0]}: a commit there would change both; "
            f"commit by hand in {top}, then record it above"
        )
    return Repository(Git(top), top, git_folder, index)
