"""What the commands cost that a user waits for."""

import sys
from collections.abc import Iterator
from pathlib import Path

from tests.benchmarks.measure import Figure, cpu_seconds, workbench
from tests.benchmarks.projects import fill_box, large_corpus


def figures(scratch: Path) -> Iterator[Figure]:
    """CPU of `--version` and of `list` on a large corpus, beside a bare interpreter."""
    bare = cpu_seconds([sys.executable, "-c", "pass"], scratch)
    version = cpu_seconds(workbench("--version"), scratch)
    yield Figure("--version, CPU", version, "s", 0.1, f"{version / bare:.1f} × a bare interpreter at {bare:.2f} s")
    project = large_corpus(scratch / "large", 600)
    fill_box(project / "audits" / "box", 10, 600)
    listed = cpu_seconds(workbench("list"), project)
    yield Figure("list, 600 audits, CPU", listed, "s", 0.6, f"{listed / bare:.0f} × a bare interpreter")
