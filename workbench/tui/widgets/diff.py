"""A unified diff as coloured lines; the signs alone tell it without colour."""

from textual.content import Content

from workbench.tui.transcript.words import shown

_STYLES = {"+++": "$dim", "---": "$dim", "@@": "$secondary", "+": "$success", "-": "$error"}


def diff_content(diff: str) -> Content:
    """The diff, a style a line."""
    return Content("\n").join(Content.styled(line, _style(line)) for line in shown(diff).rstrip("\n").split("\n"))


def added(text: str) -> Content:
    """A whole file as it would be added."""
    lines = shown(text).rstrip("\n").split("\n")
    return Content("\n").join(Content.styled(f"+{line}", "$success") for line in lines)


def _style(line: str) -> str:
    return next((style for sign, style in _STYLES.items() if line.startswith(sign)), "$foreground")
