"""A session in the shape of Anthropic's Messages API, and that API's message as a proposal."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from workbench.brains.protocol import Proposal, Ran, Spoken, ToolSchema
from workbench.traces.records import (
    AssistantTurn,
    Block,
    TextBlock,
    ThinkingBlock,
    TokenLedger,
    ToolCall,
    ToolResultTurn,
    Turn,
)

if TYPE_CHECKING:
    from anthropic.types import Message

MAX_TOKENS = 32_000
"""Longest message asked for, thinking included; what every current model allows."""

_MARK = {"cache_control": {"type": "ephemeral"}}
"""Has the provider keep everything up to here for the next request."""
_WEB = {"web_search": "WebSearch", "web_fetch": "WebFetch"}
"""The provider's own tools by its names, and their names in traces."""
_WEB_TOOLS = (
    {"type": "web_search_20250305", "name": "web_search"},
    {"type": "web_fetch_20250910", "name": "web_fetch"},
)
WEB = tuple(_WEB.values())
"""Tools that the provider runs itself, as a trace names them."""


def request(
    model: str, system: str, messages: Sequence[Turn], tools: Sequence[ToolSchema], web: bool
) -> dict[str, Any]:
    """The request for the next message. `web` offers the provider's own web tools.

    Four places are marked for its cache, all it allows: the tools, the system prompt, where the last request ended
    and where this one ends. The third matters when many calls at once put the fourth too far from what is kept.
    """
    offered: list[dict[str, Any]] = [
        {"name": tool.name, "description": tool.description, "input_schema": tool.input_schema} for tool in tools
    ]
    offered += [dict(tool) for tool in _WEB_TOOLS] if web else []
    told = _told(messages)
    for message in [message for message in told if message["role"] == "user"][-2:]:
        message["content"][-1] |= _MARK
    if offered:
        offered[-1] |= _MARK
    return {
        "model": model,
        "max_tokens": MAX_TOKENS,
        "system": [{"type": "text", "text": system, **_MARK}],
        "messages": told,
        **({"tools": offered} if offered else {}),
    }


def _told(messages: Iterable[Turn]) -> list[dict[str, Any]]:
    """The turns as alternating messages; results of calls the provider ran are left out, it holds them itself."""
    told: list[dict[str, Any]] = []
    ours: set[str] = set()
    for turn in messages:
        if isinstance(turn, AssistantTurn):
            role, content = "assistant", _said(turn)
            ours |= {block["id"] for block in content if block["type"] == "tool_use"}
        elif isinstance(turn, ToolResultTurn):
            role, content = "user", [_result(turn)] if turn.tool_use_id in ours else []
        else:
            role, content = "user", [{"type": "text", "text": block.text} for block in turn.content if block.text]
        if content and told and told[-1]["role"] == role:
            told[-1]["content"] += content
        elif content:
            told.append({"role": role, "content": content})
    return told


def _said(turn: AssistantTurn) -> list[dict[str, Any]]:
    """What the model said: word for word where we have it, since its thoughts are signed with all that was before."""
    if isinstance(turn, Spoken) and isinstance(turn.verbatim, list):
        return [dict(block) for block in turn.verbatim]
    told: list[dict[str, Any]] = []
    for block in turn.content:
        if isinstance(block, ToolCall):
            told.append({"type": "tool_use", "id": block.id, "name": block.name, "input": block.arguments})
        elif isinstance(block, TextBlock) and block.text:
            told.append({"type": "text", "text": block.text})
    return told


def _result(turn: ToolResultTurn) -> dict[str, Any]:
    content = [{"type": "text", "text": turn.text}] if turn.text else []
    return {"type": "tool_result", "tool_use_id": turn.tool_use_id, "content": content, "is_error": turn.is_error}


def proposal(message: "Message") -> Proposal:
    """What a finished message proposes; blocks of kinds that were never asked for are passed over."""
    raw = [block.to_dict(mode="json") for block in message.content]
    usage = message.usage
    return Proposal(
        content=tuple(block for told in raw if (block := _block(told)) is not None),
        tokens=TokenLedger(
            input=usage.input_tokens or 0,
            cache_read=usage.cache_read_input_tokens or 0,
            cache_creation=usage.cache_creation_input_tokens or 0,
            output=usage.output_tokens or 0,
        ),
        model=str(message.model or ""),
        ran=tuple(_ran(told) for told in raw if str(told["type"]).removesuffix("_tool_result") in _WEB),
        unfinished=message.stop_reason == "pause_turn",
        # An empty text is refused when it is said back.
        verbatim=[told for told in raw if told["type"] != "text" or told.get("text")],
    )


def _block(told: dict[str, Any]) -> Block | None:
    kind = told["type"]
    if kind == "text" and told.get("text"):
        return TextBlock(text=told["text"])
    if kind == "thinking" and told.get("thinking"):
        return ThinkingBlock(text=told["thinking"])
    if kind == "tool_use" or (kind == "server_tool_use" and told["name"] in _WEB):
        arguments = told.get("input")
        name = _WEB.get(told["name"], told["name"]) if kind == "server_tool_use" else told["name"]
        return ToolCall(id=told["id"], name=name, arguments=arguments if isinstance(arguments, dict) else {})
    return None


def _ran(told: dict[str, Any]) -> Ran:
    """What a web tool gave: the pages found, or the text of the one fetched."""
    content = told.get("content")
    if isinstance(content, list):
        pages = [f"{page.get('title', '')}\n{page.get('url', '')}" for page in content if isinstance(page, dict)]
        return Ran(told["tool_use_id"], "\n\n".join(pages) or "No results found")
    content = content if isinstance(content, dict) else {}
    if "error_code" in content:
        return Ran(told["tool_use_id"], str(content["error_code"]), is_error=True)
    page = content.get("content") or {}
    source = page.get("source") or {}
    text = source.get("data", "") if source.get("type") == "text" else f"[{source.get('media_type', 'no content')}]"
    return Ran(told["tool_use_id"], f"{content.get('url', '')}\n\n{text}")
