"""Sessions that an agent's own CLI kept on disk, read as traces: which CLI's a file is shows in how it begins."""

import importlib
from pathlib import Path
from typing import Protocol, cast

from workbench.traces.records import Trace

_KNOWN = ("claude", "codex", "pi")
_HEAD = 256 * 1024
"""Bytes that are looked at to tell whose a file is."""


class SessionError(ValueError):
    """A file that holds no session: which, and why."""


class _Reader(Protocol):
    def recognizes(self, head: bytes) -> bool:
        """Whether a file that begins so is a session of this kind."""
        ...

    def read(self, path: Path) -> Trace:
        """The session as a trace; ValueError when it is none."""
        ...


def read(path: Path) -> Trace:
    """The trace of a session file; raises SessionError. The file is only read."""
    if not path.is_file():
        raise SessionError(f"{path}: no such file; name the file of a session, as its CLI left it")
    try:
        place = path.resolve()
        with place.open("rb") as file:
            head = file.read(_HEAD)
        reader = next((reader for reader in map(_reader, _KNOWN) if reader.recognizes(head)), None)
        if reader is None:
            raise SessionError(f"{path}: no session of {', '.join(_KNOWN)} begins like this file")
        return reader.read(place)
    except OSError as error:
        raise SessionError(f"{path}: cannot be read: {error.strerror}") from error
    except SessionError:
        raise
    except ValueError as error:
        raise SessionError(f"{path}: holds no session that can be read: {error}") from error


def _reader(name: str) -> _Reader:
    return cast(_Reader, importlib.import_module(f"{__package__}.{name}"))
