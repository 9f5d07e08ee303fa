"""The key a box is granted for pi, in the arrangement Bee Box has for it.

A store is a YAML or JSON file. Its published description says what it does, not how it is written, so it is read
tolerantly: grants stand under `boxes:` or `grants:` or at the top, by the box's path or folder name or `*`, each a
mapping of a provider's name to the key or to `{key: …}`; grants at the top without a box are for every box.

    boxes:
      /path/to/copy: {openrouter: pi-dev-placeholder}

A box that is granted the placeholder has no key of its own: only with `--pi-dev-key` does the developer's take its
place, in memory alone.
"""

import contextlib
import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

PLACEHOLDER = "pi-dev-placeholder"
PROVIDER = "openrouter"
VARIABLE = "OPENROUTER_API_KEY"
DEV_VARIABLE = "BBX_OPENROUTER_API_KEY"
STORE_VARIABLE = "BBX_SECRETS_FILE"
"""The variable that names the store."""

_LIMIT = 1 << 20
_EVERY = "*"


class SecretsError(ValueError):
    """There is no key to be had; the message says why and what to do, and never holds one."""


def credential(store: Path | None, box: Path, environ: Mapping[str, str], dev_key: bool) -> dict[str, str]:
    """The variable pi's provider key is known by, with the key; empty when nobody gave one.

    `store` is the file `BBX_SECRETS_FILE` names, `box` the box that is audited, `environ` where keys are looked up and
    `dev_key` whether `--pi-dev-key` was given. The developer's key comes from `BBX_OPENROUTER_API_KEY` in `environ`,
    else from the box's own `beebox/.env`; no other file is looked at. Raises SecretsError.
    """
    if store is None:
        key = _dev_key(box, environ) if dev_key else environ.get(VARIABLE, "")
        return {VARIABLE: key} if key else {}
    granted = next((key for grants in _grants(_load(store), box) if (key := _key(grants.get(PROVIDER)))), "")
    if not granted:
        raise SecretsError(f"{store} grants {box.name} no {PROVIDER} key: add one, or the placeholder {PLACEHOLDER}")
    if granted != PLACEHOLDER:
        return {VARIABLE: granted}
    if not dev_key:
        raise SecretsError(f"{box.name} is granted only the placeholder: pass --pi-dev-key to use {DEV_VARIABLE}")
    return {VARIABLE: _dev_key(box, environ)}


def _dev_key(box: Path, environ: Mapping[str, str]) -> str:
    key = environ.get(DEV_VARIABLE, "") or _dotenv(box / "beebox" / ".env").get(DEV_VARIABLE, "")
    if not key:
        raise SecretsError(f"--pi-dev-key needs {DEV_VARIABLE} in the environment or in {box / 'beebox' / '.env'}")
    return key


def _load(store: Path) -> dict[str, Any]:
    try:
        if store.stat().st_size > _LIMIT:
            raise SecretsError(f"{store} is too large to be a secrets store")
        content = store.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SecretsError(f"the secrets store cannot be read: {error}") from None
    loaded = _parsed(store, content)
    if not isinstance(loaded, dict):
        raise SecretsError(f"{store} is no secrets store: it should be a mapping of boxes to what they are granted")
    return loaded


def _parsed(store: Path, content: str) -> object:
    with contextlib.suppress(ValueError, RecursionError):
        return json.loads(content)
    import yaml

    try:
        return yaml.load(content, Loader=yaml.CSafeLoader)
    except (yaml.YAMLError, ValueError, RecursionError):
        # What the parser says may quote the line, and so a key.
        raise SecretsError(f"{store} is neither JSON nor YAML") from None


def _grants(loaded: Mapping[str, Any], box: Path) -> Iterator[Mapping[str, Any]]:
    """Mappings that may grant this box something, the most particular first."""
    tables = [table for name in ("boxes", "grants") if isinstance(table := loaded.get(name), dict)]
    tables.append(dict(loaded))
    real = os.path.realpath(box)
    for table in tables:
        named = [(str(name), grants) for name, grants in table.items() if isinstance(grants, dict)]
        yield from (grants for name, grants in named if os.path.isabs(name) and os.path.realpath(name) == real)
        yield from (grants for name, grants in named if name in (os.path.basename(real), box.name))
        yield from (grants for name, grants in named if name == _EVERY)
    yield loaded


def _key(value: object) -> str:
    if isinstance(value, dict):
        value = next((value[name] for name in ("key", "value", "secret") if name in value), "")
    return value.strip() if isinstance(value, str) else ""


def _dotenv(path: Path) -> dict[str, str]:
    """Variables of a file of `NAME=value` lines, `export` and quotes allowed; empty when it cannot be read."""
    try:
        lines = path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return {}
    pairs = (line.strip().removeprefix("export ").partition("=") for line in lines if not line.lstrip().startswith("#"))
    return {name.strip(): value.strip().strip("\"'") for name, sep, value in pairs if sep}
