"""The credential of one run of Claude Code: handed over on a pipe, so that no environment ever holds it."""

import json
import os
import time
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from workbench.engines.credentials import first_set, login_file
from workbench.engines.limits import CutShort
from workbench.engines.protocol import EngineSettings
from workbench.traces.reasons import Reason

USUAL = ("ANTHROPIC_API_KEY", "CLAUDE_CODE_OAUTH_TOKEN")

_LARGEST = 16_384
_MARGIN = 300.0
"""Seconds a login must still hold."""


@dataclass(frozen=True, slots=True)
class Credential:
    """What proves who asks, and where it comes from."""

    source: str
    secret: str = field(repr=False)
    token: bool = False
    """Whether it is a bearer token, as a login gives, rather than an API key."""


def names(settings: EngineSettings) -> tuple[str, ...]:
    """The variables that may hold the credential, first come first served."""
    return settings.keys or USUAL


def choose(settings: EngineSettings, keys: Mapping[str, str]) -> Credential | None:
    """The first variable that is set, else the user's login where they allow it; None when there is neither."""
    name = first_set(names(settings), keys)
    if name:
        return Credential(name, keys[name].strip(), token="TOKEN" in name)
    return _login() if settings.login else None


def source(settings: EngineSettings, known: Collection[str]) -> str:
    """Where the credential would come from, given the names of the variables that are set; empty for nowhere."""
    name = first_set(names(settings), known)
    if name or not settings.login:
        return name
    login = _login()
    return login.source if login else ""


@contextmanager
def handed_over(credential: Credential) -> Iterator[tuple[dict[str, str], tuple[int, ...]]]:
    """The credential in a pipe that is empty once read: the variable naming it, and the descriptor to pass on.

    Raises CutShort for what is no credential.
    """
    secret = credential.secret.encode()
    if len(secret) > _LARGEST:
        raise CutShort(Reason.AUTH, f"what {credential.source} holds is too long to be a credential")
    reading, writing = os.pipe()
    try:
        try:
            os.write(writing, secret + b"\n")
        finally:
            os.close(writing)
        kind = "OAUTH_TOKEN" if credential.token else "API_KEY"
        yield {f"CLAUDE_CODE_{kind}_FILE_DESCRIPTOR": str(reading)}, (reading,)
    finally:
        os.close(reading)


def users_files() -> tuple[Path, ...]:
    """Files of the user's own installation that hold credentials, whether they are there or not."""
    home, login = Path.home(), login_file("claude")
    usual = home / ".claude"
    folders = dict.fromkeys((login.parent, usual))
    return (*(place / name for place in folders for name in (login.name, ".claude.json")), home / ".claude.json")


def _login() -> Credential | None:
    """The access token of the user's own login while it holds.

    Only that one value is used: the file also holds what renews a login, and a renewal here would end the user's.
    """
    try:
        login = json.loads(login_file("claude").read_bytes())["claudeAiOauth"]
        secret, until = login["accessToken"], login.get("expiresAt")
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
    expired = isinstance(until, int | float) and until / 1000 < time.time() + _MARGIN
    if expired or not isinstance(secret, str) or not secret:
        return None
    return Credential("the login of Claude Code", secret, token=True)
