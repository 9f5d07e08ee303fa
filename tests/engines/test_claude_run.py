"""Claude Code as it is run: its command line, its settings, its credential, when it is stopped."""

import json
import os
import stat
import time
from pathlib import Path
from typing import Any

import pytest

from tests.engines.test_claude import CAPTURES, FULL, GUIDE
from workbench.engines.claude import handover
from workbench.engines.claude.command import arguments, tool_environment
from workbench.engines.claude.engine import ClaudeEngine
from workbench.engines.claude.installed import Program, find
from workbench.engines.claude.settings import above_project
from workbench.engines.limits import CutShort
from workbench.engines.protocol import Ending, EngineSettings, Task
from workbench.runs.campaign import GRACE
from workbench.traces.events import TraceEvent, trace_of
from workbench.traces.reasons import Reason


def task(workspace: Path, **more: Any) -> Task:
    return Task(**{"trial": "t", "prompt": "Where?", "workspace": workspace, **more})


def test_the_command_line_fits_the_surface_the_release_and_the_confinement(tmp_path: Path) -> None:
    new = Program("claude", "2.1.332", frozenset({"--permission-prompts", "--max-budget-usd"}))
    old = Program("claude", "2.1.197", frozenset())

    def option(name: str, argv: list[str]) -> str:
        return argv[argv.index(name) + 1] if name in argv else ""

    box = arguments(task(tmp_path, max_turns=7), new, {}, web=False, confined=True)
    assert option("--permission-mode", box) == "bypassPermissions"
    assert option("--permission-prompts", box) == "none"
    assert option("--max-turns", box) == "7"
    assert option("--tools", box) == "Read,Grep,Glob,Edit,Write,Bash,Skill"
    assert not {"--model", "--add-dir", "--system-prompt", "--allowedTools", "--max-budget-usd"} & set(box)
    capped = arguments(task(tmp_path, max_cost=0.5), new, {}, web=False, confined=True)
    assert option("--max-budget-usd", capped) == "0.500000"
    open_box = arguments(task(tmp_path, cwd="sub", model="m", system_prompt="Be."), old, {}, web=True, confined=False)
    assert option("--permission-mode", open_box) == "acceptEdits"
    assert option("--add-dir", open_box) == str(tmp_path)
    assert (option("--model", open_box), option("--system-prompt", open_box)) == ("m", "Be.")
    assert option("--tools", open_box).endswith(",WebSearch,WebFetch")
    assert "--permission-prompts" not in open_box
    dev = arguments(task(tmp_path, surface="dev"), new, {}, web=True, confined=True)
    assert (option("--tools", dev), option("--model", dev)) == ("Read,Grep,Glob,Skill", "claude-opus-5-5")
    assert option("--permission-mode", dev) == "default"


def test_settings_shut_out_what_lies_above_and_the_answer_key(tmp_path: Path) -> None:
    given = json.dumps(
        above_project(task(tmp_path / "a[1]" / "box", secrets=(tmp_path / "key.yaml",)), {}, confined=True)
    )
    assert f'"{tmp_path}/CLAUDE.md"' in given
    assert f'"{tmp_path}/a?1?/.claude/**"' in given
    assert "/box/" not in given
    assert f'"Read(/{tmp_path}/key.yaml)"' in given
    assert '"disableAllHooks": true' in given
    assert tool_environment({"ANTHROPIC_BASE_URL": "http://elsewhere", "A": "b"}) == {"A": "b"}


def test_a_project_sets_no_variable_and_names_no_command_of_its_own(tmp_path: Path) -> None:
    folder = tmp_path / "docs" / ".claude"
    folder.mkdir(parents=True)
    assert above_project(task(tmp_path, cwd="docs"), {"PATH": "/bin"}, confined=False)["env"] == {}
    (folder / "settings.json").write_text(
        '{"env": {"PATH": "here", "\\u0041B": "c"}, /* no JSON */ "env2": {"X_Y" : 1}}'
    )
    loose = above_project(task(tmp_path, cwd="docs"), {"PATH": "/bin"}, confined=False)["env"]
    assert isinstance(loose, dict)
    assert (loose["PATH"], loose["X_Y"], loose["ANTHROPIC_BASE_URL"]) == ("/bin", "", "")
    (folder / "settings.json").write_text('{"env": {"\\u0041B": "c"}}')
    strict = above_project(task(tmp_path, cwd="docs"), {}, confined=True)
    assert isinstance(strict["env"], dict)
    assert strict["env"]["AB"] == strict["apiKeyHelper"] == ""


def test_a_credential_comes_from_a_variable_or_the_login_and_goes_through_a_pipe(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path))
    plain, login = EngineSettings(), EngineSettings(login=True)
    assert handover.choose(plain, {"OTHER": "x"}) is None
    key = handover.choose(plain, {"CLAUDE_CODE_OAUTH_TOKEN": "t", "ANTHROPIC_API_KEY": " k\n"})
    assert key == handover.Credential("ANTHROPIC_API_KEY", "k")
    assert "k" not in repr(key).replace("ANTHROPIC_API_KEY", "").replace("token", "")
    assert handover.choose(login, {}) is None
    stored = {"accessToken": "dummy", "refreshToken": "renews", "expiresAt": (time.time() + 3600) * 1000}
    (tmp_path / ".credentials.json").write_text(json.dumps({"claudeAiOauth": stored}))
    token = handover.choose(login, {})
    assert handover.source(plain, []) == ""
    assert handover.source(login, []) == "the login of Claude Code"
    assert token == handover.Credential("the login of Claude Code", "dummy", token=True)
    with handover.handed_over(token) as (named, (descriptor,)):
        assert named == {"CLAUDE_CODE_OAUTH_TOKEN_FILE_DESCRIPTOR": str(descriptor)}
        assert (os.read(descriptor, 100), os.read(descriptor, 100)) == (b"dummy\n", b"")
    too_long = handover.Credential("MY_KEY", "x" * 20_000)
    with pytest.raises(CutShort, match="MY_KEY holds is too long"), handover.handed_over(too_long):
        pass
    stored["expiresAt"] = 1.0
    (tmp_path / ".credentials.json").write_text(json.dumps({"claudeAiOauth": stored}))
    assert handover.choose(login, {}) is None


def program(folder: Path, script: str) -> str:
    """A stand-in for the CLI: answers --version and --help, and runs a script otherwise."""
    path = folder / "claude"
    answers = (
        'case "$1" in --version) echo "2.1.332 (Claude Code)"; exit;; --help) echo --permission-prompts; exit;; esac'
    )
    path.write_text(f"#!/bin/sh\n{answers}\n{script}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def run(folder: Path, script: str, *, stall: float = 20.0, **more: Any) -> tuple[list[TraceEvent], Ending]:
    workspace = folder / "box"
    workspace.mkdir()
    events: list[TraceEvent] = []
    engine = ClaudeEngine(EngineSettings(program=program(folder, script), stall=stall))
    ending = engine.run(task(workspace, **{"keys": {"ANTHROPIC_API_KEY": "dummy-key"}, **more}), events.append)
    assert list(folder.glob("run-*")) == []
    return events, ending


def test_a_run_hands_over_prompt_and_key_and_nothing_of_the_users(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://users")
    monkeypatch.setenv("USERS_OWN", "1")
    told = CAPTURES / "claude-ok.jsonl"
    script = (
        f'env > "$PWD/env"; cat > "$PWD/prompt"; cat /dev/fd/$CLAUDE_CODE_API_KEY_FILE_DESCRIPTOR > key; cat {told}'
    )
    events, ending = run(tmp_path, script, base_url="http://127.0.0.1:1", env={"TRIAL": "1"}, prompt="-x")
    box = tmp_path / "box"
    env = dict(line.split("=", 1) for line in (box / "env").read_text().splitlines())
    assert ending.reason is None
    assert trace_of(events).reply == FULL
    assert ((box / "prompt").read_text(), (box / "key").read_text()) == ("-x\n", "dummy-key\n")
    assert (env["ANTHROPIC_BASE_URL"], env["TRIAL"]) == ("http://127.0.0.1:1", "1")
    assert "dummy-key" not in str(env)
    assert "USERS_OWN" not in env
    assert env["HOME"].startswith(str(tmp_path))


def renamed(folder: Path, session: str) -> Path:
    """A captured stream under another session id."""
    stream = (CAPTURES / "claude-ok.jsonl").read_text()
    own = json.loads(stream.splitlines()[0])["session_id"]
    (folder / "stream").write_text(stream.replace(own, session))
    return folder / "stream"


@pytest.mark.parametrize("planted", ["ln -s {secret} $file", "mkfifo $file", "ln -s /dev/zero $file"])
def test_nothing_is_read_through_what_an_agent_put_in_its_sessions_place(planted: str, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    files = [{"path": "/x", "content": "a user's own words"}]
    secret.write_text(json.dumps({"attachment": {"type": "instructions", "files": files}}))
    place = "mkdir -p $CLAUDE_CONFIG_DIR/projects/p; file=$CLAUDE_CONFIG_DIR/projects/p/s.jsonl"
    events, ending = run(tmp_path, f"{place}; {planted.format(secret=secret)}; cat {renamed(tmp_path, 's')}")
    assert ending.reason is None
    assert trace_of(events).meta.session == "s"
    assert trace_of(events).loaded == ()


def test_a_session_id_is_a_name_and_no_pattern(tmp_path: Path) -> None:
    _, ending = run(tmp_path, f"cat {renamed(tmp_path, '../x**')}")
    assert ending.reason is None


def test_a_run_ends_for_silence_for_lateness_and_for_too_many_messages(tmp_path: Path) -> None:
    head = f"head -n 20 {CAPTURES}/claude-ok.jsonl; exec sleep 600"
    for name, more, reason in (
        ("a", {"stall": 0.5}, Reason.TIMED_OUT),
        ("b", {"timeout": 0.8}, Reason.TIMED_OUT),
        ("c", {"max_turns": 0}, Reason.TURN_LIMIT),
    ):
        (tmp_path / name).mkdir()
        events, ending = run(tmp_path / name, head, **more)
        assert ending.reason is reason
        assert trace_of(events).reply == GUIDE


def test_one_that_will_not_end_is_gone_before_its_trial_is_given_up(tmp_path: Path) -> None:
    begun = time.monotonic()
    _, ending = run(tmp_path, "trap '' INT TERM; while :; do sleep 0.05; done", timeout=1.0)
    assert ending.reason is Reason.TIMED_OUT
    assert time.monotonic() - begun < 1.0 + GRACE + 1.0, "a second of it is for a busy machine"


def test_the_time_it_takes_to_look_at_the_program_is_part_of_its_trials(tmp_path: Path) -> None:
    slow = Path(program(tmp_path, f"cat {CAPTURES / 'claude-ok.jsonl'}"))
    slow.write_text(slow.read_text().replace("--version) ", "--version) sleep 0.6; "))
    (tmp_path / "box").mkdir()
    late = task(tmp_path / "box", keys={"ANTHROPIC_API_KEY": "dummy-key"}, timeout=0.5)
    ending = ClaudeEngine(EngineSettings(program=str(slow))).run(late, lambda event: None)
    assert ending.reason is Reason.TIMED_OUT


def test_a_long_wait_that_the_provider_asks_for_is_passed_on_instead_of_waited_out(tmp_path: Path) -> None:
    retry = {
        "type": "system",
        "subtype": "api_retry",
        "retry_delay_ms": 56198,
        "error_status": 429,
        "error": "rate_limit",
    }
    _, ending = run(tmp_path, f"echo '{json.dumps(retry)}'; exec sleep 600")
    assert (ending.reason, ending.retry_after) == (Reason.RATE_LIMIT, 56.198)


def test_the_copy_inside_the_agent_sdk_is_found_where_there_is_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bundled = tmp_path / "claude_agent_sdk" / "_bundled"
    bundled.mkdir(parents=True)
    (tmp_path / "claude_agent_sdk" / "__init__.py").touch()
    path = program(bundled, "exit 1")
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    monkeypatch.syspath_prepend(str(tmp_path))
    found = find()
    assert found is not None
    assert found.path == path


def test_what_is_missing_is_said_with_what_to_do_about_it(tmp_path: Path) -> None:
    absent = ClaudeEngine(EngineSettings(program=str(tmp_path / "absent")))
    assert absent.version() == ""
    readiness = absent.preflight([])
    assert not readiness.ready
    assert "npm install" in readiness.problems[0]
    assert "ANTHROPIC_API_KEY" in readiness.problems[1]
    assert absent.run(task(tmp_path), lambda _: None).reason is Reason.MISSING
    there = ClaudeEngine(EngineSettings(program=program(tmp_path, "exit 1")))
    ready = there.preflight(["ANTHROPIC_API_KEY"])
    assert (ready.ready, ready.version, ready.credential) == (True, "2.1.332", "ANTHROPIC_API_KEY")
    assert ready.confinement
    assert there.run(task(tmp_path), lambda _: None).reason is Reason.AUTH
    outside = task(tmp_path, cwd="..", keys={"ANTHROPIC_API_KEY": "x"})
    assert there.run(outside, lambda _: None).reason is Reason.MISSING


def test_a_release_that_was_not_measured_is_named(tmp_path: Path) -> None:
    assert Program("claude", "2.1.250", frozenset()).tested
    assert not Program("claude", "2.2.0", frozenset()).tested
    path = tmp_path / "claude"
    path.write_text("#!/bin/sh\necho 3.0.0\n")
    path.chmod(0o755)
    assert find(str(path)) == Program(str(path), "3.0.0", frozenset())
    notes = ClaudeEngine(EngineSettings(program=str(path))).preflight([]).notes
    assert any("3.0.0 was not tested" in note for note in notes)
