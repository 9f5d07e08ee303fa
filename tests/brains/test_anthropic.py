"""The brain behind Anthropic's API, over real HTTP: what it sends, what it makes of answers, how it fails."""

import json
import logging
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.brains.provider import Answer, message, provider
from tests.test_imports import loaded_after
from workbench.brains.anthropic import PATIENCE, Anthropic
from workbench.brains.protocol import BrainError, Proposal, Ran, Spoken, ToolSchema, unheard
from workbench.traces.reasons import Reason
from workbench.traces.records import TextBlock, ThinkingBlock, TokenLedger, ToolCall, ToolResultTurn, Turn, UserTurn

KEY = "sk-dummy-0123456789"
READ = ToolSchema("Read", "Read a file.", {"type": "object", "properties": {"file_path": {"type": "string"}}})
GREP = ToolSchema("Grep", "Search.", {"type": "object", "properties": {}})
QUESTION = UserTurn(turn_index=0, content=(TextBlock(text="What is in a.md?"),))
MARK = {"type": "ephemeral"}
CALL = {"type": "tool_use", "id": "toolu_1", "name": "Read", "input": {"file_path": "a.md"}}
DONE = message({"type": "text", "text": "It says hello."})


def ask(url: str, messages: Sequence[Turn] = (QUESTION,), heard: list[str] | None = None, **more: Any) -> Proposal:
    brain = Anthropic(KEY, "claude-opus-5-5", base_url=url, **{"retries": 0, **more})
    return brain.propose("Be kind.", messages, (READ, GREP), unheard if heard is None else heard.append)


def spoken(said: Proposal, index: int) -> Spoken:
    return Spoken(turn_index=index, content=said.content, verbatim=said.verbatim)


def result(call: str, index: int, text: str = "hello") -> ToolResultTurn:
    return ToolResultTurn(turn_index=index, tool_use_id=call, content=(TextBlock(text=text),))


def test_an_answer_is_said_as_it_comes_and_counted() -> None:
    blocks = {"type": "text", "text": "It says hello."}, CALL
    heard: list[str] = []
    with provider(message(*blocks, cache_read_input_tokens=300, cache_creation_input_tokens=40)) as there:
        said = ask(there.url, heard=heard)
    assert heard == ["It ", "says hello."]
    call = ToolCall(id="toolu_1", name="Read", arguments={"file_path": "a.md"})
    assert said.content == (TextBlock(text="It says hello."), call)
    assert said.tokens == TokenLedger(input=10, cache_read=300, cache_creation=40, output=7)
    assert said.model == "claude-opus-5-5"


def test_a_request_is_streamed_with_its_tools_and_four_marks_for_the_cache() -> None:
    calls = [{**CALL, "id": "toolu_1"}, {**CALL, "id": "toolu_2"}]
    with provider(message(*calls), DONE) as there:
        first = ask(there.url)
        turns = (QUESTION, spoken(first, 1), result("toolu_1", 2), result("toolu_2", 3, ""))
        ask(there.url, turns)
    opening, following = there.bodies
    assert opening["stream"] is True
    assert opening["model"] == "claude-opus-5-5"
    assert "thinking" not in opening
    assert opening["system"] == [{"type": "text", "text": "Be kind.", "cache_control": MARK}]
    assert [tool["name"] for tool in opening["tools"]] == ["Read", "Grep"]
    assert opening["tools"][0]["input_schema"] == READ.input_schema
    assert [tool.get("cache_control") for tool in opening["tools"]] == [None, MARK]
    question, again, results = following["messages"]
    assert question == opening["messages"][0]
    assert question["content"] == [{"type": "text", "text": "What is in a.md?", "cache_control": MARK}]
    assert again == {"role": "assistant", "content": calls}
    hello = [{"type": "text", "text": "hello"}]
    assert results["content"] == [
        {"type": "tool_result", "tool_use_id": "toolu_1", "content": hello, "is_error": False},
        {"type": "tool_result", "tool_use_id": "toolu_2", "content": [], "is_error": False, "cache_control": MARK},
    ]
    assert json.dumps(following).count("cache_control") == 4


def test_marks_move_on_so_that_no_request_has_more_than_four() -> None:
    with provider(message(CALL)) as there:
        turns: list[Turn] = [QUESTION]
        for number in range(4):
            turns.append(spoken(ask(there.url, turns), 2 * number + 1))
            turns.append(result("toolu_1", 2 * number + 2))
    *_, before, last = there.bodies
    assert json.dumps(last).count("cache_control") == 4
    ended = [told["content"][-1].get("cache_control") for told in last["messages"] if told["role"] == "user"]
    assert ended == [None, None, MARK, MARK]
    assert last["messages"][: len(before["messages"])][-1] == before["messages"][-1]


def test_thoughts_are_said_back_word_for_word_and_stay_out_of_the_trace() -> None:
    thought = {"type": "thinking", "thinking": "Hm \x1b \u202e", "signature": "c2lnbmVk"}
    empty = {"type": "thinking", "thinking": "", "signature": "ZW1wdHk="}
    hidden = {"type": "redacted_thinking", "data": "b3BhcXVl"}
    text = {"type": "text", "text": "One \x07 moment."}
    blank = {"type": "text", "text": ""}
    with provider(message(thought, empty, hidden, blank, text, CALL), DONE) as there:
        first = ask(there.url)
        turn = spoken(first, 1)
        ask(there.url, (QUESTION, turn, result("toolu_1", 2)))
    assert there.bodies[1]["messages"][1]["content"] == [thought, empty, hidden, text, CALL]
    assert turn.content[:2] == (ThinkingBlock(text="Hm ␛ �"), TextBlock(text="One ␇ moment."))
    assert "c2lnbmVk" not in turn.model_dump_json()
    assert "c2lnbmVk" not in repr(turn)


def test_the_providers_own_tools_come_with_their_results() -> None:
    search = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "bees"}}
    page = {"type": "web_search_result", "title": "Bees", "url": "https://bees.example", "encrypted_content": "x"}
    found = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": [page]}
    fetch = {"type": "server_tool_use", "id": "srvtoolu_2", "name": "web_fetch", "input": {"url": page["url"]}}
    source = {"type": "text", "media_type": "text/plain", "data": "Buzz."}
    document = {"type": "document", "title": "Bees", "source": source}
    fetched = {"type": "web_fetch_result", "url": page["url"], "content": document}
    read = {"type": "web_fetch_tool_result", "tool_use_id": "srvtoolu_2", "content": fetched}
    error = {"type": "web_fetch_tool_result_error", "error_code": "url_not_accessible"}
    failed = {"type": "web_fetch_tool_result", "tool_use_id": "srvtoolu_3", "content": error}
    blocks: list[dict[str, Any]] = [search, found, fetch, read, {**fetch, "id": "srvtoolu_3"}, failed]
    with provider(message(*blocks, stop="pause_turn"), DONE) as there:
        first = ask(there.url, web=True)
        results = [result(ran.id, 2 + n, ran.text) for n, ran in enumerate(first.ran)]
        ask(there.url, (QUESTION, spoken(first, 1), *results), web=True)
    assert first.unfinished
    assert [(call.name, call.arguments) for call in first.content if isinstance(call, ToolCall)] == [
        ("WebSearch", {"query": "bees"}),
        ("WebFetch", {"url": "https://bees.example"}),
        ("WebFetch", {"url": "https://bees.example"}),
    ]
    assert first.ran == (
        Ran("srvtoolu_1", "Bees\nhttps://bees.example"),
        Ran("srvtoolu_2", "https://bees.example\n\nBuzz."),
        Ran("srvtoolu_3", "url_not_accessible", is_error=True),
    )
    opening, following = there.bodies
    assert [tool["name"] for tool in opening["tools"]] == ["Read", "Grep", "web_search", "web_fetch"]
    assert [told["role"] for told in following["messages"]] == ["user", "assistant"]
    assert following["messages"][1]["content"] == blocks


def refused(kind: str, said: str = "no") -> dict[str, Any]:
    return {"type": "error", "error": {"type": kind, "message": said}}


@pytest.mark.parametrize(
    ("status", "body", "reason"),
    [
        (401, refused("authentication_error"), Reason.AUTH),
        (403, refused("permission_error"), Reason.AUTH),
        (402, refused("billing_error"), Reason.BUDGET),
        (400, refused("invalid_request_error", "Your credit balance is too low"), Reason.BUDGET),
        (400, refused("invalid_request_error", "prompt is too long: 9 tokens > 8 maximum"), Reason.CONTEXT_TOO_LONG),
        (400, refused("invalid_request_error", "tools: wrong"), Reason.CRASHED),
        (404, refused("not_found_error", "model: nope"), Reason.MISSING),
        (413, refused("request_too_large"), Reason.CONTEXT_TOO_LONG),
        (429, refused("rate_limit_error"), Reason.RATE_LIMIT),
        (500, refused("api_error"), Reason.OVERLOADED),
        (504, refused("timeout_error"), Reason.OVERLOADED),
        (503, f"<html>{'upstream' * 1000}</html>", Reason.OVERLOADED),
        (529, refused("overloaded_error"), Reason.OVERLOADED),
        (403, "<html>Forbidden</html>", Reason.AUTH),
    ],
)
def test_what_a_provider_refuses_has_a_reason(status: int, body: dict[str, Any] | str, reason: Reason) -> None:
    with provider(Answer(status=status, error=body)) as there, pytest.raises(BrainError) as caught:
        ask(there.url)
    assert caught.value.reason is reason
    assert len(caught.value.detail) < 600
    assert len(there.bodies) == 1
    if isinstance(body, dict):
        assert body["error"]["message"] in caught.value.detail


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "37"}, 37.0),
        ({"retry-after": "9", "retry-after-ms": "1500"}, 1.5),
        ({"retry-after": "Sat, 01 Jan 2000 00:00:00 GMT"}, 0.0),
        ({"retry-after": "1e999"}, 0.0),
        ({"retry-after": "Sat, 01 Jan 999999999999 00:00:00 GMT"}, 0.0),
        ({"retry-after": "999999999"}, 3600.0),
        ({"retry-after": "soon"}, 0.0),
        ({}, 0.0),
    ],
)
def test_how_long_a_provider_wants_to_be_left_alone_is_told(headers: dict[str, str], seconds: float) -> None:
    answer = Answer(status=429, headers=headers, error=refused("rate_limit_error"))
    with provider(answer) as there, pytest.raises(BrainError) as caught:
        ask(there.url)
    assert caught.value.retry_after == seconds


def test_a_short_trouble_is_sat_out_and_a_long_one_is_not() -> None:
    short = Answer(status=529, headers={"retry-after-ms": "1"}, error=refused("overloaded_error"))
    with provider(short, short, DONE) as there:
        assert ask(there.url, retries=2).content == (TextBlock(text="It says hello."),)
    assert len(there.bodies) == 3
    long = replace(short, headers={"retry-after": str(int(PATIENCE) + 1)})
    wrong = Answer(status=400, headers={"retry-after-ms": "1"}, error=refused("invalid_request_error"))
    for answer in (long, wrong):
        with provider(answer) as there, pytest.raises(BrainError):
            ask(there.url, retries=2)
        assert len(there.bodies) == 1
    with provider(replace(short, headers={"retry-after": "5"})) as there, pytest.raises(BrainError):
        ask(there.url, retries=2, deadline=time.monotonic() + 4)
    assert len(there.bodies) == 1


def test_an_error_inside_an_answer_is_told_apart_by_its_type_and_not_tried_again() -> None:
    late = Answer([*DONE.events[:4], refused("overloaded_error", "too many")])
    heard: list[str] = []
    with provider(late) as there, pytest.raises(BrainError) as caught:
        ask(there.url, heard=heard, retries=2)
    assert caught.value.reason is Reason.OVERLOADED
    assert heard == ["It "]
    assert len(there.bodies) == 1


@pytest.mark.parametrize("torn", [False, True])
@pytest.mark.parametrize("cut", [0, 1, 4, 6])
def test_an_answer_that_breaks_off_is_no_answer(cut: int, torn: bool) -> None:
    with provider(replace(DONE, cut=cut, torn=torn)) as there, pytest.raises(BrainError) as caught:
        ask(there.url, retries=2)
    assert caught.value.reason is Reason.TRUNCATED
    assert len(there.bodies) == 1


START, BLOCK, WORD, END = (DONE.events[index] for index in (0, 2, 3, -1))


@pytest.mark.parametrize(
    "events",
    [
        [START, {**WORD, "index": 9}, END],
        [START, {**BLOCK, "content_block": {"type": "tool_use", "id": "t", "name": "Read", "input": {}}},
         {**WORD, "delta": {"type": "input_json_delta", "partial_json": "]["}}, END],
        [START, BLOCK, {**WORD, "delta": {"type": "text_delta", "text": None}}, END],
        [START, {"type": "content_block_start", "index": 0, "content_block": None}, *DONE.events[5:]],
        [{**START, "message": None}, *DONE.events[1:]],
    ],
)  # fmt: skip
def test_an_answer_that_makes_no_sense_is_no_answer(events: list[dict[str, Any]]) -> None:
    with provider(Answer(events)) as there, pytest.raises(BrainError) as caught:
        ask(there.url)
    assert caught.value.reason is Reason.CRASHED


def test_what_is_new_in_an_answer_is_passed_over() -> None:
    novel = {"type": "novel", "data": 1}
    started = {"type": "content_block_start", "index": 0, "content_block": novel}
    events = [START, {"type": "news"}, started, *({**event, "index": 1} for event in DONE.events[2:6])]
    with provider(Answer([*events, *DONE.events[6:]])) as there:
        said = ask(there.url)
    assert said.content == (TextBlock(text="It says hello."),)


@pytest.mark.parametrize(
    ("stop", "reason"),
    [
        ("max_tokens", Reason.TRUNCATED),
        ("model_context_window_exceeded", Reason.CONTEXT_TOO_LONG),
        ("refusal", Reason.TRUNCATED),
        ("something_new", Reason.TRUNCATED),
    ],
)
def test_a_message_that_did_not_end_by_itself_is_kept_but_is_no_answer(stop: str, reason: Reason) -> None:
    answer = message({"type": "text", "text": "It says hel"}, CALL, stop=stop)
    with provider(answer) as there, pytest.raises(BrainError) as caught:
        ask(there.url)
    assert caught.value.reason is reason
    said = caught.value.said
    assert said is not None
    assert said.content == (TextBlock(text="It says hel"),)
    assert said.tokens.output == 7


def test_a_provider_that_is_not_there_or_silent_is_not_waited_for() -> None:
    with provider(DONE) as there:
        gone = there.url
    with pytest.raises(BrainError) as caught:
        ask(gone)
    assert (caught.value.reason, "cannot be reached" in caught.value.detail) == (Reason.CRASHED, True)
    with silent() as url:
        for stall, left in ((0.05, 60.0), (60.0, 0.05)):
            with pytest.raises(BrainError) as caught:
                ask(url, stall=stall, deadline=time.monotonic() + left)
            assert caught.value.reason is Reason.TIMED_OUT


@contextmanager
def silent() -> Iterator[str]:
    """A place that takes connections and never says a word."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"http://127.0.0.1:{server.getsockname()[1]}"


FRESH = f"""
from workbench.brains.anthropic import Anthropic
from workbench.traces.records import TextBlock, UserTurn
import os, sys
poison = {{name: value for name, value in os.environ.items() if name.startswith("ANTHROPIC_")}}
brain = Anthropic({KEY!r}, "claude-opus-5-5", base_url=sys.argv[1])
brain.propose("", (UserTurn(turn_index=0, content=(TextBlock(text="?"),)),), ())
assert poison == {{name: value for name, value in os.environ.items() if name.startswith("ANTHROPIC_")}} != {{}}
"""


def test_nothing_of_the_environment_is_heard(tmp_path: Path) -> None:
    with provider(DONE) as wrong, provider(DONE) as right:
        poison = {
            "ANTHROPIC_API_KEY": "sk-of-the-user",
            "ANTHROPIC_AUTH_TOKEN": "token-of-the-user",
            "ANTHROPIC_BASE_URL": wrong.url,
            "ANTHROPIC_CUSTOM_HEADERS": "x-poison: drunk\nauthorization: Bearer stolen",
            "ANTHROPIC_PROFILE": "of-the-user",
            "ANTHROPIC_CONFIG_DIR": str(tmp_path),
            "ANTHROPIC_LOG": "debug",
        }
        argv = [sys.executable, "-c", FRESH, right.url]
        done = subprocess.run(argv, env={**os.environ, **poison}, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert wrong.headers == []
    (sent,) = right.headers
    assert sent["authorization"] == f"Bearer {KEY}"
    assert "x-api-key" not in sent
    assert not any(value in json.dumps([sent, right.bodies]) for value in ("drunk", "stolen", "of-the-user"))


def test_the_key_shows_nowhere(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    echo = Answer(status=401, error=refused("authentication_error", f"invalid key {KEY}"))
    brain = Anthropic(KEY, "claude-opus-5-5", base_url="", retries=0)
    with provider(echo) as there, pytest.raises(BrainError) as caught:
        ask(there.url)
    shown = [repr(brain), str(brain), repr(caught.value), caught.value.detail, caplog.text]
    assert not any(KEY in text for text in shown)
    assert "[key]" in caught.value.detail


@pytest.mark.parametrize("key", ["", "two\nlines", "schlüssel", " padded"])
def test_what_cannot_be_a_key_is_never_sent(key: str) -> None:
    with provider(DONE) as there, pytest.raises(BrainError) as caught:
        Anthropic(key, "claude-opus-5-5", base_url=there.url).propose("", (QUESTION,), ())
    assert caught.value.reason is Reason.AUTH
    assert there.bodies == []
    assert not key or key not in caught.value.detail


def test_the_client_loads_when_it_is_needed() -> None:
    assert loaded_after("import workbench.brains.anthropic") == set()
