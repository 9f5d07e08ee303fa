"""Tells one session as it goes: numbers turns, stamps them, and hands them to whoever records the trial."""

import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime

from workbench.engines.protocol import Task
from workbench.host.files import sha256
from workbench.traces.events import GuidanceLoaded, Started, TextDelta, TraceEvent, TurnAdded
from workbench.traces.records import (
    AssistantTurn,
    Block,
    Loaded,
    LoadedFile,
    Meta,
    TextBlock,
    TokenLedger,
    ToolResultTurn,
    Turn,
    UserTurn,
)

Emit = Callable[[TraceEvent], None]


class Narrator:
    """The one voice of an adapter: parsers call it in the order in which things happened.

    `at` of any call is an ISO time stamp for who tells from a file; without it, it is now, and a turn's duration is
    the time since the one before it. Nothing but the meta record may come before `open`.
    """

    def __init__(self, task: Task, emit: Emit) -> None:
        self._task, self._emit = task, emit
        self._next = 0
        self._clock = time.monotonic()
        self._since = now()
        self.opened = False
        self.messages = 0
        """Messages of the model in the main session so far: what a turn limit counts."""
        self.last_text = ""
        """Text of the last message of the main session that had any."""

    def open(
        self,
        *,
        engine: str,
        version: str,
        model: str,
        tools: Sequence[str] = (),
        session: str = "",
        guidance: Sequence[LoadedFile] = (),
        notes: Sequence[str] = (),
        at: str = "",
    ) -> None:
        """Tell what the session starts with, then the prompt as its first turn. A second call is passed over."""
        if self.opened:
            return
        self.opened = True
        task = self._task
        meta = Meta(
            engine=engine,
            engine_version=version,
            model=model,
            workspace=str(task.workspace),
            cwd=task.cwd,
            guidance=tuple(guidance),
            prompt=task.prompt,
            prompt_hash=f"sha256:{sha256(task.prompt.encode('utf-8', 'replace'))}",
            tools=tuple(tools),
            started_at=at or now(),
            session=session,
            notes=tuple(notes),
        )
        self._emit(Started(task.trial, meta))
        self.user(task.prompt, at=at)

    def delta(self, text: str) -> None:
        """Pass on provisional text of the message being written."""
        if text:
            self._emit(TextDelta(self._task.trial, text))

    def assistant(
        self,
        content: Sequence[Block],
        *,
        ledger: TokenLedger | None = None,
        model: str = "",
        cost_usd: float | None = None,
        parent: str = "",
        at: str = "",
    ) -> int:
        """Tell one whole message of the model, once; gives its turn index."""
        begun, duration = self._tick(at)
        turn = AssistantTurn(
            turn_index=self._next,
            started_at=begun,
            duration_ms=duration,
            parent=parent,
            content=tuple(content),
            token_ledger=ledger or TokenLedger(),
            model=model,
            cost_usd=cost_usd,
        )
        if not parent:
            self.messages += 1
            self.last_text = turn.text or self.last_text
        return self._add(turn)

    def result(
        self,
        call_id: str,
        text: str,
        *,
        is_error: bool = False,
        parent: str = "",
        guidance: Sequence[LoadedFile] = (),
        at: str = "",
    ) -> int:
        """Tell what a tool gave back, and guidance that came with it; gives its turn index."""
        begun, duration = self._tick(at)
        turn = ToolResultTurn(
            turn_index=self._next,
            started_at=begun,
            duration_ms=duration,
            parent=parent,
            tool_use_id=call_id,
            content=(TextBlock(text=text),),
            is_error=is_error,
            guidance=tuple(guidance),
        )
        return self._add(turn)

    def user(self, text: str, *, parent: str = "", at: str = "") -> int:
        """Tell what the agent was told by anybody but a tool; gives its turn index."""
        begun, _ = self._tick(at)
        return self._add(
            UserTurn(turn_index=self._next, started_at=begun, parent=parent, content=(TextBlock(text=text),))
        )

    def loaded(self, files: Sequence[LoadedFile], after: int = -1) -> None:
        """Tell guidance that no turn shows; `after` is the last turn before it, -1 for the start."""
        if files:
            self._emit(GuidanceLoaded(self._task.trial, Loaded(files=tuple(files), after=after)))

    def _add(self, turn: Turn) -> int:
        self._next += 1
        self._emit(TurnAdded(self._task.trial, turn))
        return turn.turn_index

    def _tick(self, at: str) -> tuple[str, int]:
        """When the next turn began, and the milliseconds it took: it lasted from the one before it until now."""
        if at:
            return at, 0
        begun, clock = self._since, self._clock
        self._since, self._clock = now(), time.monotonic()
        return begun, round((self._clock - clock) * 1000)


def now() -> str:
    """The present as an ISO time stamp in UTC."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
