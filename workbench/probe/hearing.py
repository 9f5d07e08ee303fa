"""What the model behind the endpoint was sent during a probe, sorted by when and after what it came."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from workbench.brains.protocol import ToolSchema
from workbench.probe.matching import Page
from workbench.probe.records import Visit
from workbench.traces.records import AssistantTurn, TextBlock, ToolCall, ToolResultTurn, Turn


@dataclass(frozen=True, slots=True)
class Heard:
    """One request for a message."""

    system: str
    messages: tuple[Turn, ...]
    tools: tuple[ToolSchema, ...]


@dataclass(frozen=True, slots=True)
class Later:
    """A text that came after something was done."""

    page: Page
    after: tuple[Visit, ...]
    """The visit whose result it stands in, or that was asked for right before."""


@dataclass(frozen=True, slots=True)
class Hearing:
    """All requests of a session: what stood in the first, and what was new in each that followed."""

    first: tuple[Page, ...]
    later: tuple[Later, ...]
    tools: int
    """Characters of the tool schemas of the first request."""
    calls: tuple[ToolCall, ...]
    """What the agent was asked to do."""


def hearing(requests: Sequence[Heard], visit_of: Callable[[ToolCall], Visit | None]) -> Hearing | None:
    """Sort a session's requests; None when none came that brought tools, as all but side requests do."""
    asked = [request for request in requests if request.tools]
    if not asked:
        return None
    first, known = asked[0], len(asked[0].messages)
    systems = {first.system}
    later: list[Later] = []
    calls: list[ToolCall] = []
    for request in asked[1:]:
        asking: tuple[ToolCall, ...] = ()
        for index, turn in enumerate(request.messages):
            if isinstance(turn, AssistantTurn):
                asking = turn.calls
                calls += asking if index >= known else ()
            elif index >= known:
                later += [Later(Page(text), _after(turn, asking, visit_of)) for text in _texts(turn)]
        if request.system not in systems:
            systems.add(request.system)
            later.append(Later(Page(_added(first.system, request.system)), _visits(asking, visit_of)))
        known = max(known, len(request.messages))
    pages = [first.system, *(text for turn in first.messages for text in _texts(turn))]
    return Hearing(tuple(map(Page, pages)), tuple(later), sum(map(tool_size, first.tools)), tuple(calls))


def tool_size(tool: ToolSchema) -> int:
    """Characters by which a tool is told of."""
    return len(tool.name) + len(tool.description) + len(json.dumps(tool.input_schema, ensure_ascii=False))


def _after(turn: Turn, asking: Sequence[ToolCall], visit_of: Callable[[ToolCall], Visit | None]) -> tuple[Visit, ...]:
    if isinstance(turn, ToolResultTurn):
        asking = [call for call in asking if call.id == turn.tool_use_id] or asking
    return _visits(asking, visit_of)


def _visits(calls: Sequence[ToolCall], visit_of: Callable[[ToolCall], Visit | None]) -> tuple[Visit, ...]:
    return tuple(dict.fromkeys(visit for call in calls if (visit := visit_of(call))))


def _texts(turn: Turn) -> list[str]:
    return [block.text for block in turn.content if isinstance(block, TextBlock)]


def _added(before: str, after: str) -> str:
    """The lines of a system prompt that an earlier one did not have."""
    known = set(before.split("\n"))
    return "\n".join(line for line in after.split("\n") if line not in known)
