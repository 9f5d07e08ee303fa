"""One request and its reply over HTTP/1.1: bounded bodies, chunked streams, connections that are kept or dropped."""

import json
import select
import socket
import zlib
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler
from typing import Any

from workbench.endpoint.wire import Frame

LIMIT = 64 * 1024 * 1024
"""Bytes of a body, unpacked."""
PATIENCE = 600.0
"""Seconds of a silence."""
_GZIP = 16 + zlib.MAX_WBITS


class Refused(Exception):  # noqa: N818 - it is an answer, not an accident
    """A request that cannot be taken: the status and what to do about it."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class Exchange:
    """Reads what a handler was sent and writes what it answers."""

    def __init__(self, handler: BaseHTTPRequestHandler, request_id: str) -> None:
        self._handler, self._request_id = handler, request_id
        self._chunked = False
        self.begun = False
        """Whether some of the reply has been sent."""

    def body(self) -> dict[str, Any]:
        """The JSON object that was sent, empty when nothing was; raises Refused, after which the connection ends."""
        headers = self._handler.headers
        try:
            if headers.get("transfer-encoding"):
                raise Refused(411, "send the body with a content-length")
            data = self._read(headers.get("content-length") or "0")
        except Refused:
            self._handler.close_connection = True  # what was sent and not read would pass for the next request
            raise
        return _object(_unpacked(data, (headers.get("content-encoding") or "identity").strip().lower()))

    def send(self, status: int, body: Mapping[str, Any], headers: Mapping[str, str] = {}) -> None:
        """A whole reply."""
        self.send_bytes(status, json.dumps(body).encode(), headers)

    def send_bytes(self, status: int, data: bytes, headers: Mapping[str, str] = {}, *, missing: int = 0) -> None:
        """A whole reply of some bytes; `missing` more are promised than sent, and the connection is cut."""
        length = str(len(data) + missing)
        self._head(status, {"content-type": "application/json", "content-length": length, **headers})
        if self._handler.command != "HEAD":
            self._handler.wfile.write(data)
        if missing:
            self.drop()

    def begin_stream(self) -> None:
        """Start a reply of server-sent events."""
        self._chunked = self._handler.request_version != "HTTP/1.0"
        framing = {"transfer-encoding": "chunked"} if self._chunked else {"connection": "close"}
        self._head(200, {"content-type": "text/event-stream", "cache-control": "no-cache", **framing})

    def stream(self, frame: Frame) -> None:
        """Send one event."""
        data = frame.encode()
        self._handler.wfile.write(b"%x\r\n%b\r\n" % (len(data), data) if self._chunked else data)

    def end_stream(self) -> None:
        """Tell HTTP that the reply is whole."""
        if self._chunked:
            self._handler.wfile.write(b"0\r\n\r\n")
        else:
            self._handler.close_connection = True

    def drop(self) -> None:
        """End the connection at once, as a network failure does."""
        self._handler.close_connection = True
        self._handler.connection.shutdown(socket.SHUT_RDWR)

    def hold(self) -> None:
        """Say nothing until the client gives up or the endpoint ends, `PATIENCE` at most; then drop it."""
        select.select([self._handler.connection], [], [], PATIENCE)
        self.drop()

    def _head(self, status: int, headers: Mapping[str, str]) -> None:
        handler, self.begun = self._handler, True
        handler.send_response(status)
        for name, value in {"request-id": self._request_id, "x-request-id": self._request_id, **headers}.items():
            handler.send_header(name, value)
        if handler.close_connection and "connection" not in headers:
            handler.send_header("connection", "close")
        handler.end_headers()

    def _read(self, told: str) -> bytes:
        if not told.isdecimal():
            raise Refused(400, "the content-length is no number")
        # Python reads no number of thousands of digits, and so long a body nobody has.
        length = int(told) if len(told) <= 20 else LIMIT + 1
        if length > LIMIT:
            raise Refused(413, f"a body may have {LIMIT} bytes at most")
        data = self._handler.rfile.read(length)
        if len(data) < length:
            raise Refused(400, "the body ended early")
        return data


def _unpacked(data: bytes, encoding: str) -> bytes:
    if encoding in ("", "identity"):
        return data
    if encoding != "gzip":
        raise Refused(415, f"bodies packed with {encoding} are not understood; turn request compression off")
    unpacking = zlib.decompressobj(_GZIP)
    try:
        unpacked = unpacking.decompress(data, LIMIT)
    except zlib.error as error:
        raise Refused(400, f"the body is no gzip: {error}") from error
    if unpacking.unconsumed_tail:
        raise Refused(413, f"a body may have {LIMIT} bytes at most")
    return unpacked


def _object(data: bytes) -> dict[str, Any]:
    try:
        value = json.loads(data) if data.strip() else {}
    except (ValueError, RecursionError) as error:
        raise Refused(400, f"the body is no JSON: {error}") from error
    if not isinstance(value, dict):
        raise Refused(400, "the body must be a JSON object")
    return value
