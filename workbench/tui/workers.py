"""Work beside the drawing, of which only the latest counts."""

from collections.abc import Awaitable, Callable
from typing import Any, cast

from textual.dom import DOMNode


def latest(node: DOMNode, work: Callable[[], Awaitable[None]], group: str) -> None:
    """Run `work` off the message queue; the one of the same group before it is given up.

    It takes a callable, not a coroutine: one given up before its first step would never be awaited.
    """
    node.run_worker(cast("Any", work), group=group, exclusive=True)
