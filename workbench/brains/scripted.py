"""A brain that says what it was told to: for trying an engine, its failures and its tools without a model."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from workbench.brains.protocol import Proposal, ToolSchema, unheard
from workbench.brains.protocol import Say as Heard
from workbench.traces.records import AssistantTurn, Block, TextBlock, ThinkingBlock, ToolCall, Turn


@dataclass(frozen=True, slots=True)
class Say:
    """A message of words alone, which ends the session."""

    text: str
    thinking: str = ""


@dataclass(frozen=True, slots=True)
class Call:
    """A message that calls one tool, after some words if there are any."""

    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    text: str = ""
    thinking: str = ""


@dataclass(frozen=True, slots=True)
class Calls:
    """A message that calls several tools at once."""

    calls: tuple[Call, ...]
    text: str = ""
    thinking: str = ""


Step = Say | Call | Calls
"""One message."""


class Scripted:
    """Says its steps one after another, whatever it is told; the last one again and again.

    Which step is next is told by the number of messages said so far, so that it serves any number of sessions, and an
    engine that asks twice is answered twice the same.
    """

    name = "script"
    model = "script"

    def __init__(self, steps: Sequence[Step]) -> None:
        if not steps:
            raise ValueError("a script needs at least one step")
        self._steps = tuple(steps)

    def propose(
        self, system: str, messages: Sequence[Turn], tools: Sequence[ToolSchema], say: Heard = unheard
    ) -> Proposal:
        """See `Brain.propose`."""
        spoken = sum(isinstance(turn, AssistantTurn) for turn in messages)
        calls = sum(len(turn.calls) for turn in messages if isinstance(turn, AssistantTurn))
        return Proposal(_content(self._steps[min(spoken, len(self._steps) - 1)], calls))


def _content(step: Step, made: int) -> tuple[Block, ...]:
    """A step as a message, after so many calls made before it."""
    calls = () if isinstance(step, Say) else step.calls if isinstance(step, Calls) else (step,)
    blocks: list[Block] = [ThinkingBlock(text=step.thinking)] if step.thinking else []
    blocks += [TextBlock(text=step.text)] if step.text else []
    blocks += [
        ToolCall(id=f"call_{number}", name=call.name, arguments=dict(call.arguments))
        for number, call in enumerate(calls, made + 1)
    ]
    return tuple(blocks)
