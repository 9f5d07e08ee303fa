"""Requests to do something that say exactly what: run this command, write this file, open that one."""

import re
from dataclasses import dataclass
from typing import Literal

_START = r"(?:^|(?<=[.!:]\s)|(?<=\n)|\bplease\s+|\bthen\s+|\band\s+)"
_RUN = re.compile(rf"{_START}(?:run|execute)\b[^`\n?]{{0,60}}`([^`\n]+)`(?![^\n]*\?)", re.IGNORECASE)
_WRITE = re.compile(
    rf"{_START}(?:create|write|add|make)\b[^`\n?]{{0,80}}`([^`\n]+)`[^`?]*?\n```[^\n`]*\n(.*?)\n?```",
    re.IGNORECASE | re.DOTALL,
)

_OPEN = re.compile(
    rf"{_START}(?:open|read|look\s+(?:at|into)|have\s+a\s+look\s+at)\s+(?:the\s+file\s+)?`?([\w./-]+\.\w+)`?",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Request:
    """One deed spelled out in a prompt."""

    kind: Literal["command", "write"]
    target: str
    content: str = ""


def spelled_out(prompt: str) -> tuple[Request, ...]:
    """The commands to run and files to write that a prompt gives word for word, in order."""
    found = [(match.start(), Request("write", match[1], f"{match[2]}\n")) for match in _WRITE.finditer(prompt)]
    prose = _WRITE.sub(lambda match: " " * len(match[0]), prompt)
    found += [(match.start(), Request("command", match[1])) for match in _RUN.finditer(prose)]
    return tuple(request for _, request in sorted(found, key=lambda pair: pair[0]))


def to_open(prompt: str) -> tuple[str, ...]:
    """The files a prompt says to open before it asks, in order."""
    return tuple(match[1] for match in _OPEN.finditer(prompt))
