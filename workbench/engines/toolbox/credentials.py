"""Where users keep what opens doors: places no command of a model's has business in."""

import os
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


def of_the_user() -> tuple[Path, ...]:
    """The usual files and folders of credentials in this user's home, whether they are there or not."""
    home = Path(os.path.expanduser("~"))
    return tuple(home / place for place in _PLACES)
