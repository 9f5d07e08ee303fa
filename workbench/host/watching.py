"""Folders watched for changes, whatever becomes of them: replaced, renamed, deleted and made again."""

import asyncio
import contextlib
import os
import stat
import time
from collections.abc import AsyncGenerator, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

_STEP = 30
"""Milliseconds between looks at what the system told."""
STEADY = _STEP / 1000
"""Seconds without an event after which what was noticed is told."""
_BEAT = 1000
"""Milliseconds between looks at whether the roots are still the folders they were."""
_SOON = 250
"""The same while a root is gone."""
_MOST = 16_384
"""Folders the system is asked to watch: its watches are shared by all programs of a user."""
_PERIOD = 2.0
"""Seconds between looks where the system cannot tell."""
_SHARE = 100
"""A look takes at most one part in so many of the time between two."""

Pruned = Callable[[str], bool]
"""Whether a folder, by its absolute path, is left out with all it holds."""
_Identity = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Root:
    """A folder to watch, which need not be there yet."""

    path: Path
    deep: bool = True
    """Whether the folders below it are watched too."""


@dataclass(frozen=True, slots=True)
class Noticed:
    """What is worth a look. It says where, never what: only content tells whether anything changed."""

    paths: frozenset[str] = frozenset()
    """Absolute paths, links in the root's own path resolved."""
    everything: bool = False
    """Set where something may have been missed, as at the start of a watch on folders that were made just now."""
    gone: tuple[Path, ...] = ()
    """Roots that are not there any more, or not yet."""
    back: tuple[Path, ...] = ()
    slow: str = ""
    """Why the system cannot tell of changes, so that they are seen seconds later; empty while it can."""


@dataclass(slots=True)
class _Layout:
    """The folders that are there to be watched, and by what each would be known again."""

    roots: dict[Root, _Identity | None]
    pruned: Pruned
    folders: dict[str, _Identity] = field(default_factory=dict)
    shallow: set[str] = field(default_factory=set)

    @classmethod
    def survey(cls, roots: Iterable[Root], pruned: Pruned) -> "_Layout":
        """Look at the disk; blocks while it does."""
        layout = cls({root: _identity(root.path) for root in roots}, pruned)
        # Deep ones first, so that a shallow root within one takes nothing away.
        for root in sorted(layout.roots, key=lambda root: not root.deep):
            if layout.roots[root] is not None:
                layout._add(os.path.realpath(root.path), root.deep)
        return layout

    def _add(self, top: str, deep: bool) -> None:
        waiting = [top]
        while waiting:
            folder = waiting.pop()
            identity = _identity(folder)
            if folder in self.folders or identity is None:
                continue
            self.folders[folder] = identity
            if not deep:
                self.shallow.add(folder)
                continue
            with contextlib.suppress(OSError), os.scandir(folder) as entries:
                inner = [entry.path for entry in entries if entry.is_dir(follow_symlinks=False)]
                waiting += [path for path in inner if not self.pruned(path)]

    @property
    def missing(self) -> frozenset[Path]:
        """Roots that are not there."""
        return frozenset(root.path for root, identity in self.roots.items() if identity is None)

    @property
    def unheard(self) -> str:
        """Why the system cannot be asked about all the folders; empty where it can."""
        if len(self.folders) > _MOST:
            return f"{len(self.folders)} folders are more than the {_MOST} that are watched"
        odd = next((folder for folder in self.folders if not _is_text(folder)), "")
        shown = "".join(char if char.isprintable() else "\ufffd" for char in os.path.basename(odd))
        return f"the system cannot be asked about {shown}, whose name is no UTF-8" if odd else ""

    def moved(self, paths: Iterable[str]) -> bool:
        """Whether other folders are to be watched now, as far as the roots and these paths tell; blocks."""
        if any(_identity(root.path) != identity for root, identity in self.roots.items()):
            return True
        return any(self._is_moved(path) for path in paths)

    def _is_moved(self, path: str) -> bool:
        if path in self.folders:
            return True  # made again, perhaps: a new folder often gets the number of the one that went before it
        above = os.path.dirname(path)
        new = above in self.folders and above not in self.shallow and os.path.isdir(path) and not os.path.islink(path)
        return new and not self.pruned(path)

    def stats(self) -> dict[str, tuple[int, ...]]:
        """What tells of each file and folder in the watched ones whether it changed; blocks."""
        found: dict[str, tuple[int, ...]] = {}
        for folder in self.folders:
            with contextlib.suppress(OSError), os.scandir(folder) as entries:
                for entry in entries:
                    with contextlib.suppress(OSError):
                        about = entry.stat(follow_symlinks=False)
                        steady = entry.is_dir(follow_symlinks=False)
                        found[entry.path] = (
                            (about.st_ino,) if steady else (about.st_ino, about.st_size, about.st_mtime_ns)
                        )
        return found


async def watch(roots: Sequence[Root], pruned: Pruned) -> AsyncGenerator[Noticed, None]:
    """Tell what is worth a look in some folders, until it is closed or cancelled, which takes effect at once.

    The first is told when the watch has begun. Whatever happens to the folders ends nothing and raises nothing.
    """
    missing: frozenset[Path] = frozenset()
    slow, begun = "", False
    while True:
        layout = await asyncio.to_thread(_Layout.survey, roots, pruned)
        slow = layout.unheard or slow
        async with contextlib.aclosing(_follow(layout, slow)) as feed:
            try:
                await anext(feed)
            except FileNotFoundError:  # a folder went between the look and the watch
                continue
            except (OSError, RuntimeError) as error:
                slow = _told(error)
                continue
            gone, back = layout.missing - missing, missing - layout.missing
            yield Noticed(everything=begun, gone=tuple(sorted(gone)), back=tuple(sorted(back)), slow=slow)
            missing, begun = layout.missing, True
            try:
                async for paths in feed:
                    if paths:
                        yield Noticed(paths, slow=slow)
                    if await asyncio.to_thread(layout.moved, paths):
                        break
            except (OSError, RuntimeError) as error:
                slow = _told(error)


async def _follow(layout: _Layout, slow: str) -> AsyncGenerator[frozenset[str], None]:
    """Batches of paths, some empty; the first, which always is, when nothing that follows can be missed."""
    if slow:
        source = _looked(layout, await asyncio.to_thread(layout.stats))
    elif layout.folders:
        source = _heard(layout)
    else:
        source = _waited()
    upcoming = asyncio.ensure_future(anext(source))
    try:
        await asyncio.sleep(0)  # by its first wait the system has been told what to watch
        if upcoming.done():
            upcoming.result()
        yield frozenset()
        while True:
            yield await upcoming
            upcoming = asyncio.ensure_future(anext(source))
    finally:
        upcoming.cancel()
        await asyncio.gather(upcoming, return_exceptions=True)
        await source.aclose()


async def _heard(layout: _Layout) -> AsyncGenerator[frozenset[str], None]:
    """What the system tells of the folders, each watched by itself: so it registers none that is left out."""
    from watchfiles import awatch

    beat = _SOON if layout.missing else _BEAT
    async for changes in awatch(
        *layout.folders,
        watch_filter=None,
        debounce=10 * _STEP,
        step=_STEP,
        rust_timeout=beat,
        yield_on_timeout=True,
        recursive=False,
        ignore_permission_denied=True,
    ):
        yield frozenset(path for _, path in changes)


async def _looked(layout: _Layout, before: dict[str, tuple[int, ...]]) -> AsyncGenerator[frozenset[str], None]:
    """What differs between one look at all folders and the next."""
    cost = 0.0
    while True:
        await asyncio.sleep(max(_PERIOD, cost * _SHARE))
        begun = time.monotonic()
        after = await asyncio.to_thread(layout.stats)
        cost = time.monotonic() - begun
        yield frozenset(path for path in before.keys() | after.keys() if before.get(path) != after.get(path))
        before = after


async def _waited() -> AsyncGenerator[frozenset[str], None]:
    """Nothing, again and again, while there is no folder to watch."""
    while True:
        await asyncio.sleep(_SOON / 1000)
        yield frozenset()


def _identity(folder: Path | str) -> _Identity | None:
    """By what a folder would be known again; None for what is no folder."""
    try:
        about = os.stat(folder)
    except (OSError, ValueError):
        return None
    return (about.st_dev, about.st_ino) if stat.S_ISDIR(about.st_mode) else None


def _is_text(path: str) -> bool:
    """Whether a path can be written as UTF-8, as the system's watcher wants it."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True


def _told(error: Exception) -> str:
    """Why the system cannot tell, in words."""
    said = getattr(error, "strerror", "") or str(error) or type(error).__name__
    return f"the system cannot tell of changes: {said}"
