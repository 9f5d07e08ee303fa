"""What asking costs: a whole headless run of the reader, beside the bare copying of its workspaces."""

import asyncio
import shutil
import statistics
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.benchmarks.measure import Figure, wall_seconds, whole, workbench
from tests.benchmarks.projects import fill_box, large_corpus
from workbench.desk.desk import Desk
from workbench.desk.records import AskRequest
from workbench.runs.records import TrialFinished
from workbench.runs.reserve import Reserve

TRIALS, FILES = 200, 50


def figures(scratch: Path) -> Iterator[Figure]:
    """Wall time and the main process's memory of 200 trials over a 50-file box."""
    project = large_corpus(scratch / "asked", TRIALS)
    box = fill_box(project / "audits" / "box", FILES, TRIALS)
    copying = wall_seconds(lambda: _copy_and_delete(box, scratch / "copies"))
    runs = [whole(workbench("run"), project) for _ in range(3)]
    seconds = statistics.median(run.wall for run in runs)
    beside = f"{seconds / copying:.1f} × copying and deleting the same files at {copying:.2f} s"
    yield Figure(f"{TRIALS} reader trials, {FILES}-file box, wall", seconds, "s", 3.5, beside)
    yield Figure("the same, CPU of all its processes", statistics.median(run.cpu for run in runs), "s")
    yield Figure("the same, its largest process at the peak", max(run.megabytes for run in runs), "MB", 120)
    cold, warm = asyncio.run(_first_verdicts(project))
    ratio = f"{cold / warm:.1f} × sooner than with workers that have to start, at {cold:.2f} s"
    yield Figure("request to first verdict, workers kept ready", warm, "s", 0.3, ratio)


async def _first_verdicts(project: Path) -> tuple[float, float]:
    """Median seconds from a request for one audit to its verdict: without and with a reserve."""
    desk = Desk.open(project)
    request = AskRequest((desk.select(())[0].id,))
    reserve = Reserve(1)
    try:
        reserve.fill()
        await reserve.ready()
        cold = [await _first_verdict(desk, request, None) for _ in range(5)]
        warm = [await _first_verdict(desk, request, reserve) for _ in range(5)]
    finally:
        await reserve.close()
    return statistics.median(cold), statistics.median(warm)


async def _first_verdict(desk: Desk, request: AskRequest, reserve: Reserve | None) -> float:
    begun, told = time.perf_counter(), asyncio.Event()
    live = desk.ask(request, reserve)

    def hear(events: Sequence[object]) -> None:
        if any(isinstance(event, TrialFinished) for event in events):
            told.set()

    live.subscribe(hear)
    await told.wait()
    seconds = time.perf_counter() - begun
    await live.wait()
    return seconds


def _copy_and_delete(box: Path, target: Path) -> None:
    for _ in range(TRIALS):
        shutil.copytree(box, target)
        shutil.rmtree(target)
