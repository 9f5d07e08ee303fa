"""What running trials say, message by message, for a screen that shows an answer while it is given."""

from dataclasses import dataclass, field

from workbench.traces.events import Started, TraceEvent, TurnAdded
from workbench.traces.records import AssistantTurn
from workbench.tui.board import News
from workbench.tui.transcript.calls import Call


@dataclass(slots=True)
class Said:
    """What one running trial has said, and what it does."""

    texts: list[str] = field(default_factory=list)
    deed: str = ""
    """Its last tool call in one line."""
    workspace: str = ""

    @property
    def reply(self) -> str:
        """The answer so far, as a finished trace tells it."""
        return "\n".join(self.texts).strip()

    def take(self, event: TraceEvent) -> None:
        """Take in what happened."""
        if isinstance(event, Started):
            self.workspace = event.meta.workspace
        elif isinstance(event, TurnAdded) and isinstance(event.turn, AssistantTurn) and not event.turn.parent:
            self.texts += [event.turn.text] if event.turn.text else []
            calls = [Call.of(part, self.workspace) for part in event.turn.calls]
            self.deed = f"{calls[-1].name} {calls[-1].subject}" if calls else ""


class Sayings:
    """A fold over the news of live runs; a trial is forgotten when it is over."""

    def __init__(self) -> None:
        self._said: dict[str, Said] = {}

    def hear(self, news: News) -> None:
        """Take in a batch."""
        self._said |= {trial: Said() for trial in news.started}
        for trial, happened in news.trace.items():
            for event in happened if trial in self._said else ():
                self._said[trial].take(event)
        for trial in news.finished:
            self._said.pop(trial, None)

    def of(self, trial: str) -> Said:
        """What a running trial has said."""
        return self._said.get(trial, Said())
