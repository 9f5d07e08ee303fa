"""The paths of a box, arranged so that many questions about them are answered without the disk."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import cached_property

from workbench.guidance import globs
from workbench.guidance.tree import PRUNED, join, parents

_LINKS = 40
"""Links that are followed one after another, as the system does."""
_ROUNDS = 500
"""Simple globs that can be held against every file; a text made to waste time holds more. To understand one takes as
long as to hold it against as many files."""


class Listing:
    """Files and links that do not change; what was asked once is remembered. Equal only to itself."""

    def __init__(self, root: str, files: tuple[str, ...], links: Mapping[str, str]) -> None:
        """Takes box-relative files, sorted, and links with their targets, each relative to the link's folder.

        `root` is the absolute path of the box, which texts may name.
        """
        self.root = root
        self.files = frozenset(files)
        self._sorted = files
        self._links = dict(links)
        self._in: defaultdict[str, list[str]] = defaultdict(list)
        for path in files:
            self._in[path.rpartition("/")[0]].append(path)
        self.folders = _folders([*self._in, *(link.rpartition("/")[0] for link in links)])
        """Every folder that holds something, the root (empty) among them."""
        self._matching: dict[str, tuple[str, ...]] = {}
        self._effort = 0

    def real(self, path: str) -> str:
        """The box-relative path a path stands for, links followed; it need not be there, and may start with `..`."""
        path = "" if path == "." else path
        if not self._links or path in self.files:
            return path
        for _ in range(_LINKS):
            link = next((part for part in parents(path)[1:] if part in self._links), None)
            if link is None:
                break
            path = join(join(link.rpartition("/")[0], self._links[link]), path[len(link) + 1 :])
            path = "" if path == "." else path
        return path

    def has(self, path: str) -> bool:
        """Whether a path is a file, links followed."""
        return path in self.files or self.real(path) in self.files

    def holds(self, path: str) -> bool:
        """Whether a path is a file or a folder, links followed."""
        real = self.real(path)
        return real in self.files or real in self.folders

    def directly_in(self, folder: str) -> tuple[str, ...]:
        """The files of one folder, those of its folders aside, sorted."""
        return tuple(self._in.get(self.real(folder), ()))

    def walk(self, folder: str) -> list[str]:
        """All files below a folder, sorted, but for those in `PRUNED` folders further down."""
        real = self.real(folder)
        start = len(real) + 1 if real else 0
        found = self._walked if not real else [path for path in self._below(real) if _open(path[start:])]
        return found if real == folder else [join(folder, path[start:]) for path in found]

    def matching(self, pattern: str) -> tuple[str, ...]:
        """The files that a glob matches, sorted; none where texts hold more globs than anybody would write."""
        if pattern not in self._matching and self._effort > _ROUNDS * (len(self._sorted) + _ROUNDS):
            return ()
        if pattern not in self._matching:
            end = globs.fixed_end(pattern)
            likely = [path for path in self._below(globs.fixed_folder(pattern)) if path.endswith(end)]
            self._effort += (_ROUNDS + len(likely)) * globs.effort(pattern) if likely else 1
            self._matching[pattern] = tuple(path for path in likely if globs.matches(pattern, path))
        return self._matching[pattern]

    @cached_property
    def by_name(self) -> dict[str, list[str]]:
        """The paths of each file name."""
        named: dict[str, list[str]] = {}
        for path in self._sorted:
            named.setdefault(path.rpartition("/")[2], []).append(path)
        return named

    def _below(self, folder: str) -> tuple[str, ...]:
        """All files below a folder, sorted."""
        if not folder:
            return self._sorted
        # "0" follows "/": between the two lies exactly what is below the folder.
        return self._sorted[bisect_left(self._sorted, f"{folder}/") : bisect_left(self._sorted, f"{folder}0")]

    @cached_property
    def _walked(self) -> list[str]:
        return [path for path in self._sorted if _open(path)]


def _open(path: str) -> bool:
    return PRUNED.isdisjoint(path.split("/")[:-1])


def _folders(found: Iterable[str]) -> frozenset[str]:
    """Some folders and all above them."""
    every = {""}
    for folder in found:
        while folder not in every:
            every.add(folder)
            folder = folder.rpartition("/")[0]
    return frozenset(every)
