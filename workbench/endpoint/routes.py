"""Which request gets which reply."""

from collections.abc import Mapping
from email.message import Message
from typing import Any
from urllib.parse import urlsplit

from workbench.endpoint.answering import estimate
from workbench.endpoint.anthropic_wire import AnthropicWire
from workbench.endpoint.chat_wire import ChatWire
from workbench.endpoint.exchange import Exchange, Refused
from workbench.endpoint.records import Received
from workbench.endpoint.replying import Replying
from workbench.endpoint.responses_wire import ResponsesWire
from workbench.endpoint.wire import Malformed, Problem, Wire
from workbench.text.sanitize import clean_line

MESSAGES = "/v1/messages"
WIRES: Mapping[str, Wire] = {
    MESSAGES: AnthropicWire(),
    "/v1/responses": ResponsesWire(),
    "/v1/chat/completions": ChatWire(),
}
"""The wire format of each path that is asked for a message."""

_COUNT = f"{MESSAGES}/count_tokens"
_MODELS = "/v1/models"
_HELLOS = ("/", "/api/hello", "/v1")
_NAMES = ("127.0.0.1", "localhost", "[::1]", "")


class Routes:
    """Takes a request to whoever answers it."""

    def __init__(self, replying: Replying) -> None:
        self._replying = replying

    def answer(self, exchange: Exchange, received: Received, headers: Message) -> str:
        """Send the reply; returns what it was. Raises OSError when the client has gone."""
        path = urlsplit(received.path).path
        wire = WIRES.get(MESSAGES if path == _COUNT else path)
        try:
            # Read first: a body that is left unread would pass for the next request.
            received.body = exchange.body()
            _admit(headers, needs_key=wire is not None)
            if received.method == "POST" and wire:
                return self._ask(exchange, received, wire, counting=path == _COUNT)
            return self._tell(exchange, received, path)
        except (Refused, Malformed) as error:
            problem = Problem(error.status if isinstance(error, Refused) else 400, str(error))
        except OSError:
            raise
        except Exception as error:  # whatever a brain does, its client gets a reply, or sees that it broke off
            if exchange.begun:
                exchange.drop()
            problem = Problem(500, f"{type(error).__name__}: {error}")
        if not exchange.begun:
            exchange.send(problem.status, (wire or WIRES[MESSAGES]).refusal(problem))
        return f"{problem.status} {clean_line(problem.message)}"

    def _ask(self, exchange: Exchange, received: Received, wire: Wire, *, counting: bool) -> str:
        asked = wire.parse(received.body)
        if not asked.messages:
            raise Malformed("there is no message to answer")
        if counting:
            count = estimate(asked).context
            exchange.send(200, {"input_tokens": count})
            return f"200 {count} tokens"
        received.wire, received.model, received.system = wire.name, asked.model, asked.system
        received.messages, received.tools = asked.messages, asked.tools
        return self._replying.reply(exchange, wire, asked)

    def _tell(self, exchange: Exchange, received: Received, path: str) -> str:
        """What is not a question to a model: is anybody there, and which models are."""
        if received.method == "POST":
            raise Refused(404, f"nothing is asked at {path}; known: {', '.join((*WIRES, _COUNT))}")
        if path in _HELLOS:
            exchange.send(200, {"status": "ok"})
        elif path == _MODELS:
            names = [self._replying.brain.name]
            models = [_model(name) for name in names]
            page = {"first_id": names[0], "last_id": names[-1], "has_more": False}
            exchange.send(200, {"object": "list", "data": models, **page})
        elif path.startswith(f"{_MODELS}/"):
            exchange.send(200, _model(path.removeprefix(f"{_MODELS}/")))
        else:
            raise Refused(404, f"there is nothing at {path}")
        return "200"


def _admit(headers: Message, *, needs_key: bool) -> None:
    """Raise Refused for a request that comes by another name than this machine's own, or brings no key.

    A page in a browser can make any name mean this machine; what it asks for then still comes under that name.
    """
    host = (headers.get("host") or "").lower()
    name = host.rpartition(":")[0] if host.rpartition(":")[2].isdecimal() else host
    if name not in _NAMES:
        raise Refused(421, f"only this machine is answered, not {host}")
    key = headers.get("x-api-key") or (headers.get("authorization") or "").removeprefix("Bearer").strip()
    if needs_key and not key:
        raise Refused(401, "a key is needed; any will do")


def _model(name: str) -> dict[str, Any]:
    """A model in the words of both providers."""
    return {
        "id": name,
        "object": "model",
        "created": 0,
        "owned_by": "workbench",
        "type": "model",
        "display_name": name,
        "created_at": "1970-01-01T00:00:00Z",
    }
