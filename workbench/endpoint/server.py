"""An endpoint on loopback that answers as model providers do, with a brain of ours behind it."""

import contextlib
import socket
import socketserver
import threading
from collections.abc import Callable, Iterator, Sequence
from http.server import BaseHTTPRequestHandler
from typing import Any

from workbench.brains.protocol import Brain
from workbench.endpoint.exchange import Exchange
from workbench.endpoint.faults import Fault, Faults
from workbench.endpoint.records import Received, shown_headers
from workbench.endpoint.replying import Replying
from workbench.endpoint.routes import Routes

HOST = "127.0.0.1"
"""The only address that is ever listened on."""
KEPT = 500
"""Requests remembered, the newest."""
_IDLE = 120
"""Seconds a kept connection may say nothing."""


def unwatched(_: Received) -> None:
    """For who does not watch requests as they are answered."""


@contextlib.contextmanager
def serve(
    brain: Brain, *, faults: Sequence[Fault] = (), port: int = 0, heard: Callable[[Received], None] = unwatched
) -> Iterator["Endpoint"]:
    """Answer requests on loopback while the context lasts; port 0 takes a free one.

    `heard` is called with each request when it is answered, from the thread that answered it. Raises OSError when the
    port is taken.
    """
    endpoint = Endpoint(brain, faults, port, heard)
    endpoint.start()
    try:
        yield endpoint
    finally:
        endpoint.stop()


class Endpoint:
    """A running endpoint: where it is, and what it was asked."""

    def __init__(self, brain: Brain, faults: Sequence[Fault], port: int, heard: Callable[[Received], None]) -> None:
        self.requests: list[Received] = []
        """All requests in the order they came, the newest `KEPT`; those that ask for a message have a `wire`."""
        self.routes = Routes(Replying(brain, Faults(faults)))
        self.heard = heard
        self._lock = threading.Lock()
        self._count = 0
        self._connections: set[socket.socket] = set()
        self._server = _Server((HOST, port), _Handler)
        self._server.endpoint = self
        self.url = f"http://{HOST}:{self._server.server_address[1]}"
        """Without `/v1`."""
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True, name="endpoint")

    @property
    def asked(self) -> list[Received]:
        """The requests for a message."""
        return [request for request in self.requests if request.wire]

    def start(self) -> None:
        """Begin to answer."""
        self._thread.start()

    def stop(self) -> None:
        """End every connection, at once."""
        self._server.shutdown()
        self._server.server_close()
        with self._lock:
            for connection in self._connections:
                with contextlib.suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)

    def received(self, request: Received) -> str:
        """Remember a request; returns an identifier for it."""
        with self._lock:
            self._count += 1
            self.requests.append(request)
            del self.requests[:-KEPT]
            return f"req_{self._count:06d}"

    def connected(self, connection: socket.socket, *, gone: bool) -> None:
        """Keep count of the open connections."""
        with self._lock:
            (self._connections.discard if gone else self._connections.add)(connection)


class _Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True
    request_queue_size = 128
    endpoint: Endpoint

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A connection that ended early is its client's affair, and a trial's worker has nobody to read the rest."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version, sys_version = "workbench", ""
    timeout = _IDLE
    disable_nagle_algorithm = True
    server: _Server

    def setup(self) -> None:
        """A connection has begun."""
        super().setup()
        self.server.endpoint.connected(self.connection, gone=False)

    def finish(self) -> None:
        """A connection is over; that its client has gone is no error."""
        self.server.endpoint.connected(self.connection, gone=True)
        with contextlib.suppress(OSError):
            super().finish()

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name is the base class's
        """Requests are told by `heard`."""

    def _answer(self) -> None:
        endpoint = self.server.endpoint
        received = Received(self.command, self.path, shown_headers(self.headers.items()))
        exchange = Exchange(self, endpoint.received(received))
        try:
            received.answered = endpoint.routes.answer(exchange, received, self.headers)
        except OSError:
            received.answered = received.answered or "the client has gone"
            self.close_connection = True
        endpoint.heard(received)

    do_GET = do_HEAD = do_POST = _answer  # noqa: N815 - the base class looks for these names
