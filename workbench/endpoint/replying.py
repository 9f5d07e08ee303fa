"""From a request for a message to its reply: the brain's, or whatever goes wrong instead."""

import json
import threading
from collections import Counter
from collections.abc import Iterator

from workbench.brains.protocol import Brain, BrainError, Proposal
from workbench.endpoint.answering import answer, fingerprint
from workbench.endpoint.exchange import Exchange
from workbench.endpoint.faults import STOPS, Fault, Faults
from workbench.endpoint.wire import Answer, Asked, Frame, Problem, Wire
from workbench.text.sanitize import clean_line
from workbench.traces.reasons import Reason
from workbench.traces.records import Block, TextBlock, ToolCall

_OVERLOADED = Problem(529, "overloaded")
_STATUSES = {Reason.AUTH: 401, Reason.RATE_LIMIT: 429, Reason.OVERLOADED: 529, Reason.MISSING: 400, Reason.BUDGET: 400}
_REFUSAL = "I cannot help with that."


class Replying:
    """Answers requests for a message; may be asked from several threads."""

    def __init__(self, brain: Brain, faults: Faults) -> None:
        self.brain = brain
        self._faults = faults
        self._seen: Counter[str] = Counter()
        self._lock = threading.Lock()

    def reply(self, exchange: Exchange, wire: Wire, asked: Asked) -> str:
        """Send the reply; returns what it was, in a line for whoever watches."""
        fault = self._faults.strike(asked)
        if fault and fault.kind == "hang":
            exchange.hold()
            return "silence"
        problem = fault.problem if fault else None
        if fault and fault.kind == "error" and not asked.stream:
            problem = _OVERLOADED
        if problem is None:
            try:
                proposal = self.brain.propose(asked.system, asked.messages, asked.tools)
            except BrainError as error:
                problem = _problem(error)
            else:
                return self._say(exchange, wire, asked, proposal, fault)
        return self._refuse(exchange, wire, asked, problem)

    def _say(self, exchange: Exchange, wire: Wire, asked: Asked, proposal: Proposal, fault: Fault | None) -> str:
        stop = STOPS.get(fault.kind) if fault else None
        if fault and stop:
            proposal = Proposal(_curtailed(proposal.content, fault))
        reply = answer(asked, proposal, self._key(asked), stop)
        if asked.stream:
            _stream(exchange, wire.frames(reply), fault, wire.broken(reply, _OVERLOADED))
        else:
            _send(exchange, json.dumps(wire.whole(reply)).encode(), fault)
        return f"200 {_told(reply)}{f' ({fault.kind})' if fault else ''}"

    def _refuse(self, exchange: Exchange, wire: Wire, asked: Asked, problem: Problem) -> str:
        if problem.too_long and asked.stream and wire.tells_length_in_stream:
            reply = answer(asked, Proposal(()), self._key(asked))
            _stream(exchange, iter((wire.broken(reply, problem),)), None, wire.broken(reply, problem))
            return f"200 failed: {problem.message}"
        headers = {"retry-after": f"{problem.retry_after:g}"} if problem.retry_after else {}
        exchange.send(problem.status, wire.refusal(problem), headers)
        return f"{problem.status} {clean_line(problem.message)}"

    def _key(self, asked: Asked) -> str:
        """An identifier that the same request, asked as often before, always gets."""
        said = fingerprint(asked)
        with self._lock:
            self._seen[said] += 1
            return f"{said}{self._seen[said]:02d}"


def _problem(error: BrainError) -> Problem:
    too_long = error.reason is Reason.CONTEXT_TOO_LONG
    status = 400 if too_long else _STATUSES.get(error.reason, 500)
    return Problem(status, error.detail, too_long=too_long, retry_after=error.retry_after)


def _curtailed(content: tuple[Block, ...], fault: Fault) -> tuple[Block, ...]:
    """What is left of a message that a limit or a refusal ends."""
    if fault.kind == "refusal":
        return (TextBlock(text=_REFUSAL),)
    texts = [block.text for block in content if isinstance(block, TextBlock)] if fault.kind == "max_tokens" else []
    return tuple(TextBlock(text=text[: -(-len(text) // 2)]) for text in texts)


def _send(exchange: Exchange, data: bytes, fault: Fault | None) -> None:
    half = len(data) // 2
    match fault.kind if fault else "":
        case "disconnect" | "cut":
            exchange.send_bytes(200, data[:half], missing=len(data) - half)
        case "garbled":
            exchange.send_bytes(200, data[:half])
        case "stall":
            exchange.hold()
        case _:
            exchange.send_bytes(200, data)


def _stream(exchange: Exchange, frames: Iterator[Frame], fault: Fault | None, broken: Frame) -> None:
    exchange.begin_stream()
    kind = fault.kind if fault else ""
    for frame in frames:
        if kind == "cut" and frame.closing:
            break
        exchange.stream(frame)
        if not frame.delta:
            continue
        if kind == "disconnect":
            return exchange.drop()
        if kind == "stall":
            return exchange.hold()
        if kind in ("error", "garbled"):
            exchange.stream(broken if kind == "error" else Frame('{"type": '))
            break
    return exchange.end_stream()


def _told(reply: Answer) -> str:
    said = [
        f"{block.name} {json.dumps(block.arguments)}" if isinstance(block, ToolCall) else json.dumps(block.text)
        for block in reply.content
    ]
    return clean_line(", ".join(said) or "nothing")
