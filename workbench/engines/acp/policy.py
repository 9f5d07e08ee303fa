"""What an ACP agent may do when it asks: nobody is there to be asked, so the surface decides."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from workbench.corpus.records import Surface

_READING = {"read", "search", "think"}
_PATHS = ("path", "file_path", "filePath", "abs_path", "absPath", "notebook_path", "directory", "cwd")
_READ_LIMIT = 4 << 20


class Refused(Exception):  # noqa: N818 - the name says what it is
    """The agent may not, or cannot; the message says why, in words for the agent."""


class Policy:
    """Answers for one task: inside the workspace, within the surface, and never near the secrets."""

    def __init__(self, workspace: Path, surface: Surface, secrets: Sequence[Path], *, web: bool) -> None:
        """`secrets` are absolute paths nobody may touch; `web` whether a box agent may fetch."""
        self._root = Path(os.path.realpath(workspace))
        self._surface, self._web = surface, web
        self._secrets = [Path(os.path.realpath(secret)) for secret in secrets]

    def allows(self, kind: str, paths: Sequence[str], command: str) -> bool:
        """Whether a tool call of a kind, on some paths, with a command, may go ahead."""
        if self._surface == "dev" and kind not in _READING:
            return False
        if kind == "fetch" and not self._web:
            return False
        if any(str(secret) in command for secret in self._secrets):
            return False
        return all(self._inside(path) for path in paths)

    def read(self, path: str, line: int | None, limit: int | None) -> str:
        """A file's text, from a line on (counted from 1) and so many lines of it; raises Refused."""
        place = self._confined(path)
        try:
            if not place.is_file():  # a pipe would be waited for
                raise Refused(f"{path} is no file")
            if place.stat().st_size > _READ_LIMIT:
                raise Refused(f"{path} is too large")
            text = place.read_bytes().decode("utf-8", "replace")
        except OSError as error:
            raise Refused(f"{path} cannot be read: {error.strerror}") from None
        if line is None and limit is None:
            return text
        first = max(0, (line or 1) - 1)
        lines = text.splitlines(keepends=True)[first:]
        return "".join(lines if limit is None else lines[: max(0, limit)])

    def write(self, path: str, content: str) -> None:
        """Write a whole file, on the box surface only; raises Refused."""
        if self._surface == "dev":
            raise Refused("nothing may be written here")
        place = self._confined(path)
        if place.exists() and not place.is_file():
            raise Refused(f"{path} is no file")
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content.encode("utf-8", "replace"))
        except OSError as error:
            raise Refused(f"{path} cannot be written: {error.strerror}") from None

    def _confined(self, path: str) -> Path:
        if not self._inside(path):
            raise Refused(f"{path} is outside the workspace")
        return Path(os.path.realpath(self._root / path))

    def _inside(self, path: str) -> bool:
        """Whether a path, links followed, lies in the workspace and in no secret."""
        try:
            real = Path(os.path.realpath(self._root / path))
        except (OSError, ValueError):
            return False
        return real.is_relative_to(self._root) and not any(real.is_relative_to(secret) for secret in self._secrets)


def paths_in(value: object) -> Iterator[str]:
    """Every path that a tool's raw input names, at any depth that makes sense."""
    for name, inner in value.items() if isinstance(value, dict) else ():
        if name in _PATHS and isinstance(inner, str) and inner:
            yield inner
        elif name in ("paths", "files") and isinstance(inner, list):
            yield from (each for each in inner if isinstance(each, str))


def first(value: object, names: Sequence[str]) -> Any:
    """The first of the named values of a raw input that is there; an empty string when none is."""
    given = value if isinstance(value, dict) else {}
    return next((given[name] for name in names if given.get(name)), "")
