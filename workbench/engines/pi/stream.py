"""Follows pi's JSON event stream, of both its lines of releases, and says how the run ended.

pi exits with 0 after any provider error, and tells of every failed attempt as if it were an end: only the last message
counts. An event of a kind we do not know is passed over.
"""

from collections.abc import Callable
from dataclasses import dataclass

from workbench.engines import prices
from workbench.engines.json_parts import Json, parsed, record, text
from workbench.engines.limits import nothing_said
from workbench.engines.narrator import Narrator
from workbench.engines.pi import messages
from workbench.engines.pi.failures import failure
from workbench.engines.protocol import Ending, Task
from workbench.traces.reasons import Reason
from workbench.traces.records import LoadedFile, TokenLedger

UNPRICED = "Using custom model id"
"""What pi says on stderr of a model it does not know. It then reckons with the prices of another one."""


@dataclass(frozen=True, slots=True)
class Session:
    """What is known of a session before pi has said anything."""

    engine: str
    version: str
    model: str
    tools: tuple[str, ...]
    notes: tuple[str, ...] = ()


class PiStream:
    """Feed it the lines of stdout, then ask `ending`."""

    def __init__(self, task: Task, narrator: Narrator, session: Session) -> None:
        self._task, self._narrator, self._session = task, narrator, session
        self.stderr: Callable[[], str] = str
        """Gives what pi has said on stderr so far."""
        self._id = ""
        self._guidance: tuple[LoadedFile, ...] = ()
        self._last: Json = {}
        self._writing = False
        self._answered: set[str] = set()
        self._turn = -1
        self._cost = 0.0
        self._paid: float | None = None
        self._counted, self._priced, self._listed = False, True, False

    @property
    def spent(self) -> bool:
        """Whether the turn limit is reached and the agent still wants to go on."""
        return self._narrator.messages >= self._task.max_turns and self._last.get("stopReason") == "toolUse"

    def feed(self, line: bytes) -> None:
        """Take one line; a torn or foreign one is passed over."""
        event = parsed(line)
        message = record(event.get("message"))
        match event.get("type"):
            case "session":
                self._id = text(event.get("id"))
            case "message_start" if message.get("role") == "assistant":
                self._open(text(message.get("model")))
                self._writing = True
            case "message_update":
                self._update(record(event.get("assistantMessageEvent")))
            case "message_end":
                self._ended(message)
            case "tool_execution_end":
                content = record(event.get("result")).get("content")
                self._result(event.get("toolCallId"), content, event.get("isError"))

    def ending(self, returncode: int | None = None) -> Ending:
        """How the run ended, once the stream has; `returncode` is None where nobody knows it."""
        self._open("")
        if self._last.get("stopReason") == "error" and messages.blocks(self._last):
            self._tell(self._last)
        reason, detail = self._judged(returncode)
        known = self._priced and self._counted
        return Ending(
            reason=reason,
            detail=detail,
            cost_usd=self._cost if known else None,
            cost_basis="" if not known else "list" if self._listed else "reported",
        )

    def _open(self, model: str) -> None:
        mine = self._session
        self._narrator.open(
            engine=mine.engine,
            version=mine.version,
            model=model or mine.model,
            tools=mine.tools,
            session=self._id,
            guidance=self._guidance,
            notes=mine.notes,
        )

    def _update(self, event: Json) -> None:
        if event.get("type") == "text_delta":
            self._narrator.delta(text(event.get("delta")))

    def _ended(self, message: Json) -> None:
        match message.get("role"):
            case "assistant":
                self._open(text(message.get("model")))
                self._last, self._writing = message, False
                self._count(message)
                if message.get("stopReason") != "error":
                    self._tell(message)
            case "toolResult":
                self._result(message.get("toolCallId"), message.get("content"), message.get("isError"))
            case "system":
                self._system(message)
            case "user":
                self._user(messages.said(message.get("content")))

    def _system(self, message: Json) -> None:
        """What the agent is told beside the conversation; before the first turn it is what the session starts with."""
        files = messages.guidance(message, self._task.workspace, self._task.cwd)
        if self._narrator.opened:
            self._narrator.loaded([file for file in files if file not in self._guidance], after=self._turn)
        self._guidance = files or self._guidance

    def _user(self, words: str) -> None:
        """The prompt is told already, but not what pi made of it, such as the skill that it named."""
        if words.strip() != self._task.prompt.strip():
            self._open("")
            self._turn = self._narrator.user(words)

    def _count(self, message: Json) -> None:
        """Reckon what a message cost, a failed attempt's too; one that never got any tokens cost nothing."""
        self._paid, counted = None, messages.ledger(message)
        if message.get("stopReason") == "error" and counted == TokenLedger():
            return
        self._counted = True
        if UNPRICED not in self.stderr():
            self._paid = messages.cost(message)
        if self._paid is None:
            self._paid = prices.price(text(message.get("model")), counted)
            self._listed = self._listed or self._paid is not None
        self._priced = self._priced and self._paid is not None
        self._cost += self._paid or 0.0

    def _tell(self, message: Json) -> None:
        self._turn = self._narrator.assistant(
            messages.blocks(message),
            ledger=messages.ledger(message),
            model=text(message.get("model")),
            cost_usd=self._paid,
        )

    def _result(self, call: object, content: object, is_error: object) -> None:
        """A tool's result, which comes twice: when it is there, and when it goes to the model."""
        call = text(call)
        if call not in self._answered:
            self._answered.add(call)
            self._open("")
            self._turn = self._narrator.result(call, messages.said(content), is_error=is_error is True)

    def _judged(self, returncode: int | None) -> tuple[Reason | None, str]:
        stop, said = self._last.get("stopReason"), text(self._last.get("errorMessage"))
        if self._writing:
            return Reason.CRASHED, self._why("pi ended in the middle of a message", returncode)
        match stop:
            case "error":
                return failure(said)
            case "stop" if said:
                return failure(said)
            case "aborted":
                return Reason.CANCELLED, said or "pi says it was aborted"
            case "length":
                return Reason.TRUNCATED, "the answer was cut at the model's output limit"
            case "stop" if returncode:
                return Reason.CRASHED, self._why("pi failed after its answer", returncode)
            case "stop" if "rawStopReason" not in self._last and messages.ledger(self._last) == TokenLedger():
                # Before 1.0, a stream cut off half way reads like a finished one but for its missing token counts.
                return Reason.TRUNCATED, "the answer came without token counts: its stream was cut"
            case "stop" if self._narrator.messages == 1 and not self._narrator.last_text.strip():
                silence = nothing_said()
                return silence.reason, silence.detail
            case "stop":
                return None, ""
            case None:
                reason, detail = failure(self.stderr())
                return reason, self._why(detail or "pi ended without a word", returncode)
            case _:
                return Reason.CRASHED, self._why("pi ended before its answer", returncode)

    def _why(self, what: str, returncode: int | None) -> str:
        status = "" if returncode is None else f" (status {returncode})"
        return f"{what}{status}"
