"""An ACP connection over the pipes of a program we can really stop, with a limit on time, silence and volume."""

import asyncio
import json
import time
from collections.abc import Callable
from typing import Any

from workbench.engines.json_parts import parsed
from workbench.engines.limits import CutShort, out_of_time, silent, too_many_messages
from workbench.engines.protocol import Task
from workbench.host.dialogue import Dialogue, Overdue, Stalled
from workbench.traces.reasons import Reason

_VOLUME = 64 << 20
"""Most bytes an agent may say in one run."""
_GLANCE = 0.05
"""Seconds one look for a line may hold up the loop; nothing but our own short answers waits meanwhile."""
_TURNS = 8
"""Turns of the loop given to what came in, before we look for more: an update is told, a request is answered."""


class Wire:
    """A message transport as the ACP package wants one: whole JSON-RPC messages out and in, None at the end."""

    def __init__(
        self, talk: Dialogue, task: Task, *, deadline: float, stall: float, enough: Callable[[], bool]
    ) -> None:
        """`deadline` is by `time.monotonic()`, `stall` is seconds; `enough` says when the agent need not go on."""
        self._talk, self._task, self._deadline, self._stall, self._enough = talk, task, deadline, stall, enough
        self._heard, self._volume = time.monotonic(), 0
        self.gave_up: CutShort | None = None
        """Why we stopped listening, if it was not the agent that ended."""
        self._quiet = False

    async def send(self, message: dict[str, Any]) -> None:
        """Say one message."""
        self._talk.say(json.dumps(message, separators=(",", ":")).encode())

    async def receive(self) -> dict[str, Any] | None:
        """The next message; None when the agent has ended or a limit is reached."""
        while True:
            for _ in range(_TURNS):
                await asyncio.sleep(0)
            if self._limited():
                return None
            line = self._line()
            if line is None and self._quiet:
                return None
            if line and (message := parsed(line)):
                return message

    async def close(self) -> None:
        """Nothing: whoever started the program stops it."""

    def _limited(self) -> bool:
        now = time.monotonic()
        if self.gave_up is None:
            if self._enough():
                self.gave_up = too_many_messages(self._task)
            elif now >= self._deadline:
                self.gave_up = out_of_time(self._task)
            elif now >= self._heard + self._stall:
                self.gave_up = silent(self._stall)
            elif self._volume > _VOLUME:
                self.gave_up = CutShort(Reason.CRASHED, f"the agent said more than {_VOLUME >> 20} MB")
        return self.gave_up is not None

    def _line(self) -> bytes | None:
        """A line, or None: there is none yet, or, as `_quiet` then says, there will be none."""
        try:
            for line in self._talk.lines(time.monotonic() + _GLANCE, self._stall):
                self._heard, self._volume = time.monotonic(), self._volume + len(line)
                return line
        except (Overdue, Stalled):
            return None
        self._quiet = True
        return None
