"""Real CLIs with the reader for their model: they load the box's guidance, run the reader's calls, tell its answer."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.real_engines.asking import repository
from workbench.engines.protocol import EngineSettings, Task
from workbench.engines.registry import get
from workbench.traces.events import TraceEvent, trace_of
from workbench.traces.records import ToolResultTurn, Trace

SKILL = "---\nname: demo\ndescription: Publish the summer timetable\n---\nPrint it on yellow paper.\n"
BOX = {
    "CLAUDE.md": "@AGENTS.md\n",
    "AGENTS.md": "# Bakery\n\nDough rests for nine hours.\n\nOven temperatures are in `docs/oven.md`.\n",
    "docs/oven.md": "# Oven\n\nRye wants 240 degrees.\n",
    "shop/prices.txt": "A poppy seed roll costs eighty cents.\n",
    ".claude/skills/demo/SKILL.md": SKILL,
    ".agents/skills/demo/SKILL.md": SKILL,
}
ENGINES = [("claude", ""), ("codex", ""), ("codex", "gpt-5.5"), ("pi", ""), ("pi-old", "")]

Ask = Callable[[str], Trace]


@pytest.fixture(params=ENGINES, ids=lambda pair: " ".join(filter(None, pair)))
def ask(
    request: pytest.FixtureRequest, cli: Callable[[str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Ask:
    """Rehearses one CLI over a planted box."""
    name, model = request.param
    program = cli(name)
    if name.startswith("pi"):
        monkeypatch.setenv("PATH", f"{cli('node').parent}:/usr/bin:/bin")
    root = repository(tmp_path / "trial" / "box", BOX)

    def question(prompt: str) -> Trace:
        engine = get(f"{name.removesuffix('-old')}+reader", EngineSettings(program=str(program)))
        assert engine.preflight(()).ready
        events: list[TraceEvent] = []
        ending = engine.run(Task(trial="t", prompt=prompt, workspace=root, model=model, timeout=90), events.append)
        assert (ending.reason, ending.detail, ending.cost_usd) == (None, "", 0.0)
        trace = trace_of(events)
        assert (trace.meta.engine, trace.meta.model) == (engine.name, "reader")
        assert all(turn.token_ledger.estimated for turn in trace.assistant_turns)
        return trace

    return question


def results(trace: Trace) -> str:
    return "\n".join(turn.text for turn in trace.turns if isinstance(turn, ToolResultTurn))


def test_what_its_guidance_says_needs_no_tool(ask: Ask) -> None:
    trace = ask("How long does dough rest?")
    assert trace.reply == "AGENTS.md says:\n\nDough rests for nine hours."
    assert results(trace) == ""


def test_a_document_is_read_for_real(ask: Ask) -> None:
    trace = ask("Which oven temperature does rye want?")
    assert trace.reply == "docs/oven.md says:\n\nRye wants 240 degrees."
    assert "Rye wants 240 degrees." in results(trace)


def test_what_no_guidance_names_is_searched(ask: Ask) -> None:
    trace = ask("What does a poppy seed roll cost?")
    assert trace.reply == "shop/prices.txt says:\n\nA poppy seed roll costs eighty cents."


def test_a_skill_is_opened(ask: Ask) -> None:
    trace = ask("How do I publish the summer timetable?")
    assert "skills/demo/SKILL.md says:" in trace.reply
    assert "Print it on yellow paper." in trace.reply
    assert "demo" in str([call.arguments for turn in trace.assistant_turns for call in turn.calls])


def test_a_command_is_run_for_real(ask: Ask) -> None:
    trace = ask("Please run `echo $((6*7))`.")
    assert "42" in results(trace)
    assert trace.reply.endswith("42")
