"""Codex itself, over a planted workspace, with a script as its model: isolation, confinement, endings."""

import json
import os
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.real_engines import asking
from tests.real_engines.asking import Ask, Told, plant, repository
from workbench.brains.scripted import Call, Calls, Say, Step
from workbench.endpoint.faults import Fault
from workbench.engines.codex import installed
from workbench.engines.codex.engine import CodexEngine
from workbench.engines.protocol import EngineSettings, Task
from workbench.traces.acts import classify
from workbench.traces.events import TextDelta, TraceEvent, TurnAdded
from workbench.traces.reasons import Reason
from workbench.traces.records import ToolResultTurn

KEY = "dummy-key-of-no-use"
SKILL = "---\nname: {0}\ndescription: {1}\n---\nbody"
BOX = {
    "AGENTS.md": "MARK-ROOT",
    "docs/AGENTS.md": "MARK-NESTED",
    "docs/guide.md": "Eggs go into the blue basket.",
    ".agents/skills/demo/SKILL.md": SKILL.format("demo", "MARK-SKILL"),
    ".codex/config.toml": (
        'developer_instructions="LEAK-project-config"\n[mcp_servers.trap]\ncommand="touch"\nargs=["{trap}/server"]\n'
        '[[hooks.SessionStart]]\n[[hooks.SessionStart.hooks]]\ntype="command"\ncommand="touch {trap}/hook"\n'
    ),
}
USERS = {
    ".codex/AGENTS.md": "LEAK-memory",
    ".codex/config.toml": 'developer_instructions="LEAK-config"\nmodel_provider="nowhere"',
    ".codex/skills/mine/SKILL.md": SKILL.format("mine", "LEAK-skill"),
    ".agents/skills/mine/SKILL.md": SKILL.format("mine", "LEAK-skill"),
    ".codex/auth.json": '{"OPENAI_API_KEY": "LEAK-login"}',
}


@pytest.fixture
def box(tmp_path: Path) -> Path:
    """A workspace that is a repository, two folders below the test's own, with traps in its configuration."""
    trap = tmp_path / "trap"
    trap.mkdir()
    files = {name: text.replace("{trap}", str(trap)) for name, text in BOX.items()}
    return repository(tmp_path / "trial" / "box", files)


@pytest.fixture
def ask(cli: Callable[[str], Path], box: Path) -> Ask:
    """Asks codex in the box with a script as its model; skips where its sandbox cannot work."""
    program = installed.find(str(cli("codex")))
    assert program
    if not program.confinement:
        pytest.skip(program.problem)

    def question(*steps: Step, stall: float = 60.0, login: bool = False, **more: Any) -> Told:
        engine = CodexEngine(EngineSettings(program=program.path, stall=stall, login=login))
        return asking.ask(engine, box, steps, **{"keys": {"CODEX_API_KEY": KEY}, "model": "gpt-5.5", **more})

    return question


def sh(command: str, **more: object) -> Call:
    return Call("exec_command", {"cmd": command, **more})


def test_a_question_is_answered(ask: Ask) -> None:
    told = ask(Call("exec_command", {"cmd": "cat docs/guide.md"}, text="Let me look."), Say("In the blue basket."))
    assert told.ending.reason is None, told.ending
    assert told.trace.reply == "Let me look.\nIn the blue basket."
    assert [turn.role for turn in told.trace.turns] == ["user", "assistant", "toolResult", "assistant"]
    assert told.results[0].text == "Eggs go into the blue basket."
    assert told.trace.meta.model == "gpt-5.5"
    assert told.trace.meta.engine_version
    assert told.trace.meta.session
    assert all(turn.token_ledger.context for turn in told.trace.assistant_turns)
    assert any(isinstance(event, TextDelta) for event in told.events)
    assert [act.path for act in classify(told.trace) if act.kind == "read" and act.ok] == ["docs/guide.md"]


def test_what_it_loaded_is_told_and_nothing_else_is_loaded(
    ask: Ask, box: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(plant(tmp_path / "user", USERS)))
    plant(box.parent, {"AGENTS.md": "LEAK-parent"})
    told = ask(cwd="docs")
    assert told.ending.reason is None, told.ending
    assert {file.path: file.text for file in told.trace.initial_guidance} == {
        "AGENTS.md": "MARK-ROOT",
        "docs/AGENTS.md": "MARK-NESTED",
    }
    assert all(mark in told.seen for mark in ("MARK-ROOT", "MARK-NESTED", "MARK-SKILL"))
    assert "LEAK" not in told.seen
    assert not list((tmp_path / "trap").iterdir()), "a hook or a server of the project ran"


def test_it_talks_to_its_provider_and_to_nobody_else(ask: Ask) -> None:
    with socket.create_server(("127.0.0.1", 0)) as proxy:
        proxy.setblocking(False)
        url = "http://{}:{}".format(*proxy.getsockname())
        proxies = dict.fromkeys(("HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY", "https_proxy", "http_proxy"), url)
        told = ask(sh("ls"), Say("x"), env={**proxies, "NO_PROXY": "127.0.0.1"})
        assert told.ending.reason is None, told.ending
        with pytest.raises(BlockingIOError):
            proxy.accept()
    assert [request.path for request in told.asked] == ["/v1/responses"] * 2


def test_its_key_is_out_of_reach_of_its_tools(ask: Ask) -> None:
    told = ask(sh("env; cat /proc/*/environ; cat $HOME/../codex/*.toml; ls $HOME/../codex/sessions"), Say("x"))
    assert told.results[0].text
    assert KEY not in told.seen
    assert KEY not in json.dumps([str(event) for event in told.events])
    assert f"Bearer {KEY}" not in told.seen


def test_its_login_is_used_where_allowed_and_out_of_reach_too(
    ask: Ask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    users = plant(tmp_path / "user", USERS)
    monkeypatch.setenv("HOME", str(users))
    told = ask(sh(f"cat {users}/.codex/auth.json; cat $HOME/../codex/auth.json"), Say("x"), login=True, keys={})
    assert told.ending.reason is None, told.ending
    assert told.results[0].is_error
    assert "LEAK" not in told.seen
    assert told.asked[0].headers["authorization"] == f"[{len('Bearer LEAK-login')} characters]"


def test_its_tools_have_the_environment_of_the_trial(ask: Ask) -> None:
    told = ask(
        sh("echo $EGGS; pwd; touch $TMPDIR/t && echo wrote"), Say("x"), env={"EGGS": 'blue "basket"'}, cwd="docs"
    )
    assert told.results[0].text.splitlines()[0] == 'blue "basket"'
    assert told.results[0].text.splitlines()[1].endswith("/docs")
    assert "wrote" in told.results[0].text


def test_a_refused_read_of_the_answer_key_stands_in_the_trace(ask: Ask, tmp_path: Path) -> None:
    secret = plant(tmp_path / "key", {"answers.yaml": "SECRET-answer"})
    told = ask(
        sh(f"cat {secret}/answers.yaml"),
        Call("view_image", {"path": f"{secret}/answers.yaml"}),
        sh(f"grep -rn SECRET {tmp_path}"),
        Say("x"),
        secrets=(secret,),
    )
    assert told.ending.reason is None, told.ending
    assert "SECRET-answer" not in told.seen
    assert [result.is_error for result in told.results] == [True] * 3
    commands = [act.command for act in classify(told.trace) if act.kind == "command"]
    assert commands == [f"cat {secret}/answers.yaml", f"grep -rn SECRET {tmp_path}"]


def test_a_box_agent_writes_in_its_workspace_only(ask: Ask, box: Path, tmp_path: Path) -> None:
    told = ask(
        sh(f"echo a > new.md; echo b > {tmp_path}/outside.md; echo c > {box.parent}/beside.md"), Say("x"), cwd="docs"
    )
    assert told.ending.reason is None, told.ending
    assert (box / "docs" / "new.md").read_text() == "a\n"
    assert not (tmp_path / "outside.md").exists()
    assert not (box.parent / "beside.md").exists()


def test_a_patch_is_an_edit(ask: Ask, box: Path) -> None:
    patch = "*** Begin Patch\n*** Add File: basket.md\n+blue\n*** End Patch"
    told = ask(Call("apply_patch", {"input": patch}), Say("x"))
    assert (box / "basket.md").read_text() == "blue\n"
    assert [(act.kind, act.path, act.ok) for act in classify(told.trace)] == [("edit", "basket.md", True)]


def test_on_the_dev_surface_it_can_only_look(ask: Ask, box: Path) -> None:
    told = ask(Calls((sh("touch new.md"), sh("cat docs/guide.md"))), Say("x"), surface="dev")
    assert not (box / "new.md").exists()
    assert [result.is_error for result in told.results] == [True, False]
    assert "apply_patch" not in told.trace.meta.tools


def test_a_script_shows_the_commands_in_it(ask: Ask, tmp_path: Path) -> None:
    secret = plant(tmp_path / "key", {"answers.yaml": "SECRET-answer"})
    script = (
        'const a = await tools.exec_command({cmd: "cat docs/guide.md"}); text(a.output);'
        f'const b = await tools.exec_command({{cmd: "cat {secret}/answers.yaml"}}); text(b.output);'
    )
    told = ask(Call("exec", {"input": script}), Say("x"), model="gpt-6.2-sol", secrets=(secret,))
    assert told.ending.reason is None, told.ending
    reads = {act.path: act.ok for act in classify(told.trace) if act.kind == "read"}
    assert reads == {"docs/guide.md": True, f"{secret}/answers.yaml": False}
    assert len(told.trace.assistant_turns) == 2
    assert "spawn_agent" not in told.seen
    assert "SECRET-answer" not in told.seen


def test_it_is_held_to_its_number_of_messages(ask: Ask) -> None:
    told = ask(sh("ls"), max_turns=2)
    assert told.ending.reason is Reason.TURN_LIMIT
    assert len(told.trace.assistant_turns) == 2


def test_it_is_not_waited_for_without_end(ask: Ask) -> None:
    marker = "sleep 86399"
    told = ask(sh(f"echo on; {marker} & {marker}"), timeout=12.0)
    assert told.ending.reason is Reason.TIMED_OUT
    assert not _running(marker), "a command outlived its trial"


def test_nothing_outlives_a_trial_that_is_broken_off(ask: Ask) -> None:
    def broken_off(event: TraceEvent) -> None:
        if isinstance(event, TurnAdded) and isinstance(event.turn, ToolResultTurn):
            assert _running(marker)
            raise KeyboardInterrupt

    marker = "sleep 86398"
    with pytest.raises(KeyboardInterrupt):
        ask(sh(f"{marker} & {marker}", yield_time_ms=500), emit=broken_off)
    assert not _running(marker), "a command outlived its trial"


def test_a_silent_provider_is_given_up(ask: Ask) -> None:
    told = ask(faults=(Fault("hang"),), stall=8.0)
    assert told.ending.reason is Reason.TIMED_OUT
    assert "nothing" in told.ending.detail
    assert told.trace.meta.session


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        ("400", Reason.CRASHED),
        ("401", Reason.AUTH),
        ("404", Reason.MISSING),
        ("429", Reason.RATE_LIMIT),
        ("500", Reason.OVERLOADED),
        ("529", Reason.OVERLOADED),
        ("too_long", Reason.CONTEXT_TOO_LONG),
        ("disconnect", Reason.TRUNCATED),
        ("max_tokens", Reason.TRUNCATED),
        ("refusal", Reason.TRUNCATED),
        ("empty", Reason.TRUNCATED),
    ],
)
def test_a_failure_has_its_reason(ask: Ask, fault: str, reason: Reason) -> None:
    told = ask(sh("ls"), Say("x"), faults=(Fault.parse(f"{fault},at=1"),))
    assert told.ending.reason is reason, told.ending
    assert len(told.trace.assistant_turns) >= 1


def test_nobody_there_is_told_soon(ask: Ask) -> None:
    told = ask(base_url="http://127.0.0.1:9", timeout=30.0)
    assert told.ending.reason is Reason.CRASHED
    assert "Connection failed" in told.ending.detail


def test_preflight_says_what_is_there(cli: Callable[[str], Path], tmp_path: Path) -> None:
    engine = CodexEngine(EngineSettings(program=str(cli("codex"))))
    found = engine.preflight(("OPENAI_API_KEY",))
    assert found.ready
    assert found.version
    assert found.confinement
    assert found.credential == "OPENAI_API_KEY"
    assert not engine.preflight(()).ready
    unkeyed = engine.run(Task(trial="t", prompt="?", workspace=tmp_path), lambda event: None)
    assert unkeyed.reason is Reason.AUTH
    assert not CodexEngine(EngineSettings(program=str(tmp_path / "none"))).preflight(("CODEX_API_KEY",)).ready


def _running(command: str) -> list[str]:
    """Command lines of living processes that hold these words."""
    found = []
    for place in Path("/proc").iterdir():
        if place.name.isdigit() and place.name != str(os.getpid()):
            try:
                line = (place / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            except OSError:
                continue
            found += [line] if command in line else []
    return found
