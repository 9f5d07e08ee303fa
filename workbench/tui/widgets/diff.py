"""A unified diff as coloured lines; the signs alone tell it without colour."""

import re

from textual.content import Content

from workbench.tui.transcript.words import shown
from workbench.tui.widgets.hanging import Line

_STYLES = {"+++": "$dim", "---": "$dim", "@@": "$secondary", "+": "$success", "-": "$error"}
_MARGIN = re.compile(r"(?:[-+ ]\s{0,16}(?:# )?)?")
"""The sign, the indentation, the sign of a comment: a wrapped line goes on under the words behind them."""


def diff_lines(diff: str) -> list[Line]:
    """The diff, a style a line; no wrapped line looks like one of its own."""
    return [_line(line) for line in shown(diff).rstrip("\n").split("\n")]


def added(text: str) -> list[Line]:
    """A whole file as it would be added."""
    return [_line(f"+{line}") for line in shown(text).rstrip("\n").split("\n")]


def _line(line: str) -> Line:
    style = next((style for sign, style in _STYLES.items() if line.startswith(sign)), "$foreground")
    match = _MARGIN.match(line)
    margin = match.end() if match and not line.startswith(("+++", "---")) else 0
    return Content.styled(line[:margin], style), Content.styled(line[margin:], style)
