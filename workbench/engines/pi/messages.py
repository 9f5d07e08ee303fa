"""pi's messages as records, the same in its stream and in its session files; odd ones give little, never an error."""

import os
import re
from pathlib import Path

from workbench.engines.json_parts import Json, count, dollars, record, records, text
from workbench.traces.records import Block, LoadedFile, TextBlock, ThinkingBlock, TokenLedger, ToolCall

_PROMPT_FILES = {"preamble": ".pi/SYSTEM.md", "addendum": ".pi/APPEND_SYSTEM.md"}
"""Sections of a system message, and the files of the folder pi starts in that they may come from."""

_INSTRUCTIONS = re.compile(
    r'<project_instructions path="([^"\n]+)">\n(.*?)\n?</project_instructions>'
    r"(?=\s*(?:<project_|</project_context>|\Z))",
    re.DOTALL,
)


def said(content: object) -> str:
    """The words of a message's content, which is a string or a list of blocks; a picture is named, not shown."""
    if isinstance(content, str):
        return content
    parts = [text(block.get("text")) if block.get("type") != "image" else "[image]" for block in records(content)]
    return "\n".join(part for part in parts if part)


def blocks(message: Json) -> tuple[Block, ...]:
    """The content of an assistant message, empty pieces left out."""
    found: list[Block] = []
    for block in records(message.get("content")):
        match block.get("type"):
            case "text" if text(block.get("text")):
                found.append(TextBlock(text=block["text"]))
            case "thinking" if text(block.get("thinking")):
                found.append(ThinkingBlock(text=block["thinking"]))
            case "toolCall":
                name, call = text(block.get("name")), text(block.get("id"))
                found.append(ToolCall(id=call, name=name, arguments=record(block.get("arguments"))))
    return tuple(found)


def ledger(message: Json) -> TokenLedger:
    """Tokens of an assistant message; pi's `input` has no cached tokens in it, as ours has none."""
    usage = record(message.get("usage"))
    return TokenLedger(
        input=count(usage.get("input")),
        cache_read=count(usage.get("cacheRead")),
        cache_creation=count(usage.get("cacheWrite")),
        output=count(usage.get("output")),
    )


def cost(message: Json) -> float | None:
    """US dollars pi reckoned for a message; None when it knew no prices, which it tells as zero."""
    return dollars(record(record(message.get("usage")).get("cost")).get("total")) or None


def guidance(message: Json, workspace: Path, cwd: str = ".") -> tuple[LoadedFile, ...]:
    """The guidance files a system message holds, in order; only pi since 1.0 writes such messages.

    Files that replace or extend pi's own prompt come into it without their names: they are known by their words, as
    long as the workspace is there.
    """
    sections = record(message.get("sections"))
    found = []
    for section, name in _PROMPT_FILES.items():
        body = _content(workspace / cwd / name)
        if body.strip() and body.strip() in text(sections.get(section)):
            found.append((str(workspace / cwd / name), body))
    found += _INSTRUCTIONS.findall(text(sections.get("project_context")))
    return tuple(
        LoadedFile(path=_box_relative(path, workspace), layer="always", size=len(body), text=body)
        for path, body in found
    )


def _content(path: Path) -> str:
    try:
        return path.read_text("utf-8", "replace") if path.is_file() else ""
    except OSError:
        return ""


def _box_relative(path: str, workspace: Path) -> str:
    root, real = os.path.realpath(workspace), os.path.realpath(path)
    return os.path.relpath(real, root).replace(os.sep, "/") if real.startswith(root + os.sep) else path
