"""`@path` imports of a guidance file, as Claude Code follows them."""

import re

_IMPORT = re.compile(r"(?:^|(?<=[\s(]))@((?:[^\s\\`]|\\ )+)")
_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})")
_SPAN = re.compile(r"(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)")
DEPTH = 5
"""Hops an import chain may take."""


def find(text: str) -> tuple[str, ...]:
    """The paths a text imports, in order, each once; code spans and fences hold none."""
    found: dict[str, None] = {}
    for line in prose_lines(text):
        for match in _IMPORT.finditer(_SPAN.sub(" ", line)):
            path = match[1].replace("\\ ", " ").split("#")[0].rstrip(".,;:!?)\"'")
            if path:
                found[path] = None
    return tuple(found)


def prose_lines(text: str) -> list[str]:
    """A text's lines with those of code fences emptied, so that line numbers stay."""
    lines, mark = [], ""
    for line in text.split("\n"):
        fence = _FENCE.match(line)
        if mark:
            if fence and fence[1].startswith(mark) and not line.strip().strip(mark[0]):
                mark = ""
            lines.append("")
        elif fence:
            mark = fence[1]
            lines.append("")
        else:
            lines.append(line)
    return lines
