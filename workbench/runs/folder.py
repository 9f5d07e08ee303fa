"""The folder of one run: what lies where in it, and how it is made."""

import contextlib
import itertools
import time
from datetime import datetime
from pathlib import Path

from workbench.host.locks import LockedError, is_locked, locked
from workbench.runs.identity import folder_name, safe_name

MANIFEST = "run.json"
TRACES = "traces"
LOCK = ".lock"
"""Held while a campaign works in the folder; it vanishes with its process."""
IGNORED = "# Runs are working artefacts; the durable record is the status comment in the corpus.\n*\n!.gitignore\n"
"""The ignore file of a reports folder."""


class RunError(Exception):
    """A run that cannot be used as asked: which, why, and what to do."""


class LiveRun(RunError):  # noqa: N818 - the name says what it is
    """Another process is working in the run."""

    def __init__(self, run_id: str) -> None:
        super().__init__(f"run {run_id} is still going on in another process; wait for it or stop it there")


def create(reports: Path, engine: str, moment: datetime) -> Path:
    """Make a folder nobody else has, named after the moment and the engine. Raises RunError."""
    name = folder_name(moment, engine)
    try:
        if not reports.exists():
            reports.mkdir(parents=True)
            (reports / ".gitignore").write_text(IGNORED, encoding="utf-8")
        for number in itertools.count(1):
            folder = reports / (name if number == 1 else f"{name}-{number}")
            with contextlib.suppress(FileExistsError):
                folder.mkdir()
                return folder
    except OSError as error:
        raise RunError(f"{reports}: no run can be kept there: {error.strerror}; make the folder writable") from error
    raise AssertionError("unreachable")


def hold(folder: Path) -> contextlib.ExitStack:
    """Take a run for this process until the stack is closed; raises LiveRun when another has it."""
    stack = contextlib.ExitStack()
    # Whoever asks whether the run is live holds the lock for an instant; that is no campaign.
    for patience in (0.01, 0.05, 0.0):
        try:
            stack.enter_context(locked(folder / LOCK, wait=False))
            return stack
        except LockedError:
            time.sleep(patience)
    raise LiveRun(folder.name)


def is_live(folder: Path) -> bool:
    """Whether some process is working in the run."""
    return is_locked(folder / LOCK)


def free_trace(folder: Path, key: str) -> str:
    """A path, relative to the run's folder, at which no trace of a trial was begun yet."""
    name = safe_name(key)
    for number in itertools.count(1):
        relative = f"{TRACES}/{name if number == 1 else f'{name}.{number}'}.jsonl"
        if not (folder / relative).exists():
            return relative
    raise AssertionError("unreachable")
