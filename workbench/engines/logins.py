"""Where the programs of engines keep their users' logins, and what of them must never be written down."""

import json
import os
from collections.abc import Iterator
from pathlib import Path

from workbench.engines.protocol import EngineSettings

_FILES = {
    "claude": ("CLAUDE_CONFIG_DIR", ".claude", ".credentials.json"),
    "codex": ("CODEX_HOME", ".codex", "auth.json"),
}
"""Engine → the variable that names its folder, that folder below the home folder, and the file in it."""
_SHORTEST = 16
"""Characters from which on a text without blanks in such a file is taken for a secret."""


def login_values(engine: str, settings: EngineSettings) -> tuple[str, ...]:
    """What may be secret in the login file an engine is allowed to use; nothing where it is not, or has none."""
    if not settings.login or engine not in _FILES:
        return ()
    variable, folder, name = _FILES[engine]
    path = Path(os.environ.get(variable) or Path.home() / folder) / name
    try:
        return tuple(dict.fromkeys(_texts(json.loads(path.read_bytes()))))
    except (OSError, ValueError, RecursionError):
        return ()


def _texts(value: object) -> Iterator[str]:
    match value:
        case str():
            if len(value) >= _SHORTEST and not any(c.isspace() for c in value):
                yield value
        case dict():
            for item in value.values():
                yield from _texts(item)
        case list():
            for item in value:
                yield from _texts(item)
