"""What an endpoint was asked."""

from dataclasses import dataclass, field
from typing import Any

from workbench.brains.protocol import ToolSchema
from workbench.traces.records import Turn

_CREDENTIALS = ("authorization", "x-api-key", "api-key", "cookie", "proxy-authorization")


@dataclass
class Received:
    """One HTTP request, in the order they came, and in a word what became of it."""

    method: str
    path: str
    """With its query."""
    headers: dict[str, str]
    """Names in lower case; credentials are told by their length only."""
    body: dict[str, Any] = field(default_factory=dict, repr=False)
    """The JSON object that was sent; empty when none was."""
    wire: str = ""
    """Name of the wire format; empty for what does not ask for a message."""
    model: str = ""
    system: str = field(default="", repr=False)
    messages: tuple[Turn, ...] = field(default=(), repr=False)
    tools: tuple[ToolSchema, ...] = field(default=(), repr=False)
    answered: str = ""
    """The status, and what was said, called or spoiled; empty until then."""


def shown_headers(headers: list[tuple[str, str]]) -> dict[str, str]:
    """Headers fit to be kept: whoever runs a CLI here may have left a real key in its environment."""
    lower = ((name.lower(), value) for name, value in headers)
    return {name: f"[{len(value)} characters]" if name in _CREDENTIALS else value for name, value in lower}
