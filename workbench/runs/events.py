"""What a running campaign tells its subscribers: trace events of its trials, and what became of them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from workbench.runs.records import Tally, TrialFinished, TrialStarted
from workbench.traces.events import TraceEvent
from workbench.traces.reasons import Reason


@dataclass(frozen=True, slots=True)
class RunEnded:
    """The campaign is over; nothing follows."""

    run_id: str
    tally: Tally
    cancelled: bool
    error: str = ""
    """Why the run had to stop before its end, such as a full disk; empty otherwise."""


@dataclass(frozen=True, slots=True)
class Paused:
    """The provider asked for patience: nothing new is asked for `seconds`, and then the trial once more."""

    trial: str
    seconds: float
    reason: Reason
    detail: str = ""

    def __str__(self) -> str:
        return f"waiting {self.seconds:.0f} s for the provider ({str(self.reason).replace('_', ' ')})"


RunEvent = TraceEvent | TrialStarted | TrialFinished | Paused | RunEnded

Subscriber = Callable[[Sequence[RunEvent]], None]
"""Called on the campaign's event loop with what happened since the last call, at most about five times a second."""
