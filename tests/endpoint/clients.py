"""The least a client of each provider does: send a request, put the events of a stream together."""

import json
from collections.abc import Iterable, Iterator
from http.client import HTTPConnection
from typing import Any

from workbench.traces.records import Block, TextBlock, ThinkingBlock, ToolCall

KEY = {"authorization": "Bearer any"}


def post(url: str, path: str, body: Any, headers: dict[str, str] = KEY) -> tuple[int, dict[str, str], bytes]:
    """Status, headers and body of one request on a connection of its own."""
    connection = HTTPConnection(url.removeprefix("http://"), timeout=10)
    try:
        connection.request("POST", path, body if isinstance(body, bytes) else json.dumps(body), headers)
        reply = connection.getresponse()
        return reply.status, {name.lower(): value for name, value in reply.getheaders()}, reply.read()
    finally:
        connection.close()


def events(stream: bytes) -> Iterator[dict[str, Any]]:
    """The JSON of the events of a stream; its `event:` lines must agree with it."""
    for event in stream.decode().split("\n\n"):
        lines = dict(line.split(": ", 1) for line in event.splitlines())
        if lines and lines["data"] != "[DONE]":
            data = json.loads(lines["data"])
            assert lines.get("event", data.get("type")) == data.get("type")
            yield data


def responses_message(told: Iterable[dict[str, Any]]) -> tuple[list[Block], dict[str, Any]]:
    """A streamed message of the Responses format, and the response that ended it; deltas must agree with the items."""
    pieces: dict[int, str] = {}
    blocks: list[Block] = []
    for number, event in enumerate(told):
        assert event["sequence_number"] == number
        if event["type"].endswith(".delta"):
            pieces[event["output_index"]] = pieces.get(event["output_index"], "") + event["delta"]
        elif event["type"] == "response.output_item.done":
            block, streamed = _item(event["item"])
            assert pieces.get(event["output_index"], streamed) == streamed
            blocks.append(block)
        end = event
    assert [_item(item)[0] for item in end["response"]["output"]] == blocks
    return blocks, end["response"]


def chat_message(told: Iterable[dict[str, Any]]) -> tuple[list[Block], str, dict[str, Any]]:
    """A streamed message of the Chat Completions format, why it ended, and its usage."""
    texts = {"content": "", "reasoning_content": ""}
    calls: dict[int, dict[str, str]] = {}
    finish = ""
    usage: dict[str, Any] = {}
    for event in told:
        usage = event.get("usage") or usage
        for choice in event["choices"]:
            finish = choice["finish_reason"] or finish
            for key in texts:
                texts[key] += choice["delta"].get(key, "")
            for part in choice["delta"].get("tool_calls", ()):
                call = calls.setdefault(part["index"], {"id": part.get("id", ""), "arguments": ""})
                call["name"] = call.get("name") or part["function"]["name"]
                call["arguments"] += part["function"]["arguments"]
    blocks: list[Block] = [ThinkingBlock(text=texts["reasoning_content"])] if texts["reasoning_content"] else []
    blocks += [TextBlock(text=texts["content"])] if texts["content"] else []
    blocks += [ToolCall(id=c["id"], name=c["name"], arguments=json.loads(c["arguments"])) for c in calls.values()]
    return blocks, finish, usage


def _item(item: dict[str, Any]) -> tuple[Block, str]:
    match item["type"]:
        case "message":
            [part] = item["content"]
            text = part.get("text", part.get("refusal"))
            return TextBlock(text=text), text
        case "reasoning":
            text = item["summary"][0]["text"]
            return ThinkingBlock(text=text), text
        case "custom_tool_call":
            given = {"input": item["input"]}
            return ToolCall(id=item["call_id"], name=item["name"], arguments=given), item["input"]
        case _:
            given = json.loads(item["arguments"])
            return ToolCall(id=item["call_id"], name=item["name"], arguments=given), item["arguments"]
