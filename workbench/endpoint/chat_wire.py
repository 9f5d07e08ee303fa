"""The Chat Completions format of OpenAI, which many other providers speak: `POST /v1/chat/completions`."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from workbench.brains.protocol import ToolSchema
from workbench.endpoint.responses_wire import ResponsesWire
from workbench.endpoint.turns import Turns
from workbench.endpoint.wire import (
    Answer,
    Asked,
    Frame,
    Malformed,
    Problem,
    arguments_in,
    pieces,
    records,
    schema_in,
    text_at,
    text_in,
)
from workbench.traces.records import TextBlock, ThinkingBlock, TokenLedger, ToolCall

_STOPS = {"end": "stop", "calls": "tool_calls", "length": "length", "refusal": "content_filter"}


class ChatWire:
    """Messages with calls beside their text; thinking travels as `reasoning_content`, as several providers have it."""

    name = "openai-chat"
    tells_length_in_stream = False

    def parse(self, body: Mapping[str, Any]) -> Asked:
        """See `Wire.parse`."""
        turns, system = Turns(), list[str]()
        for message in records(body.get("messages"), "messages"):
            role, texts = text_at(message, "role"), text_in(message.get("content"))
            if role in ("system", "developer"):
                system += texts
            elif role == "assistant":
                _take_said(turns, message, texts)
            elif role == "tool":
                turns.result(text_at(message, "tool_call_id"), texts)
            else:
                turns.user(texts)
        return Asked(
            model=text_at(body, "model"),
            stream=body.get("stream") is True,
            system="\n\n".join(system),
            messages=turns.all(),
            tools=tuple(_schema(tool) for tool in records(body.get("tools"), "tools") if "function" in tool),
        )

    def whole(self, answer: Answer) -> dict[str, Any]:
        """See `Wire.whole`."""
        text = "".join(block.text for block in answer.content if isinstance(block, TextBlock))
        thought = "".join(block.text for block in answer.content if isinstance(block, ThinkingBlock))
        calls = [_call(block) for block in answer.content if isinstance(block, ToolCall)]
        message: dict[str, Any] = {"role": "assistant", "content": text or None}
        message |= {"reasoning_content": thought} if thought else {}
        message |= {"tool_calls": calls} if calls else {}
        choice = {"index": 0, "message": message, "finish_reason": _STOPS[answer.stop]}
        return {**_completion(answer, "chat.completion"), "choices": [choice], "usage": _usage(answer.usage)}

    def frames(self, answer: Answer) -> Iterator[Frame]:
        """See `Wire.frames`."""
        base = _completion(answer, "chat.completion.chunk")

        def chunk(delta: dict[str, Any], finish: str | None = None) -> Frame:
            choice = {"index": 0, "delta": delta, "finish_reason": finish}
            return Frame({**base, "choices": [choice]}, delta="role" not in delta, closing=finish is not None)

        yield chunk({"role": "assistant", "content": ""})
        calls = 0
        for block in answer.content:
            if isinstance(block, ToolCall):
                yield from (chunk({"tool_calls": [{"index": calls, **part}]}) for part in _parts(block))
                calls += 1
            else:
                key = "content" if isinstance(block, TextBlock) else "reasoning_content"
                yield from (chunk({key: piece}) for piece in pieces(block.text))
        yield chunk({}, _STOPS[answer.stop])
        yield Frame({**base, "choices": [], "usage": _usage(answer.usage)}, closing=True)
        yield Frame("[DONE]", closing=True)

    def refusal(self, problem: Problem) -> dict[str, Any]:
        """See `Wire.refusal`."""
        return ResponsesWire().refusal(problem)

    def broken(self, answer: Answer, problem: Problem) -> Frame:
        """See `Wire.broken`."""
        return Frame(self.refusal(problem))


def _take_said(turns: Turns, message: Mapping[str, Any], texts: list[str]) -> None:
    turns.thought(text_at(message, "reasoning_content"))
    turns.said(texts)
    for call in records(message.get("tool_calls"), "tool_calls"):
        function = _function(call)
        turns.called(text_at(call, "id"), text_at(function, "name"), arguments_in(text_at(function, "arguments")))
    turns.end_message()


def _function(record: Mapping[str, Any]) -> Mapping[str, Any]:
    function = record.get("function")
    if not isinstance(function, dict):
        raise Malformed("`function` must be an object")
    return function


def _schema(tool: Mapping[str, Any]) -> ToolSchema:
    function = _function(tool)
    return ToolSchema(
        text_at(function, "name"), text_at(function, "description"), schema_in(function.get("parameters"))
    )


def _completion(answer: Answer, kind: str) -> dict[str, Any]:
    return {"id": f"chatcmpl-{answer.id}", "object": kind, "created": answer.created, "model": answer.model}


def _usage(usage: TokenLedger) -> dict[str, Any]:
    return {
        "prompt_tokens": usage.context,
        "completion_tokens": usage.output,
        "total_tokens": usage.context + usage.output,
        "prompt_tokens_details": {"cached_tokens": usage.cache_read, "cache_write_tokens": usage.cache_creation},
    }


def _call(call: ToolCall) -> dict[str, Any]:
    function = {"name": call.name, "arguments": json.dumps(call.arguments)}
    return {"id": call.id, "type": "function", "function": function}


def _parts(call: ToolCall) -> Iterator[dict[str, Any]]:
    """A call as it is streamed: its name, then its arguments piece by piece."""
    whole = _call(call)
    yield {**whole, "function": {"name": call.name, "arguments": ""}}
    for piece in pieces(whole["function"]["arguments"]):
        yield {"function": {"arguments": piece}}
