"""Brains that say what they were told to: scripts and recordings."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from workbench.brains.protocol import Brain, BrainError, Proposal
from workbench.brains.scripts import BrainUnknown, named
from workbench.traces.records import (
    AssistantTurn,
    Meta,
    TextBlock,
    ThinkingBlock,
    ToolCall,
    ToolResultTurn,
    Turn,
    UserTurn,
)
from workbench.traces.store import TraceWriter

SCRIPT = """
- call: Read
  with: {file_path: docs/oven.md}
  text: Let me look.
- calls:
    - {call: Grep, with: {pattern: rye}}
    - {call: Bash, with: {command: ls}}
  thinking: Hm.
- say: Rye wants 240 degrees.
"""
ASKED: tuple[Turn, ...] = (UserTurn(turn_index=0, content=(TextBlock(text="?"),)),)


def next_of(brain: Brain, said: Sequence[Proposal]) -> Proposal:
    """What a brain says after it has said all that."""
    turns = [AssistantTurn(turn_index=index, content=proposal.content) for index, proposal in enumerate(said, 1)]
    return brain.propose("", (*ASKED, *turns), ())


def test_a_script_is_said_message_by_message_and_its_last_again(tmp_path: Path) -> None:
    path = tmp_path / "oven.yaml"
    path.write_text(SCRIPT)
    brain, said = named(str(path)), list[Proposal]()
    for _ in range(4):
        said.append(next_of(brain, said))
    assert [proposal.content for proposal in said] == [
        (TextBlock(text="Let me look."), ToolCall(id="call_1", name="Read", arguments={"file_path": "docs/oven.md"})),
        (
            ThinkingBlock(text="Hm."),
            ToolCall(id="call_2", name="Grep", arguments={"pattern": "rye"}),
            ToolCall(id="call_3", name="Bash", arguments={"command": "ls"}),
        ),
        (TextBlock(text="Rye wants 240 degrees."),),
        (TextBlock(text="Rye wants 240 degrees."),),
    ]


def test_a_recording_is_said_again_and_says_when_it_is_over(tmp_path: Path) -> None:
    call = ToolCall(id="toolu_9", name="Read", arguments={"file_path": "a.md"})
    turns: list[Turn] = [
        UserTurn(turn_index=0, content=(TextBlock(text="?"),)),
        AssistantTurn(turn_index=1, content=(TextBlock(text="Look."), call)),
        AssistantTurn(turn_index=2, parent="toolu_9", content=(TextBlock(text="A sub-agent's."),)),
        ToolResultTurn(turn_index=3, tool_use_id="toolu_9", content=(TextBlock(text="x"),)),
        AssistantTurn(turn_index=4, content=(TextBlock(text="Done."),)),
    ]
    with TraceWriter(tmp_path / "t.jsonl") as writer:
        writer.write(Meta(engine="claude", workspace="/w", prompt="?"))
        for turn in turns:
            writer.write(turn)
    brain, said = named(str(tmp_path / "t.jsonl")), list[Proposal]()
    for _ in range(2):
        said.append(next_of(brain, said))
    assert [proposal.content for proposal in said] == [(TextBlock(text="Look."), call), (TextBlock(text="Done."),)]
    with pytest.raises(BrainError, match="the recording is over: it holds 2 messages"):
        next_of(brain, said)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("- say: 1", "message 1: say: "),
        ("- say: a\n- foo: 1", "message 2: it needs exactly one of `say`, `call` and `calls`"),
        ("- {call: X, wit: {}}", "message 1: wit: "),
        ("- calls: [{call: 3}]", "message 1: calls.0.call: "),
        ("a: 1", "a script is a list of messages"),
        ("[]", "a script is a list of messages"),
        ("- {", ": this cannot be read as YAML"),
    ],
)
def test_what_is_wrong_with_a_script_is_told_with_its_place(tmp_path: Path, text: str, told: str) -> None:
    path = tmp_path / "oven.yaml"
    path.write_text(text)
    with pytest.raises(BrainUnknown) as refused:
        named(str(path))
    assert str(refused.value).startswith(str(path))
    assert told in str(refused.value)


@pytest.mark.parametrize("name", ["gpt", "missing.yaml", "missing.jsonl"])
def test_what_is_no_brain_is_told(name: str) -> None:
    with pytest.raises(BrainUnknown, match=name):
        named(name)
