"""Where users keep what opens doors: places no command of a model's has business in."""

import os
from collections.abc import Sequence
from pathlib import Path

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


def of_the_user(programs: Sequence[str] = ()) -> tuple[Path, ...]:
    """The usual files and folders of credentials in this user's home, whether they are there or not.

    A folder that holds one of `programs` is left out: what is shut cannot be started.
    """
    home = Path(os.path.expanduser("~"))
    kept = [Path(os.path.realpath(program)) for program in programs]
    places = (home / place for place in _PLACES)
    return tuple(place for place in places if not any(path.is_relative_to(os.path.realpath(place)) for path in kept))
