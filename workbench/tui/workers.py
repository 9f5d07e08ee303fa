"""Work beside the drawing, of which only the latest counts."""

import gc
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any, cast

from textual.dom import DOMNode


def latest(node: DOMNode, work: Callable[[], Awaitable[None]], group: str) -> None:
    """Run `work` off the message queue; the one of the same group before it is given up.

    It takes a callable, not a coroutine: one given up before its first step would never be awaited.
    """
    node.run_worker(cast("Any", work), group=group, exclusive=True)


@contextmanager
def quiet_collector() -> Iterator[None]:
    """Keep the garbage collector from halting every thread while many records are read that hold no cycles.

    What was read is left to reference counting for good: looking through it again and again would halt them later.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
