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


def diff_content(diff: str) -> Content:
    """The diff as one text, for where nothing must be told apart at the margin."""
    return Content("\n").join(lead + words for lead, words in diff_lines(diff))


def added(text: str) -> Content:
    """A whole file as it would be added."""
    lines = shown(text).rstrip("\n").split("\n")
    return Content("\n").join(Content.styled(f"+{line}", "$success") for line in lines)


def _line(line: str) -> Line:
    style = next((style for sign, style in _STYLES.items() if line.startswith(sign)), "$foreground")
    match = _MARGIN.match(line)
    margin = match.end() if match and not line.startswith(("+++", "---")) else 0
    return Content.styled(line[:margin], style), Content.styled(line[margin:], style)
