"""The one thing a brain does, whatever is behind it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from pydantic import Field

from workbench.traces.reasons import Reason
from workbench.traces.records import AssistantTurn, Block, TokenLedger, Turn

Say = Callable[[str], None]
"""Takes provisional text of the message being written; the proposal that follows replaces it."""


class BrainError(Exception):
    """No next message is to be had: why, in words, and how many seconds the provider wants to be left alone.

    `said` is a message that was paid for but must not count as an answer, such as one cut at its longest; `lost` says
    that something may have been paid for of which nobody knows how much it was.
    """

    def __init__(
        self,
        reason: Reason,
        detail: str,
        retry_after: float = 0.0,
        *,
        said: "Proposal | None" = None,
        lost: bool = False,
    ) -> None:
        super().__init__(detail)
        self.reason, self.detail, self.retry_after = reason, detail, retry_after
        self.said, self.lost = said, lost


@dataclass(frozen=True, slots=True)
class ToolSchema:
    """A tool as a model is told of it; `input_schema` is JSON Schema."""

    name: str
    description: str
    input_schema: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Ran:
    """What came of a call that the provider ran itself, as it does for a web search."""

    id: str
    text: str
    is_error: bool = False


@dataclass(frozen=True, slots=True)
class Proposal:
    """The next assistant message; it ends the session when it is whole and leaves no tool call to run."""

    content: tuple[Block, ...]
    tokens: TokenLedger = field(default_factory=TokenLedger)
    model: str = ""
    """The model that served it, where the provider tells."""
    ran: tuple[Ran, ...] = ()
    """Results of those of its calls that are not for the agent to run."""
    unfinished: bool = False
    """Whether its brain goes on with it when asked again."""
    verbatim: object = None
    """The message as its provider gave it, for a brain that must say it back unchanged."""


class Spoken(AssistantTurn):
    """A message of the session under way. What its provider said word for word stays with it in memory alone."""

    verbatim: Any = Field(default=None, exclude=True, repr=False)


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
        `messages` starts with the user's prompt and ends with a user or toolResult turn, or with the brain's own
        unfinished message. Its own messages come as `Spoken`, with what it gave as `verbatim`.
        """
        ...
