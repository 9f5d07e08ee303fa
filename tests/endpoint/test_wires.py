"""Each wire says the same: what a client sends is what a brain hears, what a brain says is what a client gets."""

import contextlib
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.endpoint import clients
from tests.endpoint.conversations import (
    Request,
    anthropic_request,
    chat_request,
    conversations,
    messages,
    responses_request,
)
from workbench.brains.protocol import Proposal, ToolSchema
from workbench.endpoint.answering import answer
from workbench.endpoint.anthropic_wire import AnthropicWire
from workbench.endpoint.chat_wire import ChatWire
from workbench.endpoint.responses_wire import ResponsesWire
from workbench.endpoint.wire import Answer, Asked, Malformed, Wire
from workbench.traces.records import Block, TextBlock, ToolCall, Turn, UserTurn

TOOLS = (ToolSchema("Read", "Reads.", {"type": "object", "properties": {"file_path": {"type": "string"}}}),)
WIRES: list[tuple[Wire, Request]] = [
    (AnthropicWire(), anthropic_request),
    (ResponsesWire(), responses_request),
    (ChatWire(), chat_request),
]
QUESTION = (UserTurn(turn_index=0, content=(TextBlock(text="?"),)),)


def replied(content: Sequence[Block]) -> Answer:
    return answer(Asked("m", True, "", QUESTION, TOOLS), Proposal(tuple(content)), "k01")


def streamed(wire: Wire, reply: Answer) -> bytes:
    return b"".join(frame.encode() for frame in wire.frames(reply))


@given(conversations())
def test_a_brain_hears_what_was_said_on_any_wire(turns: tuple[Turn, ...]) -> None:
    for wire, request in WIRES:
        asked = wire.parse(request("Be kind.", turns, TOOLS))
        assert (asked.system, asked.messages, asked.tools) == ("Be kind.", turns, TOOLS)


@given(messages())
def test_openai_clients_get_what_was_said(content: tuple[Block, ...]) -> None:
    reply = replied(content)
    told, response = clients.responses_message(clients.events(streamed(ResponsesWire(), reply)))
    assert (tuple(told), response["status"]) == (reply.content, "completed")
    assert response == ResponsesWire().whole(reply)
    said, finish, usage = clients.chat_message(clients.events(streamed(ChatWire(), reply)))
    assert tuple(said) == reply.content
    assert finish == ("tool_calls" if any(isinstance(block, ToolCall) for block in content) else "stop")
    assert usage == ChatWire().whole(reply)["usage"]


@settings(max_examples=10)
@given(messages())
def test_what_was_said_comes_back_as_it_was(content: tuple[Block, ...]) -> None:
    """A client sends its history back: the message must be the one that went out, its calls' names and all."""
    reply = replied(content)
    item = {**ResponsesWire().whole(reply)}["output"]
    assert (
        ResponsesWire().parse({"input": [{"role": "user", "content": "?"}, *item]}).messages[1].content == reply.content
    )
    chat = ChatWire().whole(reply)["choices"][0]["message"]
    assert ChatWire().parse({"messages": [{"role": "user", "content": "?"}, chat]}).messages[1].content == reply.content
    said = {"role": "assistant", "content": AnthropicWire().whole(reply)["content"]}
    asked = AnthropicWire().parse({"messages": [{"role": "user", "content": "?"}, said]})
    assert asked.messages[1].content == reply.content


def test_words_between_tool_results_keep_their_place() -> None:
    result = {"type": "tool_result", "tool_use_id": "c", "content": [{"type": "text", "text": "r"}], "is_error": True}
    content = [{"type": "text", "text": "a"}, result, {"type": "image", "source": {}}]
    before, failed, after = AnthropicWire().parse({"messages": [{"role": "user", "content": content}]}).messages
    assert [before.role, failed.role, after.role] == ["user", "toolResult", "user"]
    assert (failed.text, failed.is_error) == ("r", True)  # type: ignore[union-attr]
    assert after.content == (TextBlock(text="[image]"),)


def test_tools_of_scripts_and_name_spaces_are_called_as_they_were_offered() -> None:
    spaces = [
        {"type": "namespace", "name": "functions", "tools": [{"type": "custom", "name": "exec", "description": "JS"}]},
        {"type": "namespace", "name": "clock", "tools": [{"type": "function", "name": "sleep", "parameters": {}}]},
        {"type": "web_search"},
    ]
    body = {"input": [{"type": "additional_tools", "tools": spaces}, {"role": "user", "content": "?"}]}
    asked = ResponsesWire().parse(body)
    assert [tool.name for tool in asked.tools] == ["exec", "clock.sleep"]
    calls = (ToolCall(id="", name="exec", arguments={"input": "1+1"}), ToolCall(id="", name="clock.sleep"))
    script, sleep = ResponsesWire().whole(answer(asked, Proposal(calls), "k01"))["output"]
    assert (script["type"], script["input"]) == ("custom_tool_call", "1+1")
    assert (sleep["type"], sleep["namespace"], sleep["name"]) == ("function_call", "clock", "sleep")
    back = ResponsesWire().parse({"input": [script, sleep]}).messages[0].content
    assert [call.name for call in back if isinstance(call, ToolCall)] == ["exec", "clock.sleep"]


KEYS = (
    "role type content text id name input tools tool_calls function arguments output call_id namespace summary "
    "parameters input_schema system thinking messages description tool_use_id is_error reasoning_content"
)
WORDS = (
    "user assistant system tool message function_call custom_tool_call reasoning namespace tool_use tool_result "
    "thinking text function_call_output additional_tools custom [1]"
)
anything = st.recursive(
    st.none() | st.booleans() | st.floats() | st.sampled_from(WORDS.split()),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS.split()), inner, max_size=4),
    max_leaves=30,
)


@settings(max_examples=150)
@given(st.dictionaries(st.sampled_from(["messages", "input", "tools", "system", "instructions"]), anything))
def test_whatever_is_sent_is_understood_or_told_apart(body: dict[str, object]) -> None:
    for wire, _ in WIRES:
        with contextlib.suppress(Malformed):
            asked = wire.parse(body)
            reply = answer(asked, Proposal((TextBlock(text="ok"),)), "k01")
            assert b"ok" in streamed(wire, reply)


@pytest.mark.parametrize(
    "body",
    [
        {"messages": 1, "input": 1},
        {"messages": ["x"], "input": ["x"]},
        {"messages": [{"role": 1}], "input": [{"role": "user", "content": 3}]},
        {"messages": [{"role": "user", "content": [1]}], "input": [{"type": "function_call", "arguments": 3}]},
        {"tools": {}, "messages": [], "input": []},
    ],
)
def test_a_body_that_is_no_request_is_told_apart(body: dict[str, object]) -> None:
    for wire, _ in WIRES:
        with pytest.raises(Malformed):
            wire.parse(body)
