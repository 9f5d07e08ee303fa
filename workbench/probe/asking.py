"""The door to a probe: it runs in a process of its own, which is killed with all it started when nobody waits on."""

import asyncio
from collections.abc import Callable

from workbench.host.workers import LineWorker, WorkerGone, environment
from workbench.probe.probing import ProbeError
from workbench.probe.records import ContextReport
from workbench.probe.wire import LINE_LIMIT, Done, ProbeRequest, Refused, Step, replies

_PROCESS = "workbench.probe.process"
_PATIENCE = 60.0
"""Seconds a probe may take beside its engine: copying, starting, looking."""


async def ask(request: ProbeRequest, hear: Callable[[Step], None]) -> ContextReport:
    """Probe an engine; `hear` is told each step. Raises ProbeError. Cancelling it ends everything it started."""
    try:
        worker = await LineWorker.start(_PROCESS, env=environment(), limit=LINE_LIMIT)
    except OSError as error:
        raise ProbeError(f"the probe could not be started: {error}") from error
    try:
        async with asyncio.timeout(request.timeout + _PATIENCE):
            await worker.send(request.model_dump_json().encode())
            return await _listen(worker, hear)
    except TimeoutError:
        raise ProbeError(f"{request.engine} was not done after {request.timeout + _PATIENCE:g} s") from None
    except WorkerGone as error:
        raise ProbeError(str(error)) from error
    finally:
        worker.kill()
        await worker.close()


async def _listen(worker: LineWorker, hear: Callable[[Step], None]) -> ContextReport:
    while True:
        match replies().validate_json(await worker.receive()):
            case Done(report=report):
                return report
            case Refused(detail=detail):
                raise ProbeError(detail)
            case Step() as step:
                hear(step)
