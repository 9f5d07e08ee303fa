"""What the screen costs: the first picture, a key, a long transcript, a large stored trace."""

import asyncio
import json
import resource
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.benchmarks.measure import Figure, workbench
from tests.benchmarks.projects import TOPICS, fill_box, large_corpus
from tests.terminal import CURSOR, Terminal, bench
from tests.tui.conftest import WIDE, settle, until
from tests.tui.orchard import OrchardDesk, as_desk
from workbench.desk.desk import Desk
from workbench.traces.events import TurnAdded
from workbench.traces.records import AssistantTurn, Meta, TextBlock, ToolCall, ToolResultTurn
from workbench.traces.store import TraceWriter
from workbench.tui.app import WorkbenchApp
from workbench.tui.transcript.story import Story

AUDITS, RUNS = 600, 200
LINES, EACH = 50_000, 5
LARGE = 12_000_000
KEYS = 60


def figures(scratch: Path) -> Iterator[Figure]:
    """First paint, key to paint, appended lines, a large trace."""
    project = _with_runs(scratch / "many")
    yield from _first_paint(project)
    yield from _keys(scratch)
    yield from _appended()
    yield from asyncio.run(_large(_with_large_trace(scratch / "long")))


# First paint


def _with_runs(root: Path) -> Path:
    """A project of 600 audits and 200 runs of twenty trials each, all of them indexed."""
    project = large_corpus(root, AUDITS)
    fill_box(project / "audits" / "box", 10, AUDITS)
    subprocess.run(workbench("run", "section:Section 0"), cwd=project, stdout=subprocess.DEVNULL, check=False)
    first = next(path for path in (project / "reports").iterdir() if path.is_dir())
    manifest = json.loads((first / "run.json").read_text("utf-8"))
    for number in range(RUNS - 1):
        copy = first.with_name(f"2026-01-{number % 28 + 1:02}T10-{number // 28:02}-00-reader")
        shutil.copytree(first, copy)
        (copy / "run.json").write_text(json.dumps(manifest | {"run_id": copy.name}), encoding="utf-8")
    subprocess.run(workbench("list"), cwd=project, stdout=subprocess.DEVNULL, check=True)
    return project


def _first_paint(project: Path) -> Iterator[Figure]:
    empty = [sys.executable, "-m", "tests.benchmarks.empty"]
    root = str(Path(__file__).resolve().parents[2])
    idle = statistics.median(_painted(empty, project, rb"empty but ready", root) for _ in range(5))
    full = statistics.median(_painted(bench(), project, TOPICS[0].encode() + rb"-0") for _ in range(5))
    beside = f"{full:.2f} s beside an empty Textual app at {idle:.2f} s"
    yield Figure(f"first paint, {AUDITS} audits, {RUNS} runs, over an empty app", full - idle, "s", 0.6, beside)


def _painted(argv: list[str], cwd: Path, pattern: bytes, path: str = "") -> float:
    with Terminal(argv, cwd, PYTHONPATH=path) as terminal:
        return terminal.wait(pattern) - terminal.begun


# Key to paint


def _keys(scratch: Path) -> Iterator[Figure]:
    root = str(Path(__file__).resolve().parents[2])
    figures = {}
    for pace in (0, 1000):
        argv = [sys.executable, "-m", "tests.benchmarks.streaming", str(pace)]
        with Terminal(argv, scratch, PYTHONPATH=root) as terminal:
            terminal.wait(CURSOR + rb"trial-0")
            terminal.rest(0.5) if not pace else time.sleep(1.0)
            figures[pace] = _pressed(terminal)
    idle, busy = figures[0], figures[1000]
    yield Figure("key to paint, idle, p95", idle * 1000, "ms")
    beside = f"{busy / idle:.1f} × idle, wanted ≤ 2.5 ×"
    yield Figure("key to paint, 8 trials streaming 1,000 events a second, p95", busy * 1000, "ms", 80, beside)


def _pressed(terminal: Terminal) -> float:
    """Seconds from a key until the cursor's line is painted elsewhere: the 95th of a hundred."""
    times = []
    for number in range(KEYS):
        down = number % 2 == 0
        since = len(terminal.output)
        sent = terminal.send("\x1b[B" if down else "\x1b[A")
        times.append(terminal.wait(CURSOR + (rb"trial-1" if down else rb"trial-0"), since) - sent)
        time.sleep(0.03)
    return statistics.quantiles(times, n=20)[-1]


# A long transcript


def _appended() -> Iterator[Figure]:
    seconds, megabytes = asyncio.run(_append())
    yield Figure(f"{LINES:,} transcript lines appended in {LINES // EACH:,} messages", seconds, "s", 1.5)
    yield Figure("the same, memory", megabytes, "MB", 20)


async def _append() -> tuple[float, float]:
    app = WorkbenchApp(as_desk(OrchardDesk()))
    async with app.run_test(size=WIDE) as pilot:
        await pilot.pause()
        assert app.bench is not None
        transcript = app.bench.transcript
        story = Story()
        story.start(Meta(engine="reader", workspace="/ws", prompt="Go."))
        transcript.show(story)
        turns = [
            AssistantTurn(turn_index=n, content=(TextBlock(text=f"line {n} says what happened here\n" * EACH),))
            for n in range(LINES // EACH)
        ]
        before = _resident()
        begun = time.perf_counter()
        for start in range(0, len(turns), 200):
            transcript.apply(TurnAdded("t", turn) for turn in turns[start : start + 200])
            await asyncio.sleep(0)
        return time.perf_counter() - begun, _resident() - before


def _resident() -> float:
    pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    return pages * resource.getpagesize() / 2**20


# A large stored trace


def _with_large_trace(root: Path) -> Path:
    """A project whose one stored trial has a trace of 12 MB."""
    project = large_corpus(root, 2)
    fill_box(project / "audits" / "box", 4, 2)
    subprocess.run(workbench("run"), cwd=project, stdout=subprocess.DEVNULL, check=False)
    path = next((project / "reports").glob(f"*/traces/{TOPICS[0]}-0*.jsonl"))
    with TraceWriter(path) as writer:
        writer.write(Meta(engine="reader", workspace="/ws", prompt="Where is everything?"))
        number = size = 0
        while size < LARGE:
            size += _exchange(writer, number)
            number += 1
        last = AssistantTurn(turn_index=2 * number, content=(TextBlock(text="that was the very end"),))
        writer.write(last)
    return project


def _exchange(writer: TraceWriter, number: int) -> int:
    said = f"Step {number}: the next page names another one. " * 6
    found = "\n".join(f"docs/page-{number}.md:{line}: an entry about row {line} of the orchard" for line in range(30))
    tool, arguments = (
        ("Read", {"file_path": f"/ws/docs/{number}.md"}),
        ("Grep", {"pattern": f"row {number}", "path": "/ws/docs"}),
        ("Bash", {"command": f"cat docs/{number}.md | head -20"}),
    )[number % 3]
    call = ToolCall(id=f"c{number}", name=tool, arguments=arguments)
    writer.write(AssistantTurn(turn_index=2 * number, content=(TextBlock(text=said), call)))
    result = ToolResultTurn(turn_index=2 * number + 1, tool_use_id=call.id, content=(TextBlock(text=found),))
    writer.write(result)
    return len(said) + len(found) + 400


async def _large(project: Path) -> list[Figure]:
    app = WorkbenchApp(Desk.open(project))
    async with app.run_test(size=WIDE) as pilot:
        assert app.bench is not None
        transcript = app.bench.transcript
        await until(pilot, lambda: app.bench and app.bench.rows.audit_ids)
        await pilot.press("end")
        await until(pilot, lambda: transcript.story.meta is not None and "1" in str(transcript.border_title))
        await settle(pilot)
        ticker = asyncio.create_task(_gaps())
        await asyncio.sleep(0.1)
        begun = time.perf_counter()
        app.bench.rows.step(-1)
        await _seen(lambda: any("very end" in text for b in transcript.story.blocks[-2:] for text in b.texts()))
        await _seen(lambda: "very end" in _words(app))
        tail = time.perf_counter() - begun
        await _seen(lambda: len(transcript.story.turns) > 5_000)
        transcript.search.look("row 29 of")
        await _seen(lambda: transcript.search.finding.places)
        whole = time.perf_counter() - begun
        ticker.cancel()
        gaps = await asyncio.gather(ticker, return_exceptions=True)
        worst = gaps[0] if isinstance(gaps[0], float) else 0.0
    return [
        Figure("stored trace of 12 MB, its end painted", tail, "s", 0.5),
        Figure("the same, all of it searched", whole, "s", 3.0),
        Figure("the same, event loop held up at most", worst * 1000, "ms", 50),
    ]


async def _seen(holds: Callable[[], object]) -> None:
    deadline = time.monotonic() + 30
    while not holds():
        assert time.monotonic() < deadline
        await asyncio.sleep(0.005)


def _words(app: WorkbenchApp) -> str:
    return "\n".join(strip.text for strip in app.screen._compositor.render_strips())


async def _gaps() -> float:
    """The longest the loop was held up, until cancelled."""
    worst, last = 0.0, time.perf_counter()
    try:
        while True:
            await asyncio.sleep(0.002)
            now = time.perf_counter()
            worst, last = max(worst, now - last - 0.002), now
    except asyncio.CancelledError:
        return worst
