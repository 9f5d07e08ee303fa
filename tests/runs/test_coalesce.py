"""Batches come seldom, in order, with provisional text folded together."""

import asyncio

from workbench.runs.coalesce import FULL, PERIOD, Coalescer
from workbench.runs.events import RunEvent
from workbench.runs.records import TrialStarted
from workbench.traces.events import TextDelta, TurnAdded
from workbench.traces.records import AssistantTurn, TextBlock, ToolResultTurn


def turn(trial: str, text: str) -> TurnAdded:
    return TurnAdded(trial, AssistantTurn(turn_index=1, content=(TextBlock(text=text),)))


async def test_the_first_event_goes_at_once_and_the_rest_together() -> None:
    coalescer, batches = Coalescer(), list[list[RunEvent]]()
    loop = asyncio.get_running_loop()
    times: list[float] = []

    def hear(events: object) -> None:
        times.append(loop.time())
        batches.append(list(events))  # type: ignore[call-overload]

    leave = coalescer.subscribe(hear)
    first = TrialStarted(trial="a", at="")
    begun = loop.time()
    coalescer.add(first)
    await asyncio.sleep(0.01)
    assert batches == [[first]]
    for n in range(50):
        coalescer.add(turn("a", str(n)))
        await asyncio.sleep(0.001)
    await asyncio.sleep(PERIOD)
    assert [event for batch in batches[1:] for event in batch] == [turn("a", str(n)) for n in range(50)]
    assert len(batches) <= 3
    assert times[0] - begun < PERIOD / 2
    leave()
    leave()
    coalescer.add(first)
    coalescer.flush()
    assert len(batches) <= 3


async def test_provisional_text_is_joined_and_gives_way_to_the_message() -> None:
    coalescer, heard = Coalescer(), list[RunEvent]()
    coalescer.subscribe(heard.extend)
    result = TurnAdded("a", ToolResultTurn(turn_index=2, tool_use_id="t", content=()))
    for event in (TextDelta("a", "In "), TextDelta("b", "Over "), TextDelta("a", "the"), TextDelta("b", "there")):
        coalescer.add(event)
    coalescer.add(turn("a", "In the shed"))
    coalescer.add(result)
    coalescer.add(TextDelta("a", "And"))
    coalescer.flush()
    assert heard == [TextDelta("b", "Over there"), turn("a", "In the shed"), result, TextDelta("a", "And")]


async def test_a_full_coalescer_makes_its_sources_wait_for_the_next_batch() -> None:
    coalescer = Coalescer()
    await coalescer.room()
    coalescer.flush()
    coalescer.add(turn("a", "much"), weight=FULL)
    waiting = asyncio.create_task(coalescer.room())
    await asyncio.sleep(0)
    assert not waiting.done()
    await asyncio.wait_for(waiting, 2)
