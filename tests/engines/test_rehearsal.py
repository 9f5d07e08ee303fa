"""A rehearsal: an engine meets a brain of ours where it expects its provider, and nothing of its user's."""

import json
from collections.abc import Callable, Collection
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest

from workbench.brains.reader import Reader
from workbench.corpus.records import Surface
from workbench.engines.narrator import Narrator
from workbench.engines.protocol import Ending, EngineSettings, Readiness, Task
from workbench.engines.registry import UnknownEngine, get, names
from workbench.engines.rehearsal import Rehearsed, alone
from workbench.traces.events import TraceEvent, trace_of
from workbench.traces.reasons import Reason
from workbench.traces.records import TextBlock, TokenLedger, Trace

FILES = {
    "AGENTS.md": "# Bakery\n\nDough rests for nine hours.\n\nOven temperatures are in `docs/oven.md`.\n",
    "docs/oven.md": "# Oven\n\nRye wants 240 degrees.\n",
}


class Asking:
    """An engine that asks its provider once, and says what it was given to do so."""

    name = "asking"
    free = False
    rules = "codex"
    key_variables: tuple[str, ...] = ("ASKING_KEY", "OTHER_KEY")

    def __init__(self) -> None:
        self.task: Task | None = None

    def version(self) -> str:
        return "7"

    def preflight(self, keys: Collection[str]) -> Readiness:
        problems = () if "ASKING_KEY" in keys else ("no key",)
        return Readiness(engine=self.name, version="7", credential="ASKING_KEY", problems=problems)

    def tools(self, surface: Surface) -> tuple[str, ...]:
        return ("Read",)

    def run(self, task: Task, emit: Callable[[TraceEvent], None]) -> Ending:
        self.task = task
        narrator = Narrator(task, emit)
        narrator.open(engine=self.name, version="7", model="costly-1")
        connection = HTTPConnection(task.base_url.removeprefix("http://"), timeout=10)
        body = {
            "model": "costly-1",
            "system": FILES["AGENTS.md"],
            "messages": [{"role": "user", "content": task.prompt}],
        }
        connection.request("POST", "/v1/messages", json.dumps(body), {"x-api-key": task.keys["ASKING_KEY"]})
        said: dict[str, Any] = json.loads(connection.getresponse().read())
        connection.close()
        ledger = TokenLedger(input=said["usage"]["cache_creation_input_tokens"], output=3)
        text = TextBlock(text=said["content"][0]["text"])
        narrator.assistant([text], ledger=ledger, model="costly-1", cost_usd=3.5)
        return Ending(reason=Reason.TURN_LIMIT, detail="enough", cost_usd=3.5, cost_basis="list")


def run(engine: Any, workspace: Path, prompt: str) -> tuple[Trace, Ending]:
    events: list[TraceEvent] = []
    ending = engine.run(Task(trial="t", prompt=prompt, workspace=workspace), events.append)
    return trace_of(events), ending


def test_an_engine_is_led_to_the_brain_and_told_under_the_rehearsals_name(tmp_path: Path) -> None:
    inner = Asking()
    engine = Rehearsed(inner, Reader())
    trace, ending = run(engine, tmp_path, "How long does dough rest?")
    assert (engine.name, engine.free, engine.rules, engine.key_variables) == ("asking+reader", True, "codex", ())
    assert trace.reply.endswith("Dough rests for nine hours.")
    assert (trace.meta.engine, trace.meta.model, trace.meta.engine_version) == ("asking+reader", "reader", "7")
    [turn] = trace.assistant_turns
    assert (turn.model, turn.cost_usd, turn.token_ledger.estimated) == ("reader", 0.0, True)
    assert turn.token_ledger.input
    assert (ending.reason, ending.detail, ending.cost_usd) == (Reason.TURN_LIMIT, "enough", 0.0)
    assert inner.task is not None
    assert list(inner.task.keys) == ["ASKING_KEY"]
    with pytest.raises(OSError, match="refused"):
        HTTPConnection(inner.task.base_url.removeprefix("http://"), timeout=5).connect()


def test_it_is_ready_when_only_a_key_is_missing() -> None:
    found = Rehearsed(Asking(), Reader()).preflight(())
    assert (found.engine, found.ready, found.credential) == ("asking+reader", True, "none needed (rehearsal)")


def test_our_own_agent_can_be_rehearsed_over_the_wire(plant: Callable[[dict[str, str]], Path]) -> None:
    trace, ending = run(get("api+reader"), plant(FILES), "Which oven temperature does rye want?")
    assert ending.reason is None
    assert [call.arguments for turn in trace.assistant_turns for call in turn.calls] == [{"file_path": "docs/oven.md"}]
    assert trace.reply == "docs/oven.md says:\n\nRye wants 240 degrees."
    assert trace.meta.engine == "api+reader"


def test_nothing_that_leads_to_a_provider_or_an_account_is_left_in_its_settings() -> None:
    settings = EngineSettings(
        program="/p", base_url="https://bench.example", keys=("MY_KEY",), login=True, provider="x"
    )
    left = alone(settings)
    assert left == EngineSettings(program="/p", provider="x", base_url=left.base_url)
    assert left.base_url.startswith("http://127.0.0.1:")


@pytest.mark.parametrize("name", ["claude+gpt", "reader+reader", "nobody+reader", "+reader", "claude+", "a+b+reader"])
def test_only_known_engines_are_rehearsed_and_only_with_the_reader(name: str) -> None:
    with pytest.raises(UnknownEngine, match=r"NAME\+reader"):
        get(name)
    assert name not in names()


def test_an_agent_that_cannot_be_sent_elsewhere_is_not_ready_to_be_rehearsed() -> None:
    found = get("acp+reader", EngineSettings(command=("/bin/sh",))).preflight(())
    assert ["neither be sent elsewhere nor rehearsed" in problem for problem in found.problems] == [True]
