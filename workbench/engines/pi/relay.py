"""A relay between an agent's program and its provider that alone holds the key.

An agent with a shell can read its own program's files, environment and memory. So the program gets a token that is
good for this relay only, and the relay puts the key in its place on the way to the one address it knows.
"""

import contextlib
import hmac
import secrets
import threading
from collections.abc import Mapping
from http.client import HTTPException, HTTPResponse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Self, cast
from urllib.parse import urlsplit
from urllib.request import HTTPErrorProcessor, ProxyHandler, Request, build_opener

_NOT_PASSED = {"host", "connection", "content-length", "transfer-encoding", "keep-alive", "authorization", "x-api-key"}
_HERE = {"127.0.0.1", "::1", "localhost"}
_CHUNK = 1 << 16
_BODY_LIMIT = 64 << 20


class Relay:
    """Listens on a port of this machine while its context lasts; `url` is its address, `token` what it wants to see."""

    def __init__(self, upstream: str, headers: Mapping[str, str], *, patience: float) -> None:
        """`upstream` is the provider's address, `headers` go on every request, `patience` is seconds of silence."""
        self.token = secrets.token_urlsafe(24)
        self.retry_after = 0.0
        """Seconds the last refusal asked to wait; 0 when it did not."""
        self.shut = False
        """Whether nothing more is passed on: pi asks on until it is stopped, and that would be paid for."""
        self.upstream, self.headers, self.patience = upstream.rstrip("/"), dict(headers), patience
        direct = [ProxyHandler({})] if urlsplit(upstream).hostname in _HERE else []
        self.opener = build_opener(_AsItIs(), *direct)
        self._server = _Server(self)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._server.shutdown()
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def __init__(self, relay: Relay) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.relay = relay

    def handle_error(self, request: object, client_address: object) -> None:
        """A program that hangs up is nothing to print about."""


class _AsItIs(HTTPErrorProcessor):
    """Takes every answer for what it is. So no redirect is followed, which would take the key to wherever it points."""

    def http_response(self, request: Request, response: HTTPResponse) -> HTTPResponse:
        """The answer itself, whatever its status."""
        return response

    https_response = http_response


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    error_content_type = "text/plain"
    error_message_format = "%(message)s"  # pi passes the body on as what went wrong
    server: _Server

    def do_GET(self) -> None:
        """Pass a request without a body on."""
        self._pass(None)

    def do_POST(self) -> None:
        """Pass a request on; a body of unknown or unlikely size is refused."""
        size = self.headers.get("content-length", "")
        if size.isdecimal() and int(size) <= _BODY_LIMIT:
            self._pass(self.rfile.read(int(size)))
        else:
            self.send_error(411)

    def log_message(self, *_: object) -> None:
        """Requests are not logged: they hold the conversation."""

    def _pass(self, body: bytes | None) -> None:
        self.close_connection = True
        if not self._admitted():
            self.send_error(401)
            return
        if self.server.relay.shut:
            self.send_error(503)
            return
        if not self.path.startswith("/"):  # it would go on where the host's name ends, and so name another
            self.send_error(400)
            return
        try:
            answer = _ask(self.server.relay, self.path, dict(self.headers.items()), body)
        except (OSError, HTTPException, ValueError):
            self.send_error(502, "the provider cannot be reached")
            return
        with answer:
            self._head(answer)
            self._stream(answer)

    def _admitted(self) -> bool:
        shown = self.headers.get("authorization", "").removeprefix("Bearer ") or self.headers.get("x-api-key", "")
        return hmac.compare_digest(shown.encode(), self.server.relay.token.encode())

    def _head(self, answer: HTTPResponse) -> None:
        if answer.status >= 400:
            self.server.relay.retry_after = _seconds(answer.headers.get("retry-after", ""))
        self.send_response(answer.status)
        for name, value in answer.headers.items():
            if name.lower() not in _NOT_PASSED:
                self.send_header(name, value)
        self.send_header("Transfer-Encoding", "chunked")
        self.send_header("Connection", "close")
        self.end_headers()

    def _stream(self, answer: HTTPResponse) -> None:
        """Pass the body on as it comes; one that breaks off breaks off here too, without a last chunk."""
        with contextlib.suppress(OSError, HTTPException):
            while chunk := answer.read1(_CHUNK):
                self._chunk(chunk)
            if not answer.length:  # else more had been announced
                self._chunk(b"")

    def _chunk(self, data: bytes) -> None:
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))


def _ask(relay: Relay, path: str, headers: Mapping[str, str], body: bytes | None) -> HTTPResponse:
    passed = {name: value for name, value in headers.items() if name.lower() not in _NOT_PASSED}
    request = Request(relay.upstream + path, data=body, headers={**passed, **relay.headers})
    return cast("HTTPResponse", relay.opener.open(request, timeout=relay.patience))


def _seconds(value: str) -> float:
    try:
        return max(0.0, min(float(value), 86400.0))
    except ValueError:
        return 0.0
