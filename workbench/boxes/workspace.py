"""Disposable copies of a box: one template per run, a real copy of it per trial, nothing shared between them."""

import contextlib
import hashlib
import os
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
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
from workbench.boxes.renewal import renew
from workbench.boxes.seal import Seal
from workbench.boxes.snapshot import Snapshot
from workbench.host.trees import children, is_alive
from workbench.traces.records import Change

__all__ = ["Template", "Workspace", "build_template", "renew_template", "sweep", "workspaces_base"]

_SPARE = "spare"


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


@dataclass(frozen=True, slots=True)
class _Spare:
    """A copy that can serve another trial, and what it is a copy of."""

    place: Path
    seal: Seal
    manifest: Manifest


class Template:
    """A box ready to be copied: `folder` holds the tree, its inventory and the copies."""

    def __init__(self, folder: Path, manifest: Manifest) -> None:
        self.folder = folder
        self._spare: list[_Spare] = []
        """Copies that served a trial and were not written to."""
        self._take(manifest)

    @classmethod
    def load(cls, folder: Path) -> "Template":
        """Open a template another process built; raises BoxError when there is none."""
        template = cls(folder, Manifest.read(folder))
        template._clear()
        return template

    def refresh(self) -> None:
        """Heed that the template may have been brought up to date since; raises BoxError when it is there no more."""
        if Manifest.stamp(self.folder) != self._stamp:
            self._take(Manifest.read(self.folder))

    def _take(self, manifest: Manifest) -> None:
        self._stamp = Manifest.stamp(self.folder)
        self.manifest = manifest
        self._hashes = {item.path: item.sha256 for item in manifest.items if item.sha256}
        self._copier = Copier(self.folder / "tree", manifest)

    def _clear(self) -> None:
        """Delete spare copies that nobody can use any more: whoever knew their seals is gone."""
        for place in (self.folder / "copies").glob(f"{_SPARE}-*"):
            pid = place.name.split("-")[1]
            if not pid.isdecimal() or int(pid) == os.getpid() or not is_alive(int(pid)):
                with contextlib.suppress(OSError):
                    remove_tree(place)

    def copy(self, name: str) -> Workspace:
        """Make a workspace for a trial. `name` must be the only one of its kind in the run; the agent never sees it.

        Raises BoxError when the copy cannot be made.
        """
        root = self._place(name)
        try:
            if root.parent.exists():
                self.discard(name)
            seal = self._reused(root) or self._make(root)
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

    def _reused(self, root: Path) -> Seal | None:
        """Put a spare copy in a trial's place, brought up to date where it is one of an earlier state."""
        while self._spare:
            spare = self._spare.pop()
            try:
                spare.place.rename(root.parent)
            except FileNotFoundError:  # the template was built anew meanwhile
                continue
            if spare.manifest is self.manifest:
                return spare.seal
            if _is_alone(root) and spare.seal.holds(root):
                self._copier.update(root, spare.manifest)
                return Seal(root, self._hashes)
            remove_tree(root.parent)
        return None

    def _take_back(self, root: Path, seal: Seal, before: set[int]) -> bool:
        """Keep a copy for another trial if it is as it was made, alone in its folder, and no new child may write to it.

        Deleting and making files anew costs many times what looking at them does.
        """
        if not _is_alone(root) or children(os.getpid()) - before or not seal.holds(root):
            return False
        spare = root.parent.with_name(f"{_SPARE}-{os.getpid()}-{secrets.token_hex(4)}")
        root.parent.rename(spare)
        self._spare.append(_Spare(spare, seal, self.manifest))
        return True


def _is_alone(root: Path) -> bool:
    return os.listdir(root.parent) == [root.name]


def build_template(snapshot: Snapshot, folder: Path) -> Template:
    """Build a snapshot's template in a folder that is empty or absent, owned by this process until it ends.

    The workspace is a repository with one commit, or with the snapshot's last commits rebuilt below it; it holds no
    hook, no remote, no reflog and nobody's settings. Raises BoxError, also when the box changed since the snapshot.
    """
    return Template(folder, _build(snapshot, folder))


def renew_template(snapshot: Snapshot, folder: Path) -> None:
    """Make a folder, absent or with a template nobody uses now, hold a snapshot's template; see `build_template`.

    What is the same in both is not written again. Raises BoxError; the folder holds no template then.
    """
    if folder.exists() and not renew(snapshot, folder):
        release(folder)
        remove_tree(folder)
    if not folder.exists():
        _build(snapshot, folder)
