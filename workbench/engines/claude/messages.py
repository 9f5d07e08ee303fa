"""Parts of a message as Claude Code writes them, on its stream and on the disk alike: any JSON in, our records out."""

import json
from typing import Any

from workbench.traces.records import Block, TextBlock, ThinkingBlock, TokenLedger, ToolCall

SYNTHETIC = "<synthetic>"
"""The model that Claude Code names for messages of its own, such as an error told in the agent's place."""

_LARGEST = 1 << 53
_DEEPEST = 100


def event(line: bytes) -> dict[str, Any]:
    """The object on a line; empty for a torn line or what is no object."""
    try:
        return obj(json.loads(line))
    except (ValueError, RecursionError):
        return {}


def obj(value: Any) -> dict[str, Any]:
    """The value if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def items(value: Any) -> list[dict[str, Any]]:
    """The objects in a list; a plain string counts as one text block, anything else as nothing."""
    if isinstance(value, str):
        return [{"type": "text", "text": value}]
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def strings(value: Any) -> list[str]:
    """The strings in a list; anything else holds none."""
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def text(value: Any) -> str:
    """The value if it is a string, else an empty one."""
    return value if isinstance(value, str) else ""


def count(value: Any) -> int:
    """The value if it is a plausible count, else 0."""
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < _LARGEST else 0


def blocks(content: Any) -> list[Block]:
    """What an assistant message holds: words, thoughts, calls; kinds we do not know are left out."""
    found: list[Block] = []
    for item in items(content):
        match item.get("type"):
            case "text":
                found.append(TextBlock(text=text(item.get("text"))))
            case "thinking":
                found.append(ThinkingBlock(text=text(item.get("thinking"))))
            case "tool_use" | "server_tool_use":
                found.append(_call(item))
    return found


def words(content: Any) -> str:
    """A tool's result as text: its text blocks joined by newlines, other kinds named in brackets."""
    parts = [
        text(item.get("text")) if item.get("type") == "text" else f"[{item.get('type')}]" for item in items(content)
    ]
    return "\n".join(parts)


def ledger(usage: dict[str, Any]) -> TokenLedger:
    """Counted tokens of one message."""
    return TokenLedger(
        input=count(usage.get("input_tokens")),
        cache_read=count(usage.get("cache_read_input_tokens")),
        cache_creation=count(usage.get("cache_creation_input_tokens")),
        output=count(usage.get("output_tokens")),
    )


def _call(item: dict[str, Any]) -> ToolCall:
    arguments = obj(item.get("input"))
    if _too_deep(arguments):
        arguments = {"unreadable": "arguments nested too deeply"}
    return ToolCall(id=text(item.get("id")), name=text(item.get("name")), arguments=arguments)


def _too_deep(value: Any) -> bool:
    level = [value]
    for _ in range(_DEEPEST):
        if not level:
            return False
        level = [
            inner
            for outer in level
            for inner in (outer.values() if isinstance(outer, dict) else outer)
            if isinstance(inner, dict | list)
        ]
    return True
