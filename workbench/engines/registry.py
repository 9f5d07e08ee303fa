"""Engines by name: ours and those other packages register under the entry point group `workbench.engines`."""

import importlib
from importlib.metadata import EntryPoint, entry_points
from typing import cast

from workbench.engines.protocol import Engine, EngineSettings

GROUP = "workbench.engines"

_BUILT_IN = {
    "reader": "workbench.engines.reader:ReaderEngine",
    "claude": "workbench.engines.claude:ClaudeEngine",
    "codex": "workbench.engines.codex:CodexEngine",
    "pi": "workbench.engines.pi:PiEngine",
    "acp": "workbench.engines.acp:AcpEngine",
    "api": "workbench.engines.api:ApiEngine",
}


class UnknownEngine(LookupError):  # noqa: N818 - the name says what it is
    """No engine of that name; the message lists the known ones."""

    def __init__(self, name: str) -> None:
        super().__init__(f"no engine named {name!r}; known: {', '.join(names())}")


def get(name: str, settings: EngineSettings | None = None) -> Engine:
    """The engine of a name under its user's settings, its module imported only here; raises UnknownEngine."""
    settings = settings or EngineSettings()
    target = _BUILT_IN.get(name)
    if target:
        module, _, attribute = target.partition(":")
        return cast("Engine", getattr(importlib.import_module(module), attribute)(settings))
    for point in _registered():
        if point.name == name:
            return cast("Engine", point.load()(settings))
    raise UnknownEngine(name)


def names() -> tuple[str, ...]:
    """All known engine names: built-in ones first, then other packages' in alphabetical order."""
    others = sorted({point.name for point in _registered()} - set(_BUILT_IN))
    return (*_BUILT_IN, *others)


def _registered() -> tuple[EntryPoint, ...]:
    return tuple(entry_points(group=GROUP))
