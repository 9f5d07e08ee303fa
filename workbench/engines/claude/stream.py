"""Claude Code's stream-json, line by line, told as turns; a pure parser that needs no program."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from workbench.engines.claude.messages import SYNTHETIC, blocks, items, ledger, words
from workbench.engines.claude.outcome import Outcome
from workbench.engines.json_parts import Json, count, parsed, record, text, texts
from workbench.engines.narrator import Narrator
from workbench.engines.prices import price
from workbench.traces.records import Block, ToolCall


@dataclass
class _Draft:
    """A message that may not be whole: its blocks arrive one by one, its tokens before and after them."""

    id: str
    model: str
    usage: Json
    streaming: bool = False
    blocks: list[Block] = field(default_factory=list)
    waiting: list[Callable[[], None]] = field(default_factory=list)
    """What happened while it was streamed, to be told after it."""


class Stream:
    """Feed it lines; it tells the narrator what they mean and keeps for `outcome` what says how it ended.

    The main session and every sub-agent have a message under way of their own.
    """

    def __init__(self, narrator: Narrator, *, engine: str, version: str, notes: Sequence[str] = ()) -> None:
        """`version` is the one the program told before; the stream's own word counts more."""
        self._narrator, self._engine, self._version, self._notes = narrator, engine, version, tuple(notes)
        self._drafts: dict[str, _Draft] = {}
        self.outcome = Outcome()
        self.session = ""
        """The CLI's id of the session, once it told."""
        self.turns: dict[str, int] = {}
        """Turn index of every tool result, by call."""

    def feed(self, line: bytes) -> None:
        """Take one line; one that is torn, or of a kind we do not know, means nothing."""
        said = parsed(line)
        match said.get("type"):
            case "system":
                self._system(said)
            case "stream_event":
                self._partial(text(said.get("parent_tool_use_id")), record(said.get("event")), said)
            case "assistant":
                self._open({})
                self._assistant(text(said.get("parent_tool_use_id")), record(said.get("message")), said)
            case "user":
                self._open({})
                self._user(text(said.get("parent_tool_use_id")), record(said.get("message")))
            case "result":
                self.outcome.result, self.outcome.over = said, True

    def close(self) -> None:
        """Nothing more comes: tell what is left."""
        self._open({})
        for parent in list(self._drafts):
            self._finish(parent)

    def _open(self, said: Json) -> None:
        """Begin to tell the session, with what the CLI says of it; with what we know when it says nothing."""
        self._narrator.open(
            engine=self._engine,
            version=text(said.get("claude_code_version")) or self._version,
            model=text(said.get("model")),
            tools=texts(said.get("tools")),
            session=self.session,
            notes=self._notes,
        )

    def _system(self, said: Json) -> None:
        match said.get("subtype"):
            case "init":
                self.session = text(said.get("session_id"))
                self._open(said)
            case "api_retry":
                self.outcome.retry = said
                self.outcome.retries += 1

    def _partial(self, parent: str, partial: Json, said: Json) -> None:
        draft = self._drafts.get(parent)
        match partial.get("type"):
            case "message_start":
                self._finish(parent)
                self._begin(parent, record(partial.get("message")), streaming=True)
                self.outcome.retry = {}
            case "content_block_delta" if not parent:
                self._narrator.delta(text(record(partial.get("delta")).get("text")))
            case "message_delta" if draft:
                draft.usage |= {name: n for name, n in record(partial.get("usage")).items() if count(n)}
            case "message_stop" if draft:
                if abandoned := record(said.get("abandoned_blocks")):
                    del draft.blocks[count(abandoned.get("from_block_index")) :]
                self._finish(parent)

    def _assistant(self, parent: str, message: Json, said: Json) -> None:
        if message.get("model") == SYNTHETIC:
            self.outcome.trouble = said
            return
        self.outcome.over = self.outcome.over and bool(parent)
        self._finish_caller(parent)
        draft = self._drafts.get(parent)
        if draft is None or draft.id != message.get("id"):
            self._finish(parent)
            draft = self._begin(parent, message, streaming=False)
        if not draft.streaming:
            draft.usage = record(message.get("usage"))
        draft.blocks += blocks(message.get("content"))

    def _user(self, parent: str, message: Json) -> None:
        self._finish_caller(parent)
        for item in items(message.get("content")):
            if item.get("type") == "tool_result":
                self._finish(text(item.get("tool_use_id")))  # a sub-agent's last words come before its result
                self._after(parent, lambda item=item: self._result(parent, item))  # type: ignore[misc]
            elif item.get("type") == "text":
                self._after(parent, lambda item=item: self._told(parent, item))  # type: ignore[misc]

    def _result(self, parent: str, item: Json) -> None:
        call = text(item.get("tool_use_id"))
        failed = item.get("is_error") is True
        self.turns[call] = self._narrator.result(call, words(item.get("content")), is_error=failed, parent=parent)

    def _told(self, parent: str, item: Json) -> None:
        self._narrator.user(text(item.get("text")), parent=parent)

    def _begin(self, parent: str, message: Json, *, streaming: bool) -> _Draft:
        draft = _Draft(text(message.get("id")), text(message.get("model")), record(message.get("usage")), streaming)
        self._drafts[parent] = draft
        return draft

    def _after(self, parent: str, tell: Callable[[], None]) -> None:
        """Tell something once the message before it is whole."""
        draft = self._drafts.get(parent)
        if draft and draft.streaming:
            draft.waiting.append(tell)
        else:
            self._finish(parent)
            tell()

    def _finish_caller(self, parent: str) -> None:
        """A sub-agent at work means that the message which called it is whole."""
        for caller, draft in list(self._drafts.items()):
            if parent and any(isinstance(block, ToolCall) and block.id == parent for block in draft.blocks):
                self._finish(caller)

    def _finish(self, parent: str) -> None:
        """Tell a message as it is now; one without anything in it was given up by the CLI itself."""
        draft = self._drafts.pop(parent, None)
        if draft is None:
            return
        if draft.blocks:
            used = ledger(draft.usage)
            paid = price(draft.model, used)  # what Claude Code itself reports is for the whole run
            self._narrator.assistant(draft.blocks, ledger=used, model=draft.model, cost_usd=paid, parent=parent)
        for tell in draft.waiting:
            tell()
