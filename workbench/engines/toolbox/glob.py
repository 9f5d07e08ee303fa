"""Glob: files by name."""

from collections.abc import Mapping
from typing import Any

from workbench.engines.toolbox.place import Place
from workbench.engines.toolbox.tool import Outcome, ToolError, schema
from workbench.guidance import globs

LIMIT = 200
"""Paths given at most."""


class Glob:
    """List the files whose path matches a pattern, in order of their paths."""

    schema = schema(
        "Glob",
        "Find files of the workspace by a pattern such as `docs/**/*.md`. Paths come sorted.",
        {"pattern": "string: Glob relative to `path`; `**` crosses folders, `{a,b}` alternates"},
        {"path": "string: Folder to look in; the working folder when absent"},
    )

    def run(self, arguments: Mapping[str, Any], place: Place) -> Outcome:
        """List matching files, sorted."""
        named = str(arguments.get("path", "."))
        if not place.readable(named).is_dir():
            raise ToolError(f"{named} is not a folder; name one that exists.")
        under = place.relative(named)
        pattern = str(arguments["pattern"]).removeprefix("./")
        below = len(under) + 1 if under else 0
        found = [path for path in place.files(under) if globs.matches(pattern, path[below:])]
        if not found:
            return Outcome("No files found")
        shown = [place.display(path) for path in found[:LIMIT]]
        if len(found) > LIMIT:
            shown.append(f"[{len(found) - LIMIT} more; use a narrower pattern]")
        return Outcome("\n".join(shown))
