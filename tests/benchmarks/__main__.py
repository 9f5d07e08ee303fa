"""`make benchmarks`: figures as ratios against something run beside them; nothing here passes or fails."""

import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.benchmarks import commands, engines, maps, screen, trials, watch
from tests.benchmarks.measure import Figure


def main() -> None:
    """Run every benchmark and print a line each, after a word about a machine that has other things to do."""
    load, processors = os.getloadavg()[0], os.cpu_count() or 1
    if load > processors / 2:
        told = f"load average {load:.1f} on {processors} processors: at rest, wall times are shorter than those below"
        sys.stdout.write(f"{told}\n")
    with TemporaryDirectory(prefix="workbench-benchmarks-") as scratch:
        for room in (commands, trials, maps, watch, engines, screen):
            for figure in room.figures(Path(scratch)):
                _tell(figure)


def _tell(figure: Figure) -> None:
    target = f"  wanted ≤ {figure.wanted:g} {figure.unit}" if figure.wanted else ""
    missed = "  MISSED" if figure.wanted and figure.value > figure.wanted else ""
    beside = f"  ({figure.beside})" if figure.beside else ""
    sys.stdout.write(f"{figure.name:<58} {figure.value:8.2f} {figure.unit:<3}{target}{missed}{beside}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
