"""Where a path that an agent named really lies."""

import os.path
import posixpath

from workbench.traces.records import Meta


class Paths:
    """Resolves the paths of one trial to box-relative ones; what lies outside the box keeps its absolute path.

    While the workspace is there, links are followed, so that a file reached through a link has one name only.
    Once it is gone, paths are resolved by their words alone.
    """

    def __init__(self, meta: Meta) -> None:
        self._root = meta.workspace
        self._real = os.path.realpath(meta.workspace)
        self._there = os.path.isdir(meta.workspace)
        self.cwd = posixpath.normpath(meta.cwd or ".")

    def resolve(self, path: str, folder: str | None = None) -> str:
        """The path of a file, given as an agent would give it while standing in `folder` (by default the cwd)."""
        absolute = posixpath.join(self._root, self.cwd if folder is None else folder, path)
        if "\0" in absolute:
            return path
        return self._relative(os.path.realpath(absolute) if self._there else posixpath.normpath(absolute))

    def _relative(self, absolute: str) -> str:
        for root in (self._real, self._root.rstrip("/")):
            if absolute == root:
                return "."
            if absolute.startswith(root + "/"):
                return absolute[len(root) + 1 :]
        return absolute
