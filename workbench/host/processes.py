"""Child processes that end when they should: bounded in time and output, killed with all they started."""

import contextlib
import ctypes
import functools
import os
import selectors
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from workbench.host.trees import children

_PR_SET_DUMPABLE = 4
_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_CHUNK = 65536
_PIPE_CAPACITY = 1 << 20
"""Most bytes a pipe may hold; what comes after them was written after the command ended."""

_adopting = False
_starting = threading.Lock()
_running: set[int] = set()
"""Commands under way, which no other command's end may take for orphans."""


@dataclass(frozen=True, slots=True)
class Completed:
    """A finished command: stdout and stderr as they interleaved, cut at the caller's limit."""

    returncode: int
    output: bytes
    timed_out: bool = False
    truncated: bool = False
    seconds: float = 0.0

    @property
    def text(self) -> str:
        """The output as UTF-8, undecodable bytes replaced."""
        return self.output.decode("utf-8", "replace")


def run(
    argv: Sequence[str],
    *,
    cwd: Path,
    env: Mapping[str, str],
    stdin: bytes = b"",
    timeout: float,
    output_limit: int = 1_000_000,
) -> Completed:
    """Run a command in a process group of its own and leave nothing of it behind.

    `env` is the whole environment. Output past `output_limit` bytes is read and dropped.
    Returncode is negative for a signal, as subprocess has it; raises OSError when the command cannot start.
    """
    before = children(os.getpid())
    begun = time.monotonic()
    process = spawn(argv, cwd=cwd, env=env, stdin=subprocess.PIPE if stdin else subprocess.DEVNULL)
    try:
        output, truncated, timed_out = _pump(process, stdin, begun + timeout, output_limit)
    finally:
        bury(process, before)
    return Completed(process.returncode, output, timed_out, truncated, time.monotonic() - begun)


def spawn(
    argv: Sequence[str],
    *,
    cwd: Path,
    env: Mapping[str, str],
    stdin: int = subprocess.DEVNULL,
    stderr: int = subprocess.STDOUT,
    pass_fds: Sequence[int] = (),
) -> "subprocess.Popen[bytes]":
    """Start a command in a session of its own that dies with this process. `bury` it in the end; nothing else does.

    `env` is the whole environment; stdout is a pipe. Raises OSError when the command cannot start.
    """
    _libc()  # loaded before the fork: in the child, other threads' locks would never open again
    with _starting:
        process = subprocess.Popen(
            argv,
            cwd=cwd,
            env=dict(env),
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=stderr,
            start_new_session=True,
            preexec_fn=die_with_parent if sys.platform == "linux" else None,
            pass_fds=tuple(pass_fds),
        )
        _running.add(process.pid)
    return process


def bury(process: "subprocess.Popen[bytes]", before: set[int]) -> None:
    """Kill what is left of a spawned command's group, and of what escaped from it where orphans are adopted.

    `before` holds this process's children from before the spawn: they are nobody's orphans.
    """
    kill_group(process.pid)
    process.wait()
    _running.discard(process.pid)
    if _adopting:
        _kill_escaped(before)
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe:
            with contextlib.suppress(OSError):
                pipe.close()


def _pump(process: subprocess.Popen[bytes], stdin: bytes, deadline: float, limit: int) -> tuple[bytes, bool, bool]:
    """Feed and drain until the command itself has ended; a background child holding the pipe does not keep us."""
    assert process.stdout is not None
    with selectors.DefaultSelector() as selector:
        os.set_blocking(process.stdout.fileno(), False)
        selector.register(process.stdout, selectors.EVENT_READ)
        if process.stdin:
            os.set_blocking(process.stdin.fileno(), False)
            selector.register(process.stdin, selectors.EVENT_WRITE)
        kept, seen, rest = bytearray(), 0, memoryview(stdin)
        left = _PIPE_CAPACITY
        while selector.get_map():
            if time.monotonic() >= deadline:
                return bytes(kept), seen > limit, True
            ended = has_ended(process)
            ready = selector.select(0 if ended else min(0.05, deadline - time.monotonic()))
            for key, _ in ready:
                if key.fileobj is process.stdin:
                    rest = _feed(selector, process, rest)
                    continue
                chunk = os.read(key.fd, _CHUNK)
                seen += len(chunk)
                left -= len(chunk) if ended else 0
                kept += chunk[: max(0, limit - len(kept))]
                if not chunk:
                    selector.unregister(process.stdout)
            if ended and (left < 0 or not any(key.fileobj is process.stdout for key, _ in ready)):
                break
    while not has_ended(process):
        if time.monotonic() >= deadline:
            return bytes(kept), seen > limit, True
        time.sleep(0.005)
    return bytes(kept), seen > limit, False


def has_ended(process: "subprocess.Popen[bytes]") -> bool:
    """Whether the command has ended. It is not reaped yet, so its group's number cannot become another's."""
    return os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def _feed(selector: selectors.BaseSelector, process: subprocess.Popen[bytes], rest: memoryview) -> memoryview:
    assert process.stdin is not None
    with contextlib.suppress(BlockingIOError):
        try:
            rest = rest[os.write(process.stdin.fileno(), rest[:_CHUNK]) :]
        except BrokenPipeError:
            rest = rest[len(rest) :]
    if not rest:
        selector.unregister(process.stdin)
        process.stdin.close()
    return rest


def kill_group(pid: int, sig: signal.Signals = signal.SIGKILL) -> None:
    """Signal a whole process group; one that is gone already is no error."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, sig)


def die_with_parent(sig: signal.Signals = signal.SIGKILL) -> None:
    """Ask the kernel to signal this process when its parent dies, however that happens; fit for `preexec_fn`."""
    if sys.platform == "linux":
        _libc().prctl(_PR_SET_PDEATHSIG, sig)


def hide_environment() -> None:
    """Keep other processes of the same user, trials among them, from reading this one's environment and memory."""
    if sys.platform == "linux":
        _libc().prctl(_PR_SET_DUMPABLE, 0)


def adopt_orphans() -> None:
    """Become the parent of grandchildren whose parent ends, so that `run` can find those that left their group.

    For processes that start children through `run` alone: while one runs, any other new child counts as an orphan.
    """
    global _adopting
    if sys.platform == "linux":
        _libc().prctl(_PR_SET_CHILD_SUBREAPER, 1)
        _adopting = True


@functools.cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None)


def _kill_escaped(before: set[int]) -> None:
    """Kill adopted orphans that a command put into sessions of their own; repeat, as each may leave children."""
    for _ in range(100):
        with _starting:  # a child between its start and its note would look like an orphan
            escaped = children(os.getpid()) - before - _running
        if not escaped:
            return
        for pid in escaped:
            with contextlib.suppress(ProcessLookupError, ChildProcessError):
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
