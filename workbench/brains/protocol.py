"""The one thing a brain does, whatever is behind it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from workbench.traces.records import Block, TokenLedger, Turn


@dataclass(frozen=True, slots=True)
class ToolSchema:
    """A tool as a model is told of it; `input_schema` is JSON Schema."""

    name: str
    description: str
    input_schema: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Proposal:
    """The next assistant message; it ends the session when it holds no tool call."""

    content: tuple[Block, ...]
    tokens: TokenLedger = field(default_factory=TokenLedger)


class Brain(Protocol):
    """Proposes the next message from what was said so far; keeps no state between calls."""

    name: str
    model: str

    def propose(self, system: str, messages: Sequence[Turn], tools: Sequence[ToolSchema]) -> Proposal:
        """Return the next assistant message.

        `system` is the system prompt with the loaded guidance in it, as the model sees it;
        `messages` starts with the user's prompt and ends with a user or toolResult turn.
        """
        ...
