"""A helper process that answers one framed request at a time, and may be killed over any of them."""

import contextlib
import os
import selectors
import struct
import subprocess
import threading
import time
from collections.abc import Sequence

_LENGTH = struct.Struct(">I")
_START_SECONDS = 30.0
_CHUNK = 65536


class ChildTimeoutError(RuntimeError):
    """The helper took too long over a request and was killed."""


class ChildDiedError(RuntimeError):
    """The helper ended in the middle of a request; `returncode` is negative for a signal."""

    def __init__(self, returncode: int) -> None:
        super().__init__(f"the helper process ended ({returncode})")
        self.returncode = returncode


class PipeChild:
    """One lazily started helper: `PipeChild(argv).ask(b"…", timeout)`.

    The helper reads frames (4 bytes of big-endian length, then that many bytes) from stdin and writes one frame
    for each to stdout, after one empty frame that says it is ready. It starts with the first request, starts
    anew after a death or a timeout and in a forked process, and ends when its stdin closes, so with its owner.
    Safe to use from several threads; they take turns.
    """

    def __init__(self, argv: Sequence[str]) -> None:
        self._argv = tuple(argv)
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        # A fork may happen while another thread holds the lock; the child must not wait for it for ever.
        os.register_at_fork(after_in_child=self._forget)

    def ask(self, request: bytes, timeout: float) -> bytes:
        """Send a request and return its answer.

        `timeout` is in seconds of wall time, start-up not counted. Raises ChildTimeoutError or ChildDiedError; the next
        call then finds a fresh helper. Raises OSError when it cannot be started.
        """
        with self._lock:
            process = self._ready()
            return self._exchange(process, _LENGTH.pack(len(request)) + request, time.monotonic() + timeout)

    def close(self) -> None:
        """End the helper now; a later request starts another."""
        with self._lock:
            self._end()

    def _ready(self) -> subprocess.Popen[bytes]:
        if self._process is not None and self._process.poll() is None:
            return self._process
        self._end()
        process = self._process = subprocess.Popen(
            self._argv,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            bufsize=0,
        )
        for pipe in (process.stdin, process.stdout):
            assert pipe is not None
            os.set_blocking(pipe.fileno(), False)
        self._exchange(process, b"", time.monotonic() + _START_SECONDS)
        return process

    def _exchange(self, process: subprocess.Popen[bytes], request: bytes, deadline: float) -> bytes:
        try:
            return _exchange(process, request, deadline)
        except EOFError:
            # It closed its pipes, so it is ending by itself; its own exit status says why.
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(1.0)
            raise ChildDiedError(self._end()) from None
        except BaseException:
            self._end()
            raise

    def _end(self) -> int:
        process, self._process = self._process, None
        if process is None:
            return 0
        for pipe in (process.stdin, process.stdout):
            if pipe:
                pipe.close()
        process.kill()
        return process.wait()

    def _forget(self) -> None:
        self._lock = threading.Lock()
        process, self._process = self._process, None
        if process:
            process.returncode = 0  # the parent's to reap
            for pipe in (process.stdin, process.stdout):
                if pipe:
                    pipe.close()


def _exchange(process: subprocess.Popen[bytes], request: bytes, deadline: float) -> bytes:
    assert process.stdin is not None
    assert process.stdout is not None
    rest, answer = memoryview(request), bytearray()
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        if rest:
            selector.register(process.stdin, selectors.EVENT_WRITE)
        while True:
            ready = selector.select(max(0.0, deadline - time.monotonic()))
            if not ready:
                raise ChildTimeoutError("the helper process took too long")
            for key, _ in ready:
                if key.fileobj is process.stdin:
                    rest = _send(key.fd, rest)
                    if not rest:
                        selector.unregister(process.stdin)
                    continue
                chunk = os.read(key.fd, _CHUNK)
                if not chunk:
                    raise EOFError
                answer += chunk
            if len(answer) >= _LENGTH.size:
                (length,) = _LENGTH.unpack_from(answer)
                if len(answer) >= _LENGTH.size + length:
                    return bytes(answer[_LENGTH.size :])


def _send(fd: int, data: memoryview) -> memoryview:
    try:
        return data[os.write(fd, data[:_CHUNK]) :]
    except BlockingIOError:
        return data
    except BrokenPipeError:
        raise EOFError from None
