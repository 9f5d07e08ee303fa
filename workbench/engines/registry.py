"""Engines by name: ours and those other packages register under the entry point group `workbench.engines`."""

import importlib
from importlib.metadata import EntryPoint, entry_points
from typing import cast

from workbench.engines.protocol import Engine, EngineSettings

GROUP = "workbench.engines"
REHEARSED = "+"
"""Stands between an engine and the brain in its model's place, in the name of a rehearsal: `claude+reader`."""
_BRAIN = "reader"
"""The brain that rehearsals have; as an engine it needs none."""

_BUILT_IN = {
    "reader": "workbench.engines.reader:ReaderEngine",
    "claude": "workbench.engines.claude.engine:ClaudeEngine",
    "codex": "workbench.engines.codex.engine:CodexEngine",
    "pi": "workbench.engines.pi.engine:PiEngine",
    "acp": "workbench.engines.acp.engine:AcpEngine",
    "api": "workbench.engines.api:ApiEngine",
}


_NO_PROGRAM, _OWN_PROVIDER = _BRAIN, "acp"
"""What cannot be rehearsed: the reader itself, and an agent that takes its requests nowhere but to its own provider."""


class UnknownEngine(LookupError):  # noqa: N818 - the name says what it is
    """No engine of that name; the message lists the known ones."""

    def __init__(self, name: str) -> None:
        rehearsed = f"NAME+{_BRAIN} rehearses one with the {_BRAIN} for its model"
        super().__init__(f"no engine named {name!r}; known: {', '.join(names())}; {rehearsed}")


def get(name: str, settings: EngineSettings | None = None) -> Engine:
    """The engine of a name under its user's settings, its module imported only here; raises UnknownEngine.

    `claude+reader` is claude with the reader in its model's place.
    """
    settings = settings or EngineSettings()
    inner, joint, brain = name.partition(REHEARSED)
    if joint:
        return _rehearsed(name, inner, brain, settings)
    target = _BUILT_IN.get(name)
    if target:
        module, _, attribute = target.partition(":")
        return cast("Engine", getattr(importlib.import_module(module), attribute)(settings))
    for point in _registered():
        if point.name == name:
            return cast("Engine", point.load()(settings))
    raise UnknownEngine(name)


def _rehearsed(name: str, inner: str, brain: str, settings: EngineSettings) -> Engine:
    from workbench.brains.reader import Reader
    from workbench.engines.rehearsal import Rehearsed, alone

    if brain != _BRAIN or inner == _BRAIN or inner not in names():
        raise UnknownEngine(name)
    return Rehearsed(get(inner, alone(settings)), Reader())


def is_free(name: str) -> bool:
    """Whether asking an engine costs nothing; one that nobody knows any more is taken for one that costs."""
    try:
        return get(name).free
    except (UnknownEngine, ImportError):
        return False


def names() -> tuple[str, ...]:
    """All known engine names: built-in ones first, then other packages' in alphabetical order."""
    others = sorted({point.name for point in _registered()} - set(_BUILT_IN))
    return (*_BUILT_IN, *others)


def rehearsals() -> tuple[str, ...]:
    """The names of all rehearsals there can be, in the order of their engines: `claude+reader` and so on."""
    return tuple(f"{name}{REHEARSED}{_BRAIN}" for name in names() if name not in (_NO_PROGRAM, _OWN_PROVIDER))


def _registered() -> tuple[EntryPoint, ...]:
    return tuple(entry_points(group=GROUP))
