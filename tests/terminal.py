"""A real pseudo-terminal with the bench in it: keys go in, and every byte that comes out is kept."""

import contextlib
import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

CURSOR = rb"48;2;122;162;201[^\x1b]*m[^\x1b]*"
"""A pattern: the ground of the line the cursor is on, in the dark look, then its text."""
_CHUNK = 65536


class Terminal:
    """Runs a program in a pseudo-terminal of its own, for as long as the `with` lasts."""

    def __init__(self, argv: Sequence[str], cwd: Path, **environment: str) -> None:
        self.output = bytearray()
        """Every byte so far."""
        self.begun = time.perf_counter()
        self._pid, self._fd = pty.fork()
        if self._pid == 0:
            _become(argv, cwd, environment)

    def terminate(self) -> None:
        """Ask the program to end, as a system that shuts down does."""
        os.kill(self._pid, signal.SIGTERM)

    def hang_up(self, seconds: float = 20.0) -> int:
        """Take the terminal away, as closing its window does; the program's exit status, negative for a signal's."""
        os.close(self._fd)
        self._fd = -1
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            pid, status = os.waitpid(self._pid, os.WNOHANG)
            if pid:
                self._pid = -1
                return os.waitstatus_to_exitcode(status)
            select.select([], [], [], 0.05)
        raise AssertionError(f"it was still there {seconds:g} s after its terminal had gone")

    def children(self) -> tuple[int, ...]:
        """The processes it has started that are alive, and theirs."""
        found = [self._pid]
        for pid in found:
            with contextlib.suppress(OSError):
                for task in Path(f"/proc/{pid}/task").iterdir():
                    found += map(int, (task / "children").read_text("ascii").split())
        return tuple(found[1:])

    def send(self, keys: str) -> float:
        """Press keys; the moment they were pressed."""
        os.write(self._fd, keys.encode())
        return time.perf_counter()

    def wait(self, pattern: bytes, since: int = 0, seconds: float = 30.0) -> float:
        """The moment at which what came out behind byte `since` matches a pattern; fails when it never does."""
        deadline = time.monotonic() + seconds
        wanted = re.compile(pattern)
        while not wanted.search(self.output, since):
            left = deadline - time.monotonic()
            assert left > 0, f"{pattern!r} never came; the last bytes are {bytes(self.output[-600:])!r}"
            self._read(left)
        return time.perf_counter()

    def rest(self, seconds: float) -> None:
        """Read on until nothing comes for a while."""
        while self._read(seconds):
            continue

    def _read(self, seconds: float) -> bool:
        if not select.select([self._fd], [], [], seconds)[0]:
            return False
        try:
            data = os.read(self._fd, _CHUNK)
        except OSError:  # the program has gone
            return False
        self.output += data
        return bool(data)

    def __enter__(self) -> "Terminal":
        return self

    def __exit__(self, *_: object) -> None:
        if self._pid > 0:
            os.kill(self._pid, signal.SIGKILL)
            os.waitpid(self._pid, 0)
        if self._fd >= 0:
            os.close(self._fd)


def _become(argv: Sequence[str], cwd: Path, environment: dict[str, str]) -> None:
    """In the child: turn into the program."""
    try:
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 140, 0, 0))
        os.chdir(cwd)
        told = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLUMNS", "LINES")}
        told |= {"TERM": "xterm-256color", "COLORTERM": "truecolor", **environment}
        # Not `execv`: readline puts COLUMNS into the process's environment behind Python's back.
        os.execve(argv[0], list(argv), told)
    finally:
        os._exit(127)


def bench() -> list[str]:
    """The bench, as a user opens it in this environment."""
    return [sys.executable, "-m", "workbench"]


@contextlib.contextmanager
def begun(root: Path, home: Path) -> Iterator[Terminal]:
    """The bench in a terminal on a project of `tests.projects`, opened for the first time and greeted."""
    with Terminal(bench(), root, XDG_CONFIG_HOME=str(home), XDG_STATE_HOME=str(home)) as terminal:
        terminal.wait(b"enter begins")
        since = len(terminal.output)
        terminal.send("\r")
        terminal.wait(CURSOR + b"ladder-place", since)
        yield terminal
