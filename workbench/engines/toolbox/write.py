"""Write: a whole file."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from workbench.engines.toolbox.place import Place
from workbench.engines.toolbox.tool import Outcome, ToolError, schema


class Write:
    """Create a file, with the folders it needs, or replace it."""

    schema = schema(
        "Write",
        "Write a whole file of the workspace; an existing one is replaced.",
        {"file_path": "string: Path, absolute or relative to the working folder", "content": "string: The text"},
    )

    def run(self, arguments: Mapping[str, Any], place: Place) -> Outcome:
        """Write the whole file, making the folders it needs."""
        named = str(arguments["file_path"])
        path = place.writable(named)
        existed = path.exists()
        put(path, named, str(arguments["content"]))
        told = "The file {} has been updated." if existed else "File created at: {}"
        return Outcome(told.format(named), touched=place.relative(named))


def put(path: Path, named: str, text: str) -> None:
    """Write a text to a confined path; raises ToolError saying why it cannot be."""
    if path.exists() and not path.is_file():
        raise ToolError(f"{named} is not a regular file; choose another path.")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode("utf-8", "replace"))
    except OSError as error:
        raise ToolError(f"{named} cannot be written: {error.strerror}.") from error
