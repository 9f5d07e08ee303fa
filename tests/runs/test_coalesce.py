"""Batches come seldom, in order, with provisional text folded together."""

import asyncio
from collections.abc import Sequence
from itertools import pairwise

from workbench.runs.coalesce import FULL, PERIOD, Coalescer
from workbench.runs.events import RunEvent
from workbench.runs.records import TrialStarted
from workbench.traces.events import TextDelta, TurnAdded
from workbench.traces.records import AssistantTurn, TextBlock, ToolResultTurn


def turn(trial: str, text: str) -> TurnAdded:
    return TurnAdded(trial, AssistantTurn(turn_index=1, content=(TextBlock(text=text),)))


async def test_the_first_event_goes_at_once_and_the_rest_together() -> None:
    coalescer, batches, times = Coalescer(), list[list[RunEvent]](), list[float]()
    loop = asyncio.get_running_loop()

    def hear(events: Sequence[RunEvent]) -> None:
        times.append(loop.time())
        batches.append(list(events))

    leave = coalescer.subscribe(hear)
    first = TrialStarted(trial="a", at="")
    coalescer.add(first)
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert batches == [[first]]
    turns = [turn("a", str(n)) for n in range(50)]
    for each in turns:
        coalescer.add(each)
        await asyncio.sleep(0.001)
    while sum(map(len, batches)) <= len(turns):
        await asyncio.sleep(0.01)
    assert [event for batch in batches[1:] for event in batch] == turns
    assert all(later - earlier > PERIOD * 0.9 for earlier, later in pairwise(times))
    leave()
    leave()
    heard = len(batches)
    coalescer.add(first)
    coalescer.flush()
    assert len(batches) == heard


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
