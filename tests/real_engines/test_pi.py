"""pi itself, of both its lines, over a planted workspace, with a script as its model."""

import contextlib
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.real_engines import asking
from tests.real_engines.asking import ANSWER, Ask, Told, plant
from workbench.brains.scripted import Call, Say, Step
from workbench.endpoint.faults import Fault
from workbench.engines.pi.engine import PiEngine
from workbench.engines.protocol import EngineSettings
from workbench.host import processes, sandbox
from workbench.traces.acts import classify
from workbench.traces.events import TextDelta
from workbench.traces.reasons import Reason

KEY = "pi-dummy-7c1f"
WIRES = {"openrouter": "OPENROUTER_API_KEY", "anthropic": "ANTHROPIC_API_KEY", "openai": "OPENAI_API_KEY"}
RUNS = "module.exports = () => require('fs').writeFileSync('{mark}', 'it ran');"
BOX = {
    "AGENTS.md": "MARK-ROOT",
    ".pi/APPEND_SYSTEM.md": "MARK-APPENDED",
    ".pi/skills/one/SKILL.md": "---\nname: one\ndescription: MARK-PISKILL\n---\nx",
    ".agents/skills/two/SKILL.md": "---\nname: two\ndescription: MARK-AGENTSKILL\n---\nx",
    ".claude/skills/three/SKILL.md": "---\nname: three\ndescription: FOREIGN-SKILL\n---\nx",
    ".pi/extensions/evil.js": RUNS.format(mark="extension-ran"),
    "docs/guide.md": "Eggs go into the blue basket.\n",
}
USERS = {
    "AGENTS.md": "LEAK-memory",
    "skills/mine/SKILL.md": "---\nname: mine\ndescription: LEAK-skill\n---\nx",
    "SYSTEM.md": "LEAK-system",
    "extensions/mine.js": RUNS.format(mark="users-extension-ran"),
    "auth.json": json.dumps({"openrouter": {"type": "api_key", "key": "LEAK-key"}}),
}

needs_sandbox = pytest.mark.skipif(not sandbox.available(), reason="bubblewrap is not to be had here")


@pytest.fixture
def box(tmp_path: Path) -> Path:
    root = plant(tmp_path / "trial" / "box", BOX)
    (root / ".git").mkdir()
    return root


@pytest.fixture(params=["pi", "pi-old"])
def line(request: pytest.FixtureRequest) -> str:
    """Which of pi's two lines of releases."""
    return str(request.param)


@pytest.fixture
def ask(cli: Callable[[str], Path], line: str, box: Path, monkeypatch: pytest.MonkeyPatch) -> Ask:
    """Asks that pi in the box with a script as its model."""
    program = str(cli(line))
    processes.adopt_orphans()  # as the process does that trials run in
    monkeypatch.setenv("PATH", f"{cli('node').parent}{os.pathsep}{os.environ['PATH']}")

    def question(*steps: Step, provider: str = "openrouter", stall: float = 60.0, **more: Any) -> Told:
        engine = PiEngine(EngineSettings(program=program, provider=provider, stall=stall))
        assert engine.preflight([WIRES[provider]]).ready
        return asking.ask(engine, box, steps, **{"keys": {WIRES[provider]: KEY}, "model": "some-model", **more})

    return question


def bash(command: str) -> Call:
    return Call("bash", {"command": command})


@pytest.mark.parametrize("provider", WIRES)
def test_it_answers_over_every_wire(ask: Ask, line: str, provider: str) -> None:
    told = ask(Call("read", {"path": "docs/guide.md"}, text="I look."), Say(ANSWER), provider=provider)
    assert told.ending.reason is None, told.ending
    assert [turn.role for turn in told.trace.turns] == ["user", "assistant", "toolResult", "assistant"]
    assert told.trace.assistant_turns[-1].text == ANSWER
    assert [(act.kind, act.path, act.ok) for act in classify(told.trace)] == [("read", "docs/guide.md", True)]
    assert all(turn.token_ledger.context for turn in told.trace.assistant_turns)
    assert told.trace.meta.engine_version.startswith("1." if line == "pi" else "0.")
    if (line, provider) != ("pi-old", "openai"):  # which streams no text over this wire
        assert ANSWER in "".join(event.text for event in told.events if isinstance(event, TextDelta))
    assert [file.path for file in told.trace.guidance] == (
        [".pi/APPEND_SYSTEM.md", "AGENTS.md"] if line == "pi" else []
    )


def test_only_the_box_reaches_the_model(ask: Ask, box: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(
        "HOME", str(plant(tmp_path / "user", {f".pi/agent/{name}": text for name, text in USERS.items()}))
    )
    monkeypatch.setenv("LEAK_VARIABLE", "LEAK-variable")
    if sandbox.available():
        plant(box.parent, {"AGENTS.md": "LEAK-above", "CLAUDE.md": "LEAK-above"})
    told = ask(bash("env; cat ../AGENTS.md ~/.pi/agent/auth.json $HOME/../../../user/.pi/agent/auth.json"), Say(ANSWER))
    assert told.ending.reason is None, told.ending
    assert "LEAK-" not in told.seen
    assert all(mark in told.seen for mark in ("MARK-ROOT", "MARK-APPENDED", "MARK-PISKILL", "MARK-AGENTSKILL"))
    assert "FOREIGN-SKILL" not in told.seen
    assert "LEAK-above" not in told.trace.model_dump_json()
    assert not list(tmp_path.rglob("*extension-ran"))


@needs_sandbox
def test_nothing_but_the_box_is_written_and_no_secret_read(ask: Ask, box: Path, tmp_path: Path) -> None:
    secret = plant(tmp_path / "answers", {"key.yaml": "SECRET-answer"})
    outside = tmp_path / "outside"
    told = ask(
        bash(f"cat {secret}/key.yaml; touch {outside} ../beside; echo in >made.md"),
        Call("read", {"path": f"{secret}/key.yaml"}),
        Call("write", {"path": str(outside), "content": "x"}),
        Say(ANSWER),
        secrets=(secret,),
    )
    assert told.ending.reason is None, told.ending
    assert "SECRET-answer" not in told.trace.model_dump_json()
    assert not outside.exists()
    assert not (box.parent / "beside").exists()
    assert (box / "made.md").read_text() == "in\n"


@pytest.mark.parametrize("provider", ["openrouter", "anthropic"])
def test_the_key_is_nowhere_a_tool_can_look(ask: Ask, provider: str) -> None:
    told = ask(
        bash("env; tr '\\0' '\\n' </proc/self/environ; tr '\\0' '\\n' </proc/$PPID/environ"),
        bash("grep -al dummy-7c1[f] /proc/[0-9]*/environ /proc/[0-9]*/cmdline; echo looked"),
        bash('cat "$PI_CODING_AGENT_DIR"/*.json; grep -ra dummy-7c1[f] "$PI_CODING_AGENT_DIR" "$HOME" "$TMPDIR" .'),
        Say(ANSWER),
        provider=provider,
    )
    assert told.ending.reason is None, told.ending
    assert "PI_CODING_AGENT_DIR" in told.results[0].text
    assert [row for row in told.results[1].text.splitlines() if row and not row.startswith("grep:")] == ["looked"]
    assert "127.0.0.1" in told.results[2].text
    assert KEY not in told.seen + told.trace.model_dump_json()
    header = "x-api-key" if provider == "anthropic" else "authorization"
    assert all(header in request.headers for request in told.asked)


@pytest.mark.parametrize(
    ("fault", "provider", "reason"),
    [
        (Fault("401"), "openrouter", Reason.AUTH),
        (Fault("404"), "openrouter", Reason.MISSING),
        (Fault("429", retry_after=7), "openrouter", Reason.RATE_LIMIT),
        (Fault("500", at=1), "openrouter", Reason.OVERLOADED),
        (Fault("529"), "anthropic", Reason.OVERLOADED),
        (Fault("too_long"), "anthropic", Reason.CONTEXT_TOO_LONG),
        (Fault("disconnect"), "openrouter", Reason.TRUNCATED),
        (Fault("cut"), "anthropic", Reason.TRUNCATED),
        (Fault("max_tokens"), "openrouter", Reason.TRUNCATED),
    ],
    ids=lambda value: getattr(value, "kind", str(value)),
)
def test_failures_of_the_provider_are_no_answers(ask: Ask, fault: Fault, provider: str, reason: Reason) -> None:
    told = ask(Call("read", {"path": "docs/guide.md"}), Say(ANSWER), faults=[fault], provider=provider)
    assert told.ending.reason is reason, told.ending
    assert told.ending.retry_after == fault.retry_after
    assert told.ending.detail


def test_a_failure_that_passes_is_no_failure(ask: Ask) -> None:
    told = ask(faults=[Fault("500", times=1)])
    assert told.ending.reason is None, told.ending
    assert len(told.trace.assistant_turns) == 1


def test_a_limit_leaves_nothing_running(ask: Ask) -> None:
    told = ask(bash("(setsid sleep 317.4243 &) ; sleep 317.4243"), Say(ANSWER), timeout=6)
    assert told.ending.reason is Reason.TIMED_OUT, told.ending
    assert not any("317.4243" in line for line in running())
    told = ask(bash("sleep 317.4244"), max_turns=1)
    assert told.ending.reason is Reason.TURN_LIMIT, told.ending
    assert not any("317.4244" in line for line in running())


def test_no_message_is_paid_for_beyond_the_limit(ask: Ask) -> None:
    told = ask(Call("ls", {"path": "."}), max_turns=3)
    assert (told.ending.reason, len(told.asked)) == (Reason.TURN_LIMIT, 3)


def test_on_the_dev_surface_nothing_can_be_changed(ask: Ask, box: Path) -> None:
    told = ask(Call("write", {"path": "made.md", "content": "x"}), bash("touch made.md"), Say(ANSWER), surface="dev")
    assert told.ending.reason is None, told.ending
    assert not (box / "made.md").exists()
    assert {tool.name for tool in told.asked[0].tools} == {*told.trace.meta.tools}
    assert "bash" not in told.trace.meta.tools


def test_the_default_model_has_a_price_and_an_unknown_one_none(ask: Ask) -> None:
    told = ask(model="")
    assert told.trace.meta.model
    assert told.ending.cost_usd
    assert told.ending.cost_basis == "reported"
    assert ask(model="some-model").ending.cost_usd is None


def running() -> Iterator[str]:
    """The command lines of all processes."""
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            yield path.read_text("utf-8", "replace")
