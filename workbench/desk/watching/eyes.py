"""The eyes of a watch: the folders it watches, what was noticed in them, and when that has come to rest."""

import asyncio
import contextlib
import os
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

from workbench.desk.watching.corpora import Corpora
from workbench.desk.watching.pruning import Pruning
from workbench.desk.watching.records import FolderBack, FolderLost, Slowed, WatchEvent
from workbench.desk.watching.scene import Scene
from workbench.desk.watching.settling import Repositories
from workbench.desk.watching.sight import Sight
from workbench.host.watching import STEADY, Noticed, Root, watch
from workbench.insight.impact import FileChange

QUIET = 0.1
"""Seconds without a change after which an edit is taken as made."""
_STEPS = 1.5
"""The same while git does something in several steps."""
_LONGEST = 5.0
"""Seconds after which what changes all the time is looked at all the same."""
_GLANCE = 0.05

Dirty = dict[Path, set[str] | None]
"""Box → its paths that are worth a look; None: all of them."""


class Eyes:
    """Watches the boxes of a scene and the corpora of a project. Belongs to the event loop."""

    def __init__(self, scene: Scene, corpora: Corpora, project: Path, reports: Path) -> None:
        self.sights: dict[Path, Sight] = {}
        self.slow = ""
        """Why the system cannot tell of changes; empty while it can."""
        self.tell: Callable[[WatchEvent], None] = lambda event: None
        self.moved: Callable[[], None] = lambda: None
        """Called whenever something that is watched was said to change."""
        self._scene, self._corpora = scene, corpora
        self._project, self._reports = project, reports
        self._roots: tuple[Root, ...] = ()
        self._gone: set[Path] = set()
        self._dirty: Dirty = {}
        self._corpora_dirty = False
        self._first = self._last = 0.0
        self._noticed, self._ready = asyncio.Event(), asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    @property
    def lost(self) -> tuple[str, ...]:
        """Watched folders that are gone, those within another left out."""
        tops = [path for path in self._gone if not any(path.is_relative_to(one) for one in self._gone - {path})]
        return tuple(sorted(map(self._named, tops)))

    @property
    def folders(self) -> tuple[str, ...]:
        """The boxes as the project names them."""
        return tuple(map(self._named, self.sights))

    async def open(self) -> None:
        """Watch what the scene says now. When this returns, nothing that changes later is missed.

        Boxes that were watched before are looked at again, so that nothing was missed meanwhile either.
        """
        await self.close()
        before = set(self.sights)
        repositories, pruned = await asyncio.to_thread(self._build)
        self._repositories = repositories
        self._ready.clear()
        self._task = asyncio.create_task(self._watch(pruned), name="watch")
        await self._ready.wait()
        await asyncio.to_thread(_look_each, [sight for box, sight in self.sights.items() if box not in before])
        if before:
            self._poke(Noticed(everything=True))

    async def close(self) -> None:
        """Stop watching; what was noticed stays noticed."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    @property
    def stale(self) -> bool:
        """Whether the scene has other boxes, or the corpora lie in other folders, than are watched. Blocks."""
        return self._wanted() != self._roots

    async def settled(self) -> None:
        """Return when something was noticed and has come to rest."""
        loop = asyncio.get_running_loop()
        await self._noticed.wait()
        while True:
            quiet = _STEPS if self._repositories.under_way else QUIET
            left = min(self._last + quiet, self._first + _LONGEST) - loop.time()
            if self._repositories.locked:
                await asyncio.sleep(_GLANCE)
            elif left > 0:
                await asyncio.sleep(left)
            else:
                return

    @property
    def restless(self) -> bool:
        """Whether something was noticed that was not taken yet."""
        return self._noticed.is_set()

    def take(self) -> tuple[Dirty, bool]:
        """What is worth a look, and whether the corpora are; what lies in a folder that is gone waits for it."""
        there = {box: paths for box, paths in self._dirty.items() if box not in self._gone}
        self._dirty = {box: paths for box, paths in self._dirty.items() if box in self._gone}
        corpora = self._corpora_dirty and not any(root.path in self._gone for root in self._corpora.roots())
        self._corpora_dirty = self._corpora_dirty and not corpora
        self._noticed.clear()
        return there, corpora

    def look(self, dirty: Dirty) -> dict[Path, tuple[FileChange, ...]]:
        """What differs in some boxes since they were looked at last. Blocks."""
        seen = {box: self.sights[box].look(paths) for box, paths in dirty.items() if box in self.sights}
        return {box: changes for box, changes in seen.items() if changes}

    def _wanted(self) -> tuple[Root, ...]:
        return (*(Root(box) for box in self._scene.boxes), *self._corpora.roots())

    def _build(self) -> tuple[Repositories, Pruning]:
        scene = self._scene
        pruned = Pruning(tuple(scene.boxes), (self._reports,))
        sights = {}
        for box, name in scene.boxes.items():
            sight = self.sights.get(box) or Sight(box, name, sees=partial(scene.sees, box))
            sight.guidance = scene.globs(box, lambda question: question.settings.guidance)
            sight.included = scene.globs(box, lambda question: question.settings.include_ignored)
            sight.pruned = pruned
            sights[box] = sight
        self.sights, self._roots = sights, self._wanted()
        self._dirty = {box: paths for box, paths in self._dirty.items() if box in sights}
        self._gone &= {root.path for root in self._roots}
        return Repositories(scene.boxes), pruned

    async def _watch(self, pruned: Pruning) -> None:
        async with contextlib.aclosing(watch(self._roots, pruned)) as source:
            async for noticed in source:
                if noticed.slow and not self.slow:
                    self.slow = noticed.slow
                    self.tell(Slowed(noticed.slow))
                self._turn(noticed.gone, noticed.back)
                self._poke(noticed)
                self._ready.set()

    def _turn(self, gone: Iterable[Path], back: Iterable[Path]) -> None:
        before = self.lost
        self._gone = (self._gone | set(gone)) - set(back)
        now = self.lost
        for path in now:
            if path not in before:
                self.tell(FolderLost(path))
        for path in before:
            if path not in now:
                self.tell(FolderBack(path))

    def _poke(self, noticed: Noticed) -> None:
        """Note what is worth a look; what nobody cares for disturbs nobody."""
        fresh = noticed.everything
        if noticed.everything:
            self._dirty, self._corpora_dirty = dict.fromkeys(self.sights), True
        for path in noticed.paths:
            for box, sight in self.sights.items():
                if inside := sight.cares(path):
                    known = self._dirty.setdefault(box, set())
                    if known is not None:
                        known.add(inside)
                    fresh = True
            if self._corpora.cares(path):
                self._corpora_dirty = fresh = True
        if fresh:
            self._last = asyncio.get_running_loop().time() - STEADY
            self._first = self._first if self._noticed.is_set() else self._last
            self._noticed.set()
            self.moved()

    def _named(self, folder: Path) -> str:
        if folder == self._project:
            return folder.name or str(folder)
        inside = folder.is_relative_to(self._project)
        return os.path.relpath(folder, self._project) if inside else str(folder)


def _look_each(sights: Iterable[Sight]) -> None:
    for sight in sights:
        sight.look()
