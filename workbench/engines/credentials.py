"""What proves who asks: which variable or login an engine may use, and what of it must never be written down."""

import json
import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path

from workbench.engines.protocol import EngineSettings

_FILES = {
    "claude": ("CLAUDE_CONFIG_DIR", ".claude", ".credentials.json"),
    "codex": ("CODEX_HOME", ".codex", "auth.json"),
    "pi": ("PI_CODING_AGENT_DIR", ".pi/agent", "auth.json"),
}
"""Engine → the variable that names its folder, that folder below the home folder, and the file in it."""
_SHORTEST = 16
"""Characters from which on a text without blanks in such a file is taken for a secret."""
_PLACES = (
    ".aws",
    ".azure",
    ".bash_history",
    ".claude.json",
    ".claude/.credentials.json",
    ".codex",
    ".config/anthropic",
    ".config/gcloud",
    ".config/gh",
    ".config/op",
    ".docker/config.json",
    ".git-credentials",
    ".gnupg",
    ".kube",
    ".netrc",
    ".npmrc",
    ".password-store",
    ".pi",
    ".pypirc",
    ".ssh",
    ".zsh_history",
)
"""Where users keep what opens doors, below their home: no command of a model's has business there."""


def first_set(variables: Sequence[str], keys: Collection[str] | Mapping[str, str]) -> str:
    """The first of some variables that is set; empty when none is.

    `keys` are the names of those that are set, or what they hold: then one that holds nothing is not set.
    """
    given = [name for name, value in keys.items() if value] if isinstance(keys, Mapping) else keys
    return next((name for name in variables if name in given), "")


def none_found(variables: Sequence[str], *, login: str = "", provider: str = "") -> str:
    """What to do when there is no credential; `login` says what about the program's own login, if it has one."""
    named = f"no credential{f' for {provider}' if provider else ''}: set {' or '.join(variables)}"
    return f"{named}, {login}" if login else named


def of_the_user(programs: Sequence[str] = ()) -> tuple[Path, ...]:
    """The usual files and folders of credentials in this user's home, whether they are there or not.

    A folder that holds one of `programs` is left out: what is shut cannot be started.
    """
    home = Path(os.path.expanduser("~"))
    kept = [Path(os.path.realpath(program)) for program in programs]
    places = (home / place for place in _PLACES)
    return tuple(place for place in places if not any(path.is_relative_to(os.path.realpath(place)) for path in kept))


def login_file(engine: str) -> Path:
    """The file in which an engine's program keeps its user's login, whether it is there or not."""
    variable, folder, name = _FILES[engine]
    return Path(os.environ.get(variable) or Path.home() / folder) / name


def login_values(engine: str, settings: EngineSettings) -> tuple[str, ...]:
    """What may be secret in the login file an engine is allowed to use; nothing where it is not, or has none."""
    if not settings.login or engine not in _FILES:
        return ()
    try:
        return tuple(dict.fromkeys(_texts(json.loads(login_file(engine).read_bytes()))))
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
