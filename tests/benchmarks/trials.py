"""What asking costs: a whole headless run of the reader, beside the bare copying of its workspaces."""

import shutil
import statistics
from collections.abc import Iterator
from pathlib import Path

from tests.benchmarks.measure import Figure, wall_seconds, whole, workbench
from tests.benchmarks.projects import fill_box, large_corpus

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


def _copy_and_delete(box: Path, target: Path) -> None:
    for _ in range(TRIALS):
        shutil.copytree(box, target)
        shutil.rmtree(target)
