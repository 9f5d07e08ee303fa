"""What runs right now, as the screen sees it: a fold over the events of every live run."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from workbench.checks.records import Outcome
from workbench.runs.events import RunEnded, RunEvent
from workbench.runs.records import Tally, TrialFinished, TrialStarted
from workbench.traces.events import TextDelta, TraceEvent, TurnAdded
from workbench.traces.records import AssistantTurn


@dataclass(frozen=True, slots=True)
class News:
    """What one batch of events means for the screen."""

    trace: dict[str, list[TraceEvent]] = field(default_factory=dict)
    """Trial → what happened in it, in order."""
    started: tuple[str, ...] = ()
    """Trials that were handed to a worker."""
    finished: tuple[str, ...] = ()
    """Trials that are over."""
    ended: RunEnded | None = None


class Board:
    """Live runs. The bench asks each audit once and plainly, so a trial's key is its audit's id."""

    def __init__(self) -> None:
        self.running: dict[str, str] = {}
        """Trial → the run it belongs to."""
        self.outcomes: dict[str, Outcome] = {}
        """What came of trials that the stored rows may not tell yet."""
        self._tallies: dict[str, Tally] = {}
        self._live: set[str] = set()
        self._drafts: dict[str, str] = {}

    def begin(self, run_id: str, tally: Tally) -> None:
        """A run started; with none other live the counts start anew."""
        if not self._live:
            self._tallies.clear()
        self._live.add(run_id)
        self._tallies[run_id] = tally

    @property
    def live(self) -> frozenset[str]:
        """Runs that have not ended."""
        return frozenset(self._live)

    @property
    def tally(self) -> Tally:
        """All live runs together; the last ones, when none is live."""
        fields = ("planned", "passed", "failed", "unmeasured", "unjudged")
        return Tally(**{name: sum(getattr(tally, name) for tally in self._tallies.values()) for name in fields})

    def draft(self, trial: str) -> str:
        """Words of the message a trial is writing now."""
        return self._drafts.get(trial, "")

    def take(self, run_id: str, events: Sequence[RunEvent]) -> News:
        """Fold in a batch of one run's events."""
        trace: dict[str, list[TraceEvent]] = {}
        started: list[str] = []
        finished: list[str] = []
        ended: RunEnded | None = None
        for event in events:
            match event:
                case TrialStarted():
                    self.running[event.trial] = run_id
                    self.outcomes.pop(event.trial, None)
                    started.append(event.trial)
                case TrialFinished():
                    self._finish(run_id, event)
                    finished.append(event.trial)
                case RunEnded():
                    self._end(event)
                    ended = event
                case _:
                    trace.setdefault(event.trial, []).append(event)
                    self._draft(event)
        return News(trace, tuple(started), tuple(finished), ended)

    def settle(self) -> None:
        """The stored rows tell everything again."""
        self.outcomes.clear()

    def _finish(self, run_id: str, event: TrialFinished) -> None:
        self.running.pop(event.trial, None)
        self._drafts.pop(event.trial, None)
        self.outcomes[event.trial] = event.verdict.outcome
        if run_id in self._tallies:
            self._tallies[run_id] = self._tallies[run_id].plus(event.verdict.outcome)

    def _end(self, event: RunEnded) -> None:
        self._live.discard(event.run_id)
        self._tallies[event.run_id] = event.tally
        for trial in [trial for trial, run in self.running.items() if run == event.run_id]:
            del self.running[trial]

    def _draft(self, event: TraceEvent) -> None:
        if isinstance(event, TextDelta):
            self._drafts[event.trial] = self._drafts.get(event.trial, "") + event.text
        elif isinstance(event, TurnAdded) and isinstance(event.turn, AssistantTurn) and not event.turn.parent:
            self._drafts.pop(event.trial, None)
