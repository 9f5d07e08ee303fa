"""Sessions of any shape, and the requests that clients of each provider would send them in."""

import json
from collections.abc import Callable, Sequence
from typing import Any

from hypothesis import strategies as st

from workbench.brains.protocol import ToolSchema
from workbench.text.sanitize import clean
from workbench.traces.records import (
    AssistantTurn,
    Block,
    TextBlock,
    ThinkingBlock,
    ToolCall,
    ToolResultTurn,
    Turn,
    UserTurn,
)

Request = Callable[[str, Sequence[Turn], Sequence[ToolSchema]], dict[str, Any]]

texts = st.text(st.characters(codec="utf-8"), min_size=1, max_size=40).map(clean)
arguments = st.dictionaries(st.text("abc", min_size=1), texts | st.integers() | st.booleans(), max_size=3)


@st.composite
def conversations(draw: st.DrawFn) -> tuple[Turn, ...]:
    """A prompt, then messages of the model with their calls answered, ending with what it is to answer."""
    turns: list[Turn] = [_user(0, draw(texts))]
    for round_ in range(draw(st.integers(0, 3))):
        said = draw(messages(f"c{round_}"))
        turns.append(AssistantTurn(turn_index=len(turns), content=said))
        calls = [block for block in said if isinstance(block, ToolCall)]
        for call in calls:
            content = (TextBlock(text=draw(texts)),)
            turns.append(ToolResultTurn(turn_index=len(turns), tool_use_id=call.id, content=content))
        if not calls:
            turns.append(_user(len(turns), draw(texts)))
    return tuple(turns)


@st.composite
def messages(draw: st.DrawFn, key: str = "c") -> tuple[Block, ...]:
    """What a model says in one message: thoughts, words, calls, in that order, at least one of them."""
    blocks: list[Block] = [ThinkingBlock(text=text) for text in draw(st.lists(texts, max_size=1))]
    blocks += [TextBlock(text=text) for text in draw(st.lists(texts, max_size=1))]
    for number, given in enumerate(draw(st.lists(arguments, min_size=0 if blocks else 1, max_size=2))):
        blocks.append(ToolCall(id=f"{key}_{number}", name="Read", arguments=given))
    return tuple(blocks)


def anthropic_request(system: str, turns: Sequence[Turn], tools: Sequence[ToolSchema]) -> dict[str, Any]:
    """As Anthropic's clients send it, all results of a message in one message of the user."""
    said: list[dict[str, Any]] = []
    for turn in turns:
        if isinstance(turn, ToolResultTurn):
            result = {"type": "tool_result", "tool_use_id": turn.tool_use_id, "content": turn.text}
            if said[-1]["role"] == "assistant":
                said.append({"role": "user", "content": []})
            said[-1]["content"].append(result)
        else:
            said.append({"role": turn.role, "content": [_anthropic_block(block) for block in turn.content]})
    told = [{"name": tool.name, "description": tool.description, "input_schema": tool.input_schema} for tool in tools]
    return {"model": "m", "system": [{"type": "text", "text": system}], "messages": said, "tools": told}


def responses_request(system: str, turns: Sequence[Turn], tools: Sequence[ToolSchema]) -> dict[str, Any]:
    """As codex sends it."""
    items: list[dict[str, Any]] = [{"role": "developer", "content": [{"type": "input_text", "text": system}]}]
    for turn in turns:
        if isinstance(turn, ToolResultTurn):
            items.append({"type": "function_call_output", "call_id": turn.tool_use_id, "output": turn.text})
        elif isinstance(turn, UserTurn):
            items.append({"role": "user", "content": [{"type": "input_text", "text": b.text} for b in turn.content]})
        else:
            items += [_responses_item(block) for block in turn.content]
    told = [
        {"type": "function", "name": tool.name, "description": tool.description, "parameters": tool.input_schema}
        for tool in tools
    ]
    return {"model": "m", "input": items, "tools": told}


def chat_request(system: str, turns: Sequence[Turn], tools: Sequence[ToolSchema]) -> dict[str, Any]:
    """As pi sends it."""
    said: list[dict[str, Any]] = [{"role": "system", "content": system}]
    for turn in turns:
        if isinstance(turn, ToolResultTurn):
            said.append({"role": "tool", "tool_call_id": turn.tool_use_id, "content": turn.text})
        elif isinstance(turn, UserTurn):
            said.append({"role": "user", "content": [{"type": "text", "text": block.text} for block in turn.content]})
        else:
            said.append(_chat_message(turn))
    told = [
        {
            "type": "function",
            "function": {"name": tool.name, "description": tool.description, "parameters": tool.input_schema},
        }
        for tool in tools
    ]
    return {"model": "m", "messages": said, "tools": told}


def _user(index: int, text: str) -> UserTurn:
    return UserTurn(turn_index=index, content=(TextBlock(text=text),))


def _anthropic_block(block: Block) -> dict[str, Any]:
    match block:
        case TextBlock():
            return {"type": "text", "text": block.text}
        case ThinkingBlock():
            return {"type": "thinking", "thinking": block.text, "signature": "s"}
        case ToolCall():
            return {"type": "tool_use", "id": block.id, "name": block.name, "input": block.arguments}


def _responses_item(block: Block) -> dict[str, Any]:
    match block:
        case TextBlock():
            content = [{"type": "output_text", "text": block.text, "annotations": []}]
            return {"type": "message", "role": "assistant", "content": content}
        case ThinkingBlock():
            return {"type": "reasoning", "summary": [{"type": "summary_text", "text": block.text}]}
        case ToolCall():
            given = json.dumps(block.arguments)
            return {"type": "function_call", "call_id": block.id, "name": block.name, "arguments": given}


def _chat_message(turn: AssistantTurn) -> dict[str, Any]:
    thoughts = [block.text for block in turn.content if isinstance(block, ThinkingBlock)]
    calls = [
        {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": json.dumps(call.arguments)}}
        for call in turn.calls
    ]
    message: dict[str, Any] = {"role": "assistant", "content": turn.text or None, "tool_calls": calls or None}
    return message | ({"reasoning_content": thoughts[0]} if thoughts else {})
