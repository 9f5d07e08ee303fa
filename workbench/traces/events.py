"""What a running trial reports while it runs; immutable, so any number of front ends may hold them."""

from dataclasses import dataclass

from workbench.traces.records import Change, Loaded, Meta, Turn


@dataclass(frozen=True, slots=True)
class Started:
    """The agent is set up; nothing has been said yet."""

    trial: str
    meta: Meta


@dataclass(frozen=True, slots=True)
class TurnAdded:
    """A final message; it replaces any provisional text of the same message."""

    trial: str
    turn: Turn


@dataclass(frozen=True, slots=True)
class TextDelta:
    """Provisional text of the message being written; may be repeated or thrown away by the engine."""

    trial: str
    text: str


@dataclass(frozen=True, slots=True)
class ChangeSeen:
    """A file the trial left different."""

    trial: str
    change: Change


@dataclass(frozen=True, slots=True)
class GuidanceLoaded:
    """Guidance that reached the agent beside its turns."""

    trial: str
    loaded: Loaded


TraceEvent = Started | TurnAdded | TextDelta | ChangeSeen | GuidanceLoaded
