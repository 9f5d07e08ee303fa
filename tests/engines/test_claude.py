"""Claude Code: what its stream and its session files mean, and what it is given."""

import contextlib
import json
import os
import random
import stat
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from workbench.engines.claude import handover
from workbench.engines.claude.command import arguments, tool_environment
from workbench.engines.claude.engine import ClaudeEngine
from workbench.engines.claude.installed import Program, find
from workbench.engines.claude.settings import above_project
from workbench.engines.claude.stream import Stream
from workbench.engines.limits import CutShort
from workbench.engines.narrator import Narrator
from workbench.engines.protocol import Ending, EngineSettings, Task
from workbench.engines.sessions import claude as sessions
from workbench.runs.campaign import GRACE
from workbench.traces.events import TextDelta, TraceEvent, trace_of
from workbench.traces.reasons import Reason
from workbench.traces.records import AssistantTurn, TokenLedger, ToolResultTurn, Trace, Turn
from workbench.traces.store import TraceWriter

CAPTURES = Path(__file__).parent / "captures"
ANSWER = "Unprocessed items are in _content/inbox/"
GUIDE = "I will read the guide."
FULL = f"{GUIDE}\nNow search.\n{ANSWER}"
COST = {1: 0.00525, 2: 0.01081905, 3: 0.01670715, 4: 0.0229143}
"""What so many requests to the captured endpoint cost."""

Row = tuple[int, Reason | None, str, str, tuple[int, int], float | None]

# Exit status, reason, turns (u told, A said, r result, E failed result), reply, context and output of the last
# message, cost.
TOLD: dict[str, Row] = {
    "claude-agentsonly": (0, None, "uA", ANSWER, (4200, 40), COST[1]),
    "claude-bash-noallow": (0, None, "uArAEA", f"ls it\n{ANSWER}", (4404, 42), COST[3]),
    "claude-denied": (0, None, "uAEArAEA", ANSWER, (4506, 43), COST[4]),
    "claude-disallowed": (0, None, "uAEA", ANSWER, (4302, 41), COST[2]),
    "claude-disconnect": (0, None, "uA", f"{ANSWER} {ANSWER} {ANSWER}", (4200, 20), 0.0147),
    "claude-edit-denied": (0, None, "uArAEA", ANSWER, (4404, 42), COST[3]),
    "claude-edit-ok": (0, None, "uArArArA", ANSWER, (4506, 43), COST[4]),
    "claude-err-400": (1, Reason.CONTEXT_TOO_LONG, "u", "", (0, 0), 0),
    "claude-err-401": (1, Reason.AUTH, "u", "", (0, 0), 0),
    "claude-err-404model": (1, Reason.MISSING, "u", "", (0, 0), 0),
    "claude-err-429": (1, Reason.RATE_LIMIT, "u", "", (0, 0), 0),
    "claude-err-500": (1, Reason.OVERLOADED, "u", "", (0, 0), 0),
    "claude-err-500-midrun": (1, Reason.OVERLOADED, "uAr", GUIDE, (4200, 40), COST[1]),
    "claude-err-500-then-ok": (0, None, "uA", ANSWER, (4200, 40), COST[1]),
    "claude-err-529": (1, Reason.OVERLOADED, "u", "", (0, 0), 0),
    "claude-max-budget": (1, Reason.BUDGET, "uA", GUIDE, (4200, 1), COST[1]),
    "claude-max-turns": (1, Reason.TURN_LIMIT, "uAr", GUIDE, (4200, 40), COST[1]),
    "claude-max-turns2": (1, Reason.TURN_LIMIT, "uArAr", f"{GUIDE}\nNow search.", (4302, 41), COST[2]),
    "claude-max-turns-exact": (0, None, "uArArA", FULL, (4404, 42), COST[3]),
    "claude-max-turns-parallel": (0, None, "uArrrArrrA", ANSWER, (4404, 42), COST[3]),
    "claude-nested-claude": (0, None, "uArArA", ANSWER, (4404, 42), COST[3]),
    "claude-no-key": (1, Reason.AUTH, "u", "", (0, 0), 0),
    "claude-notool": (0, None, "uA", ANSWER, (4200, 40), COST[1]),
    "claude-ok": (0, None, "uArArA", FULL, (4404, 42), COST[3]),
    "claude-ok-bash": (0, None, "uArArAEA", f"ls it\n{ANSWER}", (4506, 43), COST[4]),
    "claude-ok-nopartial": (0, None, "uArArA", FULL, (4404, 1), COST[3]),
    "claude-parallel": (0, None, "uArrrArA", f"two at once\n{ANSWER}", (4404, 42), COST[3]),
    "claude-parent": (0, None, "uA", ANSWER, (4200, 40), COST[1]),
    "claude-parent-excluded": (0, None, "uA", ANSWER, (4200, 40), COST[1]),
    "claude-persist": (0, None, "uArAruA", ANSWER, (4404, 42), COST[3]),
    "claude-read-dir": (0, None, "uAEA", ANSWER, (4302, 41), COST[2]),
    "claude-read-error": (0, None, "uAEA", ANSWER, (4302, 41), COST[2]),
    "claude-refused": (1, Reason.CRASHED, "u", "", (0, 0), 0),
    "claude-sigint": (0, Reason.CANCELLED, "uArAu", f"{GUIDE}\n{ANSWER} Unprocessed items ar", (4302, 1), 0.01042905),
    "claude-sigint-tool": (0, None, "uAEA", f"sleep\n{ANSWER}", (4302, 41), COST[2]),
    "claude-sigkill": (-9, Reason.CRASHED, "uAr", GUIDE, (4200, 40), None),
    "claude-sigterm": (143, Reason.CANCELLED, "uAr", GUIDE, (4200, 40), None),
    "claude-skill": (0, None, "uAruA", ANSWER, (4302, 41), COST[2]),
    "claude-stop-maxtokens": (1, Reason.TRUNCATED, "uAuAuAuA", "\n".join(["cut off"] * 4), (4506, 43), COST[4]),
    "claude-stop-refusal": (1, Reason.TRUNCATED, "uAuA", "I can not\nI can not", (4302, 41), COST[2]),
    "claude-unknown-tool": (0, None, "uAEAEA", ANSWER, (4404, 42), COST[3]),
    "claude197-denied-outside": (0, None, "uAEAEAEA", ANSWER, (4506, 43), COST[4]),
    "claude197-disconnect": (0, None, "uA", f"{ANSWER} {ANSWER} {ANSWER}", (4200, 20), 0.00495),
    "claude197-err-500": (1, Reason.OVERLOADED, "u", "", (0, 0), 0),
    "claude197-max-turns": (1, Reason.TURN_LIMIT, "uAr", GUIDE, (4200, 40), COST[1]),
    "claude197-notool": (0, None, "uA", ANSWER, (4200, 40), COST[1]),
    "claude197-ok": (0, None, "uArArA", FULL, (4404, 42), COST[3]),
}


def captured(name: str) -> list[bytes]:
    return (CAPTURES / f"{name}.jsonl").read_bytes().splitlines()


def replay(lines: Iterable[bytes], returncode: int = 0, stderr: str = "") -> tuple[Trace, Ending, list[TraceEvent]]:
    """Feed lines to the parser as the engine would."""
    events: list[TraceEvent] = []
    narrator = Narrator(Task(trial="t", prompt="Where?", workspace=Path("/box")), events.append)
    stream = Stream(narrator, engine="claude", version="2.1.0")
    for line in lines:
        stream.feed(line)
    stream.close()
    return trace_of(events), stream.outcome.ending(returncode, stderr, messages=narrator.messages), events


def shape(turns: Iterable[Turn]) -> str:
    letters = {"user": "u", "assistant": "A", "toolResult": "r"}
    return "".join("E" if isinstance(t, ToolResultTurn) and t.is_error else letters[t.role] for t in turns)


def test_every_capture_has_a_row() -> None:
    assert {path.stem for path in CAPTURES.glob("claude*.jsonl")} - {"claude-persist.session"} == set(TOLD)


@pytest.mark.parametrize("name", TOLD)
def test_a_capture_is_told_as_it_happened(name: str) -> None:
    code, reason, turns, reply, tokens, cost = TOLD[name]
    trace, ending, _ = replay(captured(name), code)
    assert (ending.reason, shape(trace.turns)) == (reason, turns)
    assert trace.reply == reply
    last = trace.assistant_turns[-1].token_ledger if trace.assistant_turns else TokenLedger()
    assert (last.context, last.output) == tokens
    assert ending.cost_usd == (None if cost is None else pytest.approx(cost))
    assert bool(ending.detail) == (reason is not None)
    assert trace.meta.engine_version == ("2.1.197" if "197" in name else "2.1.332")
    assert trace.meta.session


@pytest.mark.parametrize("name", ["claude-ok", "claude-parallel", "claude-edit-ok", "claude-stop-maxtokens"])
def test_what_the_messages_cost_by_list_prices_is_what_the_cli_reports_for_all(name: str) -> None:
    trace, ending, _ = replay(captured(name), TOLD[name][0])
    assert sum(turn.cost_usd or 0 for turn in trace.assistant_turns) == pytest.approx(ending.cost_usd)


def test_waiting_is_passed_on_only_where_the_provider_asked_for_it() -> None:
    assert replay(captured("claude-err-429"), 1)[1].retry_after == 1.214
    assert replay(captured("claude-err-401"), 1)[1].retry_after == 0


def test_words_come_early_and_provisional_and_the_final_turn_holds_them_once() -> None:
    trace, _, events = replay(captured("claude-disconnect"))
    early = "".join(event.text for event in events if isinstance(event, TextDelta))
    assert early.startswith("Unprocessed")
    assert len(trace.assistant_turns) == 1


@pytest.mark.parametrize(
    ("line", "code", "reason"),
    [
        ({"subtype": "success", "is_error": False, "stop_reason": "end_turn"}, 0, None),
        ({"subtype": "success", "is_error": False, "stop_reason": "end_turn"}, 1, Reason.CRASHED),
        ({"subtype": "success", "is_error": False, "stop_reason": "max_tokens"}, 0, Reason.TRUNCATED),
        ({"subtype": "success", "is_error": True, "result": "Credit balance is too low"}, 1, Reason.BUDGET),
        ({"subtype": "success", "is_error": True, "result": "You've hit your limit"}, 1, Reason.RATE_LIMIT),
        ({"subtype": "success", "is_error": True, "result": "Claude usage limit reached"}, 1, Reason.RATE_LIMIT),
        ({"subtype": "success", "is_error": True, "result": "your specified API usage limits"}, 1, Reason.BUDGET),
        ({"subtype": "error_during_execution", "is_error": True, "errors": ["x"]}, 1, Reason.CRASHED),
        ({"subtype": "success"}, 0, Reason.CRASHED),
        ({"subtype": 7, "is_error": [], "errors": {}, "total_cost_usd": "much"}, 0, Reason.CRASHED),
    ],
)
def test_its_own_word_of_success_is_not_enough(line: dict[str, Any], code: int, reason: Reason | None) -> None:
    said = captured("claude-notool")[:-1]
    assert replay([*said, json.dumps({"type": "result", **line}).encode()], code)[1].reason is reason
    silent = replay([json.dumps({"type": "result", **line}).encode()], code)[1]
    assert silent.reason is not None


@pytest.mark.parametrize("cost", [0, -1, 1e308, float("nan"), None, "1"])
def test_a_cost_that_cannot_be_is_unknown_and_not_nothing(cost: object) -> None:
    *said, end = captured("claude-notool")
    assert replay([*said, json.dumps({**json.loads(end), "total_cost_usd": cost}).encode()])[1] == Ending()


def test_what_is_said_after_the_end_leaves_the_end_open() -> None:
    *said, end = captured("claude-notool")
    late = json.dumps({"type": "assistant", "message": {"id": "late", "content": [{"type": "text", "text": "No."}]}})
    assert replay([*said, end, late.encode()])[1] == Ending(reason=Reason.CRASHED, detail="it went on after its end")
    assert replay([*said, end, late.encode(), end])[1].reason is None


def test_a_stream_may_be_torn_hostile_or_of_another_time_and_never_breaks_us(tmp_path: Path) -> None:
    whole = captured("claude-parallel")
    odd = [
        b"{",
        b"[]",
        b"null",
        b"\xff\xfe",
        b'{"type":"later"}',
        b'{"type":"assistant","message":7}',
        b'{"type":"system","subtype":"init","tools":7}',
        b"[" * 100_000,
    ]
    odd += [b'{"type":"user","message":{"content":[1,{"type":"tool_result","tool_use_id":[],"content":{"a":1}}]}}']
    deep = b'{"type":"assistant","message":{"id":"d","content":[{"type":"tool_use","id":"x","name":"n","input":'
    odd.append(deep + b'{"a":' * 300 + b"1" + b"}" * 300 + b"}]}}")
    odd.append(b'{"type":"assistant","message":{"id":"e","content":[{"type":"text","text":"\\ud800\\u001b[2J"}]}}')
    for cut in range(0, len(whole), 7):
        trace, _, events = replay([*whole[:cut], *odd, *[line[: len(line) // 2] for line in whole[cut:]]])
        with TraceWriter(tmp_path / "t.jsonl") as writer:
            writer.write(trace.meta)
            for turn in trace.turns:
                writer.write(turn)
        assert events


ODD = [None, 7, -1, 1.5, True, [], {}, "", "\ud800", [1, "a", {}], {"type": "text"}, {"type": "tool_result"}, 10**400]


def _spoiled(value: Any, chance: random.Random) -> Any:
    """The same JSON with a few values replaced by others of any type."""
    if chance.random() < 0.04:
        return chance.choice(ODD)
    if isinstance(value, dict):
        return {key: _spoiled(item, chance) for key, item in value.items()}
    return [_spoiled(item, chance) for item in value] if isinstance(value, list) else value


def test_any_value_may_have_any_type_on_the_stream_and_in_a_session(tmp_path: Path) -> None:
    captures = sorted(CAPTURES.glob("claude*.jsonl"))
    for seed in range(80):
        chance = random.Random(seed)
        lines = map(json.loads, chance.choice(captures).read_bytes().splitlines())
        spoiled = [json.dumps(_spoiled(line, chance)).encode() for line in lines]
        assert replay(spoiled, chance.choice([0, 1, -9, 143]))[0].meta.prompt == "Where?"
        (tmp_path / "s.jsonl").write_bytes(b"\n".join(spoiled))
        with contextlib.suppress(ValueError):
            assert sessions.read(tmp_path / "s.jsonl").turns


def test_sub_agents_are_told_apart_and_end_before_their_result() -> None:
    def said(kind: str, message: dict[str, Any], parent: str | None = None) -> bytes:
        return json.dumps({"type": kind, "message": message, "parent_tool_use_id": parent}).encode()

    usage = {"input_tokens": 5, "output_tokens": 2}
    call = {"type": "tool_use", "id": "agent", "name": "Agent", "input": {"prompt": "Look."}}
    done = {"type": "tool_result", "tool_use_id": "agent", "content": [{"type": "text", "text": "found"}]}
    lines = [
        said("assistant", {"id": "m1", "usage": usage, "content": [call]}),
        said("user", {"content": "Look."}, "agent"),
        said("assistant", {"id": "s1", "usage": usage, "content": [{"type": "text", "text": "found"}]}, "agent"),
        said("user", {"content": [done]}),
        said("assistant", {"id": "m2", "usage": usage, "content": [{"type": "thinking", "thinking": "hm"}]}),
        said("assistant", {"id": "m2", "usage": usage, "content": [{"type": "text", "text": "Done."}]}),
    ]
    trace, _, _ = replay(lines)
    assert [(t.role, t.parent) for t in trace.turns[1:]] == [
        ("assistant", ""),
        ("user", "agent"),
        ("assistant", "agent"),
        ("toolResult", ""),
        ("assistant", ""),
    ]
    assert (trace.reply, len(trace.assistant_turns[-1].content)) == ("Done.", 2)


def test_a_session_file_tells_the_same_and_the_guidance_too() -> None:
    path = CAPTURES / "claude-persist.session.jsonl"
    assert sessions.recognizes(path.read_bytes()[:4096])
    trace = sessions.read(path)
    streamed, _, _ = replay(captured("claude-persist"))
    assert shape(trace.turns) == shape(streamed.turns)
    assert [t.token_ledger for t in trace.assistant_turns] == [t.token_ledger for t in streamed.assistant_turns]
    assert (trace.reply, trace.meta.prompt) == (ANSWER, "Where are unprocessed items kept?")
    assert trace.meta.session in path.read_text()
    assert set(trace.meta.tools) == {"Bash", "Glob", "Grep", "Read", "Skill"}
    assert [(f.path, f.layer, f.via) for f in trace.guidance] == [
        ("CLAUDE.md", "always", ""),
        ("AGENTS.md", "always", ""),
        (".claude/rules/always.md", "always", ""),
        (".claude/rules/cards.md", "conditional", "cards/**/*.md"),
        (".claude/skills/demo/SKILL.md", "conditional", "skill demo"),
    ]
    brought = [trace.turns[loaded.after] for loaded in trace.loaded if loaded.after >= 0]
    assert [turn.tool_use_id for turn in brought if isinstance(turn, ToolResultTurn)] == [
        call.id for turn in trace.turns if isinstance(turn, AssistantTurn) for call in turn.calls
    ]


def test_a_session_brings_its_sub_agents_and_one_without_a_prompt_is_none(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes((CAPTURES / "claude-persist.session.jsonl").read_bytes())
    folder = tmp_path / "s" / "subagents"
    folder.mkdir(parents=True)
    told = {"type": "user", "isSidechain": True, "agentId": "a1", "message": {"content": "Look."}}
    (folder / "agent-a1.jsonl").write_text(json.dumps(told) + '\n{"torn')
    (folder / "agent-a1.meta.json").write_text('{"toolUseId": "toolu_1"}')
    assert sessions.read(path).turns[-1].parent == "toolu_1"
    empty = tmp_path / "e.jsonl"
    empty.write_text("{}\n")
    with pytest.raises(ValueError, match="no prompt"):
        sessions.read(empty)
    assert not sessions.recognizes(empty.read_bytes())


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
