"""How engines are reached from here: the user's own settings, their credentials, and whether each can be asked.

The settings stand in `engines.toml` beside the user's `settings.toml`, a table for each engine. They decide which
program runs and where a credential goes, so a project or a box has no say in them.
"""

import os
import tomllib
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from workbench.corpus.problems import did_you_mean
from workbench.desk.preferences import home
from workbench.desk.records import DeskError
from workbench.engines.pi import secrets
from workbench.engines.protocol import Engine, EngineSettings, Readiness
from workbench.engines.registry import REHEARSED, UnknownEngine, get, names

FILE = "engines.toml"

_BASE_URLS = {"claude": "ANTHROPIC_BASE_URL", "api": "ANTHROPIC_BASE_URL", "codex": "OPENAI_BASE_URL"}
"""The variables that say where a provider is reached, for the engines whose own programs heed them."""


class Engines:
    """The engines of this user; the file is read when it is first needed."""

    def __init__(self, path: Path | None = None, environment: Mapping[str, str] | None = None) -> None:
        self.path = path or home("XDG_CONFIG_HOME", ".config") / FILE
        self._environment = os.environ if environment is None else environment
        self._tables: dict[str, EngineSettings] | None = None

    def forget(self) -> None:
        """Read the file again at the next question."""
        self._tables = None

    def settings(self, name: str, command: Sequence[str] = ()) -> EngineSettings:
        """How an engine is reached; `command` takes the place of an ACP agent's. DeskError when the file is wrong."""
        engine, rehearsed, _ = name.partition(REHEARSED)
        if command and engine != "acp":
            raise DeskError(f"--command names an ACP agent, and {engine} is none; add --engine acp")
        if engine == "reader":
            return EngineSettings()
        found = self._read().get(engine, EngineSettings())
        update: dict[str, object] = {"command": tuple(command)} if command else {}
        if not found.base_url and not rehearsed:
            update["base_url"] = self._environment.get(_BASE_URLS.get(engine, ""), "")
        return found.model_copy(update=update)

    def rules(self, name: str) -> str:
        """The loading rules of an engine's agents; empty where its corpus decides. DeskError for an unknown engine."""
        try:
            return get(name, self.settings(name)).rules
        except UnknownEngine as error:
            raise DeskError(str(error)) from error

    def keys(
        self, engine: Engine, settings: EngineSettings, boxes: Sequence[Path] = (), *, pi_dev_key: bool = False
    ) -> dict[str, str]:
        """The credential an engine is given: the first of its variables that is set. None for one that is free.

        pi's may be what its boxes are granted; DeskError where they are granted nothing, or not the same.
        """
        if pi_dev_key and engine.name != "pi":
            raise DeskError(f"--pi-dev-key is for pi, and {engine.name} is asked; leave it out")
        if engine.name == "pi" and secrets.VARIABLE in engine.key_variables:
            granted = self._granted(boxes, pi_dev_key)
            if granted:
                return granted
        for variable in () if engine.free else settings.keys or engine.key_variables:
            if value := self._environment.get(variable, "").strip():
                return {variable: value}
        return {}

    def _granted(self, boxes: Sequence[Path], dev_key: bool) -> dict[str, str]:
        """What a secrets store, or the developer, gives pi for its boxes; nothing where neither was named."""
        named = self._environment.get(secrets.STORE_VARIABLE, "")
        if not (named or dev_key):
            return {}
        store = Path(named) if named else None
        try:
            granted = [secrets.credential(store, box, self._environment, dev_key) for box in boxes]
        except secrets.SecretsError as error:
            raise DeskError(str(error)) from error
        if any(one != granted[0] for one in granted):
            raise DeskError("the boxes are granted different keys for pi; ask them apart")
        return granted[0] if granted else {}

    def readiness(self, wanted: Sequence[str] = ()) -> tuple[Readiness, ...]:
        """Whether engines, by default all known ones, can be asked; looked into at the same time.

        DeskError when the settings are wrong: then nothing can be said of any.
        """
        self._read()
        chosen = tuple(dict.fromkeys(wanted)) or names()
        with ThreadPoolExecutor(max_workers=len(chosen)) as pool:
            return tuple(pool.map(self._look, chosen))

    def require(self, engine: Engine, settings: EngineSettings, keys: Mapping[str, str]) -> Readiness:
        """The readiness of an engine that is about to be asked; DeskError when it is not ready."""
        found = engine.preflight(tuple(keys))
        if not found.ready:
            keyless = not engine.free and engine.preflight(engine.key_variables).ready
            instead = ", and `--rehearse` needs none" if keyless else ""
            told = f"{found.problems[0]}; `workbench doctor` tells the rest{instead}"
            raise DeskError(f"{engine.name} is not ready: {told}")
        return found

    def _look(self, name: str) -> Readiness:
        try:
            settings = self.settings(name)
            engine = get(name, settings)
            return engine.preflight(tuple(self.keys(engine, settings)))
        except UnknownEngine as error:
            raise DeskError(str(error)) from error
        except DeskError as error:
            return Readiness(engine=name, problems=(str(error),))
        except Exception as error:
            # One engine that cannot even be loaded, ours or another package's, must not hide the others.
            return Readiness(engine=name, problems=(f"it cannot be looked at: {type(error).__name__}: {error}",))

    def _read(self) -> dict[str, EngineSettings]:
        if self._tables is None:
            self._tables = _tables(self.path)
        return self._tables


def _tables(path: Path) -> dict[str, EngineSettings]:
    """The settings by engine; empty where there is no file."""
    try:
        tables = tomllib.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise DeskError(f"{path}: cannot be read as TOML: {error}; mend the file and try again") from error
    return {name: _table(path, name, table) for name, table in tables.items()}


def _table(path: Path, name: str, table: Any) -> EngineSettings:
    known = names()
    if name not in known or not isinstance(table, dict):
        hint = did_you_mean(name, known) or f"write a table such as [claude]; the engines are {', '.join(known)}"
        raise DeskError(f"{path}: [{name}] is no table of an engine; {hint}")
    try:
        return EngineSettings.model_validate(table)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        key = ".".join(str(part) for part in first["loc"])
        fields = tuple(EngineSettings.model_fields)
        if first["type"] == "extra_forbidden":
            raise DeskError(
                f"{path}: [{name}] {key}: no such key; {did_you_mean(key, fields) or ', '.join(fields)}"
            ) from error
        raise DeskError(f"{path}: [{name}] {key}: {first['msg']}; correct it there") from error
