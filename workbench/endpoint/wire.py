"""What every wire format has in common: a request in our own words, an answer to put into the provider's."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from workbench.brains.protocol import ToolSchema
from workbench.traces.records import Block, TokenLedger, Turn

Stop = Literal["end", "calls", "length", "refusal"]
"""Why a message ended: done, tools to run, output limit, refused."""

FREE_TEXT = "input"
"""The argument under which a tool that takes free text instead of JSON gets it."""


class Malformed(ValueError):  # noqa: N818 - the name says what it is
    """A body that is no request of this wire; the message says what is wrong with it."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A request for the next message."""

    model: str
    stream: bool
    system: str
    messages: tuple[Turn, ...]
    tools: tuple[ToolSchema, ...]
    free_text: frozenset[str] = frozenset()
    """Names of the tools that take free text; their calls have it under `FREE_TEXT`."""

    @property
    def spoken(self) -> int:
        """How many messages the model has said before."""
        return sum(turn.role == "assistant" for turn in self.messages)


@dataclass(frozen=True, slots=True)
class Answer:
    """The next message, ready for the wire."""

    id: str
    """Letters and digits; the wire puts its own prefix before it."""
    model: str
    """The model that was asked for."""
    content: tuple[Block, ...]
    """Every call has an id of its own."""
    usage: TokenLedger
    stop: Stop
    free_text: frozenset[str]
    created: int
    """Unix time in seconds."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Why there is no answer."""

    status: int
    message: str
    too_long: bool = False
    """The request exceeds the model's context."""
    retry_after: float = 0.0
    """Seconds to wait; 0 says nothing about it."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One server-sent event."""

    data: Mapping[str, Any] | str
    event: str = ""
    delta: bool = False
    """It carries a piece of the message, so that a stream broken after it breaks in the middle."""
    closing: bool = False
    """It tells that the message is whole."""

    def encode(self) -> bytes:
        """The event as it is sent."""
        name = f"event: {self.event}\n" if self.event else ""
        data = self.data if isinstance(self.data, str) else json.dumps(self.data, separators=(",", ":"))
        return f"{name}data: {data}\n\n".encode()


class Wire(Protocol):
    """A provider's format."""

    name: str
    tells_length_in_stream: bool
    """Whether a request that is too long is refused by an event of the stream rather than by a status."""

    def parse(self, body: Mapping[str, Any]) -> Asked:
        """Understand a request; raises Malformed."""
        ...

    def whole(self, answer: Answer) -> dict[str, Any]:
        """The body of a reply that is not streamed."""
        ...

    def frames(self, answer: Answer) -> Iterator[Frame]:
        """The events of a streamed reply."""
        ...

    def refusal(self, problem: Problem) -> dict[str, Any]:
        """The body of a reply that carries an error status."""
        ...

    def broken(self, answer: Answer, problem: Problem) -> Frame:
        """The event that tells, in the middle of a stream, that nothing more will come."""
        ...


def pieces(text: str) -> Iterator[str]:
    """A text in the few parts a model streams it in: at least two, so that a stream can break between them."""
    count = min(max(len(text) // 80, 2), 8)
    size = max(1, -(-len(text) // count))
    return (text[start : start + size] for start in range(0, len(text), size))


def text_in(content: Any) -> list[str]:
    """The texts of a message's content: a string, or parts of which those without text are named in brackets."""
    if content is None:
        return []
    if isinstance(content, str):
        return [content]
    return [_text_of(part) for part in records(content, "content")]


def records(value: Any, what: str) -> Sequence[Mapping[str, Any]]:
    """A list of objects; raises Malformed for anything else, None aside."""
    if value is None:
        return ()
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise Malformed(f"`{what}` must be a list of objects")
    return value


def text_at(record: Mapping[str, Any], key: str) -> str:
    """A string field; empty when it is missing or null; raises Malformed for anything else."""
    value = record.get(key)
    if value is not None and not isinstance(value, str):
        raise Malformed(f"`{key}` must be a string")
    return value or ""


def arguments_in(text: str) -> dict[str, Any]:
    """The arguments of a call that travel as JSON text; what is no object is kept as free text."""
    try:
        value = json.loads(text or "{}")
    except ValueError:
        value = text
    return value if isinstance(value, dict) else {FREE_TEXT: text}


def schema_in(value: Any) -> dict[str, Any]:
    """A tool's JSON Schema; one that takes anything when there is none."""
    return value if isinstance(value, dict) else {"type": "object", "properties": {}}


def _text_of(part: Mapping[str, Any]) -> str:
    for key in ("text", "refusal"):
        if isinstance(part.get(key), str):
            return str(part[key])
    return f"[{part.get('type') or 'unknown part'}]"
