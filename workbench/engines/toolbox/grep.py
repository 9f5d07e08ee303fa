"""Grep: lines of files by a regular expression."""

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from workbench.engines.toolbox.place import Place
from workbench.engines.toolbox.tool import Outcome, ToolError, schema
from workbench.guidance import globs
from workbench.text.sanitize import clean

SIZE = 1_000_000
"""Files above this many bytes are left out."""
WIDTH = 500
"""Characters of a matching line that are shown."""
LIMIT = 250
"""Lines or files given when the agent names no limit."""


@dataclass(frozen=True, slots=True)
class _Hits:
    path: str
    lines: list[str]
    matched: list[int]
    """0-based numbers of the matching lines."""


class Grep:
    """Search the workspace's text files; files come sorted by path.

    Python's `re` has no time limit of its own: files are bounded in size, each line is searched by itself, and a
    pattern that runs away ends with the worker process the trial runs in.
    """

    schema = schema(
        "Grep",
        "Search the contents of files with a regular expression.",
        {"pattern": "string: Regular expression, searched line by line"},
        {
            "path": "string: File or folder to search; the working folder when absent",
            "glob": "string: Only files whose path or name matches, such as `*.md`",
            "output_mode": "string: `files_with_matches` (default), `content` or `count`",
            "-i": "boolean: Ignore case",
            "-n": "boolean: Show line numbers with `content` (default true)",
            "-A": "integer: Lines of context after each match",
            "-B": "integer: Lines of context before each match",
            "-C": "integer: Lines of context on both sides",
            "head_limit": "integer: Give at most this many lines or files",
        },
    )

    def run(self, arguments: Mapping[str, Any], place: Place) -> Outcome:
        """Find lines, files or counts, as the output mode asks."""
        try:
            pattern = re.compile(str(arguments["pattern"]), re.IGNORECASE if arguments.get("-i") else 0)
        except re.error as error:
            raise ToolError(f"The pattern is not a regular expression: {error}. Escape it or simplify it.") from error
        hits = _search(place, pattern, str(arguments.get("path", ".")), str(arguments.get("glob", "")))
        mode = str(arguments.get("output_mode", "files_with_matches"))
        if mode not in _SHOWN:
            raise ToolError(f"output_mode must be one of {', '.join(_SHOWN)}.")
        limit = max(1, int(arguments.get("head_limit", LIMIT)))
        shown: list[str] = []
        for line in (line for hit in hits for line in _SHOWN[mode](place, hit, arguments)):
            if len(shown) == limit:
                shown.append(f"[cut after {limit}; narrow the search or raise head_limit]")
                break
            shown.append(line)
        return Outcome("\n".join(shown) or "No matches found")


def _search(place: Place, pattern: re.Pattern[str], named: str, glob: str) -> Iterator[_Hits]:
    start = place.readable(named)
    if not start.exists():
        raise ToolError(f"{named} does not exist; name a file or folder of the workspace.")
    under, anywhere = place.relative(named), _anywhere(pattern)
    for path in [under] if start.is_file() else place.files(under):
        if glob and not globs.covers(glob, path):
            continue
        text = _text(place, path)
        if not anywhere.search(text):
            continue
        lines = text.removesuffix("\n").split("\n")
        matched = [number for number, line in enumerate(lines) if pattern.search(line)]
        if matched:
            yield _Hits(path, lines, matched)


def _anywhere(pattern: re.Pattern[str]) -> re.Pattern[str]:
    """What a text holds of which some line may match: one search of all of it is many times faster than one of each."""
    if "\\A" in pattern.pattern or "\\Z" in pattern.pattern:
        return re.compile(".", re.DOTALL)
    return re.compile(pattern.pattern, pattern.flags | re.MULTILINE)


def _text(place: Place, path: str) -> str:
    """A text file's sanitized text; empty for one that is binary, too big or unreadable."""
    try:
        with open(os.path.join(place.root, path), "rb") as file:
            data = file.read(SIZE + 1)
    except OSError:
        return ""
    return "" if len(data) > SIZE or b"\0" in data else clean(data.decode("utf-8", "replace"))


def _content(place: Place, hit: _Hits, arguments: Mapping[str, Any]) -> Iterator[str]:
    around = int(arguments.get("-C", 0))
    before, after = int(arguments.get("-B", around)), int(arguments.get("-A", around))
    name, matched, last = place.display(hit.path), set(hit.matched), -1
    for number in hit.matched:
        for n in range(max(number - before, last + 1, 0), min(number + after + 1, len(hit.lines))):
            mark = ":" if n in matched else "-"
            where = f"{n + 1}{mark}" if arguments.get("-n", True) else ""
            yield f"{name}{mark}{where}{hit.lines[n][:WIDTH]}"
            last = n


def _files(place: Place, hit: _Hits, _: Mapping[str, Any]) -> Iterator[str]:
    yield place.display(hit.path)


def _count(place: Place, hit: _Hits, _: Mapping[str, Any]) -> Iterator[str]:
    yield f"{place.display(hit.path)}:{len(hit.matched)}"


_SHOWN = {"files_with_matches": _files, "content": _content, "count": _count}
