"""A program that talks with us in lines, and is gone with all it started when the talk is over."""

import contextlib
import os
import selectors
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from workbench.host import processes, trees
from workbench.host.linebuffer import LineBuffer

_CHUNK = 1 << 16
_TAIL = 8000
_GLANCE = 0.1
"""Seconds between two looks at whether a quiet program has ended with its pipe held open by a child."""
_AFTERWORDS = 64
"""Reads after the program's end: what a pipe may hold, but not all that such a child may go on to say."""


class Stalled(RuntimeError):  # noqa: N818 - the name says what it is
    """It said no line for too long."""


class Overdue(RuntimeError):  # noqa: N818 - the name says what it is
    """Its time was up before it was done."""


class Dialogue:
    """A program in a session of its own. Use it as a context manager: leaving stops it and all it started.

    Nothing moves but within `lines`, `say` and `stop`, so one thread is enough and nobody waits for a full pipe.
    """

    def __init__(self, process: "subprocess.Popen[bytes]", before: set[int], *, wrapped: bool) -> None:
        self._process, self._before, self._wrapped = process, before, wrapped
        self._inbox, self._errors, self._outbox = LineBuffer(), bytearray(), bytearray()
        self._family: dict[int, str] = {}
        self._stopped = self._closing = False
        self._afterwords = _AFTERWORDS
        self._selector = selectors.DefaultSelector()
        for pipe in (process.stdout, process.stderr, process.stdin):
            if pipe:
                os.set_blocking(pipe.fileno(), False)
        self._listen(process.stdout)
        self._listen(process.stderr)

    @classmethod
    def start(
        cls,
        argv: Sequence[str],
        *,
        cwd: Path,
        env: Mapping[str, str],
        talk: bool = False,
        pass_fds: Sequence[int] = (),
        wrapped: bool = False,
    ) -> Self:
        """Start a program; `env` is its whole environment, and without `talk` it has no stdin.

        `wrapped` says that the program runs inside a wrapper such as a sandbox, which signals must pass by.
        Raises OSError when it cannot start.
        """
        before = trees.children(os.getpid())
        stdin = subprocess.PIPE if talk else subprocess.DEVNULL
        process = processes.spawn(argv, cwd=cwd, env=env, stdin=stdin, stderr=subprocess.PIPE, pass_fds=pass_fds)
        return cls(process, before, wrapped=wrapped)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.stop()

    @property
    def pid(self) -> int:
        """Its process id, which is its group's id too."""
        return self._process.pid

    @property
    def returncode(self) -> int | None:
        """Its exit status, negative for a signal; known once it was stopped, also when it had ended by itself."""
        return self._process.returncode

    @property
    def stderr(self) -> str:
        """The last it said on stderr."""
        return self._errors.decode("utf-8", "replace").strip()

    def lines(self, deadline: float, stall: float) -> Iterator[bytes]:
        """Its lines without their newlines, blank ones left out, until stdout or the program itself ends.

        Raises Overdue at `deadline`, by `time.monotonic()`, and Stalled after `stall` seconds without a line.
        Either may be followed by more `lines`, as after `interrupt`.
        """
        heard = time.monotonic()
        while True:
            while self._inbox.ready:
                yield self._inbox.ready.popleft()
                heard = time.monotonic()
            if self._inbox.closed:
                return
            now = time.monotonic()
            if now >= deadline:
                raise Overdue("it was not done in time")
            if now >= heard + stall:
                raise Stalled(f"it said nothing for {stall:g} s")
            self._move(min(deadline, heard + stall) - now)

    def say(self, line: bytes) -> None:
        """Say one line to it, without the newline; what its stdin does not take now is sent while we listen."""
        if self._process.stdin and not self._closing:
            self._outbox += line + b"\n"
            self._send()

    def close_input(self) -> None:
        """Say that nothing more will be said."""
        self._closing = True
        self._send()

    def interrupt(self) -> None:
        """Ask it to end as a user would, with SIGINT."""
        self._signal(signal.SIGINT)

    def stop(self, patience: float = 2.0) -> None:
        """End it: SIGINT, SIGTERM and SIGKILL, `patience` seconds apart, then whatever it left; twice is fine.

        One that closed its stdout gets as long to end by itself first.
        """
        if self._stopped:
            return
        self._stopped = True
        try:
            ended = self._inbox.closed and self._wait(patience)
            for sig in (signal.SIGINT, signal.SIGTERM):
                if not ended:
                    self._signal(sig)
                    ended = self._wait(patience)
            self._remember()
        finally:
            trees.kill_tree(self.pid)
            for pid in [pid for pid, birth in self._family.items() if birth and _birth(pid) == birth]:
                trees.kill_tree(pid)
            processes.bury(self._process, self._before)
            self._selector.close()

    def _signal(self, sig: signal.Signals) -> None:
        """Signal its group, but for a wrapper: that would die of it at once and take the program along."""
        self._remember()
        inner = [pid for pid in self._family if _group(pid) == self.pid and pid != self.pid]
        if not self._wrapped or not inner:
            processes.kill_group(self.pid, sig)
            return
        for pid in inner:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, sig)

    def _remember(self) -> None:
        """Note all that descends from it, with the time each began: once their parents are gone, nobody can tell."""
        waiting = [self.pid]
        while waiting:
            pid = waiting.pop()
            self._family[pid] = _birth(pid)
            waiting += trees.children(pid) - self._family.keys()

    def _wait(self, seconds: float) -> bool:
        """Whether it ends within some seconds; what it says meanwhile is read, as it may wait for that."""
        deadline = time.monotonic() + seconds
        while not processes.has_ended(self._process):
            left = deadline - time.monotonic()
            if left <= 0:
                return False
            if self._inbox.closed:
                time.sleep(min(left, 0.01))
            else:
                self._move(min(left, 0.05))
            self._inbox.ready.clear()
        return True

    def _move(self, seconds: float) -> None:
        """Move what can be moved on any pipe, waiting for it at most some seconds, and notice the end."""
        ended = processes.has_ended(self._process)
        ready = self._selector.select(0 if ended else min(seconds, _GLANCE))
        for key, _ in ready:
            if key.fileobj is self._process.stdin:
                self._send()
            else:
                self._receive(key)
        self._afterwords -= ended
        if ended and (self._afterwords < 0 or all(key.fileobj is not self._process.stdout for key, _ in ready)):
            self._inbox.close()

    def _receive(self, key: selectors.SelectorKey) -> None:
        chunk = os.read(key.fd, _CHUNK)
        if not chunk:
            self._selector.unregister(key.fileobj)
        if key.fileobj is self._process.stdout:
            self._inbox.feed(chunk)
        else:
            self._errors += chunk
            del self._errors[:-_TAIL]

    def _send(self) -> None:
        pipe = self._process.stdin
        if pipe is None or pipe.closed:
            return
        with contextlib.suppress(BlockingIOError):
            try:
                while self._outbox:
                    del self._outbox[: os.write(pipe.fileno(), self._outbox[:_CHUNK])]
            except BrokenPipeError:
                self._outbox.clear()
        waits = pipe in {key.fileobj for key in self._selector.get_map().values()}
        if self._outbox and not waits:
            self._selector.register(pipe, selectors.EVENT_WRITE)
        elif not self._outbox and waits:
            self._selector.unregister(pipe)
        if self._closing and not self._outbox:
            with contextlib.suppress(BrokenPipeError):
                pipe.close()

    def _listen(self, pipe: IO[bytes] | None) -> None:
        if pipe:
            self._selector.register(pipe, selectors.EVENT_READ)


def _birth(pid: int) -> str:
    """When a process began, in the kernel's ticks: two of the same number differ by it; empty where unknown."""
    with (
        contextlib.suppress(OSError, IndexError),
        open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file,
    ):
        return file.read().rpartition(")")[2].split()[19]
    return ""


def _group(pid: int) -> int:
    try:
        return os.getpgid(pid)
    except ProcessLookupError:
        return 0
