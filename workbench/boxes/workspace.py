"""Disposable copies of a box: one template per run, a real copy of it per trial, nothing shared between them."""

import contextlib
import hashlib
import os
import secrets
from collections.abc import Callable, Mapping
from pathlib import Path

from workbench.boxes import fixture, repository
from workbench.boxes.base import workspaces_base
from workbench.boxes.building import build_template as _build
from workbench.boxes.building import release
from workbench.boxes.changes import Baseline
from workbench.boxes.copying import Copier
from workbench.boxes.disposal import kill_inside, remove_tree, sweep
from workbench.boxes.location import BoxError
from workbench.boxes.manifest import Manifest
from workbench.boxes.seal import Seal
from workbench.boxes.snapshot import Snapshot
from workbench.host.trees import children
from workbench.traces.records import Change

__all__ = ["Template", "Workspace", "build_template", "sweep", "workspaces_base"]


class Workspace:
    """One trial's own copy of a box, a git repository in itself. `root` is its absolute path, no link on the way."""

    def __init__(
        self, root: Path, known: Mapping[str, str], head: str, give_back: Callable[[], bool] = lambda: False
    ) -> None:
        """`known` tells the sha256 of the files by path, `head` the commit; `give_back` takes the copy if it can."""
        self.root = root
        self._head = head
        self._baseline = Baseline(root, known)
        self._staged: dict[str, bytes] = {}
        self._give_back = give_back

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
        """Be done with the workspace: it is deleted, or serves another trial when nothing at all was written to it.

        What cannot be deleted is left for a later sweep of its run's folder.
        """
        with contextlib.suppress(OSError):
            if not self._give_back():
                remove_tree(self.root.parent)


class Template:
    """A box ready to be copied: `folder` holds the tree, its inventory and the copies."""

    def __init__(self, folder: Path, manifest: Manifest) -> None:
        self.folder = folder
        self.manifest = manifest
        self._hashes = {item.path: item.sha256 for item in manifest.items if item.sha256}
        self._copier = Copier(folder / "tree", manifest)
        self._spare: list[tuple[Path, Seal]] = []
        """Copies that served a trial and were not written to."""

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
            seal = self._reuse(root) or self._make(root)
        except OSError as error:
            raise BoxError(f"the workspace {root} cannot be made: {error}") from error
        before = children(os.getpid())
        return Workspace(root, self._hashes, self.manifest.head, lambda: self._take_back(root, seal, before))

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

    def _make(self, root: Path) -> Seal:
        root.mkdir(parents=True)
        self._copier.copy(root)
        return Seal(root, self._hashes)

    def _reuse(self, root: Path) -> Seal | None:
        if not self._spare:
            return None
        spare, seal = self._spare.pop()
        spare.rename(root.parent)
        return seal

    def _take_back(self, root: Path, seal: Seal, before: set[int]) -> bool:
        """Keep a copy for another trial if it is as it was made, alone in its folder, and no new child may write to it.

        Deleting and making files anew costs many times what looking at them does.
        """
        alone = os.listdir(root.parent) == [root.name]
        if not alone or children(os.getpid()) - before or not seal.holds(root):
            return False
        spare = root.parent.with_name(f"spare-{secrets.token_hex(4)}")
        root.parent.rename(spare)
        self._spare.append((spare, seal))
        return True


def build_template(snapshot: Snapshot, folder: Path) -> Template:
    """Build a snapshot's template in a folder that is empty or absent, owned by this process until it ends.

    The workspace is a repository with one commit, or with the snapshot's last commits rebuilt below it; it holds no
    hook, no remote, no reflog and nobody's settings. Raises BoxError, also when the box changed since the snapshot.
    """
    return Template(folder, _build(snapshot, folder))
