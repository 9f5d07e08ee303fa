"""What one trial of a real engine costs us: the stream it speaks, taken in, kept, told and laid out."""

import json
import statistics
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.benchmarks.measure import Figure
from workbench.engines.claude.stream import Stream
from workbench.engines.narrator import Narrator
from workbench.engines.protocol import Task
from workbench.runs.trial import Recorder
from workbench.runs.wire import LINE_LIMIT, heard, replies
from workbench.tui.transcript.layout import Layout
from workbench.tui.transcript.story import Story

EVENTS, ROUNDS = 100, 200
_WIDTH = 80


def figures(scratch: Path) -> Iterator[Figure]:
    """CPU of this process for a trial of 100 events: parsing, journal, wire, screen; the model's own time left out."""
    lines = list(_stream())[:EVENTS]
    parsed = _cpu(lambda number: [json.loads(line) for line in lines])
    taken = _cpu(lambda number: _take(lines, scratch / f"trace-{number}.jsonl"))
    beside = f"{taken / parsed:.0f} × parsing its JSON at {parsed * 1000:.2f} ms"
    yield Figure(f"one trial of {EVENTS} events, CPU of ours", taken * 1000, "ms", 20, beside)


def _take(lines: list[bytes], trace: Path) -> None:
    """The way of a trial's words: the adapter, the trace, the wire to the bench, the transcript."""
    layout = Layout(Story(), _WIDTH)

    def tell(said: Any) -> None:
        line = said.model_dump_json().encode()
        event = heard("trial", replies().validate_json(line))
        assert event is not None
        assert len(line) < LINE_LIMIT
        layout.relay(layout.story.apply(event))

    recorder = Recorder(trace, (), tell)
    task = Task(trial="trial", prompt="Where do memos go?", workspace=trace.parent)
    stream = Stream(Narrator(task, recorder.emit), engine="claude", version="2.1.332")
    for line in lines:
        stream.feed(line)
    stream.close()
    recorder.close()


def _cpu(action: Any) -> float:
    """Median CPU seconds of a call, after a few to warm up."""
    spent = []
    for number in range(ROUNDS):
        begun = time.process_time()
        action(number)
        spent.append(time.process_time() - begun)
    return statistics.median(spent[10:])


def _stream() -> Iterator[bytes]:
    """A session that reads one file after the other and tells of each, in the events of Claude Code."""
    yield _line(type="system", subtype="init", session_id="s", model="m", tools=["Read"], claude_code_version="2.1.332")
    for number in range(EVENTS):
        message = {"id": f"msg_{number}", "model": "m", "usage": {"input_tokens": 1000 + number, "output_tokens": 1}}
        call = {"type": "tool_use", "id": f"call_{number}", "name": "Read", "input": {"file_path": f"docs/{number}.md"}}
        yield _partial(type="message_start", message=message)
        for word in ("The next page ", "tells where ", "memos go."):
            yield _partial(type="content_block_delta", index=0, delta={"type": "text_delta", "text": word})
        yield _line(
            type="assistant",
            message={**message, "content": [{"type": "text", "text": "The next page tells where memos go."}]},
        )
        yield _line(type="assistant", message={**message, "content": [call]})
        yield _partial(type="message_delta", delta={"stop_reason": "tool_use"}, usage={"output_tokens": 40})
        yield _partial(type="message_stop")
        result = {"type": "tool_result", "tool_use_id": f"call_{number}", "content": "A line of the page.\n" * 60}
        yield _line(type="user", message={"role": "user", "content": [result]})


def _partial(**event: Any) -> bytes:
    return _line(type="stream_event", event=event, parent_tool_use_id=None)


def _line(**event: Any) -> bytes:
    return json.dumps(event).encode()
