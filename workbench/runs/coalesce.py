"""Between a campaign and its front ends: many small events in, a few batches a second out."""

import asyncio
import contextlib
import logging
from collections.abc import Callable

from workbench.runs.events import RunEvent, Subscriber
from workbench.traces.events import TextDelta, TurnAdded

PERIOD = 0.2
"""Seconds between batches; the first event after a pause does not wait."""
FULL = 4_000_000
"""Weight of waiting events from which on `room` makes their sources wait."""
_EVENT_WEIGHT = 500

_log = logging.getLogger(__name__)


class Coalescer:
    """Gathers events on one event loop and hands them on in batches, in order for each trial.

    Provisional text of one message becomes one event, and is dropped when the final message is there before the batch.
    """

    def __init__(self) -> None:
        self._subscribers: list[Subscriber] = []
        self._waiting: list[RunEvent | _Text | None] = []
        self._text: dict[str, int] = {}
        self._weight = 0
        self._sent = asyncio.Event()
        self._last = float("-inf")
        self._timer: asyncio.TimerHandle | None = None

    def subscribe(self, subscriber: Subscriber) -> Callable[[], None]:
        """Hand every later batch to `subscriber`, until the returned function is called."""
        self._subscribers.append(subscriber)

        def leave() -> None:
            with contextlib.suppress(ValueError):
                self._subscribers.remove(subscriber)

        return leave

    def add(self, event: RunEvent, weight: int = 0) -> None:
        """Take an event of about `weight` bytes."""
        self._weight += weight + _EVENT_WEIGHT
        if isinstance(event, TextDelta):
            self._add_text(event)
        else:
            provisional = self._text.pop(getattr(event, "trial", ""), None)
            if provisional is not None and isinstance(event, TurnAdded) and event.turn.role == "assistant":
                self._waiting[provisional] = None
            self._waiting.append(event)
        if self._timer is None:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(max(0.0, self._last + PERIOD - loop.time()), self.flush)

    async def room(self) -> None:
        """Return once there is room for more, so that a flood waits in its own pipe."""
        while self._weight > FULL:
            self._sent.clear()
            await self._sent.wait()

    def flush(self) -> None:
        """Hand on what is waiting, at once."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._last = asyncio.get_running_loop().time()
        batch = [e.joined() if isinstance(e, _Text) else e for e in self._waiting if e is not None]
        self._waiting, self._text, self._weight = [], {}, 0
        self._sent.set()
        for subscriber in tuple(self._subscribers) if batch else ():
            try:
                subscriber(batch)
            except Exception:
                # A front end's mistake must not end the run of another, or of its own.
                _log.exception("a subscriber of the campaign failed")

    def _add_text(self, delta: TextDelta) -> None:
        at = self._text.get(delta.trial)
        text = self._waiting[at] if at is not None else None
        if isinstance(text, _Text):
            text.parts.append(delta.text)
            return
        self._text[delta.trial] = len(self._waiting)
        self._waiting.append(_Text(delta))


class _Text:
    """Provisional text as it piles up."""

    def __init__(self, delta: TextDelta) -> None:
        self.trial, self.parts = delta.trial, [delta.text]

    def joined(self) -> TextDelta:
        """All of it as one delta."""
        return TextDelta(self.trial, "".join(self.parts))
