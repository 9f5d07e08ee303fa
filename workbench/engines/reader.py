"""The built-in engine: the reader brain in the in-process agent. It needs no key and costs nothing."""

from collections.abc import Callable, Collection

import workbench
from workbench.brains.reader import Reader
from workbench.corpus.records import Surface
from workbench.engines import agent
from workbench.engines.protocol import Ending, EngineSettings, Readiness, Task
from workbench.engines.toolbox.box import tools_for
from workbench.traces.events import TraceEvent


class ReaderEngine:
    """A floor: it can only quote, so what it answers stands in the box, and the same box gives the same answer."""

    name = "reader"
    free = True
    rules = ""
    key_variables: tuple[str, ...] = ()

    def __init__(self, settings: EngineSettings) -> None:
        """The reader has nothing to set."""

    def version(self) -> str:
        """The workbench's own version: the reader changes with it."""
        return workbench.__version__

    def preflight(self, keys: Collection[str]) -> Readiness:
        """It is always there."""
        return Readiness(engine=self.name, version=self.version(), credential="none needed")

    def tools(self, surface: Surface) -> tuple[str, ...]:
        """Names of the toolbox's tools on this surface."""
        return tuple(tool.schema.name for tool in tools_for(surface))

    def run(self, task: Task, emit: Callable[[TraceEvent], None]) -> Ending:
        """Ask the reader once; see `Engine.run`."""
        return agent.run(task, Reader(), emit, engine=self.name, version=self.version())
