"""What asking costs: a whole headless run of the reader, beside the bare copying of its workspaces."""

import shutil
from collections.abc import Iterator
from pathlib import Path

from tests.benchmarks.measure import Figure, peak_megabytes, wall_seconds, workbench
from tests.benchmarks.projects import fill_box, large_corpus

TRIALS, FILES = 200, 50


def figures(scratch: Path) -> Iterator[Figure]:
    """Wall time and the main process's memory of 200 trials over a 50-file box."""
    project = large_corpus(scratch / "asked", TRIALS)
    box = fill_box(project / "audits" / "box", FILES, TRIALS)
    copying = wall_seconds(lambda: _copy_and_delete(box, scratch / "copies"))
    runs = [peak_megabytes(workbench("run"), project) for _ in range(3)]
    seconds, megabytes = sorted(run[0] for run in runs)[1], max(run[1] for run in runs)
    beside = f"{seconds / copying:.1f} × copying and deleting the same files at {copying:.2f} s"
    yield Figure(f"{TRIALS} reader trials, {FILES}-file box, wall", seconds, "s", 3.5, beside)
    yield Figure("the same, main process at its peak", megabytes, "MB", 120)


def _copy_and_delete(box: Path, target: Path) -> None:
    for _ in range(TRIALS):
        shutil.copytree(box, target)
        shutil.rmtree(target)
