"""The in-process agent: a loop around any brain, in a workspace, with the toolbox."""

import os
import time
from pathlib import Path

from workbench.brains.prompt_format import guidance_block, system_prompt
from workbench.brains.protocol import Brain, BrainError, Proposal, Spoken
from workbench.engines import prices
from workbench.engines.estimates import estimated
from workbench.engines.limits import CutShort, nothing_said, out_of_time, too_many_messages
from workbench.engines.narrator import Emit, now
from workbench.engines.protocol import Ending, Task
from workbench.engines.surroundings import start
from workbench.engines.toolbox.box import Toolbox
from workbench.engines.toolbox.place import Home, Place
from workbench.engines.toolbox.tool import Outcome
from workbench.guidance import chain
from workbench.guidance.chain import Chain
from workbench.host.files import sha256
from workbench.text.amounts import dollars
from workbench.text.sanitize import clean
from workbench.traces.events import Started, TextDelta, TurnAdded
from workbench.traces.reasons import Reason
from workbench.traces.records import (
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


def run(
    task: Task,
    brain: Brain,
    emit: Emit,
    *,
    engine: str,
    version: str,
    confined: bool = False,
    provided: tuple[str, ...] = (),
    notes: tuple[str, ...] = (),
) -> Ending:
    """Ask once and follow the brain until it says something without calling a tool, or a limit is reached.

    `confined` keeps its commands from writing outside the workspace and from the task's secrets; `provided` names
    tools that the brain's provider runs itself; `notes` go into the trace. Never raises for what a brain, a tool or
    the workspace does: the ending says it.
    """
    try:
        place = _place(task, time.monotonic() + task.timeout, confined=confined)
    except CutShort as cut:
        return cut.ending()
    session = _Session(task, brain, Toolbox(task.surface, place), place.chain, emit)
    try:
        session.open(engine, version, provided, notes)
        return session.bill(session.follow(place.deadline))
    finally:
        place.home.remove()


def _place(task: Task, deadline: float, *, confined: bool) -> Place:
    """Where the agent acts; raises CutShort when it cannot be there, or its guidance cannot be read."""
    root = Path(os.path.realpath(task.workspace))
    cwd = start(task).relative_to(root).as_posix()
    cwd = "" if cwd == "." else cwd
    try:
        guidance = chain.load(root, cwd, task.rules)
    except ValueError as error:
        raise CutShort(Reason.MISSING, str(error)) from None
    return Place(
        root,
        cwd,
        guidance,
        Home(root.parent),
        task.env,
        tool_timeout=task.tool_timeout,
        deadline=deadline,
        confined=confined,
        secrets=task.secrets,
    )


class _Session:
    """One conversation: what was said, what is told to the brain, what is emitted."""

    def __init__(self, task: Task, brain: Brain, toolbox: Toolbox, guidance: Chain, emit: Emit) -> None:
        self._task, self._brain, self._toolbox, self._guidance = task, brain, toolbox, guidance
        self._emit = emit
        self._messages: list[Turn] = []
        self._system = system_prompt(task.system_prompt, guidance.files, guidance.skills, task.cwd)
        self._schemas = toolbox.schemas
        self._cost: float | None = 0.0

    def open(self, engine: str, version: str, provided: tuple[str, ...], notes: tuple[str, ...]) -> None:
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
            tools=(*(tool.name for tool in self._schemas), *provided),
            started_at=now(),
            notes=notes,
        )
        self._emit(Started(task.trial, meta))
        self._add(UserTurn(turn_index=0, started_at=now(), content=(TextBlock(text=task.prompt),)))

    def follow(self, deadline: float) -> Ending:
        """Alternate between the brain and its tools until the end."""
        for spoken in range(1, self._task.max_turns + 1):
            if time.monotonic() >= deadline:
                return out_of_time(self._task).ending()
            begun, clock = now(), time.monotonic()
            try:
                said = self._brain.propose(self._system, self._messages, self._schemas, self._say)
            except BrainError as error:
                return self._broken_off(error, begun, clock)
            except Exception as error:
                self._cost = None
                return Ending(reason=Reason.CRASHED, detail=f"{type(error).__name__}: {error}")
            calls = self._keep(said, begun, clock)
            if not calls and not said.unfinished:
                return nothing_said().ending() if spoken == 1 and _is_empty(said) else Ending()
            if self._spent():
                return Ending(reason=Reason.BUDGET, detail=f"still at work for {dollars(self._cost or 0.0)}")
            if spoken == self._task.max_turns:
                break
            for call in calls:
                if time.monotonic() >= deadline:
                    return out_of_time(self._task).ending()
                self._act(call)
        return too_many_messages(self._task).ending()

    def bill(self, ending: Ending) -> Ending:
        """The ending with what the session cost, when every message has a price."""
        if self._cost is None:
            return ending
        return ending.model_copy(update={"cost_usd": self._cost, "cost_basis": "list"})

    def _say(self, text: str) -> None:
        self._emit(TextDelta(self._task.trial, clean(text)))

    def _keep(self, said: Proposal, begun: str, clock: float) -> tuple[ToolCall, ...]:
        """Take a message in, with what its provider ran; the calls left to run come back as they were meant."""
        ran = {result.id: result for result in said.ran}
        calls = tuple(block for block in said.content if isinstance(block, ToolCall))
        ledger = self._ledger(said)
        searches = sum(call.name == "WebSearch" and call.id in ran and not ran[call.id].is_error for call in calls)
        cost = prices.price(said.model or self._brain.model, ledger, searches)
        self._cost = None if self._cost is None or cost is None else self._cost + cost
        turn = Spoken(
            turn_index=len(self._messages),
            started_at=begun,
            duration_ms=_milliseconds(clock),
            content=tuple(_cleaned(block) for block in said.content),
            token_ledger=ledger,
            model=said.model,
            cost_usd=cost,
            verbatim=said.verbatim,
        )
        self._add(turn)
        for result in said.ran:
            outcome = Outcome(result.text, result.is_error)
            self._add(_result(result.id, outcome, len(self._messages), now(), 0))
        return tuple(call for call in calls if call.id not in ran)

    def _broken_off(self, error: BrainError, begun: str, clock: float) -> Ending:
        """The end for want of a message; one that was paid for is kept."""
        if error.said is not None:
            self._keep(error.said, begun, clock)
        if error.lost:
            self._cost = None
        return Ending(reason=error.reason, detail=error.detail, retry_after=error.retry_after)

    def _spent(self) -> bool:
        return 0 < self._task.max_cost <= (self._cost or 0.0)

    def _act(self, call: ToolCall) -> None:
        """Run one call; guidance it brings in is told apart in the trace and in full to the brain."""
        begun, clock = now(), time.monotonic()
        outcome = self._toolbox.run(call.name, call.arguments)
        turn = _result(call.id, outcome, len(self._messages), begun, _milliseconds(clock))
        self._emit(TurnAdded(self._task.trial, turn))
        blocks = [guidance_block(file) for file in outcome.guidance]
        seen = "\n\n".join([turn.text, *blocks])
        self._messages.append(turn.model_copy(update={"content": (TextBlock(text=seen),)}) if blocks else turn)

    def _add(self, turn: Turn) -> None:
        self._messages.append(turn)
        self._emit(TurnAdded(self._task.trial, turn))

    def _ledger(self, said: Proposal) -> TokenLedger:
        """What the provider counted, else an estimate."""
        counted = said.tokens != TokenLedger()
        return said.tokens if counted else estimated(self._system, self._messages, self._schemas, said.content)


def _result(call_id: str, outcome: Outcome, index: int, begun: str, duration: int) -> ToolResultTurn:
    return ToolResultTurn(
        turn_index=index,
        started_at=begun,
        duration_ms=duration,
        tool_use_id=call_id,
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


def _is_empty(said: Proposal) -> bool:
    """Whether a message neither says anything nor does anything."""
    return not any(
        isinstance(block, ToolCall) or (isinstance(block, TextBlock) and block.text.strip()) for block in said.content
    )


def _milliseconds(since: float) -> int:
    return round((time.monotonic() - since) * 1000)
