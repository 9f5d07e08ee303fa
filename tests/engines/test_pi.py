"""pi: what its stream and its session files mean."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from workbench.engines.narrator import Narrator
from workbench.engines.pi import failures
from workbench.engines.pi.messages import guidance
from workbench.engines.pi.stream import UNPRICED, PiStream, Session
from workbench.engines.protocol import Ending, Task
from workbench.engines.sessions import pi as sessions
from workbench.traces.events import TextDelta, TraceEvent, trace_of
from workbench.traces.reasons import Reason
from workbench.traces.records import TextBlock, ToolResultTurn, UserTurn

CAPTURES = Path(__file__).parent / "captures"
STREAMS = sorted(path.name.removesuffix(".meta.json") for path in CAPTURES.glob("pi-*.meta.json"))
ENDED_BADLY = {
    "pi-160-err-401": Reason.AUTH,
    "pi-err-401": Reason.AUTH,
    "pi-err-429": Reason.RATE_LIMIT,
    "pi-160-err-500": Reason.OVERLOADED,
    "pi-err-500": Reason.OVERLOADED,
    "pi-err-500-midrun": Reason.OVERLOADED,
    "pi-err-529": Reason.OVERLOADED,
    "pi-disconnect": Reason.TRUNCATED,
    "pi-disconnect-anthropic": Reason.TRUNCATED,
    "pi-160-sigterm": Reason.CRASHED,
    "pi-sigint": Reason.CRASHED,
    "pi-sigkill": Reason.CRASHED,
    "pi-sigterm": Reason.CRASHED,
    "pi-sigterm-tool": Reason.CRASHED,
}
ANSWER = "Unprocessed items are in _content/inbox/"


def replay(name: str, lines: list[bytes] | None = None, stderr: str = "") -> tuple[list[TraceEvent], Ending]:
    """Feed a capture to the parser as the engine would."""
    meta = json.loads((CAPTURES / f"{name}.meta.json").read_bytes())
    events: list[TraceEvent] = []
    task = Task(trial="t", prompt=meta["argv"][-1], workspace=Path("/box"))
    stream = PiStream(task, Narrator(task, events.append), Session("pi", "1", "asked-for", ("read",)))
    stream.stderr = lambda: stderr
    for line in lines if lines is not None else (CAPTURES / f"{name}.jsonl").read_bytes().split(b"\n"):
        stream.feed(line)
    return events, stream.ending(meta["rc"])


@pytest.mark.parametrize("name", STREAMS)
def test_every_capture_ends_as_it_ended(name: str) -> None:
    events, ending = replay(name)
    trace = trace_of(events)
    assert ending.reason is ENDED_BADLY.get(name)
    assert bool(ending.detail) is (ending.reason is not None)
    assert trace.meta.session
    assert [turn.turn_index for turn in trace.turns] == list(range(len(trace.turns)))
    if ending.reason is None:
        assert trace.assistant_turns[-1].text == ANSWER
        assert all(turn.token_ledger.context and turn.cost_usd for turn in trace.assistant_turns)
        assert ending.cost_usd == pytest.approx(sum(turn.cost_usd or 0 for turn in trace.assistant_turns))
        assert ending.cost_basis == "reported"
        calls = [call.id for turn in trace.assistant_turns for call in turn.calls]
        assert sorted(calls) == sorted(turn.tool_use_id for turn in trace.turns if isinstance(turn, ToolResultTurn))


def test_a_run_is_told_turn_by_turn_with_its_tokens() -> None:
    events, _ = replay("pi-160-ok")
    trace = trace_of(events)
    assert [turn.role for turn in trace.turns] == [
        "user", "assistant", "toolResult", "assistant", "toolResult", "assistant",
    ]  # fmt: skip
    first = trace.assistant_turns[0]
    assert (first.model, first.calls[0].name, first.calls[0].arguments) == ("mock-1", "read", {"path": "docs/guide.md"})
    assert (first.token_ledger.input, first.token_ledger.cache_read, first.token_ledger.output) == (1000, 3000, 40)
    assert "".join(event.text for event in events if isinstance(event, TextDelta)).endswith(ANSWER)


def test_a_stop_with_an_error_beside_it_is_an_error() -> None:
    message = {"role": "assistant", "content": [], "stopReason": "stop", "errorMessage": "529 overloaded_error"}
    line = json.dumps({"type": "message_end", "message": message}).encode()
    assert replay("pi-160-ok", [line])[1].reason is Reason.OVERLOADED


def test_only_the_newer_line_shows_its_guidance() -> None:
    shown = trace_of(replay("pi-160-ok")[0]).guidance
    assert [(file.path, file.layer) for file in shown] == [("AGENTS.md", "always")]
    assert shown[0].text.startswith("# AGENTS\nMARK-AGENTS-MD")
    assert trace_of(replay("pi-ok")[0]).guidance == ()


def test_guidance_is_told_apart_by_its_own_tags() -> None:
    section = (
        '<project_context>\n<project_instructions path="/AGENTS.md">\nabove\n</project_instructions>\n\n'
        '<project_instructions path="/box/sub/AGENTS.md">\nsays </project_instructions> itself\n\n'
        "</project_instructions>\n</project_context>"
    )
    files = guidance({"sections": {"project_context": section}}, Path("/box"))
    assert [(file.path, file.text) for file in files] == [
        ("/AGENTS.md", "above"),
        ("sub/AGENTS.md", "says </project_instructions> itself\n"),
    ]


def test_files_that_make_pis_prompt_are_guidance_too(tmp_path: Path) -> None:
    (tmp_path / "sub" / ".pi").mkdir(parents=True)
    (tmp_path / "sub" / ".pi" / "SYSTEM.md").write_text("Be brief.\n")
    (tmp_path / "sub" / ".pi" / "APPEND_SYSTEM.md").write_text("not in the message")
    message = {"sections": {"preamble": "Be brief.\n", "addendum": "<addendum>\nother\n</addendum>"}}
    assert [(file.path, file.text) for file in guidance(message, tmp_path, "sub")] == [
        ("sub/.pi/SYSTEM.md", "Be brief.\n")
    ]


def test_a_skill_named_in_the_prompt_is_told_as_pi_put_it() -> None:
    trace = trace_of(replay("pi-skill")[0])
    told = [turn.content[0].text for turn in trace.turns if isinstance(turn, UserTurn)]
    assert told[0] == "/skill:demo3 abc"
    assert "/box/.pi/skills/demo3/SKILL.md" in told[1]


def test_prices_of_another_model_are_no_cost() -> None:
    events, ending = replay("pi-no-model", stderr=f'Warning: Model "nope" not found. {UNPRICED}.')
    assert (ending.cost_usd, ending.cost_basis) == (None, "")
    assert trace_of(events).assistant_turns[0].cost_usd is None


def test_a_stream_cut_anywhere_never_passes_for_an_answer() -> None:
    whole = (CAPTURES / "pi-160-ok.jsonl").read_bytes()
    told = whole.rindex(b'{"type":"message_end"')
    for cut in range(0, told, 997):
        events, ending = replay("pi-160-ok", whole[:cut].split(b"\n"))
        assert ending.reason is Reason.CRASHED, cut
        assert trace_of(events).meta.prompt


def test_a_model_that_says_and_does_nothing_has_given_no_answer() -> None:
    lines = (CAPTURES / "pi-160-ok.jsonl").read_bytes().split(b"\n")
    told = [json.loads(line) for line in lines if b'"role":"assistant"' in line and b'"message_end"' in line][-1]
    told["message"]["content"] = []
    events, ending = replay("pi-160-ok", [lines[0], json.dumps(told).encode()])
    assert ending.reason is Reason.TRUNCATED
    assert len(trace_of(events).assistant_turns) == 1


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"\xff\xfe",
        b"[" * 100_000,
        b"[1]",
        b'{"type":"message_end","message":"no"}',
        b'{"type":"message_end","message":{"role":"assistant","content":[{"type":"toolCall"},7],"usage":{"input":-1}}}',
        b'{"type":"message_end","message":{"role":"assistant","usage":{"cost":{"total":1e999}},"stopReason":["x"]}}',
        b'{"type":"tool_execution_end","toolCallId":{},"result":[]}',
    ],
)
def test_odd_lines_raise_nothing(line: bytes) -> None:
    _, ending = replay("pi-ok", [line])
    assert ending.reason is Reason.CRASHED


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("402 Insufficient credits", Reason.BUDGET),
        ('429: {"code":"insufficient_quota"}', Reason.BUDGET),
        ("400 This model's maximum context length is 128000 tokens", Reason.CONTEXT_TOO_LONG),
        ("404 no such model", Reason.MISSING),
        ("Stream ended without finish_reason", Reason.TRUNCATED),
        ("The model refused to complete the request", Reason.TRUNCATED),
        ("502 Bad Gateway", Reason.OVERLOADED),
        ("400 what is this", Reason.CRASHED),
    ],
)
def test_failures_are_sorted(said: str, reason: Reason) -> None:
    assert failures.failure(said) == (reason, said)


@pytest.mark.parametrize("name", ["pi-073", "pi-160"])
def test_a_session_file_reads_as_a_trace(name: str) -> None:
    path = CAPTURES / f"{name}.session.jsonl"
    assert sessions.recognizes(path.read_bytes()[:300])
    trace = sessions.read(path)
    assert (trace.meta.engine, trace.meta.prompt, trace.meta.workspace) == ("pi", "Where?", "/box")
    assert [turn.role for turn in trace.turns] == ["user", "assistant", "toolResult", "assistant"]
    assert trace.turns[1].started_at.startswith("2026-")
    assert [file.path for file in trace.guidance] == (["AGENTS.md"] if name == "pi-160" else [])
    assert bool(trace.meta.notes) is (name == "pi-073")


def test_a_session_is_told_along_the_branch_last_worked_on(tmp_path: Path) -> None:
    def entry(key: str, parent: str | None, role: str, words: str) -> dict[str, object]:
        message = {"role": role, "content": [{"type": "text", "text": words}], "stopReason": "stop"}
        return {"type": "message", "id": key, "parentId": parent, "message": message}

    lines: list[Mapping[str, object]] = [
        {"type": "session", "version": 3, "id": "s", "cwd": "/box"},
        entry("a", None, "user", "Where?"),
        entry("b", "a", "assistant", "left behind"),
        entry("c", "a", "assistant", "kept"),
        {"type": "compaction", "id": "d", "parentId": "c", "summary": "so far"},
    ]
    path = tmp_path / "s.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)) + '\n{"type":"mess')
    trace = sessions.read(path)
    told = [block.text for turn in trace.turns for block in turn.content if isinstance(block, TextBlock)]
    assert told == ["Where?", "kept", "so far"]
