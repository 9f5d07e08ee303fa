"""The model behind the endpoint during a probe: it goes through an itinerary with whatever tools the agent has.

It does one thing a message: only so can be told what brought a guidance file in.
"""

import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from workbench.brains.hands import Hands
from workbench.brains.protocol import Proposal, Say, ToolSchema, unheard
from workbench.probe.hearing import Heard
from workbench.probe.records import Visit
from workbench.traces.records import TextBlock, ToolCall, Turn

_DONE = "Done."


class Probing:
    """Reads and opens what the itinerary says, then ends; keeps every request. It may be asked from any thread.

    `reached` is told how many visits were made when another one is asked for.
    """

    name = "probe"
    model = "probe"

    def __init__(self, root: Path, visits: Sequence[Visit], reached: Callable[[int], None]) -> None:
        self._root, self._visits, self._reached = root, tuple(visits), reached
        self._lock = threading.Lock()
        self._begun = -1
        self.heard: list[Heard] = []
        """The requests, in the order they came."""

    @property
    def made(self) -> tuple[Visit, ...]:
        """The visits that were asked for."""
        return self._visits[: self._begun + 1]

    def propose(
        self, system: str, messages: Sequence[Turn], tools: Sequence[ToolSchema], say: Say = unheard
    ) -> Proposal:
        """The call of the next visit; the end when all are made, or when the request brings no tools for it."""
        with self._lock:
            self.heard.append(Heard(system, tuple(messages), tuple(tools)))
        said = sum(turn.role == "assistant" for turn in messages)
        for visit in self._visits[said : said + 1]:
            if call := self._call(Hands(tools), visit):
                self._begin(said)
                return Proposal(content=(call.model_copy(update={"id": f"visit-{said}"}),))
        return Proposal(content=(TextBlock(text=_DONE),))

    def visit_of(self, call: ToolCall) -> Visit | None:
        """Which visit a call was made for; a longer path is told from one it begins with."""
        words = "\n".join(value for value in call.arguments.values() if isinstance(value, str))
        fits = [
            visit
            for visit in self.made
            if self._path(visit) in words or (visit.kind == "skill" and visit.aim in words.split("\n"))
        ]
        return max(fits, key=lambda visit: len(visit.path), default=None)

    def _begin(self, number: int) -> None:
        if number > self._begun:
            self._begun = number
            self._reached(number)

    def _call(self, hands: Hands, visit: Visit) -> ToolCall | None:
        skill = hands.skill(visit.aim) if visit.kind == "skill" else None
        return skill or hands.read(self._path(visit))

    def _path(self, visit: Visit) -> str:
        return str(self._root / visit.path)
