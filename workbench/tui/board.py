"""What the screen knows beside what it asks the desk: where we are, and what runs right now."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from workbench.checks.records import Outcome
from workbench.runs.events import Paused, RunEnded, RunEvent
from workbench.runs.records import Tally, TrialFinished, TrialStarted
from workbench.traces.events import TextDelta, TraceEvent, TurnAdded
from workbench.traces.records import AssistantTurn


@dataclass(frozen=True, slots=True)
class Place:
    """Where we are, for the header."""

    project: str = ""
    branch: str = ""
    dirty: int = 0
    """Changed paths."""
    engine: str = ""
    model: str = ""
    grader: str = ""
    """Who assesses here."""


@dataclass(frozen=True, slots=True)
class Choice:
    """Whom the human wants asked for now; empty fields leave it to audits, corpora, boxes and the configuration."""

    engine: str = ""
    model: str = ""


@dataclass(frozen=True, slots=True)
class News:
    """What one batch of events means for the screen."""

    trace: dict[str, list[TraceEvent]] = field(default_factory=dict)
    """Trial → what happened in it, in order."""
    started: tuple[str, ...] = ()
    """Trials that were handed to a worker."""
    finished: tuple[str, ...] = ()
    """Trials that are over."""


class Board:
    """A fold over the events of every live run. The bench asks each audit once, so a trial's key is its audit's id."""

    def __init__(self) -> None:
        self.place = Place()
        self.choice = Choice()
        self.watching = ""
        """What the watch is at, for the header: `watching`, `watching · AGENTS.md`; empty while there is none."""
        self.running: dict[str, str] = {}
        """Trial → the run it belongs to."""
        self.asked: dict[str, str] = {}
        """The same for trials that wait as well."""
        self.outcomes: dict[str, Outcome] = {}
        """What came of trials that the stored rows may not tell yet."""
        self._runs: dict[str, str] = {}
        """Trial → the run that asked it last, until the stored rows tell it."""
        self._tallies: dict[str, Tally] = {}
        self._live: set[str] = set()
        self._drafts: dict[str, str] = {}
        self._paused: dict[str, Paused] = {}

    def begin(self, run_id: str, tally: Tally, trials: Iterable[str]) -> None:
        """A run of these trials started; with none other live the counts start anew."""
        if not self._live:
            self._tallies.clear()
        self._live.add(run_id)
        self._tallies[run_id] = tally
        self.asked |= dict.fromkeys(trials, run_id)

    @property
    def live(self) -> frozenset[str]:
        """Runs that have not ended."""
        return frozenset(self._live)

    @property
    def tally(self) -> Tally:
        """All live runs together; the last ones, when none is live."""
        tallies = self._tallies.values()
        return Tally(**{name: sum(getattr(tally, name) for tally in tallies) for name in Tally.model_fields})

    @property
    def patience(self) -> str:
        """What live runs wait for, in words; empty while nothing does."""
        return str(max(self._paused.values(), key=lambda paused: paused.seconds)) if self._paused else ""

    def run_of(self, trial: str) -> str:
        """The live run that asked a trial, or that it was just finished in; empty for stored ones."""
        return self._runs.get(trial, "")

    def draft(self, trial: str) -> str:
        """Words of the message a trial is writing now."""
        return self._drafts.get(trial, "")

    def take(self, run_id: str, events: Sequence[RunEvent]) -> News:
        """Fold in a batch of one run's events."""
        trace: dict[str, list[TraceEvent]] = {}
        started: list[str] = []
        finished: list[str] = []
        for event in events:
            match event:
                case TrialStarted():
                    self._start(run_id, event)
                    started.append(event.trial)
                case TrialFinished():
                    if self._finish(run_id, event):
                        finished.append(event.trial)
                case Paused():
                    self._paused[run_id] = event
                case RunEnded():
                    finished.extend(self._end(event))
                case _ if self._shown(run_id, event.trial):
                    self._draft(event)
                    trace.setdefault(event.trial, []).append(event)
        return News(trace, tuple(started), tuple(finished))

    def settle(self) -> None:
        """The stored rows tell everything again."""
        self.outcomes.clear()
        self._runs.clear()

    def _start(self, run_id: str, event: TrialStarted) -> None:
        self.running[event.trial] = self._runs[event.trial] = run_id
        self.outcomes.pop(event.trial, None)
        self._paused.pop(run_id, None)
        self._drafts.pop(event.trial, None)

    def _shown(self, run_id: str, trial: str) -> bool:
        """Whether a trial is this run's to tell of: a watch may ask what the human asks, and the later one shows."""
        return self.running.get(trial, run_id) == run_id

    def _finish(self, run_id: str, event: TrialFinished) -> bool:
        """Count a trial; whether it was the one that shows, which the end of another leaves as it is."""
        if run_id in self._tallies:
            self._tallies[run_id] = self._tallies[run_id].plus(event)
        if not self._shown(run_id, event.trial):
            return False
        self.running.pop(event.trial, None)
        if self.asked.get(event.trial) == run_id:
            del self.asked[event.trial]
        self.outcomes[event.trial] = event.verdict.outcome
        return True

    def _end(self, event: RunEnded) -> list[str]:
        """Close a run; return the trials it left unfinished."""
        self._live.discard(event.run_id)
        self._paused.pop(event.run_id, None)
        self._tallies[event.run_id] = event.tally
        left = [trial for trial, run in self.running.items() if run == event.run_id]
        self.running = {trial: run for trial, run in self.running.items() if run != event.run_id}
        self.asked = {trial: run for trial, run in self.asked.items() if run != event.run_id}
        return left

    def _draft(self, event: TraceEvent) -> None:
        if isinstance(event, TextDelta):
            self._drafts[event.trial] = self._drafts.get(event.trial, "") + event.text
        elif isinstance(event, TurnAdded) and isinstance(event.turn, AssistantTurn) and not event.turn.parent:
            self._drafts.pop(event.trial, None)
