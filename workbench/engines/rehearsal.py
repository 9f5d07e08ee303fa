"""A real engine with one of our brains for its model: all but the provider is exercised, and nothing is spent."""

from collections.abc import Callable, Collection
from dataclasses import replace

from workbench.brains.protocol import Brain
from workbench.corpus.records import Surface
from workbench.endpoint.server import serve
from workbench.engines.protocol import Ending, Engine, EngineSettings, Readiness, Task
from workbench.engines.registry import REHEARSED
from workbench.traces.events import Started, TraceEvent, TurnAdded
from workbench.traces.records import AssistantTurn

_KEY = "rehearsal"
_NOBODY = "http://127.0.0.1:9"
"""Where nobody listens; each trial then has an endpoint of its own."""


def alone(settings: EngineSettings) -> EngineSettings:
    """An engine's settings without what leads to a provider or to its user's account there.

    They hold an address of this machine, so that an engine which cannot be sent to one can say so before it is asked.
    """
    return settings.model_copy(update={"base_url": _NOBODY, "keys": (), "login": False})


class Rehearsed:
    """Runs another engine against an endpoint on loopback; the endpoint lives as long as the trial."""

    free = True
    key_variables: tuple[str, ...] = ()

    def __init__(self, inner: Engine, brain: Brain) -> None:
        """`inner` was made with `alone` settings."""
        self._inner, self._brain = inner, brain
        self.name = f"{inner.name}{REHEARSED}{brain.name}"
        self.rules = inner.rules

    def version(self) -> str:
        """The inner engine's."""
        return self._inner.version()

    def preflight(self, keys: Collection[str]) -> Readiness:
        """Whether the inner engine could be asked if it had a key."""
        found = self._inner.preflight(self._inner.key_variables)
        return found.model_copy(update={"engine": self.name, "credential": "none needed (rehearsal)"})

    def tools(self, surface: Surface) -> tuple[str, ...]:
        """The inner engine's."""
        return self._inner.tools(surface)

    def run(self, task: Task, emit: Callable[[TraceEvent], None]) -> Ending:
        """Ask the inner engine, its model being the brain; see `Engine.run`."""
        keys = dict.fromkeys(self._inner.key_variables[:1], _KEY)
        with serve(self._brain) as endpoint:
            inner = task.model_copy(update={"keys": keys, "base_url": endpoint.url})
            ending = self._inner.run(inner, lambda event: emit(self._ours(event)))
        return ending.model_copy(update={"cost_usd": 0.0, "cost_basis": "reported"})

    def _ours(self, event: TraceEvent) -> TraceEvent:
        """An event under the rehearsal's name; what the endpoint counted are estimates, and they cost nothing."""
        model = self._brain.model or self._brain.name
        match event:
            case Started(meta=meta):
                return replace(event, meta=meta.model_copy(update={"engine": self.name, "model": model}))
            case TurnAdded(turn=AssistantTurn() as turn):
                ledger = turn.token_ledger.model_copy(update={"estimated": True})
                ours = {"token_ledger": ledger, "model": model, "cost_usd": 0.0}
                return replace(event, turn=turn.model_copy(update=ours))
            case _:
                return event
