"""A provider on this machine that says what a test tells it to, over real HTTP."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Block = dict[str, Any]


@dataclass(frozen=True)
class Answer:
    """One answer: a stream of events, cut off after `cut` of them if given; or an error when `status` is not 200."""

    events: list[dict[str, Any]] = field(default_factory=list)
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    error: dict[str, Any] | str = ""
    cut: int | None = None
    torn: bool = False
    """Whether a cut answer ends without the end its transport promises."""


@dataclass
class Provider:
    """Where it listens, what it was sent, and what it still has to say."""

    url: str
    answers: list[Answer]
    headers: list[dict[str, str]] = field(default_factory=list)
    bodies: list[dict[str, Any]] = field(default_factory=list)


@contextmanager
def provider(*answers: Answer) -> Iterator[Provider]:
    """Serve the answers in order, the last one again and again."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            length = int(self.headers["content-length"])
            told.bodies.append(json.loads(self.rfile.read(length)))
            told.headers.append({name.lower(): value for name, value in self.headers.items()})
            answer = told.answers.pop(0) if len(told.answers) > 1 else told.answers[0]
            self._say(answer)

        def _say(self, answer: Answer) -> None:
            self.close_connection = True
            self.send_response(answer.status)
            for name, value in answer.headers.items():
                self.send_header(name, value)
            if answer.status != 200:
                body = answer.error if isinstance(answer.error, str) else json.dumps(answer.error)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body.encode())
                return
            self.send_header("content-type", "text/event-stream")
            self.send_header("transfer-encoding", "chunked")
            self.end_headers()
            for event in answer.events[: answer.cut]:
                data = f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode()
                self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
            if not answer.torn:
                self.wfile.write(b"0\r\n\r\n")

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    told = Provider(f"http://127.0.0.1:{server.server_port}", list(answers))
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield told
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def message(*blocks: Block, stop: str | None = "", cut: int | None = None, **usage: int) -> Answer:
    """A message of whole blocks, streamed in pieces; `stop` is by default what its last block calls for."""
    stop = ("tool_use" if blocks and blocks[-1]["type"] == "tool_use" else "end_turn") if stop == "" else stop
    start = {"id": "msg_1", "type": "message", "role": "assistant", "model": "claude-opus-5-5", "content": []}
    counted = {"input_tokens": 10, "output_tokens": 1, **usage}
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": {**start, "stop_reason": None, "usage": counted}},
        {"type": "ping"},
    ]
    for index, block in enumerate(blocks):
        empty, deltas = _pieces(block)
        events.append({"type": "content_block_start", "index": index, "content_block": empty})
        events += [{"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas]
        events.append({"type": "content_block_stop", "index": index})
    delta = {"stop_reason": stop, "stop_sequence": None}
    events.append({"type": "message_delta", "delta": delta, "usage": {"output_tokens": 7}})
    events.append({"type": "message_stop"})
    return Answer(events, cut=cut)


def _pieces(block: Block) -> tuple[Block, list[Block]]:
    if block["type"] == "text":
        halves = block["text"][:3], block["text"][3:]
        return {**block, "text": ""}, [{"type": "text_delta", "text": half} for half in halves]
    if block["type"] == "thinking":
        thought = {"type": "thinking_delta", "thinking": block["thinking"]}
        signature = {"type": "signature_delta", "signature": block["signature"]}
        return {**block, "thinking": "", "signature": ""}, [thought, signature]
    if block["type"] in {"tool_use", "server_tool_use"}:
        told = json.dumps(block["input"])
        halves = told[:5], told[5:]
        return {**block, "input": {}}, [{"type": "input_json_delta", "partial_json": half} for half in halves]
    return block, []
