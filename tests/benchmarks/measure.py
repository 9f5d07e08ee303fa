"""How the benchmarks measure: whole processes, medians of several runs, CPU as the kernel counts it."""

import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Figure:
    """One line of the result."""

    name: str
    value: float
    unit: str
    wanted: float = 0.0
    """Upper bound that was promised; 0 where there is none."""
    beside: str = ""
    """What it was compared with, and the ratio."""


def cpu_seconds(argv: Sequence[str], cwd: Path, runs: int = 5) -> float:
    """Median CPU (user and system) of a whole process with its children, after one warm-up."""
    figures = []
    for _ in range(runs + 1):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(argv, cwd=cwd, check=True, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        figures.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return statistics.median(figures[1:])


def wall_seconds(action: Callable[[], object], runs: int = 3) -> float:
    """Median wall time of a call."""
    figures = []
    for _ in range(runs):
        begun = time.perf_counter()
        action()
        figures.append(time.perf_counter() - begun)
    return statistics.median(figures)


def workbench(*arguments: str) -> list[str]:
    """The program as a user starts it, in this environment."""
    return [str(Path(sys.executable).with_name("workbench")), *arguments]


@dataclass(frozen=True, slots=True)
class Whole:
    """What one process and all its descendants took."""

    wall: float
    cpu: float
    megabytes: float
    """Peak resident size of the largest single one."""


def whole(argv: Sequence[str], cwd: Path) -> Whole:
    """Run a command to its end and say what it took."""
    begun = time.perf_counter()
    child = subprocess.Popen(argv, cwd=cwd, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode not in (0, 1, 3):
        raise RuntimeError(f"{argv} exited with {child.returncode}")
    return Whole(time.perf_counter() - begun, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)
