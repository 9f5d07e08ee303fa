"""Who says too much ends as a trial that cannot be measured: at once, and without filling disk or wire."""

import contextlib
from pathlib import Path

import pytest

from tests.runs.conftest import Plan, run
from workbench.runs import trial
from workbench.runs.store import load
from workbench.traces.events import Started, TurnAdded
from workbench.traces.reasons import Reason
from workbench.traces.records import AssistantTurn, Meta, TextBlock
from workbench.traces.store import TraceWriter


async def test_many_words_about_an_end_arrive_short_and_without_the_key(scripted: Plan) -> None:
    keys = {"PAYING_KEY": "quince-1234"}
    campaign, _ = await run(scripted(["say In the shed.\nblame 3000000"], engine="paying", keys=keys))
    ending = load(campaign.folder).finished["a0"].ending
    assert ending.reason is Reason.CRASHED
    assert "[redacted]" in ending.detail
    assert "quin" not in ending.detail
    assert len(ending.detail) < 5000


def test_what_a_full_disk_keeps_from_the_trace_was_said_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(TraceWriter, "write", full)
    recorder = trial.Recorder(tmp_path / "trace.jsonl", (), lambda said: None)
    with pytest.raises(OSError, match="space"):
        recorder.emit(TurnAdded("t", AssistantTurn(turn_index=0, content=(TextBlock(text="x"),))))
    assert recorder.messages == 1


def test_an_agent_that_never_stops_telling_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trial, "LARGEST", 10_000)
    recorder = trial.Recorder(tmp_path / "trace.jsonl", (), lambda said: None)
    recorder.emit(Started("t", Meta(engine="x", workspace="/w", prompt="?")))
    flood = TurnAdded("t", AssistantTurn(turn_index=1, parent="p", content=(TextBlock(text="x" * 1000),)))
    for _ in range(20):
        with contextlib.suppress(RuntimeError):
            recorder.emit(flood)
    with pytest.raises(RuntimeError, match="told more than"):
        recorder.closing()
    recorder.close()
    assert (tmp_path / "trace.jsonl").stat().st_size < 12_000
