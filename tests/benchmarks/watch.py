"""What a watch costs: from a save to the first verdict on it, and while nothing happens."""

import asyncio
import statistics
import time
from collections.abc import Iterator
from pathlib import Path

import psutil

from tests.benchmarks.maps import AUDITS, FILES, project
from tests.benchmarks.measure import Figure
from workbench.desk.desk import Desk
from workbench.desk.watching.eyes import QUIET
from workbench.desk.watching.records import Edited, Flipped, Settled, WatchEvent, WatchRequest

SAVES, IDLE = 11, 10.0
TERMS, RULE = ('section:"Section 29"',), "Rule 581,"
"""The audits that are watched (asking all of them once would only lengthen the start), and what answers one of them."""


def figures(scratch: Path) -> Iterator[Figure]:
    """Save to verdict with the quiet that is waited for, and the share of a processor of an idle watch."""
    yield from asyncio.run(_watched(project(scratch / "watched")))


async def _watched(root: Path) -> list[Figure]:
    desk = Desk.open(root)
    watch = desk.watch(WatchRequest(terms=TERMS))
    ear = _Ear()
    watch.subscribe(ear)
    watch.start()
    await ear.until(Settled)
    pages = ((page, page.read_text("utf-8")) for page in (root / "audits" / "box" / "docs").iterdir())
    page, text = next((page, text) for page, text in pages if RULE in text)
    told: dict[str, list[float]] = {"edit": [], "verdict": []}
    for number in range(SAVES):
        page.write_text(text.replace(RULE, f"In year {number}: {RULE}"), encoding="utf-8")
        saved = time.perf_counter()
        told["edit"].append(await ear.until(Edited) - saved)
        told["verdict"].append(await ear.until(Flipped) - saved)
        await ear.until(Settled)
    share = await _idle()
    await watch.stop()
    await desk.close()
    edit, verdict = (statistics.median(times) for times in told.values())
    beside = f"the edit told after {edit:.2f} s, of which {QUIET:g} s are the quiet that is waited for"
    box = f"{AUDITS} audits, {FILES} guidance files"
    return [
        Figure(f"save to first verdict, {box}", verdict, "s", 0.5, beside),
        Figure("idle watch of the same, CPU of all its processes", share, "%", 1.0),
    ]


async def _idle() -> float:
    """Per cent of one processor that this process and all below it take while nothing happens."""
    await asyncio.sleep(3.0)  # reports are written, and the map of the last edit is drawn
    before, begun = _cpu(), time.perf_counter()
    await asyncio.sleep(IDLE)
    return 100 * (_cpu() - before) / (time.perf_counter() - begun)


def _cpu() -> float:
    own = psutil.Process()
    return sum(sum(one.cpu_times()[:2]) for one in (own, *own.children(recursive=True)))


class _Ear:
    """Notes when what was told."""

    def __init__(self) -> None:
        self._told: list[tuple[WatchEvent, float]] = []
        self._woken = asyncio.Event()

    def __call__(self, event: WatchEvent) -> None:
        self._told.append((event, time.perf_counter()))
        self._woken.set()

    async def until(self, kind: type[WatchEvent]) -> float:
        """When the next of a kind was told; what came before it is forgotten."""
        async with asyncio.timeout(300):
            while True:
                for place, (event, at) in enumerate(self._told):
                    if isinstance(event, kind):
                        del self._told[: place + 1]
                        return at
                self._woken.clear()
                await self._woken.wait()
