"""Claude Code: what its stream and its session files mean."""

import contextlib
import json
import random
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from workbench.engines.claude.stream import Stream
from workbench.engines.narrator import Narrator
from workbench.engines.protocol import Ending, Task
from workbench.engines.sessions import claude as sessions
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
        ({"subtype": "success", "is_error": True, "result": "Connection lost mid-response."}, 1, Reason.TRUNCATED),
        ({"subtype": "success", "is_error": True, "result": "Connection to the API was lost"}, 1, Reason.TRUNCATED),
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
