"""What a campaign and its worker processes say to each other: one JSON object a line."""

import functools
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from workbench.corpus.records import Audit, CorpusSettings, Surface
from workbench.engines.protocol import Ending, EngineSettings
from workbench.runs.records import BoxContents, BoxRecord, Trial, TrialFinished
from workbench.traces.events import ChangeSeen, GuidanceLoaded, Started, TextDelta, TraceEvent, TurnAdded
from workbench.traces.records import AssistantTurn, Change, Loaded, Meta, ToolResultTurn, Turn, UserTurn

LINE_LIMIT = 2_000_000
"""Bytes of the longest line a worker may say; a longer event stays in the trace and is not shown live."""


EAGER = "--eager"
"""Argument of a worker that is started while nobody waits for it."""


class Wire(BaseModel):
    """Base of what crosses to a worker and back: immutable and closed; errors repeat nothing, it may hold a key."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)


class Prepare(Wire):
    """Take a snapshot of a box and build the template that trials are copied from, or just look at it."""

    type: Literal["prepare"] = "prepare"
    box: BoxRecord
    template: Path | None
    """Folder to build it in: absent yet, or with one of another state, which is brought up to date; None: nothing is
    built, and there is no revision."""
    settings: CorpusSettings
    revision: str = ""
    """Full name of the commit to take it at; empty: as it lies there."""
    answer_key: tuple[str, ...] = ()
    """Globs of box paths to leave out, beside those of the settings."""
    hide: tuple[str, ...] = ()
    """Globs of box paths that are left out on purpose."""
    secrets: tuple[Path, ...] = ()
    """Absolute paths of what must not be found in the box's past under any name."""
    engine: str
    engine_settings: EngineSettings = EngineSettings()
    rules: str


class Ask(Wire):
    """Run one trial."""

    type: Literal["ask"] = "ask"
    trial: Trial
    audit: Audit
    settings: CorpusSettings
    template: Path
    workspace: str
    """Name of the workspace to copy."""
    folder: Path
    """The run's folder."""
    trace: str
    """Path of the trace to write, relative to the run's folder."""
    engine: str
    engine_settings: EngineSettings = EngineSettings()
    keys: dict[str, str] = Field(default={}, repr=False)
    """The engine's credentials by variable name."""
    model: str
    rules: str
    surface: Surface
    timeout: float
    max_cost: float = 0.0
    """US dollars it may come to; 0: no limit."""
    secrets: tuple[Path, ...] = ()
    """Absolute paths whose content must not reach the agent."""


Request = Annotated[Prepare | Ask, Field(discriminator="type")]


class Ready(Wire):
    """The worker has started and listens."""

    type: Literal["ready"] = "ready"


class Prepared(Wire):
    """The template stands, or why it does not."""

    type: Literal["prepared"] = "prepared"
    box: BoxRecord
    contents: BoxContents = BoxContents()
    engine_version: str = ""
    failure: Ending | None = None


class Delta(Wire):
    """Provisional text of the running trial."""

    type: Literal["delta"] = "delta"
    text: str


class Closing(Wire):
    """The agent has ended; what follows is ours: changes and checks."""

    type: Literal["closing"] = "closing"


Said = Annotated[
    Ready | Prepared | Meta | Turn | Loaded | Change | Delta | Closing | TrialFinished,
    Field(discriminator="type"),
]


@functools.cache
def requests() -> TypeAdapter[Prepare | Ask]:
    """Reads what a campaign asks of a worker."""
    return TypeAdapter(Request)


@functools.cache
def replies() -> TypeAdapter[Ready | Prepared | Meta | Turn | Loaded | Change | Delta | Closing | TrialFinished]:
    """Reads what a worker says."""
    return TypeAdapter(Said)


def spoken(event: TraceEvent) -> Meta | Turn | Loaded | Change | Delta:
    """A trace event as it crosses the wire, its trial left out."""
    match event:
        case Started():
            return event.meta
        case TurnAdded():
            return event.turn
        case GuidanceLoaded():
            return event.loaded
        case ChangeSeen():
            return event.change
        case TextDelta():
            return Delta(text=event.text)


def heard(trial: str, said: object) -> TraceEvent | None:
    """The trace event a worker's words stand for; None when they are about something else."""
    match said:
        case Meta():
            return Started(trial, said)
        case UserTurn() | AssistantTurn() | ToolResultTurn():
            return TurnAdded(trial, said)
        case Loaded():
            return GuidanceLoaded(trial, said)
        case Change():
            return ChangeSeen(trial, said)
        case Delta():
            return TextDelta(trial, said.text)
        case _:
            return None
