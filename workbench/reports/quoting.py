"""Ways to put foreign text into Markdown so that it stays text: no headings, rules, links, pictures or HTML."""

import re

from workbench.text.sanitize import clean, clean_line

_ACTIVE = re.compile(r"[\\`*\[\]<>#|~&$]|(?<!\w)_|_(?!\w)|:(?=//)|\.(?<=www\.)")
_LINE = 10_000
_SPAN = 500


def inline(text: str) -> str:
    """Running text on one line, for the middle of a line or a table cell; what Markdown could act on is escaped."""
    return _ACTIVE.sub(r"\\\g<0>", clean_line(text, _LINE))


def code(text: str) -> str:
    """A code span on one line, a long text cut; its fence is longer than any run of backticks inside."""
    line = clean_line(text, _SPAN)
    ticks = "`" * (_longest_run(line) + 1)
    pad = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{ticks}{pad}{line}{pad}{ticks}" if line else "(empty)"


def quote(text: str) -> str:
    """Any text, whole, as `> ` lines around a fence it cannot close."""
    return "\n".join(f"> {line}" for line in fence("text", clean(text).strip("\n")).split("\n"))


def fence(info: str, body: str) -> str:
    """A fenced block whose fence is longer than any run of backticks in the body."""
    ticks = "`" * max(3, _longest_run(body) + 1)
    return f"{ticks}{info}\n{body}\n{ticks}"


def _longest_run(text: str) -> int:
    return max((len(run) for run in re.findall("`+", text)), default=0)
