"""Edit: a piece of a file replaced by another."""

from collections.abc import Mapping
from typing import Any

from workbench.engines.toolbox.place import Place
from workbench.engines.toolbox.tool import Outcome, ToolError, schema
from workbench.engines.toolbox.write import put


class Edit:
    """Replace a text that stands in a file exactly once, or each time with `replace_all`."""

    schema = schema(
        "Edit",
        "Replace a piece of text in a file of the workspace.",
        {
            "file_path": "string: Path, absolute or relative to the working folder",
            "old_string": "string: The text to replace, exactly as it stands in the file",
            "new_string": "string: What takes its place",
        },
        {"replace_all": "boolean: Replace every occurrence"},
    )

    def run(self, arguments: Mapping[str, Any], place: Place) -> Outcome:
        """Replace one place, or all of them when asked."""
        named, old, new = (str(arguments[key]) for key in ("file_path", "old_string", "new_string"))
        path = place.writable(named)
        if not path.is_file():
            raise ToolError(f"{named} is not an existing file; use Write to create one.")
        if not old or old == new:
            raise ToolError("old_string must be some text that differs from new_string.")
        try:
            # Bytes, not sanitized text: all but the replaced piece stays as it is.
            text = path.read_bytes().decode("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise ToolError(f"{named} cannot be edited as UTF-8 text.") from error
        old, new = _as_in(text, old), _as_in(text, new)
        count = text.count(old)
        if not count:
            raise ToolError(f"old_string does not stand in {named}; read the file and copy it exactly.")
        if count > 1 and not arguments.get("replace_all"):
            raise ToolError(f"old_string stands {count} times in {named}; give more of it or set replace_all.")
        put(path, named, text.replace(old, new))
        return Outcome(f"The file {named} has been updated.", touched=place.relative(named))


def _as_in(text: str, piece: str) -> str:
    """A piece with the line ends of a text: what agents are shown of CRLF files has plain ones."""
    if "\n" in text.replace("\r\n", "") or "\r\n" not in text:
        return piece
    return piece.replace("\r\n", "\n").replace("\n", "\r\n")
