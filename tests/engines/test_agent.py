"""The in-process agent around any brain: what it emits, what it tells the brain, how it ends."""

import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.engines.conftest import Plant
from workbench.brains.protocol import BrainError, Proposal, Ran, Spoken, ToolSchema, unheard
from workbench.brains.protocol import Say as Heard
from workbench.engines import agent, registry
from workbench.engines.protocol import Ending, Task
from workbench.traces.events import TextDelta, trace_of
from workbench.traces.reasons import Reason
from workbench.traces.records import AssistantTurn, TextBlock, TokenLedger, ToolCall, ToolResultTurn, Trace, Turn

Say = Callable[[str, Sequence[Turn], Sequence[ToolSchema]], Proposal]
BOX = {"AGENTS.md": "Be kind.", "docs/CLAUDE.md": "Docs rule.", "docs/a.md": "hello"}


class Scripted:
    """A brain that says what a function says."""

    name = "scripted"
    model = "script-1"

    def __init__(self, say: Say) -> None:
        self._say = say

    def propose(
        self, system: str, messages: Sequence[Turn], tools: Sequence[ToolSchema], say: Heard = unheard
    ) -> Proposal:
        return self._say(system, messages, tools)


def call(name: str, number: int = 1, **arguments: object) -> ToolCall:
    return ToolCall(id=f"c{number}", name=name, arguments=arguments)


def run(root: Path, say: Say, **more: object) -> tuple[Trace, Ending]:
    events: list[object] = []
    task = Task.model_validate({"trial": "t", "prompt": "Do it.", "workspace": root, **more})
    ending = agent.run(task, Scripted(say), events.append, engine="test", version="1")
    return trace_of(events), ending  # type: ignore[arg-type]


def spoken(messages: Sequence[Turn]) -> int:
    return sum(1 for turn in messages if isinstance(turn, AssistantTurn))


def test_a_session_is_told_in_order_and_guidance_reaches_the_brain(plant: Plant) -> None:
    seen: list[str] = []

    def say(system: str, messages: Sequence[Turn], tools: Sequence[ToolSchema]) -> Proposal:
        last = messages[-1]
        seen.append(last.text if isinstance(last, ToolResultTurn) else system)
        if spoken(messages):
            return Proposal((TextBlock(text="Done \x1b[31m."),))
        return Proposal((TextBlock(text="Looking."), call("Read", 1, file_path="docs/a.md"), call("Fly", 2)))

    trace, ending = run(plant(BOX), say)
    assert ending.reason is None
    assert [(turn.role, turn.turn_index) for turn in trace.turns] == [
        ("user", 0),
        ("assistant", 1),
        ("toolResult", 2),
        ("toolResult", 3),
        ("assistant", 4),
    ]
    assert "Be kind." in seen[0]
    read, unknown = trace.turns[2], trace.turns[3]
    assert isinstance(read, ToolResultTurn)
    assert read.text == "1\thello"
    assert [(file.path, file.text) for file in read.guidance] == [("docs/CLAUDE.md", "Docs rule.")]
    assert isinstance(unknown, ToolResultTurn)
    assert unknown.is_error
    assert trace.reply == "Looking.\nDone ␛[31m."
    assert trace.meta.model == "script-1"
    assert [file.path for file in trace.meta.guidance] == ["AGENTS.md"]
    assert "Read" in trace.meta.tools


def test_guidance_that_comes_with_a_result_is_in_what_the_brain_sees_next(plant: Plant) -> None:
    def say(system: str, messages: Sequence[Turn], tools: Sequence[ToolSchema]) -> Proposal:
        if not spoken(messages):
            return Proposal((call("Read", file_path="docs/a.md"),))
        assert isinstance(messages[-1], ToolResultTurn)
        return Proposal((TextBlock(text=messages[-1].text),))

    trace, _ = run(plant(BOX), say)
    assert "Docs rule." in trace.reply


def test_estimated_tokens_grow_and_counted_ones_are_kept(plant: Plant) -> None:
    def say(system: str, messages: Sequence[Turn], tools: Sequence[ToolSchema]) -> Proposal:
        if spoken(messages) == 2:
            return Proposal((TextBlock(text="ok"),), TokenLedger(input=7, cache_read=5, output=1))
        return Proposal((call("Read", spoken(messages) + 1, file_path="docs/a.md"),))

    trace, _ = run(plant(BOX), say)
    first, second, third = (turn.token_ledger for turn in trace.assistant_turns)
    assert first.estimated
    assert 0 < first.context < second.context
    assert third == TokenLedger(input=7, cache_read=5, output=1)


def test_at_the_turn_limit_an_open_call_is_not_run(plant: Plant) -> None:
    def say(system: str, messages: Sequence[Turn], tools: Sequence[ToolSchema]) -> Proposal:
        number = spoken(messages) + 1
        return Proposal((call("Write", number, file_path=f"{number}.txt", content=""),))

    root = plant(BOX)
    trace, ending = run(root, say, max_turns=2)
    assert ending.reason is Reason.TURN_LIMIT
    assert len(trace.assistant_turns) == 2
    assert ((root / "1.txt").exists(), (root / "2.txt").exists()) == (True, False)


def test_a_session_out_of_time_ends_and_a_command_gets_only_what_is_left(plant: Plant) -> None:
    def say(system: str, messages: Sequence[Turn], tools: Sequence[ToolSchema]) -> Proposal:
        return Proposal((call("Bash", spoken(messages), command="sleep 60"),))

    begun = time.monotonic()
    _, ending = run(plant(BOX), say, timeout=0.3)
    assert ending.reason is Reason.TIMED_OUT
    assert time.monotonic() - begun < 10


def test_a_brain_that_says_and_does_nothing_has_given_no_answer(plant: Plant) -> None:
    trace, ending = run(plant(BOX), lambda *_: Proposal((), COUNTED, PRICED))
    assert (ending.reason, ending.cost_usd, len(trace.assistant_turns)) == (Reason.TRUNCATED, 1.0, 1)


def test_a_brain_that_breaks_is_this_trials_end_only(plant: Plant) -> None:
    def say(system: str, messages: Sequence[Turn], tools: Sequence[ToolSchema]) -> Proposal:
        raise RuntimeError("no thoughts")

    _, ending = run(plant(BOX), say)
    assert ending == Ending(reason=Reason.CRASHED, detail="RuntimeError: no thoughts")


@pytest.mark.parametrize("more", [{"cwd": "nowhere"}, {"cwd": ".."}, {"rules": "cursor"}])
def test_what_is_not_there_is_missing(plant: Plant, more: dict[str, str]) -> None:
    _, ending = run_nothing(plant(BOX), **more)
    assert ending.reason is Reason.MISSING


def run_nothing(root: Path, **more: str) -> tuple[list[object], Ending]:
    events: list[object] = []
    task = Task.model_validate({"trial": "t", "prompt": "Do it.", "workspace": root, **more})
    return events, agent.run(task, Scripted(lambda *_: Proposal(())), events.append, engine="test", version="1")


PRICED = "claude-opus-5-5"
COUNTED = TokenLedger(input=250_000)
"""A dollar's worth of that model."""


def test_what_is_being_said_is_told_before_it_is_final(plant: Plant) -> None:
    class Slow(Scripted):
        def propose(
            self, system: str, messages: Sequence[Turn], tools: Sequence[ToolSchema], say: Heard = unheard
        ) -> Proposal:
            say("Hel\x1b")
            say("lo")
            return Proposal((TextBlock(text="Hello"),))

    events: list[object] = []
    task = Task(trial="t", prompt="Do it.", workspace=plant(BOX))
    agent.run(task, Slow(lambda *_: Proposal(())), events.append, engine="test", version="1")
    assert [event.text for event in events if isinstance(event, TextDelta)] == ["Hel␛", "lo"]
    assert [type(event).__name__ for event in events][-3:] == ["TextDelta", "TextDelta", "TurnAdded"]


def test_each_message_is_priced_by_the_model_that_served_it(plant: Plant) -> None:
    served = [PRICED, "claude-haiku-4-5"]

    def say(system: str, messages: Sequence[Turn], tools: Sequence[ToolSchema]) -> Proposal:
        number = spoken(messages)
        content = (call("Read", file_path="docs/a.md"),) if number == 0 else (TextBlock(text="ok"),)
        return Proposal(content, COUNTED, served[number])

    trace, ending = run(plant(BOX), say)
    assert [(turn.model, turn.cost_usd) for turn in trace.assistant_turns] == [(served[0], 1.0), (served[1], 0.25)]
    assert (ending.cost_usd, ending.cost_basis) == (1.25, "list")
    served[1] = "mock-1"
    trace, ending = run(plant(BOX), say)
    assert [turn.cost_usd for turn in trace.assistant_turns] == [1.0, None]
    assert (ending.cost_usd, ending.cost_basis) == (None, "")


def test_a_session_stops_for_its_cap_but_not_at_the_answer(plant: Plant) -> None:
    def say(system: str, messages: Sequence[Turn], tools: Sequence[ToolSchema]) -> Proposal:
        more = spoken(messages) + 1
        return Proposal((call("Write", more, file_path=f"{more}.txt", content=""),), COUNTED, PRICED)

    root = plant(BOX)
    trace, ending = run(root, say, max_cost=2.0)
    assert (ending.reason, ending.cost_usd, len(trace.assistant_turns)) == (Reason.BUDGET, 2.0, 2)
    assert not (root / "2.txt").exists()
    _, ending = run(root, lambda *_: Proposal((TextBlock(text="ok"),), COUNTED, PRICED), max_cost=1.0)
    assert (ending.reason, ending.cost_usd) == (None, 1.0)


@pytest.mark.parametrize(
    ("error", "cost", "kept"),
    [
        (BrainError(Reason.RATE_LIMIT, "slow down", 7.0), 0.0, 0),
        (BrainError(Reason.OVERLOADED, "in the middle", lost=True), None, 0),
        (BrainError(Reason.TRUNCATED, "cut", said=Proposal((TextBlock(text="ha"),), COUNTED, PRICED)), 1.0, 1),
    ],
)
def test_a_brain_says_why_it_has_no_answer(plant: Plant, error: BrainError, cost: float | None, kept: int) -> None:
    def say(system: str, messages: Sequence[Turn], tools: Sequence[ToolSchema]) -> Proposal:
        raise error

    trace, ending = run(plant(BOX), say)
    assert (ending.reason, ending.detail, ending.retry_after) == (error.reason, error.detail, error.retry_after)
    assert (ending.cost_usd, len(trace.assistant_turns)) == (cost, kept)


def test_calls_the_provider_ran_are_told_with_their_results_and_not_run(plant: Plant) -> None:
    seen: list[Sequence[Turn]] = []

    def say(system: str, messages: Sequence[Turn], tools: Sequence[ToolSchema]) -> Proposal:
        seen.append(tuple(messages))
        if spoken(messages):
            return Proposal((TextBlock(text="ok"),), TokenLedger(input=1), PRICED)
        search, failed = call("WebSearch", 1, query="bees"), call("WebSearch", 2, query="x")
        ran = (Ran("c1", "Bees"), Ran("c2", "unavailable", is_error=True))
        return Proposal((search, failed), COUNTED, PRICED, ran=ran, unfinished=True, verbatim=["as it was"])

    trace, ending = run(plant(BOX), say)
    assert ending.reason is None
    assert trace.turns[1:4] == seen[1][1:]
    first = seen[1][1]
    assert isinstance(first, Spoken)
    assert first.verbatim == ["as it was"]
    assert first.cost_usd == 1.01
    results = [turn for turn in trace.turns if isinstance(turn, ToolResultTurn)]
    assert [(turn.tool_use_id, turn.text, turn.is_error) for turn in results] == [
        ("c1", "Bees", False),
        ("c2", "unavailable", True),
    ]


def test_home_and_scratch_are_gone_afterwards_and_outside_the_workspace(plant: Plant) -> None:
    def say(system: str, messages: Sequence[Turn], tools: Sequence[ToolSchema]) -> Proposal:
        if spoken(messages):
            return Proposal((TextBlock(text="ok"),))
        return Proposal((call("Bash", command="touch $HOME/x $TMPDIR/y; case $HOME in $PWD*) exit 9;; esac"),))

    root = plant(BOX)
    trace, _ = run(root, say)
    assert isinstance(trace.turns[2], ToolResultTurn)
    assert not trace.turns[2].is_error
    assert [path.name for path in root.parent.iterdir()] == ["box"]


def test_engines_are_found_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    assert registry.get("reader").free
    assert registry.names()[0] == "reader"
    with pytest.raises(registry.UnknownEngine, match="'oracle'; known: reader"):
        registry.get("oracle")


def test_other_packages_add_engines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = "class Engine:\n    name = 'other'\n    def __init__(self, settings): pass\n"
    (tmp_path / "otherpack.py").write_text(source)
    info = tmp_path / "otherpack-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Name: otherpack\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[workbench.engines]\nother = otherpack:Engine\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert "other" in registry.names()
    assert registry.get("other").name == "other"
