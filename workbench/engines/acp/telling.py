"""Makes whole messages of an ACP agent's updates: words and calls until something answers them."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from workbench.engines.acp.policy import first, paths_in
from workbench.engines.narrator import Narrator
from workbench.traces.records import Block, TextBlock, ThinkingBlock, TokenLedger, ToolCall

_QUERY = ("pattern", "query", "regex", "search", "glob", "q")
_COMMAND = ("command", "cmd", "script")
_OVER = ("completed", "failed")
_URL = ("url", "uri", "query", "q")
_TEXT_LIMIT = 4_000_000
"""Characters kept of one message or one result."""
_CALL_LIMIT = 200
"""Calls of one message; more begin another, so that no number of them gets around a turn limit."""


@dataclass
class _Call:
    """One tool call as far as it is known."""

    id: str
    kind: str = "other"
    title: str = ""
    raw: Any = None
    places: list[str] = field(default_factory=list)
    output: str = ""
    status: str = "pending"

    def learn(self, update: Any) -> None:
        """Take over what an update says; what it leaves out stays."""
        self.kind = update.kind or self.kind
        self.title = update.title or self.title
        self.status = update.status or self.status
        if update.raw_input is not None:
            self.raw = update.raw_input
        if update.locations:
            self.places = [place.path for place in update.locations]
        words = _content(update.content or ())
        if not words and update.raw_output is not None:
            words = update.raw_output if isinstance(update.raw_output, str) else str(update.raw_output)
        self.output = words[:_TEXT_LIMIT] or self.output

    @property
    def paths(self) -> list[str]:
        """The files it is about, those it says itself first."""
        return list(dict.fromkeys([*self.places, *paths_in(self.raw)]))

    @property
    def command(self) -> str:
        """The command line, for one that executes."""
        given = first(self.raw, _COMMAND)
        if isinstance(given, list):
            return " ".join(str(word) for word in given)
        return given if isinstance(given, str) and given else self.title.strip("` ")

    def block(self) -> ToolCall:
        """As it goes into the trace: the normalized arguments, and the agent's own beside them."""
        arguments: dict[str, Any] = {"title": self.title}
        if self.paths:
            arguments["path"] = self.paths[0]
        if self.kind == "search":
            arguments["query"] = first(self.raw, _QUERY) or self.title
        if self.kind == "fetch":
            arguments["url"] = first(self.raw, _URL) or self.title
        if self.kind == "execute":
            arguments["command"] = self.command
            arguments["cwd"] = first(self.raw, ("cwd", "workdir", "directory"))
        if self.raw is not None:
            arguments["input"] = self.raw
        return ToolCall(id=self.id, name=f"acp_{self.kind}", arguments=arguments)


class Telling:
    """Takes updates in the order in which they come and tells finished turns."""

    def __init__(self, narrator: Narrator) -> None:
        self._narrator = narrator
        self._words: list[str] = []
        self._thoughts: list[str] = []
        self._size = 0
        self._message = ""
        self._calls: dict[str, _Call] = {}
        self._waiting: list[_Call] = []
        self._acting = False
        self._model = ""
        self.cost_usd: float | None = None
        """What the agent says the session cost."""

    @property
    def begun(self) -> bool:
        """Whether the session was opened."""
        return self._narrator.opened

    def open(self, model: str) -> None:
        """The session is about to begin, with this model."""
        self._model = model

    def said(self, words: str, message_id: str | None, *, thought: bool = False) -> None:
        """A piece of a message; it begins a new one after calls, or under another id."""
        fresh = message_id is not None and self._message not in ("", message_id)
        if fresh or self._waiting:
            self.flush()
        self._message = message_id or self._message
        self._size += len(words)
        if self._size > _TEXT_LIMIT:
            return
        (self._thoughts if thought else self._words).append(words)
        if not thought:
            self._narrator.delta(words)

    def call(self, update: Any) -> None:
        """A tool call that starts, changes or ends."""
        call = self._call(update.tool_call_id)
        done = call.status in _OVER
        call.learn(update)
        if call.status in _OVER and not done:
            self.flush()
            self._narrator.result(call.id, call.output, is_error=call.status == "failed")

    def known(self, update: Any) -> _Call:
        """The call a permission is asked for, with all that is known of it."""
        call = self._call(update.tool_call_id)
        call.learn(update)
        return call

    def served(self, kind: str, path: str, text: str, *, is_error: bool) -> None:
        """A file that went through our hands; told as a call of its own unless a call under way is about it."""
        if any(call.status not in _OVER and path in call.paths for call in self._calls.values()):
            return
        call = self._call(f"fs-{len(self._calls)}")
        call.kind, call.title, call.places, call.status = kind, path, [path], "completed"
        self.flush()
        self._narrator.result(call.id, text, is_error=is_error)

    def beyond(self, limit: int) -> bool:
        """Whether the agent is still at work after so many messages."""
        return self._narrator.messages > limit or (self._narrator.messages == limit and self._acting)

    def _call(self, call_id: str) -> _Call:
        if call_id not in self._calls:
            if len(self._waiting) >= _CALL_LIMIT:
                self.flush()
            self._calls[call_id] = _Call(call_id)
            self._waiting.append(self._calls[call_id])
        return self._calls[call_id]

    def flush(self, ledger: TokenLedger | None = None) -> None:
        """Tell the message so far, if there is any."""
        content: list[Block] = []
        if thoughts := "".join(self._thoughts):
            content.append(ThinkingBlock(text=thoughts))
        if words := "".join(self._words):
            content.append(TextBlock(text=words))
        content += [call.block() for call in self._waiting]
        if content:
            self._acting = bool(self._waiting)
            self._narrator.assistant(content, ledger=ledger, model=self._model)
        self._words, self._thoughts, self._waiting, self._size, self._message = [], [], [], 0, ""


def _content(items: Sequence[Any]) -> str:
    """The words of a call's content: text, and what a diff puts into a file."""
    parts: list[str] = []
    for item in items:
        if item.type == "content":
            parts.append(getattr(item.content, "text", "") or f"[{item.content.type}]")
        elif item.type == "diff":
            parts.append(f"{item.path}\n{item.new_text}")
    return "\n".join(parts)
