"""What every engine takes and gives, so that a campaign need not know which one it runs."""

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from pydantic import BaseModel, ConfigDict

from workbench.corpus.records import Surface
from workbench.text.plain import Plain
from workbench.traces.events import TraceEvent
from workbench.traces.reasons import Reason


class Task(BaseModel):
    """One trial as an engine sees it: a question, a workspace, limits. Crosses to the worker as JSON."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    trial: str
    """The trial's key, stamped on every event."""
    prompt: str
    workspace: Path
    """Absolute path of the disposable copy; the agent may write here and nowhere else."""
    cwd: str = "."
    """Workspace-relative folder the agent starts in."""
    surface: Surface = "box"
    model: str = ""
    rules: str = "claude"
    """Whose guidance-loading rules the in-process agent follows."""
    system_prompt: str = ""
    """Replaces the engine's default system prompt; chat mode uses it."""
    env: dict[str, str] = {}
    """The whole environment of the agent's tools, beside PATH, HOME and LANG."""
    max_turns: int = 10
    """Model messages allowed."""
    timeout: float = 600.0
    """Seconds for the whole trial."""
    tool_timeout: float = 60.0
    """Seconds for one command."""


class Ending(BaseModel):
    """How a trial ended; `reason` is None when the agent finished by itself."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    reason: Reason | None = None
    detail: Plain = ""


class Engine(Protocol):
    """An agent that acts."""

    name: str
    free: bool
    """True when asking costs nothing; anything else needs `--engine` or a yes."""

    def version(self) -> str:
        """The engine's own version."""
        ...

    def tools(self, surface: Surface) -> tuple[str, ...]:
        """Names of the tools it has on this surface, in the normalized vocabulary."""
        ...

    def run(self, task: Task, emit: Callable[[TraceEvent], None]) -> Ending:
        """Ask once: emit `Started`, then every turn as it is final. Runs in a worker process that may be killed."""
        ...
