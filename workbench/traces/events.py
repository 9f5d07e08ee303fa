"""What a running trial reports while it runs; immutable, so any number of front ends may hold them."""

from collections.abc import Sequence
from dataclasses import dataclass

from workbench.traces.records import Change, Loaded, Meta, Trace, Turn


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


def trace_of(events: Sequence[TraceEvent]) -> Trace:
    """The trace that a session's events amount to; raises StopIteration where none of them is `Started`."""
    return Trace(
        meta=next(event.meta for event in events if isinstance(event, Started)),
        turns=tuple(event.turn for event in events if isinstance(event, TurnAdded)),
        loaded=tuple(event.loaded for event in events if isinstance(event, GuidanceLoaded)),
        changes=tuple(event.change for event in events if isinstance(event, ChangeSeen)),
    )
