"""A tool call as its one line: what was asked of which tool, and how much came back."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from workbench.traces.records import ToolCall, ToolResultTurn
from workbench.tui.transcript.blocks import Head
from workbench.tui.transcript.words import shown

Kind = Literal["read", "search", "other"]

_SUBJECT = ("file_path", "pattern", "query", "command", "path", "url", "skill", "name", "description")
_LONG = 60


@dataclass(frozen=True, slots=True)
class Call:
    """One call, its words sanitized; `arguments` holds what the head cannot show, a `key: value` a line."""

    name: str
    subject: str
    place: str = ""
    arguments: str = ""
    kind: Kind = "other"
    inner: bool = False

    @classmethod
    def of(cls, part: ToolCall, workspace: str, *, inner: bool = False) -> "Call":
        """Read the call's subject out of its arguments; paths inside the workspace become relative."""
        arguments = part.arguments
        key = next((name for name in _SUBJECT if arguments.get(name)), "")
        place = "path" if key in ("pattern", "query") and arguments.get("path") else ""
        told = (key, place)
        rest = [name for name, value in arguments.items() if name not in told and value not in (None, "", False)]
        if key and _is_long(arguments[key]):
            rest.insert(0, key)
        kind: Kind = "read" if key == "file_path" and not rest else "search" if key in ("pattern", "query") else "other"
        return cls(
            name=shown(part.name).replace("\n", " ") or "tool",
            subject=_line(arguments.get(key, ""), workspace),
            place=f"in {_line(arguments[place], workspace)}" if place else "",
            arguments="\n".join(f"{shown(name)}: {_value(arguments[name])}" for name in rest),
            kind=kind,
            inner=inner,
        )

    @property
    def previews(self) -> bool:
        """Whether a few lines of the result say more than their count; a file that was read does not."""
        return self.kind != "read"

    def head(self, measure: str = "", *, failed: bool = False, loaded: Sequence[str] = ()) -> Head:
        """The line, before the result (no measure) or after it, with the guidance that came along."""
        glyph = "✗" if failed else "●"
        style = "failed" if failed else "tool" if measure else "pending"
        inner = "sub-agent" if self.inner else ""
        aside = "  ".join(part for part in (self.place, inner, *(f"◇ {path}" for path in loaded)) if part)
        return Head(glyph, self.name, self.subject, aside, measure or "…", style, "failed" if failed else "dim")


def measure_result(kind: Kind, text: str, turn: ToolResultTurn) -> str:
    """How much came back and how long it took; for an error its first line."""
    if turn.is_error:
        return text.strip().split("\n", 1)[0] or "failed"
    lines = text.rstrip("\n").count("\n") + 1 if text.strip() else 0
    word = "hit" if kind == "search" else "line"
    seconds = f"  {turn.duration_ms / 1000:.1f} s" if turn.duration_ms >= 50 else ""
    return f"{lines} {word}{'' if lines == 1 else 's'}{seconds}"


def _is_long(value: Any) -> bool:
    return isinstance(value, str) and ("\n" in value or len(value) > _LONG)


def _line(value: Any, workspace: str) -> str:
    text = _value(value).strip()
    if workspace and text.startswith(f"{workspace}/"):
        text = text[len(workspace) + 1 :]
    return text.replace("\n", " ⏎ ")


def _value(value: Any) -> str:
    return shown(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
