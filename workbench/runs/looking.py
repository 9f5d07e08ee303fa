"""A look at boxes and engine as trials would find them now: nothing is built, nobody is asked."""

import asyncio

from workbench.runs.plan import RunPlan
from workbench.runs.pool import Lane, Live, Lost
from workbench.runs.preparing import Key, Preparing
from workbench.runs.wire import Prepare, Prepared

LIMIT = 120.0
"""Seconds a look at one box may take."""


async def look(plan: RunPlan) -> dict[str, tuple[Prepare, Prepared]]:
    """Audit id → what a worker was asked and found; an audit whose box it could not look at is left out.

    Each state of a box is looked at once, in one worker process that ends with this.
    """
    preparing = Preparing(plan)
    found: dict[Key, tuple[Prepare, Prepared] | None] = {}
    keys = await asyncio.to_thread(lambda: [preparing.key(job) for job in plan.jobs])
    lane = Lane()
    try:
        for job, key in zip(plan.jobs, keys, strict=True):
            if key not in found:
                found[key] = await _look(lane, preparing.request(job, None))
    finally:
        await lane.close()
    told = {job.trial.audit_id: found[key] for job, key in zip(plan.jobs, keys, strict=True)}
    return {audit_id: one for audit_id, one in told.items() if one}


async def _look(lane: Lane, request: Prepare) -> tuple[Prepare, Prepared] | None:
    try:
        reply = await lane.ask(request, LIMIT, _nothing)
    except Lost:
        return None
    assert isinstance(reply, Prepared)
    return request, reply


async def _nothing(said: Live, size: int) -> None:
    """A look has nothing to tell while it lasts."""
