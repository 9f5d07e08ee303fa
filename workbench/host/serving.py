"""A process that serves another one line by line, and is gone with all it started when that one is."""

import os
import signal
import sys
import traceback
from types import FrameType
from typing import NoReturn

from workbench.host import processes
from workbench.host.trees import kill_descendants


class Voice:
    """The protocol's way out, kept apart from stdout so that no library can speak on it."""

    def __init__(self) -> None:
        self._handle = os.dup(1)
        os.dup2(2, 1)

    def say(self, line: bytes) -> None:
        """Say one line, given without its end; waits while the pipe is full."""
        rest = memoryview(line + b"\n")
        while rest:
            rest = rest[os.write(self._handle, rest) :]


def begin() -> Voice:
    """Let this process end with its parent, and take along what it starts; what it prints goes to stderr from here."""
    processes.adopt_orphans()
    signal.signal(signal.SIGTERM, _told_to_end)
    processes.die_with_parent(signal.SIGTERM)
    return Voice()


def end(status: int = 0) -> NoReturn:
    """End at once, from any thread, with everything this process started."""
    kill_descendants()
    sys.stderr.flush()
    os._exit(status)


def unforeseen(error: Exception) -> str:
    """An error nobody reckoned with, in one line that says where it came from."""
    place = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__}: {error} ({os.path.basename(place.filename)}:{place.lineno})"


def _told_to_end(number: int, frame: FrameType | None) -> None:
    end(1)
