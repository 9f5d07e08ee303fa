"""Disposable copies of a box: one template per run, a real copy of it per trial, nothing shared between them."""

import contextlib
import hashlib
import os
from collections.abc import Mapping
from pathlib import Path

from workbench.boxes import fixture, repository
from workbench.boxes.base import workspaces_base
from workbench.boxes.building import build_template as _build
from workbench.boxes.building import release
from workbench.boxes.changes import Baseline
from workbench.boxes.disposal import kill_inside, remove_tree, sweep
from workbench.boxes.location import BoxError
from workbench.boxes.manifest import Manifest
from workbench.boxes.snapshot import Snapshot
from workbench.traces.records import Change

__all__ = ["Template", "Workspace", "build_template", "sweep", "workspaces_base"]

_CACHED = 4 * 1024 * 1024
"""Bytes of a template's files kept in memory: writing them again costs half of copying."""


class Workspace:
    """One trial's own copy of a box, a git repository in itself. `root` is its absolute path, no link on the way."""

    def __init__(self, root: Path, known: Mapping[str, str], head: str) -> None:
        self.root = root
        self._head = head
        self._baseline = Baseline(root, known)
        self._staged: dict[str, bytes] = {}

    def stage(self, files: Mapping[str, str]) -> None:
        """Write an audit's fixture: workspace-relative path → text. All or nothing; raises BoxError."""
        checked = fixture.check(self.root, files)
        fixture.write(self.root, checked)
        self._staged |= checked

    def commit_stage(self, *, touched: bool = False) -> None:
        """End staging: the repository's latest commit holds the files as they lie, and changes count from here.

        `touched` says that something beside `stage` wrote files.
        """
        if self._staged or touched:
            self._head = repository.commit_all(self.root, self._head)
            known = {path: hashlib.sha256(data).hexdigest() for path, data in self._staged.items()}
            self._baseline = Baseline(self.root, known, self._baseline)
            self._staged = {}

    def changes(self) -> tuple[Change, ...]:
        """Files created, modified or deleted since staging ended, sorted by path; see `changes.Baseline`."""
        return self._baseline.changes()

    def remove(self) -> None:
        """Delete the workspace. What cannot be deleted is left for a later sweep of its run's folder."""
        with contextlib.suppress(OSError):
            remove_tree(self.root.parent)


class Template:
    """A box ready to be copied: `folder` holds the tree, its inventory and the copies."""

    def __init__(self, folder: Path, manifest: Manifest) -> None:
        self.folder = folder
        self.manifest = manifest
        self._known = {item.path: item.sha256 for item in manifest.items if item.sha256}
        self._bytes: dict[str, bytes] = {}
        self._room = _CACHED

    @classmethod
    def load(cls, folder: Path) -> "Template":
        """Open a template another process built; raises BoxError when there is none."""
        return cls(folder, Manifest.read(folder))

    def copy(self, name: str) -> Workspace:
        """Make a workspace for a trial. `name` must be the only one of its kind in the run; the agent never sees it.

        Raises BoxError when the copy cannot be made.
        """
        root = self._place(name)
        try:
            if root.parent.exists():
                self.discard(name)
            root.mkdir(parents=True)
            for item in self.manifest.items:
                place = os.path.join(root, item.path)
                if item.kind == "folder":
                    os.mkdir(place)
                elif item.kind == "link":
                    os.symlink(item.target, place)
                else:
                    self._write(item.path, place, 0o777 if item.executable else 0o666)
        except OSError as error:
            raise BoxError(f"the workspace {root} cannot be made: {error}") from error
        return Workspace(root, self._known, self.manifest.head)

    def discard(self, name: str) -> None:
        """Clear what a trial's killed worker left: processes working in its workspace, then the workspace."""
        kill_inside(self._place(name).parent)
        with contextlib.suppress(OSError):
            remove_tree(self._place(name).parent)

    def remove(self) -> None:
        """Delete the template with all its copies and give up ownership of the folder."""
        release(self.folder)
        with contextlib.suppress(OSError):
            remove_tree(self.folder)

    def _place(self, name: str) -> Path:
        # An audit's id may hint at its answer, so it must not show in the path the agent works in.
        digest = hashlib.sha256(name.encode("utf-8", "surrogateescape")).hexdigest()[:12]
        return self.folder / "copies" / digest / self.manifest.name

    def _write(self, path: str, place: str, mode: int) -> None:
        data = self._bytes.get(path)
        if data is None:
            with open(os.path.join(self.folder, "tree", path), "rb", buffering=0) as source:
                size = os.fstat(source.fileno()).st_size
                if size > self._room:
                    return _copy(source.fileno(), place, mode, size)
                data = source.read()
            self._bytes[path] = data
            self._room -= len(data)
        handle = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
        try:
            if data and os.write(handle, data) != len(data):
                raise OSError(f"short write to {place}")
        finally:
            os.close(handle)
        return None


def _copy(source: int, place: str, mode: int, size: int) -> None:
    target = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
    try:
        sent = 0
        while sent < size and (count := os.sendfile(target, source, sent, size - sent)):
            sent += count
    finally:
        os.close(target)


def build_template(snapshot: Snapshot, folder: Path) -> Template:
    """Build a snapshot's template in a folder that is empty or absent, owned by this process until it ends.

    The workspace is a repository with one commit, or with the snapshot's last commits rebuilt below it; it holds no
    hook, no remote, no reflog and nobody's settings. Raises BoxError, also when the box changed since the snapshot.
    """
    return Template(folder, _build(snapshot, folder))
