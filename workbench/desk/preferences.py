"""What one human likes, on whatever project: theme, keys, bell. Kept in a file of the user's own."""

import os
import tomllib
import traceback
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from workbench.host.files import write_atomic
from workbench.runs.identity import stamp

THEMES = ("dark", "light", "contrast")


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid")

    theme: str = ""
    bell: bool = True
    keys: dict[str, str] = {}


@dataclass(slots=True)
class Preferences:
    """The likings as they are now; `path` is None where nothing is to be remembered."""

    path: Path | None = None
    theme: str = ""
    bell: bool = True
    """Whether the end of a run may be heard."""
    keys: dict[str, str] = field(default_factory=dict)
    """Name of an action → the keys for it, with commas between several."""
    problem: str = ""
    """One line on what is wrong with the file; what is right in it holds all the same."""

    @property
    def known(self) -> bool:
        """Whether this human was here before."""
        return self.path is None or self.path.exists()

    def keep(self) -> None:
        """Remember them; OSError when the file cannot be written. A file with mistakes in it is left to the human."""
        if self.path is None or self.problem:
            return
        self.path.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(self.path, self._text().encode())

    def _text(self) -> str:
        lines = ["# Workbench, for every project. Keys: the name of an action, as F1 and ? tell, and its key."]
        lines += [f"theme = {_quoted(self.theme)}"] if self.theme else []
        lines += [f"bell = {'true' if self.bell else 'false'}", "", "[keys]"]
        lines += [f"{_quoted(name)} = {_quoted(key)}" for name, key in self.keys.items()]
        return "\n".join(lines) + "\n"


def load() -> Preferences:
    """The user's preferences; the defaults, and what is wrong, where the file cannot be read."""
    path = home("XDG_CONFIG_HOME", ".config") / "settings.toml"
    try:
        table = tomllib.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        return Preferences(path)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        return Preferences(path, problem=f"{path}: cannot be read: {error}")
    return _checked(path, table)


def _checked(path: Path, table: dict[str, Any]) -> Preferences:
    problem = ""
    try:
        file = _File.model_validate(table)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        known = ", ".join(_File.model_fields)
        return Preferences(path, problem=f"{path}: {where}: {first['msg']}; the known keys are {known}")
    if file.theme and file.theme not in THEMES:
        problem = f"{path}: theme: {file.theme!r} is none; the themes are {', '.join(THEMES)}"
    return Preferences(path, "" if problem else file.theme, file.bell, file.keys, problem)


def note_fault(error: BaseException) -> str:
    """Write what went wrong unexpectedly into a log of the user's own; return where, empty when it cannot be."""
    path = home("XDG_STATE_HOME", ".local/state") / "faults.log"
    told = "".join(traceback.format_exception(error))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a", encoding="utf-8", errors="backslashreplace") as file:
            file.write(f"{stamp()}\n{told}\n")
    except OSError:
        return ""
    return str(path)


def home(variable: str, default: str) -> Path:
    """Where the workbench keeps what is a user's own: below an XDG folder, or its default below the home folder."""
    named = os.environ.get(variable, "")
    return (Path(named) if Path(named).is_absolute() else Path.home() / default) / "workbench"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
