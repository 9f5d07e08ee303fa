"""Watched folders, whatever happens to them."""

import asyncio
import contextlib
import errno
import os
import shutil
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from tests.saving import WAYS, Save
from workbench.host import watching
from workbench.host.watching import Noticed, Root, watch


class Eye:
    """Keeps what a watch notices."""

    def __init__(self) -> None:
        self.noticed: list[Noticed] = []
        self._woken = asyncio.Event()

    async def look(self, *roots: Root) -> None:
        """Watch until cancelled; `skipped` folders are left out."""
        async with contextlib.aclosing(watch(roots, lambda path: os.path.basename(path) == "skipped")) as source:
            async for noticed in source:
                self.noticed.append(noticed)
                self._woken.set()

    async def until(self, wanted: Callable[[Noticed], object]) -> Noticed:
        """Wait until something is noticed, and forget what came up to it."""
        async with asyncio.timeout(20):
            while True:
                for place, noticed in enumerate(self.noticed):
                    if wanted(noticed):
                        del self.noticed[: place + 1]
                        return noticed
                self._woken.clear()
                await self._woken.wait()

    async def sees(self, path: Path) -> Noticed:
        """Wait until a path is worth a look."""
        return await self.until(lambda noticed: noticed.everything or str(path) in noticed.paths)


@contextlib.asynccontextmanager
async def watching_over(*roots: Root) -> AsyncIterator[Eye]:
    eye = Eye()
    task = asyncio.create_task(eye.look(*roots))
    try:
        await eye.until(lambda noticed: not noticed.everything)
        yield eye
    finally:
        task.cancel()
        await asyncio.wait([task], timeout=1)
        assert task.done(), "a watch ends at once"


@pytest.fixture
def box(tmp_path: Path) -> Path:
    root = tmp_path / "box"
    (root / "docs" / "deep").mkdir(parents=True)
    (root / "skipped" / "deep").mkdir(parents=True)
    for name in ("AGENTS.md", "docs/bees.md", "docs/deep/hive.md"):
        (root / name).write_text("as it was\n", encoding="utf-8")
    return root


def watches() -> int:
    """How many folders this process has the system watch."""
    told = [path.read_text("ascii") for path in Path("/proc/self/fdinfo").iterdir() if path.exists()]
    return sum(text.count("inotify wd:") for text in told)


@pytest.mark.parametrize("way", WAYS)
async def test_every_way_to_save_is_noticed_again_and_again(box: Path, way: str) -> None:
    save: Save = WAYS[way]
    page = box / "docs" / "bees.md"
    async with watching_over(Root(box)) as eye:
        for number in range(3):
            await asyncio.to_thread(save, page, f"line {number}\nand another\n")
            await eye.sees(page)
            assert page.read_text("utf-8") == f"line {number}\nand another\n"


async def test_only_what_is_wanted_is_registered(box: Path) -> None:
    for number in range(200):
        (box / "skipped" / str(number)).mkdir()
    before = watches()
    async with watching_over(Root(box)):
        assert watches() - before == 3
    async with watching_over(Root(box, deep=False), Root(box / "docs")):
        assert watches() - before == 3
    async with watching_over(Root(box, deep=False)) as eye:
        assert watches() - before == 1
        (box / "new").mkdir()
        (box / "AGENTS.md").write_text("else", encoding="utf-8")
        await eye.sees(box / "AGENTS.md")
        assert watches() - before == 1


async def test_folders_that_are_made_renamed_and_made_again_are_watched(box: Path) -> None:
    async with watching_over(Root(box)) as eye:
        (box / "new" / "inner").mkdir(parents=True)
        await eye.until(lambda noticed: noticed.everything)
        page = box / "new" / "inner" / "page.md"
        page.write_text("first", encoding="utf-8")
        await eye.sees(page)
        (box / "docs").rename(box / "texts")
        moved = box / "texts" / "deep" / "hive.md"
        await eye.until(lambda noticed: noticed.everything)
        moved.write_text("second", encoding="utf-8")
        await eye.sees(moved)
        shutil.rmtree(box / "new")
        await eye.until(lambda noticed: noticed.everything)
        page.parent.mkdir(parents=True)
        await eye.until(lambda noticed: noticed.everything)
        page.write_text("third", encoding="utf-8")
        await eye.sees(page)


@pytest.mark.parametrize("inside", ["", "docs"])
async def test_a_folder_that_is_made_again_at_once_is_watched_though_its_number_is_the_same(
    box: Path, inside: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watching, "_identity", lambda folder: (1, 1) if os.path.isdir(folder) else None)
    async with watching_over(Root(box)) as eye:
        for text in ("one", "two", "three"):
            shutil.rmtree(box / inside)
            (box / "docs").mkdir(parents=True)
            await eye.until(lambda noticed: noticed.everything)
            (box / "docs" / "bees.md").write_text(text, encoding="utf-8")
            await eye.sees(box / "docs" / "bees.md")


async def test_a_root_may_go_and_come_back(box: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    async with watching_over(Root(box), Root(other)) as eye:
        for gone in (lambda: shutil.rmtree(box), lambda: box.rename(tmp_path / "away")):
            gone()
            assert (await eye.until(lambda noticed: noticed.gone)).gone == (box,)
            (other / "still.md").write_text(str(gone), encoding="utf-8")
            await eye.sees(other / "still.md")
            (box / "docs").mkdir(parents=True)
            assert (await eye.until(lambda noticed: noticed.back)).back == (box,)
            (box / "docs" / "bees.md").write_text("again", encoding="utf-8")
            await eye.sees(box / "docs" / "bees.md")


async def test_a_root_that_is_not_there_yet_and_a_link_that_turns_elsewhere(box: Path, tmp_path: Path) -> None:
    link = tmp_path / "link"
    eye = Eye()
    task = asyncio.create_task(eye.look(Root(link)))
    assert (await eye.until(lambda _: True)).gone == (link,)
    link.symlink_to(box)
    await eye.until(lambda noticed: noticed.back)
    (box / "AGENTS.md").write_text("one", encoding="utf-8")
    await eye.sees(box / "AGENTS.md")
    (tmp_path / "elsewhere").mkdir()
    link.unlink()
    link.symlink_to(tmp_path / "elsewhere")
    await eye.until(lambda noticed: noticed.everything)
    (tmp_path / "elsewhere" / "AGENTS.md").write_text("two", encoding="utf-8")
    await eye.sees(tmp_path / "elsewhere" / "AGENTS.md")
    task.cancel()


async def test_a_system_without_watches_left_is_told_and_looked_after(
    box: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def exhausted(*_: object, **__: object) -> AsyncIterator[None]:
        raise OSError(errno.ENOSPC, "no watches are left")
        yield

    monkeypatch.setattr("watchfiles.awatch", exhausted)
    monkeypatch.setattr(watching, "_PERIOD", 0.05)
    eye = Eye()
    task = asyncio.create_task(eye.look(Root(box)))
    assert "no watches are left" in (await eye.until(lambda _: True)).slow
    (box / "docs" / "bees.md").write_text("else", encoding="utf-8")
    assert (await eye.sees(box / "docs" / "bees.md")).slow
    (box / "new").mkdir()
    await eye.until(lambda noticed: noticed.everything)
    (box / "new" / "page.md").write_text("else", encoding="utf-8")
    await eye.sees(box / "new" / "page.md")
    task.cancel()


async def test_a_folder_whose_name_is_no_text_is_told_and_looked_after(
    box: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watching, "_PERIOD", 0.05)
    odd = box / os.fsdecode(b"\x1b\ncaf\xe9")
    odd.mkdir()
    eye = Eye()
    task = asyncio.create_task(eye.look(Root(box)))
    assert "about \ufffd\ufffdcaf\ufffd, whose name is no UTF-8" in (await eye.until(lambda _: True)).slow
    for place in (odd / "AGENTS.md", box / "AGENTS.md"):
        place.write_text("New.", encoding="utf-8")
        assert (await eye.sees(place)).slow
    task.cancel()
