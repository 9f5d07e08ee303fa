"""The one thing a brain does, whatever is behind it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from workbench.traces.reasons import Reason
from workbench.traces.records import Block, TokenLedger, Turn

Say = Callable[[str], None]
"""Takes provisional text of the message being written; the proposal that follows replaces it."""


class BrainError(Exception):
    """No next message is to be had: why, in words, and how many seconds the provider wants to be left alone."""

    def __init__(self, reason: Reason, detail: str, retry_after: float = 0.0) -> None:
        super().__init__(detail)
        self.reason, self.detail, self.retry_after = reason, detail, retry_after


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
    model: str = ""
    """The model that served it, where the provider tells."""


def unheard(_: str) -> None:
    """For who wants no provisional text."""


class Brain(Protocol):
    """Proposes the next message from what was said so far; keeps no state between calls."""

    name: str
    model: str

    def propose(
        self, system: str, messages: Sequence[Turn], tools: Sequence[ToolSchema], say: Say = unheard
    ) -> Proposal:
        """Return the next assistant message; raises BrainError.

        `system` is the system prompt with the loaded guidance in it, as the model sees it;
        `messages` starts with the user's prompt and ends with a user or toolResult turn.
        """
        ...
