"""Parts of a message as Claude Code writes them, on its stream and on the disk alike: any JSON in, our records out."""

from typing import Any

from workbench.engines.json_parts import Json, count, record, records, text
from workbench.traces.records import Block, TextBlock, ThinkingBlock, TokenLedger, ToolCall

SYNTHETIC = "<synthetic>"
"""The model that Claude Code names for messages of its own, such as an error told in the agent's place."""


def items(value: Any) -> list[Json]:
    """The parts of a message's content; a plain string counts as one text block, anything else as nothing."""
    if isinstance(value, str):
        return [{"type": "text", "text": value}]
    return records(value)


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
                call, name = text(item.get("id")), text(item.get("name"))
                found.append(ToolCall(id=call, name=name, arguments=record(item.get("input"))))
    return found


def words(content: Any) -> str:
    """A tool's result as text: its text blocks joined by newlines, other kinds named in brackets."""
    parts = [
        text(item.get("text")) if item.get("type") == "text" else f"[{item.get('type')}]" for item in items(content)
    ]
    return "\n".join(parts)


def ledger(usage: Json) -> TokenLedger:
    """Counted tokens of one message."""
    return TokenLedger(
        input=count(usage.get("input_tokens")),
        cache_read=count(usage.get("cache_read_input_tokens")),
        cache_creation=count(usage.get("cache_creation_input_tokens")),
        output=count(usage.get("output_tokens")),
    )
