"""What every engine takes and gives, so that a campaign need not know which one it runs."""

from collections.abc import Callable, Collection
from pathlib import Path
from typing import Literal, Protocol

from pydantic import BaseModel, ConfigDict, Field

from workbench.corpus.records import Surface
from workbench.text.plain import Plain
from workbench.traces.events import TraceEvent
from workbench.traces.reasons import Reason


class EngineSettings(BaseModel):
    """How one engine is reached, as its user says in their own settings file.

    Never read from a box or a project: what stands here decides which program runs and where a key goes.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    program: str = ""
    """Path of the engine's program; empty: the one of its usual name on PATH."""
    command: tuple[str, ...] = ()
    """The whole command of an ACP agent."""
    base_url: str = ""
    """Where the provider is reached; empty: the provider's own address, or what its usual variable says."""
    provider: str = ""
    """Which of several providers an engine asks; empty: its default."""
    keys: tuple[str, ...] = ()
    """Names of environment variables that hold its credentials; empty: the engine's usual ones."""
    login: bool = False
    """Whether the login file of the user's own installation, and nothing else of it, may be linked in."""
    web: bool = False
    """Whether a box agent has its web tools."""
    stall: float = Field(default=180.0, gt=0, allow_inf_nan=False)
    """Seconds without a word from the engine until it is given up."""


class Readiness(BaseModel):
    """Whether an engine can be asked here, and under which conditions; found without asking anything of a model."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    engine: Plain
    program: Plain = ""
    """Path of the program that was found; empty when there is none, or none is needed."""
    version: Plain = ""
    credential: Plain = ""
    """Where the credential comes from, never the credential; empty when there is none."""
    confinement: Plain = ""
    """What keeps it from writing outside its workspace and from reading the answer key; empty: nothing does."""
    problems: tuple[Plain, ...] = ()
    """What stands in the way, each with what to do about it."""
    notes: tuple[Plain, ...] = ()
    """What is worth knowing though nothing is wrong, such as what this engine cannot show."""

    @property
    def ready(self) -> bool:
        """Whether it can be asked."""
        return not self.problems


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
    keys: dict[str, str] = Field(default={}, repr=False)
    """The engine's own credentials by variable name; for the engine alone, never for its tools, a trace or a log."""
    base_url: str = ""
    """Where the provider is reached, over what the settings say; a rehearsal points it at this machine."""
    secrets: tuple[Path, ...] = ()
    """Absolute paths, outside the workspace, that the agent must not be able to read."""
    max_turns: int = 10
    """Model messages allowed."""
    timeout: float = 600.0
    """Seconds for the whole trial."""
    max_cost: float = 0.0
    """US dollars the trial may come to, for an engine that can stop itself; 0: no limit."""
    tool_timeout: float = 60.0
    """Seconds for one command."""


class Ending(BaseModel):
    """How a trial ended; `reason` is None when the agent finished by itself."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    reason: Reason | None = None
    detail: Plain = ""
    retry_after: float = 0.0
    """Seconds the provider asked to wait before anything more is asked; 0 when it did not."""
    cost_usd: float | None = None
    """What the whole trial cost, sub-agents included; None when nobody can tell."""
    cost_basis: Literal["", "reported", "list"] = ""
    """Who says so: the engine itself, or list prices applied to counted tokens."""


class Engine(Protocol):
    """An agent that acts. Made by calling its class with `EngineSettings`; making one does nothing yet."""

    name: str
    free: bool
    """True when asking costs nothing; anything else needs `--engine` or a yes."""
    rules: str
    """Whose guidance-loading rules it follows; empty when the task says."""
    key_variables: tuple[str, ...]
    """Environment variables that may hold its credential, most specific first; the first that is set is passed."""

    def version(self) -> str:
        """The engine's own version; empty when its program is not there."""
        ...

    def preflight(self, keys: Collection[str]) -> Readiness:
        """Whether it can be asked, given the names of the credential variables that are set."""
        ...

    def tools(self, surface: Surface) -> tuple[str, ...]:
        """Names of the tools it has on this surface, in the normalized vocabulary."""
        ...

    def run(self, task: Task, emit: Callable[[TraceEvent], None]) -> Ending:
        """Ask once: emit `Started`, then every turn as it is final. Runs in a worker process that may be killed."""
        ...
