"""The Responses format of OpenAI: `POST /v1/responses`."""

import itertools
import json
from collections.abc import Iterator, Mapping
from typing import Any

from workbench.brains.protocol import ToolSchema
from workbench.endpoint.turns import Turns
from workbench.endpoint.wire import (
    FREE_TEXT,
    Answer,
    Asked,
    Frame,
    Problem,
    arguments_in,
    pieces,
    records,
    schema_in,
    text_at,
    text_in,
)
from workbench.traces.records import TextBlock, ThinkingBlock, TokenLedger, ToolCall

_CODES = {401: "invalid_api_key", 404: "model_not_found", 429: "rate_limit_exceeded", 529: "server_is_overloaded"}
_FREE_TEXT_SCHEMA = {"type": "object", "properties": {FREE_TEXT: {"type": "string"}}, "required": [FREE_TEXT]}
_PLAIN = "functions"
"""The namespace whose tools go by their bare names."""


class ResponsesWire:
    """A flat list of items; one message of the model is several of them."""

    name = "openai-responses"
    tells_length_in_stream = True

    def parse(self, body: Mapping[str, Any]) -> Asked:
        """See `Wire.parse`."""
        given = body.get("input")
        items = [{"role": "user", "content": given}] if isinstance(given, str) else records(given, "input")
        turns, system = Turns(), [text_at(body, "instructions")]
        tools = list(records(body.get("tools"), "tools"))
        for item in items:
            if item.get("type") == "additional_tools":
                tools += records(item.get("tools"), "tools")
            elif item.get("role") in ("system", "developer"):
                system += text_in(item.get("content"))
            else:
                _take(turns, item)
        named = [*_named(tools)]
        return Asked(
            model=text_at(body, "model"),
            stream=body.get("stream") is True,
            system="\n\n".join(filter(None, system)),
            messages=turns.all(),
            tools=tuple(_schema(name, tool) for name, tool in named),
            free_text=frozenset(name for name, tool in named if tool.get("type") == "custom"),
        )

    def whole(self, answer: Answer) -> dict[str, Any]:
        """See `Wire.whole`."""
        output = [_item(answer, index) for index in range(len(answer.content))]
        response = {**_response(answer), "status": "completed", "output": output, "usage": _usage(answer.usage)}
        if answer.stop == "length":
            response |= {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}
        return response

    def frames(self, answer: Answer) -> Iterator[Frame]:
        """See `Wire.frames`."""
        numbers = itertools.count()
        yield _frame("response.created", numbers, response=_response(answer))
        yield _frame("response.in_progress", numbers, response=_response(answer))
        for index in range(len(answer.content)):
            item = _item(answer, index)
            yield _frame("response.output_item.added", numbers, output_index=index, item=_begun(item))
            for kind, told in _filled(item):
                yield _frame(kind, numbers, item_id=item["id"], output_index=index, **told)
            yield _frame("response.output_item.done", numbers, output_index=index, item=item)
        end = "response.incomplete" if answer.stop == "length" else "response.completed"
        yield _frame(end, numbers, response=self.whole(answer))

    def refusal(self, problem: Problem) -> dict[str, Any]:
        """See `Wire.refusal`."""
        kind = "server_error" if problem.status >= 500 else "invalid_request_error"
        return {"error": {"message": problem.message, "type": kind, "param": None, "code": _code(problem)}}

    def broken(self, answer: Answer, problem: Problem) -> Frame:
        """See `Wire.broken`."""
        error = {"code": _code(problem) or "server_error", "message": problem.message}
        response = {**_response(answer), "status": "failed", "error": error}
        return _frame("response.failed", itertools.count(1), response=response)


def _take(turns: Turns, item: Mapping[str, Any]) -> None:
    """One item of the conversation; kinds nobody acts on, such as references, are passed over."""
    kind = item.get("type") or "message"
    if kind == "message":
        texts = text_in(item.get("content"))
        turns.said(texts) if item.get("role") == "assistant" else turns.user(texts)
    elif kind == "reasoning":
        turns.thought("\n".join(text_at(part, "text") for part in records(item.get("summary"), "summary")))
    elif kind == "function_call":
        turns.called(text_at(item, "call_id"), _full_name(item), arguments_in(text_at(item, "arguments")))
    elif kind == "custom_tool_call":
        turns.called(text_at(item, "call_id"), _full_name(item), {FREE_TEXT: text_at(item, "input")})
    elif str(kind).endswith("_call_output"):
        turns.result(text_at(item, "call_id"), text_in(item.get("output")))


def _named(tools: list[Mapping[str, Any]], space: str = "") -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Each tool with the name it goes by here; namespaces are walked into, tools of the provider's own left out."""
    for tool in tools:
        if tool.get("type") == "namespace":
            name = text_at(tool, "name")
            yield from _named([*records(tool.get("tools"), "tools")], "" if name == _PLAIN else name)
        elif tool.get("name"):
            yield (f"{space}.{tool['name']}" if space else text_at(tool, "name")), tool


def _full_name(item: Mapping[str, Any]) -> str:
    space = text_at(item, "namespace")
    return f"{space}.{text_at(item, 'name')}" if space and space != _PLAIN else text_at(item, "name")


def _schema(name: str, tool: Mapping[str, Any]) -> ToolSchema:
    schema = _FREE_TEXT_SCHEMA if tool.get("type") == "custom" else schema_in(tool.get("parameters"))
    return ToolSchema(name, text_at(tool, "description"), schema)


def _response(answer: Answer) -> dict[str, Any]:
    return {
        "id": f"resp_{answer.id}",
        "object": "response",
        "created_at": answer.created,
        "status": "in_progress",
        "model": answer.model,
        "output": [],
        "usage": None,
    }


def _usage(usage: TokenLedger) -> dict[str, Any]:
    return {
        "input_tokens": usage.context,
        "input_tokens_details": {"cached_tokens": usage.cache_read, "cache_write_tokens": usage.cache_creation},
        "output_tokens": usage.output,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": usage.context + usage.output,
    }


def _item(answer: Answer, index: int) -> dict[str, Any]:
    """One block as an output item."""
    block, key = answer.content[index], f"{answer.id}_{index}"
    if isinstance(block, TextBlock):
        part = {"type": "output_text", "text": block.text, "annotations": []}
        if answer.stop == "refusal":
            part = {"type": "refusal", "refusal": block.text}
        message = {"type": "message", "id": f"msg_{key}", "role": "assistant", "status": "completed", "content": [part]}
        return message | ({"phase": "commentary"} if answer.stop == "calls" else {})
    if isinstance(block, ThinkingBlock):
        summary = [{"type": "summary_text", "text": block.text}]
        return {"type": "reasoning", "id": f"rs_{key}", "summary": summary, "encrypted_content": "unencrypted"}
    return _call(answer, block, key)


def _call(answer: Answer, block: ToolCall, key: str) -> dict[str, Any]:
    space, _, name = block.name.rpartition(".")
    common = {"call_id": block.id, "name": name, "status": "completed"} | ({"namespace": space} if space else {})
    if block.name in answer.free_text:
        return {
            "type": "custom_tool_call",
            "id": f"ctc_{key}",
            **common,
            "input": str(block.arguments.get(FREE_TEXT, "")),
        }
    return {"type": "function_call", "id": f"fc_{key}", **common, "arguments": json.dumps(block.arguments)}


def _begun(item: dict[str, Any]) -> dict[str, Any]:
    """An item as it is announced, before any of its content."""
    empty = {"content": [], "summary": [], "arguments": "", "input": "", "status": "in_progress"}
    return {key: empty.get(key, value) for key, value in item.items()}


def _filled(item: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The events between an item's announcement and its end: its content, piece by piece and then whole."""
    match item["type"]:
        case "message":
            [part] = item["content"]
            yield from _part(part, "content", f"response.{part['type']}")
        case "reasoning":
            [part] = item["summary"]
            yield from _part(part, "summary", "response.reasoning_summary_text")
        case "function_call":
            yield from _pieces("response.function_call_arguments", item["arguments"], "arguments")
        case "custom_tool_call":
            yield from _pieces("response.custom_tool_call_input", item["input"], "input")


def _part(part: dict[str, Any], kind: str, event: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """The one part of a message's content or of a summary of thoughts."""
    key = "refusal" if part["type"] == "refusal" else "text"
    place = {f"{kind}_index": 0}
    frame = "response.content_part" if kind == "content" else "response.reasoning_summary_part"
    yield f"{frame}.added", {**place, "part": {**part, key: ""}}
    for name, told in _pieces(event, part[key], key):
        yield name, {**place, **told}
    yield f"{frame}.done", {**place, "part": part}


def _pieces(event: str, text: str, key: str) -> Iterator[tuple[str, dict[str, Any]]]:
    yield from ((f"{event}.delta", {"delta": piece}) for piece in pieces(text))
    yield f"{event}.done", {key: text}


def _code(problem: Problem) -> str | None:
    return "context_length_exceeded" if problem.too_long else _CODES.get(problem.status)


def _frame(kind: str, numbers: Iterator[int], **fields: Any) -> Frame:
    closing = kind in ("response.completed", "response.incomplete")
    data = {"type": kind, "sequence_number": next(numbers), **fields}
    return Frame(data, kind, delta=kind.endswith(".delta"), closing=closing)
