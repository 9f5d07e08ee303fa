"""A tool call as its one line: what was asked of which tool, and how much came back."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from workbench.traces.records import ToolCall, ToolResultTurn
from workbench.traces.tools import TOOLS, Tool
from workbench.tui.transcript.blocks import Head
from workbench.tui.transcript.words import shown

_LONG = 60
_NOTHING = ("No matches found", "No files found")
"""What searching tools say instead of hits."""


@dataclass(frozen=True, slots=True)
class Call:
    """One call, its words sanitized; `arguments` holds those too long for the head, a `key: value` each."""

    name: str
    subject: str = ""
    aside: str = ""
    """Where, and the short arguments."""
    arguments: str = ""
    kind: str = ""
    """The tool's kind in the one table of tools; empty for a tool that is not in it."""
    inner: bool = False
    """Whether a sub-agent made it."""

    @classmethod
    def of(cls, part: ToolCall, workspace: str, *, inner: bool = False) -> "Call":
        """Read the call's subject out of its arguments; paths inside the workspace become relative."""
        arguments = part.arguments
        tool = TOOLS.get(part.name)
        key = _subject(tool, arguments)
        place = next((name for name in tool.path if arguments.get(name)), "") if tool and key in tool.query else ""
        long = [name for name, value in arguments.items() if _is_long(value)]
        told = {key, place, *long}
        rest = [name for name, value in arguments.items() if name not in told and value not in (None, "", False)]
        asides = [f"in {_line(arguments[place], workspace)}"] if place else []
        asides += [f"{shown(name)} {_line(arguments[name], workspace)}" for name in rest]
        return cls(
            name=shown(part.name).replace("\n", " ") or "tool",
            subject=_line(arguments.get(key, ""), workspace),
            aside="  ".join(asides),
            arguments="\n".join(f"{shown(name)}: {_value(arguments[name])}" for name in long),
            kind=tool.kind if tool else "",
            inner=inner,
        )

    @property
    def previews(self) -> bool:
        """Whether a few lines of the result say more than their count; a file that was read does not."""
        return self.kind not in ("read", "skill") and not self.arguments

    def head(self, measure: str = "", *, failed: bool = False, loaded: Sequence[str] = ()) -> Head:
        """The line, before the result (no measure) or after it, with the guidance that came along."""
        style = "failed" if failed else "tool" if measure else "pending"
        inner = "sub-agent" if self.inner else ""
        aside = "  ".join(part for part in (self.aside, inner, *(f"◇ {path}" for path in loaded)) if part)
        return Head(
            glyph="✗" if failed else "●",
            name=self.name,
            detail=self.subject,
            aside=aside,
            measure=measure or "…",
            style=style,
            measure_style="failed" if failed else "dim",
        )


def measure_result(kind: str, text: str, turn: ToolResultTurn) -> str:
    """How much came back and how long it took; for an error its first line."""
    if turn.is_error:
        return text.strip().split("\n", 1)[0] or "failed"
    empty = not text.strip() or (kind == "search" and text.strip() in _NOTHING)
    lines = 0 if empty else text.rstrip("\n").count("\n") + 1
    word = "hit" if kind == "search" else "line"
    seconds = f"  {turn.duration_ms / 1000:.1f} s" if turn.duration_ms >= 50 else ""
    return f"{lines} {word}{'' if lines == 1 else 's'}{seconds}"


def _subject(tool: Tool | None, arguments: dict[str, Any]) -> str:
    """The argument a call is about: what it searches, the command it runs, the path it opens, else its first text."""
    known = (*tool.query, *tool.command, *tool.path) if tool else ()
    texts = [name for name, value in arguments.items() if isinstance(value, str) and value]
    return next((name for name in known if arguments.get(name)), next(iter(texts), ""))


def _is_long(value: Any) -> bool:
    return isinstance(value, str) and ("\n" in value or len(value) > _LONG)


def _line(value: Any, workspace: str) -> str:
    text = _value(value).strip()
    if workspace and text.startswith(f"{workspace}/"):
        text = text[len(workspace) + 1 :]
    return text.replace("\n", " ⏎ ")


def _value(value: Any) -> str:
    return shown(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
