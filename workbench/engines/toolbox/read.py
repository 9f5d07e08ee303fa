"""Read: a file with its line numbers."""

from collections.abc import Mapping
from typing import Any

from workbench.engines.toolbox.place import Place
from workbench.engines.toolbox.tool import Outcome, ToolError, schema
from workbench.text.sanitize import clean

LINES = 2000
"""Lines given when the agent names no limit."""
WIDTH = 2000
"""Characters of one line; the rest is cut."""
SIZE = 4_000_000
"""Bytes of a file that are looked at."""


class Read:
    """Give a text file's lines, each after its number and a tab."""

    schema = schema(
        "Read",
        "Read a text file of the workspace. Lines come as `number<tab>text`.",
        {"file_path": "string: Path, absolute or relative to the working folder"},
        {"offset": "integer: First line, from 1", "limit": "integer: How many lines"},
    )

    def run(self, arguments: Mapping[str, Any], place: Place) -> Outcome:
        """Show numbered lines, from an offset on."""
        named = str(arguments["file_path"])
        lines = read_text(place, named).split("\n")
        if lines and not lines[-1]:
            lines.pop()
        first = max(1, int(arguments.get("offset", 1)))
        count = max(1, int(arguments.get("limit", LINES)))
        chosen = lines[first - 1 : first - 1 + count]
        touched = place.relative(named)
        if not chosen:
            told = f"The file has {len(lines)} lines; nothing at line {first}." if lines else "The file is empty."
            return Outcome(told, touched=touched)
        text = "\n".join(f"{number}\t{line[:WIDTH]}" for number, line in enumerate(chosen, first))
        after = len(lines) - (first - 1 + len(chosen))
        more = f"\n[{after} more; read on with offset {first + len(chosen)}]" if after > 0 else ""
        return Outcome(text + more, touched=touched)


def read_text(place: Place, named: str) -> str:
    """A workspace file's sanitized text; raises ToolError for what cannot be read as text."""
    path = place.readable(named)
    if path.is_dir():
        raise ToolError(f"{named} is a folder; use Glob to see what is in it.")
    if not path.is_file():
        raise ToolError(f"{named} does not exist; use Glob or Grep to find the right path.")
    try:
        with path.open("rb") as file:
            data = file.read(SIZE)
    except OSError as error:
        raise ToolError(f"{named} cannot be read: {error.strerror}.") from error
    if b"\0" in data:
        raise ToolError(f"{named} is not a text file.")
    return clean(data.decode("utf-8", "replace"))
