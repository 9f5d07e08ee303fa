"""Codex's streams and session files as they were captured, told again without the program."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.engines.codex import errors, outputs, rollout
from workbench.engines.codex.messages import Messages
from workbench.engines.codex.stream import CodexStream
from workbench.engines.narrator import Narrator
from workbench.engines.protocol import Ending, Task
from workbench.engines.sessions import codex as sessions
from workbench.traces.acts import classify
from workbench.traces.events import TextDelta, TraceEvent, trace_of
from workbench.traces.reasons import Reason
from workbench.traces.records import ThinkingBlock, ToolResultTurn, Trace

CAPTURES = Path(__file__).parent / "captures"
ANSWER = "Unprocessed items are in _content/inbox/"
GUIDE = ("cat docs/guide.md", False)
SEARCH = ("grep -rn inbox docs", False)

# case: why it ended, messages of the model, commands or edits with whether they failed
STREAMS: dict[str, tuple[Reason | None, int, list[tuple[str, bool]]]] = {
    "appserver-actions": (None, 2, []),
    "appserver-approval": (None, 2, [("touch x.md", True)]),
    "appserver-approval-untrusted": (None, 3, [("cat docs/guide.md", True), ("touch x.md", True)]),
    "appserver-codemode": (None, 3, [GUIDE]),
    "appserver-disconnect": (Reason.TRUNCATED, 0, []),
    "appserver-err-401": (Reason.AUTH, 0, []),
    "appserver-err-429": (Reason.RATE_LIMIT, 0, []),
    "appserver-err-500": (Reason.OVERLOADED, 0, []),
    "appserver-interrupt": (Reason.CANCELLED, 1, [GUIDE]),
    "appserver-notool": (None, 1, []),
    "appserver-ok": (None, 3, [GUIDE, SEARCH]),
    "appserver-sandbox-ro": (None, 3, [("cat docs/missing.md", True)]),
    "appserver-sigterm": (Reason.CRASHED, 1, [GUIDE]),
    "builtin-openai": (None, 1, []),
    "commentary-reasoning": (None, 3, [("echo out; echo err >&2; exit 3", True), ("ls docs", False)]),
    "denied": (None, 3, [GUIDE, ("cat /etc/hostname", False)]),
    "disconnect": (Reason.TRUNCATED, 0, []),
    "err-400": (Reason.CRASHED, 0, []),
    "err-401": (Reason.AUTH, 0, []),
    "err-429": (Reason.RATE_LIMIT, 0, []),
    "err-500": (Reason.OVERLOADED, 0, []),
    "err-500-midrun": (Reason.OVERLOADED, 1, [GUIDE]),
    "err-500-then-ok": (None, 1, []),
    "err-529": (Reason.OVERLOADED, 0, []),
    "fallback-claude": (None, 1, []),
    "no-key": (Reason.AUTH, 0, []),
    "nodoc": (None, 1, []),
    "nofallback-claude": (None, 1, []),
    "nogit": (Reason.CRASHED, 0, []),
    "nogit-skip": (None, 1, []),
    "notool": (None, 1, []),
    "ok": (None, 3, [GUIDE, SEARCH]),
    "parent": (None, 1, []),
    "patch": (None, 2, [("apply_patch", False)]),
    "read-error": (None, 2, [("cat docs/missing.md", True)]),
    "refused": (Reason.CRASHED, 0, []),
    "rollout-ro": (None, 3, [GUIDE, ("echo hi; touch y.md; echo there", False)]),
    "sandbox-ro": (None, 2, [GUIDE]),
    "sandbox-ww": (None, 2, [("touch x.md && rm x.md && echo okay", False)]),
    "sigint": (Reason.CRASHED, 1, [GUIDE]),
    "sigkill": (Reason.CRASHED, 1, [GUIDE]),
    "sigterm": (Reason.CANCELLED, 1, [GUIDE]),
    "subdir": (None, 1, []),
    "unknown-tool": (None, 1, []),
}


def replay(
    lines: list[bytes], *, counts: bool, returncode: int | None = None
) -> tuple[Trace, Ending, list[TraceEvent]]:
    """The trace of a stream alone, as if there were no session file."""
    events: list[TraceEvent] = []
    narrator = Narrator(Task(trial="t", prompt="?", workspace=Path("/box")), events.append)
    narrator.open(engine="codex", version="", model="gpt-5.5")
    messages = Messages(narrator, "gpt-5.5", counts=counts)
    stream = CodexStream(narrator, messages)
    for line in lines:
        stream.feed(line)
    messages.close()
    return trace_of(events), stream.ending(returncode), events


def captured(case: str) -> tuple[list[bytes], dict[str, Any]]:
    lines = (CAPTURES / f"codex-{case}.jsonl").read_bytes().splitlines()
    return lines, json.loads((CAPTURES / f"codex-{case}.meta.json").read_bytes())


def acts(trace: Trace) -> list[tuple[str, bool]]:
    """The command or the tool of each call, and whether it failed."""
    failed = {result.tool_use_id: result.is_error for result in results(trace)}
    calls = [call for turn in trace.assistant_turns for call in turn.calls]
    return [(call.arguments.get("cmd", call.name), failed[call.id]) for call in calls]


def kept(case: str) -> Trace:
    return sessions.read(CAPTURES / f"codex-{case}.rollout.jsonl")


def results(trace: Trace) -> list[ToolResultTurn]:
    return [turn for turn in trace.turns if isinstance(turn, ToolResultTurn)]


def test_every_captured_stream_is_told_again() -> None:
    streams = {path.name[len("codex-") : -len(".jsonl")] for path in CAPTURES.glob("codex-*.jsonl")}
    assert {case for case in streams if not case.endswith(".rollout")} == set(STREAMS)


@pytest.mark.parametrize("case", STREAMS)
def test_a_stream_gives_messages_acts_and_the_reason_of_its_end(case: str) -> None:
    lines, meta = captured(case)
    trace, ending, _ = replay(lines, counts=case.startswith("appserver"), returncode=meta["rc"])
    reason, messages, expected = STREAMS[case]
    assert (ending.reason, len(trace.assistant_turns)) == (reason, messages)
    if case != "appserver-actions":
        assert acts(trace) == expected
    if reason is None:
        assert trace.reply.endswith(ANSWER)
    else:
        assert ending.detail


def test_an_end_nobody_knows_is_no_stop_of_ours_though_it_is_stopped_then() -> None:
    line = json.dumps({"method": "turn/completed", "params": {"turn": {"id": "t", "status": "reconsidered"}}})
    _, ending, _ = replay([line.encode()], counts=True, returncode=-15)
    assert (ending.reason, "reconsidered" in ending.detail) == (Reason.CRASHED, True)


def test_done_with_an_error_beside_it_is_not_done() -> None:
    turn = {"id": "t", "status": "completed", "error": {"message": "overloaded", "codexErrorInfo": "serverOverloaded"}}
    line = json.dumps({"method": "turn/completed", "params": {"turn": turn}})
    assert replay([line.encode()], counts=True, returncode=0)[1].reason is Reason.OVERLOADED


def test_the_app_server_counts_each_message_and_writes_it_as_it_comes() -> None:
    trace, _, events = replay(captured("appserver-ok")[0], counts=True)
    ledgers = [turn.token_ledger for turn in trace.assistant_turns]
    assert [(each.input, each.cache_read, each.output) for each in ledgers] == [
        (1000, 3000, 40),
        (1099, 3001, 41),
        (1198, 3002, 42),
    ]
    assert all(turn.cost_usd for turn in trace.assistant_turns)
    deltas = "".join(event.text for event in events if isinstance(event, TextDelta))
    assert deltas == f"I will read the guide.Now search.{ANSWER}"


def test_commands_come_out_of_the_shell_they_were_wrapped_in() -> None:
    trace, _, _ = replay(captured("appserver-actions")[0], counts=True)
    commands = [command for command, _ in acts(trace)]
    assert len(commands) == 12
    assert not any("/bin/bash" in command for command in commands)


def test_a_patch_names_its_files() -> None:
    trace, _, _ = replay(captured("patch")[0], counts=False)
    assert [(act.kind, act.path) for act in classify(trace)] == [("edit", "docs/guide.md"), ("edit", "new.md")]


def test_thoughts_are_kept_apart_from_words() -> None:
    trace, _, _ = replay(captured("commentary-reasoning")[0], counts=False)
    assert isinstance(trace.assistant_turns[0].content[0], ThinkingBlock)
    assert "think" not in trace.reply


def test_a_rollout_shows_what_the_sandbox_refused_and_the_stream_hid() -> None:
    trace = kept("denied")
    assert acts(trace) == [
        GUIDE,
        ("cat _content/secret/s.md", True),
        ("grep -rn MARK _content", True),
        ("touch x.md", True),
        ("cat /etc/hostname", False),
    ]
    assert results(trace)[1].text == "cat: _content/secret/s.md: Permission denied\n"
    assert [turn.token_ledger.context for turn in trace.assistant_turns] == [4000, 4100, 4200, 4300, 4400, 4500]
    assert [(file.path, file.text[:8]) for file in trace.initial_guidance] == [("AGENTS.md", "# AGENTS")]
    assert (trace.meta.prompt, trace.meta.model) == ("Where are unprocessed items kept?", "gpt-5.5")
    assert trace.reply == ANSWER


def test_a_rollout_and_the_stream_beside_it_agree_on_what_both_show() -> None:
    told = [act for act in acts(kept("rollout-ro")) if not act[1]]
    assert acts(replay(captured("rollout-ro")[0], counts=False)[0]) == told


def test_a_script_holds_the_commands_it_ran_and_those_it_was_refused() -> None:
    trace = kept("codemode")
    first = trace.assistant_turns[0]
    assert [call.name for call in first.calls] == ["exec", "exec_command", "apply_patch", "exec_command"]
    assert acts(trace) == [
        ("exec", False),
        GUIDE,
        ("apply_patch", False),
        ("cat /run/secret/key.md", True),
        ("exec", True),
        ("ls docs", False),
    ]
    assert "Permission denied" in results(trace)[2].text
    assert [result.is_error for result in results(trace)] == [False, False, True, False, False, True]
    assert [turn.token_ledger.context for turn in trace.assistant_turns] == [4000, 4100, 4200]


def test_a_rollout_shows_refused_patches_unknown_tools_and_commands_left_running() -> None:
    trace = kept("tools")
    assert [result.is_error for result in results(trace)] == [False, True, True, False]
    assert "Process running" in results(trace)[0].text
    assert trace.assistant_turns[0].text == "First."
    assert (trace.meta.workspace, trace.meta.cwd) == ("/box", "docs")


def test_guidance_of_several_files_is_told_file_by_file(tmp_path: Path) -> None:
    root, nested = tmp_path / "AGENTS.md", tmp_path / "docs" / "AGENTS.md"
    nested.parent.mkdir()
    root.write_text("# Root\n")
    nested.write_text("Nested, and so long that it was cut\n")
    files = rollout.guidance("# Root\n\n\nNested, and so", [str(root), str(nested)], tmp_path)
    assert [(file.path, file.text) for file in files] == [("AGENTS.md", "# Root"), ("docs/AGENTS.md", "Nested, and so")]


def test_older_rollouts_count_after_the_results(tmp_path: Path) -> None:
    def line(kind: str, **payload: object) -> str:
        return json.dumps({"timestamp": "2025-11-02T10:00:00Z", "type": kind, "payload": payload})

    usage = {"input_tokens": 100, "cached_input_tokens": 60, "output_tokens": 7, "total_tokens": 107}
    info = {"last_token_usage": usage, "total_token_usage": usage}
    call = {"name": "shell", "call_id": "c", "arguments": '{"command": ["bash", "-lc", "cat a.md"]}'}
    output = json.dumps({"output": "text of a", "metadata": {"exit_code": 0}})
    file = tmp_path / "rollout.jsonl"
    file.write_text(
        "\n".join(
            [
                line("session_meta", id="s", cwd="/box", cli_version="0.46.0"),
                line("event_msg", type="user_message", message="What does a say?"),
                line("response_item", type="function_call", **call),
                line("response_item", type="function_call_output", call_id="c", output=output),
                line("event_msg", type="token_count", info=info),
                line("event_msg", type="token_count", info=info),
                line(
                    "response_item", type="message", role="assistant", content=[{"type": "output_text", "text": "A."}]
                ),
                line("event_msg", type="user_message", message="Sure?"),
                '{"type": "response_item", "payl',
            ]
        )
    )
    trace = sessions.read(file)
    assert [turn.role for turn in trace.turns] == ["user", "assistant", "toolResult", "assistant", "user"]
    assert trace.assistant_turns[0].token_ledger.input == 40
    assert [(act.kind, act.path, act.ok) for act in classify(trace)][1:] == [("read", "a.md", True)]


def test_a_saved_stream_can_be_read_too_and_says_what_it_lacks(tmp_path: Path) -> None:
    trace = sessions.read(CAPTURES / "codex-ok.jsonl")
    assert trace.reply.endswith(ANSWER)
    assert trace.meta.notes == (sessions.STREAM_NOTE,)
    other = tmp_path / "other.jsonl"
    other.write_text('{"type": "session"}\n')
    with pytest.raises(ValueError, match="no session"):
        sessions.read(other)


def test_its_files_are_known_by_their_first_bytes() -> None:
    heads = {path.name: path.read_bytes()[:400] for path in CAPTURES.glob("*.jsonl") if path.stat().st_size}
    known = {name for name, head in heads.items() if sessions.recognizes(head)}
    assert known == {name for name in heads if name.startswith("codex-") and "appserver" not in name}


_LINES = [line for case in ("appserver-ok", "ok", "patch") for line in captured(case)[0]]
_ODD = st.recursive(
    st.none() | st.integers() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)
)


@given(st.sampled_from(_LINES), st.integers(0, 400), _ODD)
def test_torn_and_odd_lines_never_raise(line: bytes, at: int, odd: object) -> None:
    event = json.loads(line)
    odd_items = [json.dumps({**event, key: odd}).encode() for key in event]
    inner = event.get("item") or event.get("params", {}).get("item") or {}
    odd_items += [json.dumps({"type": "item.completed", "item": {**inner, key: odd}}).encode() for key in inner]
    replay([line[:at], *odd_items, json.dumps(odd).encode()], counts=True)


@pytest.mark.parametrize(
    ("info", "message", "reason"),
    [
        ("contextWindowExceeded", "", Reason.CONTEXT_TOO_LONG),
        ("usageLimitExceeded", "", Reason.RATE_LIMIT),
        ("sessionBudgetExceeded", "", Reason.BUDGET),
        ("unauthorized", "", Reason.AUTH),
        ({"responseTooManyFailedAttempts": {"httpStatusCode": 529}}, "", Reason.OVERLOADED),
        ({"httpConnectionFailed": {"httpStatusCode": None}}, "Connection failed", Reason.CRASHED),
        ({"responseTooManyFailedAttempts": {"httpStatusCode": 429}}, "You exceeded your quota", Reason.BUDGET),
        ({"badRequest": {"httpStatusCode": 400}}, "This exceeds the context window", Reason.CONTEXT_TOO_LONG),
        ("other", "Incomplete response returned, reason: max_output_tokens", Reason.TRUNCATED),
        ("brandNew", "nobody knows", Reason.CRASHED),
    ],
)
def test_its_error_codes_have_their_reasons(info: object, message: str, reason: Reason) -> None:
    assert errors.ending({"codexErrorInfo": info, "message": message}).reason is reason


@pytest.mark.parametrize("at", [float("nan"), float("inf"), 10**400, -1, True, "soon"])
def test_a_moment_that_cannot_be_is_not_waited_for(at: object) -> None:
    assert errors.until_reset({"primary": {"usedPercent": 100, "resetsAt": at}}) == 0


@pytest.mark.parametrize(
    ("words", "seconds"),
    [("Please try again in 20s.", 20), ("try again in 500ms", 0.5), ("no", 0), (f"try again in {'9' * 400}s", 0)],
)
def test_it_is_waited_for_as_long_as_was_asked(words: str, seconds: float) -> None:
    assert errors.ending({"message": words, "codexErrorInfo": "rateLimitExceeded"}).retry_after == seconds


def test_commands_in_a_script_are_read_whatever_quotes_they_stand_in() -> None:
    script = """await tools.exec_command({cmd:"cat \\"a b\\""}); f({cmd: 'echo "x"', workdir:"/"}); f({"cmd":`ls`})"""
    assert outputs.commands(script) == ['cat "a b"', 'echo "x"', "ls"]
