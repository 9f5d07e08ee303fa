"""Where a path that an agent named really lies."""

import os.path
import posixpath

from workbench.traces.records import Meta


class Paths:
    """Resolves the paths of one trial to box-relative ones; what lies outside the box keeps its absolute path.

    While the workspace is there, links are followed, so that a file reached through a link has one name only.
    Once it is gone, the links that the trace names are followed, and the rest is resolved by its words alone.
    """

    def __init__(self, meta: Meta) -> None:
        self._root = meta.workspace
        self._real = os.path.realpath(meta.workspace)
        self._there = os.path.isdir(meta.workspace)
        self._links = meta.links
        self.cwd = posixpath.normpath(meta.cwd or ".")

    def resolve(self, path: str, folder: str | None = None) -> str:
        """The path of a file, given as an agent would give it while standing in `folder` (by default the cwd)."""
        absolute = posixpath.join(self._root, self.cwd if folder is None else folder, path)
        if "\0" in absolute:
            return path
        if self._there:
            return self._relative(os.path.realpath(absolute))
        return self._followed(self._relative(posixpath.normpath(absolute)))

    def _relative(self, absolute: str) -> str:
        for root in (self._real, self._root.rstrip("/")):
            if absolute == root:
                return "."
            if absolute.startswith(root + "/"):
                return absolute[len(root) + 1 :]
        return absolute

    def _followed(self, path: str) -> str:
        """A box-relative path with the recorded links on its way replaced by what they led to."""
        for _ in range(len(self._links)):
            link = next((link for link in self._links if path == link or path.startswith(link + "/")), None)
            if link is None:
                break
            path = posixpath.normpath(self._links[link] + path[len(link) :])
        return path
