"""The worker processes of a campaign: each lane keeps one, and replaces it when it had to be killed."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Sequence

from workbench.host.trees import children
from workbench.host.workers import LineWorker, WorkerGone, environment
from workbench.runs.records import TrialFinished
from workbench.runs.wire import EAGER, LINE_LIMIT, Ask, Closing, Delta, Prepare, Prepared, Ready, replies
from workbench.traces.reasons import Reason
from workbench.traces.records import Change, Loaded, Meta, Turn

_PROCESS = "workbench.runs.worker"
START_LIMIT = 60.0
"""Seconds a worker may take to start."""
CLOSING_LIMIT = 120.0
"""Seconds allowed for changes and checks once the agent has ended."""

Live = Meta | Turn | Loaded | Change | Delta
Hear = Callable[[Live, int], Awaitable[None]]
"""Takes what a worker said while it works, and the size of its line."""


class Lost(Exception):  # noqa: N818 - the name says what it is
    """A worker could not finish what it was asked; `reason` and `detail` say why."""

    def __init__(self, reason: Reason, detail: str) -> None:
        super().__init__(detail)
        self.reason, self.detail = reason, detail


class Lane:
    """One place in the pool: asks one thing at a time of a worker that starts when it is first needed."""

    def __init__(self, passed: Sequence[str] = (), *, eager: bool = False) -> None:
        """`passed` names the environment variables its worker may see beside the machine's own.

        An `eager` one loads all it may need before it is ready, which is right where nobody waits for it yet.
        """
        self._arguments = (EAGER,) if eager else ()
        self._passed = tuple(passed)
        self._environment: dict[str, str] = {}
        self._worker: LineWorker | None = None
        self._helpers: set[int] = set()
        """What the worker started for itself, before it was asked anything."""
        self._busy = False
        self._interrupted: Reason | None = None

    async def warm(self) -> None:
        """Start the worker ahead of time; a failure to start shows at the next `ask`."""
        with contextlib.suppress(WorkerGone, OSError, TimeoutError, ValueError):
            await self._ready()

    def fits(self, passed: Sequence[str]) -> bool:
        """Whether a started worker waits here that sees what one started now for those variables would see."""
        alive = self._worker is not None and not self._worker.ended
        return alive and not self._busy and self._environment == environment(*passed)

    @property
    def burdened(self) -> bool:
        """Whether something an agent left still runs below its worker."""
        return self._worker is not None and bool(children(self._worker.pid) - self._helpers)

    async def ask(self, request: Prepare | Ask, limit: float, hear: Hear) -> Prepared | TrialFinished:
        """Have one request done within `limit` seconds; raises Lost, and the worker is gone then."""
        self._busy, self._interrupted, done = True, None, False
        try:
            worker = await self._ready()
            async with asyncio.timeout(limit) as deadline:
                await worker.send(request.model_dump_json().encode())
                reply = await self._listen(worker, deadline, hear)
            done = True
            return reply
        except TimeoutError:
            raise Lost(self._interrupted or Reason.TIMED_OUT, f"not finished after {limit:g} s") from None
        except (WorkerGone, OSError, ValueError) as error:
            if self._interrupted:
                raise Lost(self._interrupted, "stopped before it was done") from error
            raise Lost(Reason.CRASHED, str(error)) from error
        finally:
            self._busy = False
            if not done:
                await self._discard()

    def interrupt(self, reason: Reason) -> None:
        """Give up what is being asked at once, for `reason`; nothing happens to an idle lane."""
        if self._busy:
            self._interrupted = reason
            self.kill()

    def kill(self) -> None:
        """Kill the worker with all it started, if there is one."""
        if self._worker is not None:
            self._worker.kill()

    async def close(self) -> None:
        """Let an idle worker go."""
        worker, self._worker = self._worker, None
        if worker is not None:
            await worker.close()

    async def _ready(self) -> LineWorker:
        if self._worker is not None and self._worker.ended:
            await self._discard()
        if self._worker is None:
            self._environment = environment(*self._passed)
            self._worker = worker = await LineWorker.start(
                _PROCESS, *self._arguments, env=self._environment, limit=LINE_LIMIT
            )
            try:
                await self._greet(worker)
            except BaseException:
                await self._discard()
                raise
        if self._interrupted:
            raise WorkerGone("interrupted")
        return self._worker

    async def _greet(self, worker: LineWorker) -> None:
        try:
            said = await asyncio.wait_for(worker.receive(), START_LIMIT)
        except TimeoutError:
            raise WorkerGone(f"the worker did not start within {START_LIMIT:g} s") from None
        if not isinstance(replies().validate_json(said), Ready):
            raise WorkerGone("the worker did not say that it is ready")
        self._helpers = children(worker.pid)

    async def _listen(self, worker: LineWorker, deadline: asyncio.Timeout, hear: Hear) -> Prepared | TrialFinished:
        loop = asyncio.get_running_loop()
        while True:
            line = await worker.receive()
            said = replies().validate_json(line)
            match said:
                case Prepared() | TrialFinished():
                    return said
                case Closing():
                    deadline.reschedule(loop.time() + CLOSING_LIMIT)
                case Ready():
                    pass
                case _:
                    await hear(said, len(line))
            # Lines that are there already are read without a pause; the loop has others to serve.
            await asyncio.sleep(0)

    async def _discard(self) -> None:
        worker, self._worker = self._worker, None
        if worker is not None:
            worker.kill()
            await worker.close()
