"""The Messages format of Anthropic: `POST /v1/messages`."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from workbench.brains.protocol import ToolSchema
from workbench.endpoint.turns import Turns
from workbench.endpoint.wire import Answer, Asked, Frame, Problem, pieces, records, schema_in, text_at, text_in
from workbench.traces.records import Block, TextBlock, ThinkingBlock, TokenLedger

_STOPS = {"end": "end_turn", "calls": "tool_use", "length": "max_tokens", "refusal": "refusal"}
_KINDS = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    529: "overloaded_error",
}


class AnthropicWire:
    """Messages with blocks; tool results travel inside user messages, system prompts beside and between them."""

    name = "anthropic-messages"
    tells_length_in_stream = False

    def parse(self, body: Mapping[str, Any]) -> Asked:
        """See `Wire.parse`."""
        turns, system = Turns(), text_in(body.get("system"))
        for message in records(body.get("messages"), "messages"):
            role = text_at(message, "role")
            if role == "system":
                system += text_in(message.get("content"))
            elif role == "assistant":
                _take_said(turns, message.get("content"))
            else:
                _take_user(turns, message.get("content"))
        return Asked(
            model=text_at(body, "model"),
            stream=body.get("stream") is True,
            system="\n\n".join(system),
            messages=turns.all(),
            tools=tuple(
                ToolSchema(text_at(tool, "name"), text_at(tool, "description"), schema_in(tool.get("input_schema")))
                for tool in records(body.get("tools"), "tools")
            ),
        )

    def whole(self, answer: Answer) -> dict[str, Any]:
        """See `Wire.whole`."""
        usage = {**_sent(answer.usage), "output_tokens": answer.usage.output}
        content = [_block(block) for block in answer.content]
        return {**_message(answer, usage), "content": content, "stop_reason": _STOPS[answer.stop]}

    def frames(self, answer: Answer) -> Iterator[Frame]:
        """See `Wire.frames`."""
        # As from the provider: the output counted so far at the start, all of it at the end.
        usage = {**_sent(answer.usage), "output_tokens": 1}
        yield _frame("message_start", message={**_message(answer, usage), "content": [], "stop_reason": None})
        yield _frame("ping")
        for index, block in enumerate(answer.content):
            empty, deltas = _opened(block)
            yield _frame("content_block_start", index=index, content_block=empty)
            for delta in deltas:
                yield _frame("content_block_delta", index=index, delta=delta)
            yield _frame("content_block_stop", index=index)
        end = {"stop_reason": _STOPS[answer.stop], "stop_sequence": None}
        yield _frame("message_delta", delta=end, usage={"output_tokens": answer.usage.output})
        yield _frame("message_stop")

    def refusal(self, problem: Problem) -> dict[str, Any]:
        """See `Wire.refusal`."""
        kind = _KINDS.get(problem.status, "api_error")
        return {"type": "error", "error": {"type": kind, "message": problem.message}}

    def broken(self, answer: Answer, problem: Problem) -> Frame:
        """See `Wire.broken`."""
        return Frame(self.refusal(problem), "error")


def _take_said(turns: Turns, content: Any) -> None:
    turns.said([])
    for block in _blocks(content):
        kind = block.get("type")
        if kind == "tool_use":
            given = block.get("input")
            turns.called(text_at(block, "id"), text_at(block, "name"), given if isinstance(given, dict) else {})
        elif kind == "thinking":
            turns.thought(text_at(block, "thinking"))
        elif kind == "text":
            turns.said([text_at(block, "text")])
    turns.end_message()


def _take_user(turns: Turns, content: Any) -> None:
    """Tool results and words of one user message, in their order."""
    words: list[str] = []
    for block in _blocks(content):
        if block.get("type") == "tool_result":
            if words:
                turns.user(words)
                words = []
            failed = block.get("is_error") is True
            turns.result(text_at(block, "tool_use_id"), text_in(block.get("content")), is_error=failed)
        else:
            words += text_in([block])
    if words:
        turns.user(words)


def _blocks(content: Any) -> Sequence[Mapping[str, Any]]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else records(content, "content")


def _message(answer: Answer, usage: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": f"msg_{answer.id}",
        "type": "message",
        "role": "assistant",
        "model": answer.model,
        "stop_sequence": None,
        "usage": usage,
    }


def _sent(usage: TokenLedger) -> dict[str, Any]:
    return {
        "input_tokens": usage.input,
        "cache_creation_input_tokens": usage.cache_creation,
        "cache_read_input_tokens": usage.cache_read,
        "service_tier": "standard",
    }


def _block(block: Block) -> dict[str, Any]:
    if isinstance(block, TextBlock):
        return {"type": "text", "text": block.text}
    if isinstance(block, ThinkingBlock):
        return {"type": "thinking", "thinking": block.text, "signature": "unsigned"}
    return {"type": "tool_use", "id": block.id, "name": block.name, "input": block.arguments}


def _opened(block: Block) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """A block as it is begun, and the deltas that fill it."""
    whole = _block(block)
    if isinstance(block, TextBlock):
        return {**whole, "text": ""}, [{"type": "text_delta", "text": part} for part in pieces(block.text)]
    if isinstance(block, ThinkingBlock):
        parts = [{"type": "thinking_delta", "thinking": part} for part in pieces(block.text)]
        signed = {"type": "signature_delta", "signature": whole["signature"]}
        return {**whole, "thinking": "", "signature": ""}, [*parts, signed]
    parts = [{"type": "input_json_delta", "partial_json": part} for part in pieces(json.dumps(block.arguments))]
    return {**whole, "input": {}}, parts


def _frame(kind: str, **fields: Any) -> Frame:
    closing = kind in ("message_delta", "message_stop")
    return Frame({"type": kind, **fields}, kind, delta=kind == "content_block_delta", closing=closing)
