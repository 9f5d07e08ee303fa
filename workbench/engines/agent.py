"""The in-process agent: a loop around any brain, in a workspace, with the toolbox."""

import os
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from workbench.brains.prompt_format import guidance_block, system_prompt
from workbench.brains.protocol import Brain, Proposal, ToolSchema
from workbench.engines.protocol import Ending, Task
from workbench.engines.toolbox.box import Toolbox
from workbench.engines.toolbox.place import Home, Place
from workbench.engines.toolbox.tool import Outcome
from workbench.guidance import chain
from workbench.guidance.chain import Chain
from workbench.host.files import sha256
from workbench.text.sanitize import clean
from workbench.traces.events import Started, TraceEvent, TurnAdded
from workbench.traces.reasons import Reason
from workbench.traces.records import (
    AssistantTurn,
    Block,
    Meta,
    TextBlock,
    ThinkingBlock,
    TokenLedger,
    ToolCall,
    ToolResultTurn,
    Turn,
    UserTurn,
)

Emit = Callable[[TraceEvent], None]


def run(task: Task, brain: Brain, emit: Emit, *, engine: str, version: str) -> Ending:
    """Ask once and follow the brain until it says something without calling a tool, or a limit is reached.

    Never raises for what a brain, a tool or the workspace does: the ending says it.
    """
    started = time.monotonic()
    root = Path(os.path.realpath(task.workspace))
    cwd = _inside(root, task.cwd)
    if cwd is None:
        return Ending(reason=Reason.MISSING, detail=f"the folder to work in, {task.cwd!r}, is not in the workspace")
    try:
        guidance = chain.load(root, cwd, task.rules)
    except ValueError as error:
        return Ending(reason=Reason.MISSING, detail=str(error))
    home = Home(root.parent)
    place = Place(root, cwd, guidance, home, task.env, task.tool_timeout, started + task.timeout)
    session = _Session(task, brain, Toolbox(task.surface, place), guidance, emit)
    try:
        session.open(engine, version)
        return session.follow(place.deadline)
    finally:
        home.remove()


class _Session:
    """One conversation: what was said, what is told to the brain, what is emitted."""

    def __init__(self, task: Task, brain: Brain, toolbox: Toolbox, guidance: Chain, emit: Emit) -> None:
        self._task, self._brain, self._toolbox, self._guidance = task, brain, toolbox, guidance
        self._emit = emit
        self._messages: list[Turn] = []
        self._system = system_prompt(task.system_prompt, guidance.files, guidance.skills, task.cwd)
        self._schemas = toolbox.schemas

    def open(self, engine: str, version: str) -> None:
        """Tell what the session starts with, then the question."""
        task = self._task
        meta = Meta(
            engine=engine,
            engine_version=version,
            model=self._brain.model,
            workspace=str(task.workspace),
            cwd=task.cwd,
            guidance=self._guidance.files,
            prompt=task.prompt,
            prompt_hash=f"sha256:{sha256(task.prompt.encode('utf-8', 'replace'))}",
            tools=tuple(tool.name for tool in self._schemas),
            started_at=_now(),
        )
        self._emit(Started(task.trial, meta))
        self._add(UserTurn(turn_index=0, started_at=_now(), content=(TextBlock(text=task.prompt),)))

    def follow(self, deadline: float) -> Ending:
        """Alternate between the brain and its tools until the end."""
        for spoken in range(1, self._task.max_turns + 1):
            if time.monotonic() >= deadline:
                return self._out_of_time()
            try:
                turn, calls = self._think()
            except Exception as error:
                return Ending(reason=Reason.CRASHED, detail=f"{type(error).__name__}: {error}")
            self._add(turn)
            if not calls:
                return Ending()
            if spoken == self._task.max_turns:
                break
            for call in calls:
                if time.monotonic() >= deadline:
                    return self._out_of_time()
                self._act(call)
        return Ending(reason=Reason.TURN_LIMIT, detail=f"still at work after {self._task.max_turns} messages")

    def _think(self) -> tuple[AssistantTurn, tuple[ToolCall, ...]]:
        """The brain's next message as it is kept, and its calls as they were meant."""
        begun, clock = _now(), time.monotonic()
        proposal = self._brain.propose(self._system, self._messages, self._schemas)
        turn = AssistantTurn(
            turn_index=len(self._messages),
            started_at=begun,
            duration_ms=_milliseconds(clock),
            content=tuple(_cleaned(block) for block in proposal.content),
            token_ledger=self._ledger(proposal),
        )
        return turn, tuple(block for block in proposal.content if isinstance(block, ToolCall))

    def _act(self, call: ToolCall) -> None:
        """Run one call; guidance it brings in is told apart in the trace and in full to the brain."""
        begun, clock = _now(), time.monotonic()
        outcome = self._toolbox.run(call.name, call.arguments)
        turn = _result(call, outcome, len(self._messages), begun, _milliseconds(clock))
        self._emit(TurnAdded(self._task.trial, turn))
        blocks = [guidance_block(file) for file in outcome.guidance]
        seen = "\n\n".join([turn.text, *blocks])
        self._messages.append(turn.model_copy(update={"content": (TextBlock(text=seen),)}) if blocks else turn)

    def _add(self, turn: Turn) -> None:
        self._messages.append(turn)
        self._emit(TurnAdded(self._task.trial, turn))

    def _ledger(self, proposal: Proposal) -> TokenLedger:
        """What the provider counted; else an estimate of four characters a token over all that was sent."""
        if proposal.tokens != TokenLedger():
            return proposal.tokens
        sent = len(self._system) + sum(_size(turn) for turn in self._messages) + sum(map(_schema_size, self._schemas))
        said = sum(_block_size(block) for block in proposal.content)
        return TokenLedger(input=-(-sent // 4), output=-(-said // 4), estimated=True)

    def _out_of_time(self) -> Ending:
        return Ending(reason=Reason.TIMED_OUT, detail=f"not done after {self._task.timeout:g} s")


def _inside(root: Path, cwd: str) -> str | None:
    """The folder to start in relative to the root (empty for the root itself); None when it is not there."""
    real = Path(os.path.realpath(root / cwd))
    if not real.is_dir() or not real.is_relative_to(root):
        return None
    relative = real.relative_to(root).as_posix()
    return "" if relative == "." else relative


def _result(call: ToolCall, outcome: Outcome, index: int, begun: str, duration: int) -> ToolResultTurn:
    return ToolResultTurn(
        turn_index=index,
        started_at=begun,
        duration_ms=duration,
        tool_use_id=call.id,
        content=(TextBlock(text=clean(outcome.text)),),
        is_error=outcome.is_error,
        guidance=outcome.guidance,
    )


def _cleaned(block: Block) -> Block:
    if isinstance(block, ToolCall):
        arguments = {clean(key): clean(v) if isinstance(v, str) else v for key, v in block.arguments.items()}
        return block.model_copy(update={"arguments": arguments})
    if isinstance(block, TextBlock):
        return TextBlock(text=clean(block.text))
    return ThinkingBlock(text=clean(block.text))


def _size(turn: Turn) -> int:
    return sum(_block_size(block) for block in turn.content)


def _block_size(block: Block) -> int:
    if isinstance(block, ToolCall):
        return len(block.name) + sum(len(key) + len(str(value)) for key, value in block.arguments.items())
    return len(block.text)


def _schema_size(schema: ToolSchema) -> int:
    return len(schema.name) + len(schema.description) + len(str(schema.input_schema))


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _milliseconds(since: float) -> int:
    return round((time.monotonic() - since) * 1000)
