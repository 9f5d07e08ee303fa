"""Traces told in a few words: what the agent said, which calls it made and what they gave back."""

from dataclasses import dataclass, field
from typing import Any

from workbench.traces.records import (
    AssistantTurn,
    Block,
    Change,
    LoadedFile,
    Meta,
    TextBlock,
    ToolCall,
    ToolResultTurn,
    Trace,
    Turn,
    UserTurn,
)

WORKSPACE = "/nowhere/shed"


@dataclass
class Call:
    """A tool call and its result; `result=None` leaves it unanswered."""

    name: str
    arguments: dict[str, Any] = field(default_factory=dict)
    result: str | None = "some text"
    error: bool = False
    guidance: tuple[LoadedFile, ...] = ()


def bash(command: str, result: str | None = "some text", *, error: bool = False) -> Call:
    """A shell command."""
    return Call("Bash", {"command": command}, result, error)


def read(path: str, result: str | None = "some text", *, error: bool = False, loads: str = "") -> Call:
    """A read, perhaps bringing in guidance."""
    guidance = (LoadedFile(path=loads, layer="conditional", via=path, text="Mind the hens."),) if loads else ()
    return Call("Read", {"file_path": path}, result, error, guidance)


def grep(pattern: str, path: str = "") -> Call:
    """A search."""
    return Call("Grep", {"pattern": pattern, "path": path} if path else {"pattern": pattern})


def make(
    *steps: str | Call | list[str | Call],
    prompt: str = "Where do eggs go?",
    changes: tuple[Change, ...] = (),
    parent: str = "",
    **meta: Any,
) -> Trace:
    """A trace of one message a step; a list is one message with several parts."""
    meta = {"engine": "reader", "workspace": WORKSPACE, "tools": ("Read", "Grep", "Bash", "Edit", "Write"), **meta}
    turns: list[Turn] = [UserTurn(turn_index=0, content=(TextBlock(text=prompt),))]
    for step in steps:
        _add(turns, step if isinstance(step, list) else [step], parent)
    return Trace(meta=Meta(prompt=prompt, **meta), turns=tuple(turns), changes=changes)


def _add(turns: list[Turn], parts: list[str | Call], parent: str) -> None:
    blocks: list[Block] = []
    answered: list[tuple[str, Call]] = []
    for number, part in enumerate(parts):
        if isinstance(part, str):
            blocks.append(TextBlock(text=part))
            continue
        name = f"call-{len(turns)}-{number}"
        blocks.append(ToolCall(id=name, name=part.name, arguments=part.arguments))
        answered.append((name, part))
    turns.append(AssistantTurn(turn_index=len(turns), content=tuple(blocks), parent=parent))
    for name, call in answered:
        if call.result is not None:
            turns.append(
                ToolResultTurn(
                    turn_index=len(turns),
                    tool_use_id=name,
                    content=(TextBlock(text=call.result),),
                    is_error=call.error,
                    guidance=call.guidance,
                    parent=parent,
                )
            )
