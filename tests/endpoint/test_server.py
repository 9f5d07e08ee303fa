"""An endpoint as its clients meet it, the provider's own among them."""

import gzip
import json
import socket
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection, IncompleteRead
from typing import Any

import anthropic
import pytest

from tests.endpoint import clients
from workbench.brains.protocol import BrainError, Proposal, Say, ToolSchema, unheard
from workbench.brains.reader import Reader
from workbench.brains.scripted import Call, Calls, Scripted, Step
from workbench.brains.scripted import Say as Said
from workbench.endpoint import exchange
from workbench.endpoint.faults import KINDS, Fault
from workbench.endpoint.server import Endpoint, serve
from workbench.traces.reasons import Reason
from workbench.traces.records import TextBlock, Turn

STEPS: list[Step] = [Call("Read", {"file_path": "a.md"}, "Let me look.", "Hm."), Said("Rye wants 240 degrees. " * 20)]
ASK: dict[str, Any] = {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "hello"}]}
BODIES: dict[str, dict[str, Any]] = {
    "/v1/messages": ASK,
    "/v1/responses": {"model": "m", "input": "hello"},
    "/v1/chat/completions": {"model": "m", "messages": ASK["messages"]},
}
ENDS = {"/v1/messages": b"message_stop", "/v1/responses": b"response.completed", "/v1/chat/completions": b"[DONE]"}


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with serve(Scripted(STEPS)) as running:
        yield running


def sdk(running: Endpoint) -> anthropic.Anthropic:
    return anthropic.Anthropic(api_key="any", base_url=running.url, max_retries=0)


def test_the_providers_own_client_follows_a_session(endpoint: Endpoint) -> None:
    client, said = sdk(endpoint), list[Any](ASK["messages"])
    with client.messages.stream(model="m", max_tokens=9, messages=said) as stream:
        first = stream.get_final_message()
    assert [block.type for block in first.content] == ["thinking", "text", "tool_use"]
    assert (first.stop_reason, first.model) == ("tool_use", "m")
    call = first.content[2]
    assert call.type == "tool_use"
    assert (call.name, call.input) == ("Read", {"file_path": "a.md"})
    said.append({"role": "assistant", "content": first.content})
    said.append({"role": "user", "content": [{"type": "tool_result", "tool_use_id": call.id, "content": "240"}]})
    whole = client.messages.create(model="m", max_tokens=9, messages=said)
    assert whole.content[0].type == "text"
    assert whole.stop_reason == "end_turn"
    usage = whole.usage
    counted = client.messages.count_tokens(model="m", messages=said).input_tokens
    assert usage.cache_read_input_tokens
    assert usage.cache_creation_input_tokens
    assert usage.input_tokens + usage.cache_read_input_tokens + usage.cache_creation_input_tokens == counted
    assert [request.wire for request in endpoint.asked] == ["anthropic-messages"] * 2
    assert [turn.role for turn in endpoint.asked[1].messages] == ["user", "assistant", "toolResult"]
    assert "any" not in json.dumps(endpoint.asked[0].headers)


@pytest.mark.parametrize("path", BODIES)
def test_the_same_request_gets_the_same_reply_with_an_identifier_of_its_own(endpoint: Endpoint, path: str) -> None:
    with serve(Scripted(STEPS)) as other:
        first, again, elsewhere = (
            json.loads(clients.post(at.url, path, BODIES[path])[2]) for at in (endpoint, endpoint, other)
        )
    assert first["id"] != again["id"]
    assert first["usage"] == again["usage"]
    first.pop("created", first.pop("created_at", None)), elsewhere.pop("created", elsewhere.pop("created_at", None))
    assert first == elsewhere


def test_many_at_once_on_connections_that_are_kept(endpoint: Endpoint) -> None:
    def session(number: int) -> list[bytes]:
        connection = HTTPConnection(endpoint.url.removeprefix("http://"), timeout=20)
        replies = []
        for turn in range(6):
            path = list(BODIES)[(number + turn) % 3]
            body = {**BODIES[path], "stream": turn % 2 == 0}
            connection.request("POST", path, json.dumps(body), clients.KEY)
            reply = connection.getresponse()
            assert not reply.will_close
            replies.append(reply.read())
        connection.close()
        return replies

    with ThreadPoolExecutor(12) as pool:
        replies = [reply for some in pool.map(session, range(12)) for reply in some]
    assert len(endpoint.asked) == len(replies) == 72
    assert all(b"Let me" in reply for reply in replies)


@pytest.mark.parametrize("path", BODIES)
@pytest.mark.parametrize("kind", ["400", "401", "404", "429", "500", "529"])
def test_a_status_is_told_in_the_providers_words_then_all_is_well(path: str, kind: Any) -> None:
    with serve(Scripted(STEPS), faults=[Fault(kind, times=1, retry_after=3)]) as running:
        status, headers, body = clients.post(running.url, path, BODIES[path])
        assert (status, headers["retry-after"]) == (int(kind), "3")
        assert json.loads(body)["error"]["message"]
        assert clients.post(running.url, path, BODIES[path])[0] == 200


@pytest.mark.parametrize("path", BODIES)
@pytest.mark.parametrize("kind", ["cut", "error", "garbled", "disconnect"])
def test_a_stream_breaks_in_its_middle(path: str, kind: Any) -> None:
    with serve(Scripted(STEPS), faults=[Fault(kind)]) as running:
        if kind == "disconnect":
            with pytest.raises((IncompleteRead, ConnectionError)):
                clients.post(running.url, path, {**BODIES[path], "stream": True})
            return
        status, _, stream = clients.post(running.url, path, {**BODIES[path], "stream": True})
    assert (status, b"delta" in stream, ENDS[path] in stream) == (200, True, False)
    last = stream.decode().strip().rpartition("data: ")[2]
    if kind == "garbled":
        with pytest.raises(ValueError, match="Expecting"):
            json.loads(last)
    else:
        assert ("overloaded" in last) == (kind == "error")


@pytest.mark.parametrize("kind", ["cut", "disconnect", "garbled"])
def test_a_whole_reply_can_break_too(kind: Any) -> None:
    with serve(Scripted(STEPS), faults=[Fault(kind)]) as running, pytest.raises((IncompleteRead, ValueError)):
        json.loads(clients.post(running.url, "/v1/messages", ASK)[2])


def test_an_error_in_a_stream_reaches_the_providers_client_as_one() -> None:
    with (
        serve(Scripted(STEPS), faults=[Fault("error")]) as running,
        pytest.raises(anthropic.APIStatusError) as raised,
        sdk(running).messages.stream(**ASK) as stream,
    ):
        stream.get_final_message()
    assert raised.value.type == "overloaded_error"


@pytest.mark.parametrize("kind", ["hang", "stall"])
def test_silence_lasts_until_the_endpoint_ends(kind: Any) -> None:
    with serve(Scripted(STEPS), faults=[Fault(kind)]) as running:
        connection = socket.create_connection(("127.0.0.1", int(running.url.rpartition(":")[2])), timeout=10)
        body = json.dumps({**ASK, "stream": True}).encode()
        connection.sendall(
            b"POST /v1/messages HTTP/1.1\r\nx-api-key: k\r\ncontent-length: %d\r\n\r\n" % len(body) + body
        )
        began = connection.recv(1 << 16) if kind == "stall" else b""
        while kind == "stall" and b"content_block_delta" not in began:
            began += connection.recv(1 << 16)
        connection.settimeout(0.1)
        with pytest.raises(TimeoutError):
            connection.recv(1)
        connection.settimeout(10)
    assert connection.recv(1) == b""
    connection.close()


@pytest.mark.parametrize(
    ("kind", "ends"),
    [
        ("max_tokens", ("max_tokens", "incomplete", "length")),
        ("refusal", ("refusal", "completed", "content_filter")),
        ("empty", ("end_turn", "completed", "stop")),
    ],
)
def test_a_reply_ends_for_another_reason(kind: Any, ends: tuple[str, str, str]) -> None:
    with serve(Scripted(STEPS[1:]), faults=[Fault(kind)]) as running:
        replies = [json.loads(clients.post(running.url, path, body)[2]) for path, body in BODIES.items()]
    messages, responses, chat = replies
    assert (messages["stop_reason"], responses["status"], chat["choices"][0]["finish_reason"]) == ends
    assert bool(messages["content"]) == (kind != "empty")


def test_a_prompt_that_is_too_long_is_told_as_each_provider_tells_it() -> None:
    with serve(Scripted(STEPS), faults=[Fault("too_long")]) as running:
        status, _, body = clients.post(running.url, "/v1/messages", ASK)
        assert (status, b"prompt is too long" in body) == (400, True)
        status, _, stream = clients.post(running.url, "/v1/responses", {**BODIES["/v1/responses"], "stream": True})
    [failed] = clients.events(stream)
    assert (status, failed["type"]) == (200, "response.failed")
    assert failed["response"]["error"]["code"] == "context_length_exceeded"


def test_faults_are_told_by_name_and_strike_where_they_were_sent() -> None:
    assert Fault.parse("429, times=2, at=1, retry-after=1.5") == Fault("429", times=2, at=1, retry_after=1.5)
    assert [Fault.parse(kind).kind for kind in KINDS] == list(KINDS)
    for wrong in ("teapot", "429,times=x", "429,when=now"):
        with pytest.raises(ValueError, match=wrong.partition(",")[0]):
            Fault.parse(wrong)
    later = {"input": [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]}
    with serve(Scripted(STEPS), faults=[Fault("500", at=1)]) as running:
        assert clients.post(running.url, "/v1/responses", BODIES["/v1/responses"])[0] == 200
        assert clients.post(running.url, "/v1/responses", later)[0] == 500


@pytest.mark.parametrize(
    ("path", "body", "headers", "status"),
    [
        ("/v1/messages", ASK, {}, 401),
        ("/v1/messages", b"{", clients.KEY, 400),
        ("/v1/messages", [], clients.KEY, 400),
        ("/v1/messages", {"messages": []}, clients.KEY, 400),
        ("/v1/messages", b"\xff" * 9, {**clients.KEY, "content-encoding": "gzip"}, 400),
        ("/v1/messages", b"(zstd)", {**clients.KEY, "content-encoding": "zstd"}, 415),
        ("/v1/messages", gzip.compress(b" " * 2000), {**clients.KEY, "content-encoding": "gzip"}, 413),
        ("/v1/messages", b" " * 2000, clients.KEY, 413),
        ("/v1/messages", b"", {**clients.KEY, "content-length": "9" * 5000}, 413),
        ("/v1/messages", ASK, {**clients.KEY, "host": "bench.example"}, 421),
        ("/v1/embeddings", {}, clients.KEY, 404),
    ],
    ids=("no key", "torn", "no object", "empty", "no gzip", "zstd", "unfolds", "large", "vast", "host", "elsewhere"),
)
def test_what_is_no_request_is_refused_in_words(
    endpoint: Endpoint,
    monkeypatch: pytest.MonkeyPatch,
    path: str,
    body: Any,
    headers: dict[str, str],
    status: int,
) -> None:
    monkeypatch.setattr(exchange, "LIMIT", 1000)
    got, _, told = clients.post(endpoint.url, path, body, headers)
    assert (got, bool(json.loads(told)["error"]["message"])) == (status, True)


def test_a_packed_body_and_hellos_are_taken(endpoint: Endpoint) -> None:
    packed = gzip.compress(json.dumps(ASK).encode())
    assert (
        clients.post(endpoint.url, "/v1/messages?beta=true", packed, {**clients.KEY, "content-encoding": "gzip"})[0]
        == 200
    )
    connection = HTTPConnection(endpoint.url.removeprefix("http://"), timeout=10)
    for method, path in (("HEAD", "/api/hello"), ("GET", "/"), ("HEAD", "/v1/models"), ("GET", "/v1/models/any")):
        connection.request(method, path)
        reply = connection.getresponse()
        assert (reply.status, bool(reply.read())) == (200, method == "GET")
    connection.close()
    assert [model.id for model in sdk(endpoint).models.list()] == ["script"]


class Broken:
    """A brain that has trouble of its own."""

    name = model = "broken"

    def __init__(self, error: Exception) -> None:
        self.error = error

    def propose(
        self, system: str, messages: Sequence[Turn], tools: Sequence[ToolSchema], say: Say = unheard
    ) -> Proposal:
        raise self.error


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (BrainError(Reason.RATE_LIMIT, "slow down", 2.5), 429),
        (BrainError(Reason.CONTEXT_TOO_LONG, "too much"), 400),
        (BrainError(Reason.MISSING, "over"), 400),
        (ZeroDivisionError("x"), 500),
    ],
)
def test_a_brain_in_trouble_is_a_provider_in_trouble(error: Exception, status: int) -> None:
    with serve(Broken(error)) as running:
        got, headers, _ = clients.post(running.url, "/v1/messages", ASK)
        assert got == status
        assert headers.get("retry-after") == ("2.5" if status == 429 else None)


def test_several_calls_go_out_at_once_and_a_reader_answers_from_what_it_is_told() -> None:
    both = Calls((Call("Read", {"file_path": "a"}), Call("Grep", {"pattern": "b"})))
    with serve(Scripted([both])) as running:
        calls = sdk(running).messages.create(**ASK).content
    assert [block.type for block in calls] == ["tool_use", "tool_use"]
    assert len({block.id for block in calls if block.type == "tool_use"}) == 2
    with serve(Reader()) as running:
        system = "Dough rests for nine hours."
        asked = [{"role": "user", "content": "How long does dough rest?"}]
        [answer] = sdk(running).messages.create(model="m", max_tokens=9, system=system, messages=asked).content  # type: ignore[arg-type]
    assert answer.type == "text"
    assert TextBlock(text=answer.text).text.endswith("Dough rests for nine hours.")
