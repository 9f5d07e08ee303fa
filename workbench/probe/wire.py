"""What a probe and the process it runs in say to each other: one JSON object a line."""

import functools
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from workbench.engines.protocol import EngineSettings
from workbench.probe.records import ContextReport
from workbench.text.plain import Plain

LINE_LIMIT = 32_000_000
"""Bytes of the longest line: a report holds the texts of every guidance file."""


class _Wire(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ProbeRequest(_Wire):
    """Which engine is probed over which box."""

    engine: str
    settings: EngineSettings = EngineSettings()
    """Its user's; what leads to a provider or an account is not used."""
    model: str = ""
    box: Path
    """The folder itself; it is only read."""
    cwd: str = "."
    """Box-relative folder to start in."""
    rules: str = "claude"
    """Whose static chain is followed by an engine that has no rules of its own."""
    include_ignored: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()
    """Globs of what a workspace has beside the tracked files, and of what it has not."""
    timeout: float = Field(default=180.0, gt=0)
    """Seconds for the engine."""


class Step(_Wire):
    """How far a probe is."""

    type: Literal["step"] = "step"
    told: Plain
    """What is being done: `copying the box`, `waiting for the first request`, `reading trees/a.card`."""
    done: int = 0
    of: int = 0
    """Visits; 0 as long as nobody knows how many."""


class Done(_Wire):
    """The probe is over."""

    type: Literal["done"] = "done"
    report: ContextReport


class Refused(_Wire):
    """There is no report, and why."""

    type: Literal["refused"] = "refused"
    detail: Plain


@functools.cache
def replies() -> TypeAdapter[Step | Done | Refused]:
    """Reads what the process says."""
    return TypeAdapter(Annotated[Step | Done | Refused, Field(discriminator="type")])
