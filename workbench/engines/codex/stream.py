"""What codex says while it works: the notifications of its app-server, or the lines of `exec --json`.

Its words are provisional and its silence means little: commands that its sandbox refused are not in here. Whoever has
the rollout file tells the turns from that; the stream then gives only deltas, guidance and the end.
"""

import signal
from dataclasses import dataclass

from workbench.engines.codex import errors, items
from workbench.engines.codex.messages import Messages
from workbench.engines.json_parts import Json, count, parsed, record, text, texts
from workbench.engines.narrator import Narrator
from workbench.engines.protocol import Ending
from workbench.text.sanitize import clean_line
from workbench.traces.reasons import Reason
from workbench.traces.records import TextBlock, ThinkingBlock

_TOLD_TO_STOP = (-signal.SIGINT, -signal.SIGTERM)


@dataclass(frozen=True, slots=True)
class Thread:
    """The session as codex opened it."""

    id: str
    model: str = ""
    version: str = ""
    rollout: str = ""
    """Absolute path of the file it keeps; empty when it keeps none."""
    profile: str = ""
    """The permission profile its tools are held by; empty when something else decides."""
    guidance: tuple[str, ...] = ()
    """Absolute paths of the guidance files it loaded at the start, in order."""


class CodexStream:
    """Follows one conversation, line by line; knows nothing of pipes."""

    def __init__(self, narrator: Narrator, messages: Messages | None = None) -> None:
        """`messages` takes the turns; None leaves them to whoever reads the rollout."""
        self.thread: Thread | None = None
        self.turn = ""
        """Id of the turn at work; empty before it began."""
        self.over = False
        """Whether codex itself said that it is done, well or badly."""
        self._narrator, self._messages = narrator, messages
        self._called: set[str] = set()
        self._error: Json = {}
        self._status = ""
        self._wait = 0.0

    def feed(self, line: bytes) -> Json:
        """Take one line; gives it parsed, for who has to answer it."""
        event = parsed(line)
        params = record(event.get("params"))
        match text(event.get("method")) or text(event.get("type")):
            case "item/agentMessage/delta":
                self._narrator.delta(text(params.get("delta")))
            case "item/started" | "item/completed" as method:
                self._item(record(params.get("item")), done=method == "item/completed")
            case "item.started" | "item.completed" as method:
                self._item(record(event.get("item")), done=method == "item.completed")
            case "thread/tokenUsage/updated":
                self._count(record(params.get("tokenUsage")))
            case "account/rateLimits/updated":
                self._wait = errors.until_reset(record(params.get("rateLimits")))
            case "turn/started":
                self.turn = text(record(params.get("turn")).get("id"))
            case "turn/completed":
                turn = record(params.get("turn"))
                self._finish(text(turn.get("status")), record(turn.get("error")))
            case "thread.started":
                self.thread = Thread(text(event.get("thread_id")))
            case "turn.completed":
                self._finish("completed", {})
            case "turn.failed":
                self._finish("failed", record(event.get("error")))
            case "":
                self._answer(event)
        return event

    def ending(self, returncode: int | None = None, stderr: str = "") -> Ending:
        """How it ended, once nothing more will come; its own word for success is not enough."""
        if self._error:
            found = errors.ending(self._error)
            limited = found.reason in (Reason.BUDGET, Reason.RATE_LIMIT)
            return found.model_copy(update={"retry_after": found.retry_after or (self._wait if limited else 0.0)})
        if self._status == "interrupted":
            return Ending(reason=Reason.CANCELLED, detail="codex was interrupted")
        if self._status == "completed":
            return Ending()
        if self.over:
            return Ending(reason=Reason.CRASHED, detail=f"codex ended its turn as {clean_line(self._status)!r}")
        if returncode in _TOLD_TO_STOP:
            return Ending(reason=Reason.CANCELLED, detail="codex was told to stop")
        how = f" with status {returncode}" if returncode else ""
        said = f": {stderr[-500:]}" if stderr else ""
        return Ending(reason=Reason.CRASHED, detail=f"codex ended{how} before it was done{said}")

    def _answer(self, event: Json) -> None:
        """Take the answer to a request of ours; a refusal of one is the end."""
        result, thread = record(event.get("result")), record(record(event.get("result")).get("thread"))
        if thread:
            self.thread = Thread(
                text(thread.get("id")),
                text(result.get("model")),
                text(thread.get("cliVersion")),
                text(thread.get("path")),
                text(record(result.get("activePermissionProfile")).get("id")),
                tuple(texts(result.get("instructionSources"))),
            )
        elif turn := record(result.get("turn")):
            self.turn = self.turn or text(turn.get("id"))
        elif error := record(event.get("error")):
            self._finish("failed", {"message": text(error.get("message")) or "codex refused a request"})

    def _finish(self, status: str, error: Json) -> None:
        self.over = True
        self._status, self._error = status, error  # "completed" with an error beside it is not
        if self._messages:
            self._messages.close()

    def _item(self, item: Json, *, done: bool) -> None:
        if self._messages is None:
            return
        if call := items.call(item):
            if call.id not in self._called:
                self._called.add(call.id)
                self._messages.add(call)
            if done:
                said, failed = items.outcome(item)
                self._messages.result(call.id, said, is_error=failed)
        elif done and (said := items.said(item)):
            if items.kind(item) == "agentmessage":
                self._messages.add(TextBlock(text=said))
            elif items.kind(item) == "reasoning":
                self._messages.add(ThinkingBlock(text=said))

    def _count(self, usage: Json) -> None:
        if self._messages:
            ledger = items.ledger(record(usage.get("last")))
            self._messages.counted(ledger, count(record(usage.get("total")).get("totalTokens")))
