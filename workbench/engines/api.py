"""The in-process agent with a model behind Anthropic's API: no program to install, only a key."""

import contextlib
import time
from collections.abc import Callable, Collection
from importlib.metadata import version

from workbench.brains.anthropic import Anthropic
from workbench.brains.anthropic_wire import WEB
from workbench.corpus.records import Surface
from workbench.engines import agent
from workbench.engines.credentials import first_set, none_found
from workbench.engines.protocol import Ending, EngineSettings, Readiness, Task
from workbench.engines.toolbox.box import tools_for
from workbench.host import sandbox
from workbench.traces.events import TraceEvent
from workbench.traces.reasons import Reason

MODELS: dict[Surface, str] = {"box": "claude-sonnet-5-5", "dev": "claude-opus-5-5"}
"""Whom it asks when nobody names a model."""
UNCONFINED = (
    "nothing keeps its commands from writing outside the workspace or reading the answer key: bubblewrap is missing "
    "or may not work here"
)


class ApiEngine:
    """Asks one model over the Messages API, under the user's own key."""

    name = "api"
    free = False
    rules = ""

    def __init__(self, settings: EngineSettings) -> None:
        self._settings = settings
        self.key_variables: tuple[str, ...] = settings.keys or ("ANTHROPIC_API_KEY",)

    def version(self) -> str:
        """The version of the client library: it decides what is sent."""
        return version("anthropic")

    def preflight(self, keys: Collection[str]) -> Readiness:
        """Whether there is a key; it is not tried."""
        credential = first_set(self.key_variables, keys)
        confinement = sandbox.available()
        return Readiness(
            engine=self.name,
            version=self.version(),
            credential=credential,
            confinement=confinement,
            problems=() if credential else (none_found(self.key_variables),),
            notes=() if confinement else (UNCONFINED,),
        )

    def tools(self, surface: Surface) -> tuple[str, ...]:
        """The toolbox, and the provider's web tools where the user allows them; a developer session has none."""
        return (*(tool.schema.name for tool in tools_for(surface)), *self._provided(surface))

    def run(self, task: Task, emit: Callable[[TraceEvent], None]) -> Ending:
        """Let the model act in the workspace; its commands are confined where this machine can."""
        key = task.keys.get(first_set(self.key_variables, task.keys), "")
        if not key:
            return Ending(reason=Reason.AUTH, detail=none_found(self.key_variables))
        provided = self._provided(task.surface)
        brain = Anthropic(
            key,
            task.model or MODELS[task.surface],
            base_url=task.base_url or self._settings.base_url,
            web=bool(provided),
            stall=self._settings.stall,
            deadline=time.monotonic() + task.timeout,
        )
        confined = bool(sandbox.available())
        # A developer session has no commands that could need it.
        notes = () if confined or task.surface == "dev" else (UNCONFINED,)
        about = {"engine": self.name, "version": self.version()}
        with contextlib.closing(brain):
            return agent.run(task, brain, emit, **about, confined=confined, provided=provided, notes=notes)

    def _provided(self, surface: Surface) -> tuple[str, ...]:
        return WEB if self._settings.web and surface == "box" else ()
