"""What a running campaign tells its subscribers: trace events of its trials, and what became of them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from workbench.runs.records import Tally, TrialFinished, TrialStarted
from workbench.traces.events import TraceEvent


@dataclass(frozen=True, slots=True)
class RunEnded:
    """The campaign is over; nothing follows."""

    run_id: str
    tally: Tally
    cancelled: bool
    error: str = ""
    """Why the run had to stop before its end, such as a full disk; empty otherwise."""


RunEvent = TraceEvent | TrialStarted | TrialFinished | RunEnded

Subscriber = Callable[[Sequence[RunEvent]], None]
"""Called on the campaign's event loop with what happened since the last call, at most about five times a second."""
