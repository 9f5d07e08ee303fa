"""The engine that asks a model over the Messages API: the whole of it, against an endpoint of ours."""

import contextlib
import gc
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.brains.provider import Answer, message, provider
from tests.engines.conftest import Plant
from tests.host.test_processes import soon
from tests.test_imports import loaded_after
from workbench.brains.protocol import Brain
from workbench.brains.reader import Reader
from workbench.brains.scripted import Call, Calls, Say, Scripted, Step
from workbench.endpoint.faults import Fault
from workbench.endpoint.server import serve
from workbench.engines.api import MODELS, UNCONFINED, ApiEngine
from workbench.engines.protocol import Ending, EngineSettings, Task
from workbench.host import sandbox
from workbench.traces.events import TextDelta, TraceEvent, trace_of
from workbench.traces.reasons import Reason
from workbench.traces.records import ToolResultTurn, Trace

KEY = "sk-dummy-0123456789"
BOX = {"AGENTS.md": "Bees sleep in the shed.\n", "docs/CLAUDE.md": "Docs rule.\n", "docs/a.md": "hello\n"}


def run(
    root: Path, url: str, settings: EngineSettings | None = None, **more: Any
) -> tuple[Trace, Ending, list[TraceEvent]]:
    events: list[TraceEvent] = []
    given = {"trial": "t", "prompt": "Where do bees sleep?", "workspace": root, "keys": {"ANTHROPIC_API_KEY": KEY}}
    task = Task.model_validate({**given, "base_url": url, **more})
    ending = ApiEngine(settings or EngineSettings()).run(task, events.append)
    return trace_of(events), ending, events


def sockets() -> int:
    """How many this process holds."""
    held = 0
    for handle in os.listdir("/proc/self/fd"):
        with contextlib.suppress(OSError):
            held += os.readlink(f"/proc/self/fd/{handle}").startswith("socket:")
    return held


def test_no_connection_is_kept_when_the_run_is_over(plant: Plant) -> None:
    root = plant(BOX)
    gc.collect()
    gc.disable()  # which would close what was forgotten, some time
    try:
        before = sockets()
        with serve(Scripted([Say("In the shed.")])) as endpoint:
            run(root, endpoint.url)
        assert soon(lambda: sockets() <= before)
    finally:
        gc.enable()


def test_a_session_over_the_wire_is_told_like_any_other(plant: Plant) -> None:
    steps: list[Step] = [
        Calls((Call("Read", {"file_path": "docs/a.md"}), Call("Bash", {"command": "echo made > new.md"})), "Looking."),
        Say("In the shed.", thinking="Easy."),
    ]
    root = plant(BOX)
    with serve(Scripted(steps)) as endpoint:
        trace, ending, events = run(root, endpoint.url)
    assert ending.reason is None
    assert (ending.cost_basis, (ending.cost_usd or 0) > 0) == ("list", True)
    assert trace.reply == "Looking.\nIn the shed."
    assert "".join(event.text for event in events if isinstance(event, TextDelta)) == "Looking.In the shed."
    read, ran = trace.turns[2:4]
    assert isinstance(read, ToolResultTurn)
    assert read.text == "1\thello"
    assert [file.path for file in read.guidance] == ["docs/CLAUDE.md"]
    assert isinstance(ran, ToolResultTurn)
    assert not ran.is_error
    assert (root / "new.md").read_text() == "made\n"
    meta = trace.meta
    assert (meta.engine, meta.model) == ("api", MODELS["box"])
    assert meta.engine_version == ApiEngine(EngineSettings()).version() != ""
    assert meta.notes == (() if sandbox.available() else (UNCONFINED,))
    first, second = endpoint.asked
    assert "Bees sleep in the shed." in first.system
    assert "Docs rule." in json.dumps(second.body)
    assert [turn.model for turn in trace.assistant_turns] == [MODELS["box"]] * 2
    assert all(turn.token_ledger.input > 0 and not turn.token_ledger.estimated for turn in trace.assistant_turns)


def test_the_reader_answers_over_the_wire_as_it_does_at_home(plant: Plant) -> None:
    with serve(Reader()) as endpoint:
        trace, ending, _ = run(plant(BOX), endpoint.url)
    assert ending.reason is None
    assert "Bees sleep in the shed." in trace.reply


def test_a_developer_session_only_reads_and_has_a_model_of_its_own(plant: Plant) -> None:
    with serve(Scripted([Say("ok")])) as endpoint:
        trace, _, _ = run(plant(BOX), endpoint.url, EngineSettings(web=True), surface="dev")
        run(plant(BOX), endpoint.url, model="claude-haiku-4-5")
    assert trace.meta.tools == ("Read", "Grep", "Glob", "Skill") == ApiEngine(EngineSettings(web=True)).tools("dev")
    assert [asked.model for asked in endpoint.asked] == [MODELS["dev"], "claude-haiku-4-5"]


def test_web_tools_are_offered_by_choice_and_their_calls_are_acts_like_others(plant: Plant) -> None:
    search = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "bees"}}
    page = {"type": "web_search_result", "title": "Bees", "url": "https://bees.example", "encrypted_content": "x"}
    found = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": [page]}
    answers = message(search, found, stop="pause_turn"), message({"type": "text", "text": "In a hive."})
    with provider(*answers) as there:
        trace, ending, _ = run(plant(BOX), there.url, EngineSettings(web=True))
    assert ending.reason is None
    assert trace.meta.tools[-2:] == ("WebSearch", "WebFetch")
    assert trace.meta.tools == ApiEngine(EngineSettings(web=True)).tools("box")
    assert [turn.role for turn in trace.turns] == ["user", "assistant", "toolResult", "assistant"]
    assert trace.turns[2].text == "Bees\nhttps://bees.example"  # type: ignore[union-attr]
    assert trace.reply == "In a hive."
    with serve(Scripted([Say("ok")])) as endpoint:
        trace, _, _ = run(plant(BOX), endpoint.url)
    assert "WebSearch" not in trace.meta.tools
    assert "web_search" not in json.dumps(endpoint.asked[0].body)


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        (Fault("401"), Reason.AUTH),
        (Fault("404"), Reason.MISSING),
        (Fault("429", retry_after=37), Reason.RATE_LIMIT),
        (Fault("529", retry_after=37), Reason.OVERLOADED),
        (Fault("too_long"), Reason.CONTEXT_TOO_LONG),
        (Fault("cut", at=1), Reason.TRUNCATED),
        (Fault("disconnect", at=1), Reason.TRUNCATED),
        (Fault("stall", at=1), Reason.TIMED_OUT),
        (Fault("error", at=1), Reason.OVERLOADED),
        (Fault("max_tokens", at=1), Reason.TRUNCATED),
        (Fault("refusal", at=1), Reason.TRUNCATED),
        (Fault("garbled", at=1), Reason.TRUNCATED),
    ],
)
def test_whatever_a_provider_does_wrong_the_trial_ends_with_a_reason(
    plant: Plant, fault: Fault, reason: Reason
) -> None:
    steps: list[Step] = [Call("Read", {"file_path": "docs/a.md"}), Say("In the shed, where they always sleep.")]
    with serve(Scripted(steps), faults=[fault]) as endpoint:
        trace, ending, _ = run(plant(BOX), endpoint.url, EngineSettings(stall=0.3))
    assert ending.reason is reason
    assert ending.detail
    assert ending.retry_after == fault.retry_after
    complete = fault.kind in {"max_tokens", "refusal"}
    assert len(trace.assistant_turns) == (0 if fault.at is None else 2 if complete else 1)
    assert (ending.cost_usd is not None) == (complete or fault.at is None)


def test_a_passing_trouble_does_not_end_a_trial(plant: Plant) -> None:
    with serve(Scripted([Say("ok")]), faults=[Fault("529", times=2, retry_after=0.01)]) as endpoint:
        trace, ending, _ = run(plant(BOX), endpoint.url)
    assert (ending.reason, trace.reply, len(endpoint.asked)) == (None, "ok", 3)


def test_the_key_reaches_the_provider_and_nobody_else(
    plant: Plant, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-of-the-user")
    caplog.set_level(0)
    look = {"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {"command": "env; cat /proc/*/environ"}}
    refusal = {"type": "error", "error": {"type": "authentication_error", "message": f"no such key: {KEY}"}}
    with provider(message(look), Answer(status=401, error=refusal)) as there:
        trace, ending, events = run(plant(BOX), there.url)
    assert ending.reason is Reason.AUTH
    assert [sent["authorization"] for sent in there.headers] == [f"Bearer {KEY}"] * 2
    shown = [trace.model_dump_json(), ending.model_dump_json(), repr(events), caplog.text]
    if not sandbox.available():  # then a command may read what the user's other processes were given
        shown = shown[1:2]
    assert not any(KEY in text or "sk-of-the-user" in text for text in shown)


def test_nothing_is_asked_without_a_key(plant: Plant, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-of-the-user")
    with serve(Scripted([Say("ok")])) as endpoint:
        task = Task(trial="t", prompt="?", workspace=plant(BOX), base_url=endpoint.url)
        ending = ApiEngine(EngineSettings()).run(task, print)
    assert ending.reason is Reason.AUTH
    assert endpoint.requests == []


@pytest.mark.parametrize(("keys", "found"), [((), ""), (("OTHER",), ""), (("OTHER", "MY_KEY"), "MY_KEY")])
def test_preflight_says_what_is_missing(keys: Sequence[str], found: str) -> None:
    engine = ApiEngine(EngineSettings(keys=("MY_KEY", "MY_OTHER_KEY")))
    readiness = engine.preflight(keys)
    assert engine.key_variables == ("MY_KEY", "MY_OTHER_KEY")
    assert readiness.ready == bool(found)
    assert readiness.credential == found
    assert readiness.confinement == sandbox.available()
    assert found or "MY_KEY or MY_OTHER_KEY" in readiness.problems[0]


def test_looking_at_the_engine_loads_no_client() -> None:
    code = "from workbench.engines.registry import get\nget('api').preflight(())"
    assert loaded_after(code) == set()


def test_without_bubblewrap_the_trace_and_the_preflight_say_so(plant: Plant, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox, "available", lambda program="": "")
    brain: Brain = Scripted([Call("Bash", {"command": "echo out"}), Say("ok")])
    with serve(brain) as endpoint:
        trace, _, _ = run(plant(BOX), endpoint.url)
    assert trace.meta.notes == (UNCONFINED,)
    assert trace.turns[2].text == "out"  # type: ignore[union-attr]
    readiness = ApiEngine(EngineSettings()).preflight(("ANTHROPIC_API_KEY",))
    assert readiness.ready
    assert (readiness.confinement, readiness.notes) == ("", (UNCONFINED,))
