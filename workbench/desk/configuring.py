"""A yes or no kept in the project's configuration, every other byte of the file left as it is."""

import re
import tomllib
from pathlib import Path
from typing import Any

from workbench.desk.project import CONFIG
from workbench.desk.records import DeskError
from workbench.host.files import write_atomic

_SHARED_TABLE = "[tool.workbench]"


def keep_flag(root: Path, key: str, on: bool) -> None:
    """Set a top-level key to true or false; DeskError when the file cannot be changed with certainty."""
    own = root / CONFIG
    path, table = (own, "") if own.is_file() else (root / "pyproject.toml", _SHARED_TABLE)
    try:
        before = path.read_bytes().decode("utf-8")
        after = _with_flag(before, table, key, "true" if on else "false")
        if _values(after, table) != _values(before, table) | {key: on}:
            raise DeskError(f"{path}: {key} cannot be set there with certainty; write `{key} = {str(on).lower()}`")
        if after != before:
            write_atomic(path, after.encode("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise DeskError(f"{path}: cannot be changed: {error}; mend the file and try again") from error


def _with_flag(text: str, table: str, key: str, value: str) -> str:
    """The text with the flag in its table: where it stands already, else on a line of its own at the table's start."""
    end = "\r\n" if "\r\n" in text else "\n"
    lines = text.splitlines(keepends=True)
    start = next((i + 1 for i, line in enumerate(lines) if line.split("#")[0].strip() == table), 0) if table else 0
    stop = next((i for i in range(start, len(lines)) if lines[i].lstrip().startswith("[")), len(lines))
    flag = re.compile(rf"(\s*{re.escape(key)}\s*=\s*)(?:true|false)\b")
    for index in range(start, stop):
        if flag.match(lines[index]):
            lines[index] = flag.sub(rf"\g<1>{value}", lines[index], count=1)
            return "".join(lines)
    while start < stop and lines[start].lstrip().startswith("#"):
        start += 1
    if start and not lines[start - 1].endswith("\n"):
        lines[start - 1] += end
    lines.insert(start, f"{key} = {value}{end}")
    return "".join(lines)


def _values(text: str, table: str) -> dict[str, Any]:
    values = tomllib.loads(text)
    found: dict[str, Any] = values.get("tool", {}).get("workbench", {}) if table else values
    return found
