"""Reading what is new in the traces of all runs while a screen is open."""

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from workbench.desk.desk import Desk


async def catch_up(desk: "Desk", tell: Callable[[int, int], None]) -> None:
    """Bring the index up to date, one run at a time off the loop; a screen that closes stops it after that run."""
    steps = desk.archive.refresh()
    while (step := await asyncio.to_thread(next, steps, None)) is not None:
        tell(*step)


def progress(done: int, runs: int) -> str:
    """`reading traces 12/200`; nothing when all are read."""
    return f"reading traces {done}/{runs}" if done < runs else ""
