"""`@path` imports of a guidance file, as Claude Code follows them."""

import re
from dataclasses import dataclass
from functools import lru_cache

from workbench.guidance.tree import join

_IMPORT = re.compile(r"(?:^|(?<=\s))@((?:[^\s\\`]|\\ )+)")
_PATH = re.compile(r"(?:\./|\.\./|~/|/)?[\w.-]")
_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})")
_SPAN = re.compile(r"(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)")
_EMPHASIS = re.compile(r"(\*{1,3}|(?<!\w)_{1,3})(?=@)(\S+?)\1")
_ITEM = re.compile(r"\s*(?:[-*+]|\d+[.)])\s")
DEPTH = 4
"""Hops an import chain may take."""


@dataclass(frozen=True, slots=True)
class Import:
    """One import as it stands in a text."""

    name: str
    """The path as it is written."""
    line: int
    """1-based line that names it first."""

    def target(self, importing: str) -> str:
        """The box-relative path that `importing` means; from the home folder or the system's root it leaves the box."""
        if self.name.startswith(("~", "/")):
            return f"../{self.name}"
        return join(importing.rpartition("/")[0], self.name)


@lru_cache(maxsize=1024)
def find(text: str) -> tuple[Import, ...]:
    """What a text imports, in order, each once; code and comment blocks hold none.

    A path ends at a blank: a full stop or bracket at its end belongs to it, so that it names no file.
    """
    if "@" not in text:
        return ()
    found: dict[str, Import] = {}
    for number, line in enumerate(_without_indented(prose_lines(without_comments(text))), 1):
        for match in _IMPORT.finditer(_EMPHASIS.sub(r" \2 ", _SPAN.sub(" ", line))):
            path = match[1].replace("\\ ", " ").split("#")[0]
            if _PATH.match(path):
                found.setdefault(path, Import(path, number))
    return tuple(found.values())


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


def without_comments(text: str) -> str:
    """A text with the lines of its comment blocks emptied: those that start a line and end one, outside code fences."""
    if "<!--" not in text:
        return text
    lines, prose = text.split("\n"), prose_lines(text)
    start = 0
    while start < len(lines):
        if not prose[start].startswith("<!--"):
            start += 1
            continue
        end = next((n for n in range(start, len(lines)) if "-->" in lines[n]), len(lines) - 1)
        if lines[end].rstrip().endswith("-->"):
            lines[start : end + 1] = [""] * (end + 1 - start)
        start = end + 1
    return "\n".join(lines)


def _without_indented(lines: list[str]) -> list[str]:
    """Lines with blocks of indented code emptied: they follow a blank line, and no list that they could be part of."""
    kept, before, listed = [], "", False
    for line in lines:
        indented = line.startswith(("    ", "\t"))
        code = indented and not listed and not before.strip()
        if line.strip() and not indented:
            listed = bool(_ITEM.match(line))
        kept.append("" if code else line)
        before = kept[-1]
    return kept
