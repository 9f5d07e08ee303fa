"""Long-lived child processes that speak one line at a time and can be killed with everything they started."""

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import Mapping

from workbench.host.trees import kill_tree

_TAIL = 4000
_MACHINE = ("PATH", "HOME", "XDG_CONFIG_HOME", "USER", "LOGNAME", "LANG", "TZ", "TMPDIR")
"""Variables that say where things are; none holds a secret."""


def environment(*passed: str) -> dict[str, str]:
    """What a program of ours needs to run here, and the variables that are named: whoever it starts can look into it.

    Import paths that depend on the current folder are left out.
    """
    kept = {name: value for name, value in os.environ.items() if name in (*_MACHINE, *passed) or name[:3] == "LC_"}
    paths = [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if os.path.isabs(path)]
    return kept | ({"PYTHONPATH": os.pathsep.join(paths)} if paths else {})


class WorkerGone(RuntimeError):  # noqa: N818 - the name says what it is
    """The child ended or broke the protocol; the message says how."""


class LineWorker:
    """A child in a session of its own, read and written by lines.

    Reading is pull: while nobody calls `receive`, at most twice `limit` bytes are held and the child waits. stderr is
    drained all the time and its end kept for `tail`.
    """

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._stderr = bytearray()
        self._drained = asyncio.create_task(self._drain())

    @classmethod
    async def start(cls, module: str, *arguments: str, env: Mapping[str, str], limit: int) -> "LineWorker":
        """Start one of our modules in `/`, with no current folder among its import paths.

        `env` is its whole environment and `limit` the longest line it may say, in bytes. Raises OSError when it cannot
        start.
        """
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-P", "-m", module, *arguments,
            env=dict(env), cwd="/", stdin=pipe, stdout=pipe, stderr=pipe, limit=limit, start_new_session=True,
        )  # fmt: skip
        return cls(process)

    @property
    def pid(self) -> int:
        """Its process id, which is its group's id too."""
        return self._process.pid

    @property
    def ended(self) -> bool:
        """Whether it is known to have ended."""
        return self._process.returncode is not None

    async def send(self, line: bytes) -> None:
        """Hand it one line, without the newline; raises WorkerGone when it no longer listens."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(line + b"\n")
            await self._process.stdin.drain()
        except (BrokenPipeError, ConnectionResetError) as error:
            raise WorkerGone(await self.post_mortem()) from error

    async def receive(self) -> bytes:
        """Its next line; raises WorkerGone when it ended or said a line longer than the limit."""
        assert self._process.stdout is not None
        try:
            line = await self._process.stdout.readline()
        except ValueError as error:
            raise WorkerGone("the worker said a line that is too long") from error
        if not line.endswith(b"\n"):
            raise WorkerGone(await self.post_mortem())
        return line

    async def post_mortem(self) -> str:
        """How it ended, and the last it said on stderr; kills it if it has not ended."""
        self.kill()
        status = await self._process.wait()
        how = f"killed by {signal.Signals(-status).name}" if status < 0 else f"exit status {status}"
        tail = await self._tail()
        return f"the worker ended ({how}){': ' if tail else ''}{tail}"

    def kill(self) -> None:
        """Kill it and all its descendants at once; one that has ended is no error."""
        if not self.ended:
            kill_tree(self.pid)

    async def close(self, patience: float = 2.0) -> None:
        """Tell it to end by closing its stdin; kill it when it has not ended after `patience` seconds."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._process.wait(), patience)
        self.kill()
        await self._process.wait()
        await self._tail()
        # A pipe that a descendant holds open would outlive the loop; asyncio has no public way to let go of it.
        self._process._transport.close()  # type: ignore[attr-defined]

    async def _tail(self) -> str:
        # A descendant that left the group may hold a pipe open; its words are not worth waiting for.
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(asyncio.gather(self._drained, self._empty()), 1.0)
        return self._stderr.decode("utf-8", "replace").strip()

    async def _empty(self) -> None:
        """Read stdout to its end: a pipe with words left in it would stay open."""
        assert self._process.stdout is not None
        while await self._process.stdout.read(65536):
            pass

    async def _drain(self) -> None:
        assert self._process.stderr is not None
        while chunk := await self._process.stderr.read(65536):
            self._stderr += chunk
            del self._stderr[:-_TAIL]
