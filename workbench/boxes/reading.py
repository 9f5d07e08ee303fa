"""Git in a box: a repository that may be anybody's, read without starting what its own configuration names."""

import os
from collections.abc import Mapping, Sequence
from functools import cached_property

from workbench.host.git import Git

_USERS = ("system", "global", "command")
"""Whose settings are the user's own, by git's names for where they stand."""
_SHUT = {
    "core.fsmonitor": "false",
    "core.hooksPath": os.devnull,
    "core.quotePath": "false",
    "diff.mnemonicPrefix": "false",
    "diff.noprefix": "false",
    "diff.orderFile": os.devnull,
    "i18n.logOutputEncoding": "UTF-8",
    "log.diffMerges": "separate",
    "log.mailmap": "false",
    "log.showSignature": "false",
}
_FILTER = {"clean": "", "process": "", "required": "false"}


class BoxGit(Git):
    """Runs no filter, hook or watcher of the box's own, and fetches nothing; those the user has set up stay.

    Nor does the box's configuration change how its past is told.
    """

    def attempt(
        self,
        *args: str,
        env: Mapping[str, str] | None = None,
        stdin: bytes | None = None,
        timeout: float = 120.0,
        keep: Sequence[int] = (),
    ) -> tuple[int, bytes, bytes]:
        """See `Git.attempt`."""
        return super().attempt(*args, env={**self._shut, **(env or {})}, stdin=stdin, timeout=timeout, keep=keep)

    @cached_property
    def _shut(self) -> dict[str, str]:
        """Variables that outrank the configuration; on a command line a filter's name could not hold a `=`."""
        _, out, _ = super().attempt("config", "--list", "--show-scope", "--name-only", "-z")
        words = os.fsdecode(out).split("\0")
        names = {name for scope, name in zip(words[::2], words[1::2], strict=False) if scope not in _USERS}
        drivers = {name.rpartition(".")[0] for name in names if name.startswith("filter.")}
        settings = _SHUT | {f"{driver}.{key}": value for driver in drivers for key, value in _FILTER.items()}
        first = int(os.environ.get("GIT_CONFIG_COUNT") or 0)
        told = {"GIT_CONFIG_COUNT": str(first + len(settings)), "GIT_ALLOW_PROTOCOL": "none"}
        for number, (name, value) in enumerate(settings.items(), start=first):
            told |= {f"GIT_CONFIG_KEY_{number}": name, f"GIT_CONFIG_VALUE_{number}": value}
        return told
