"""The voice of adapters, and the private place they run in."""

import os
import time
from pathlib import Path

from tests.host.test_processes import gone, runs
from workbench.engines.narrator import Narrator
from workbench.engines.protocol import Task
from workbench.engines.seclusion import Seclusion
from workbench.host.dialogue import Dialogue
from workbench.traces.events import TraceEvent, trace_of
from workbench.traces.records import LoadedFile, TextBlock, TokenLedger


def test_a_session_is_told_in_order_with_sub_agents_and_guidance_apart(tmp_path: Path) -> None:
    events: list[TraceEvent] = []
    narrator = Narrator(Task(trial="t", prompt="Why?", workspace=tmp_path), events.append)
    for _ in range(2):
        narrator.open(engine="x", version="1", model="m", session="s")
    narrator.delta("Bec")
    narrator.assistant([TextBlock(text="Because\x1b.")], ledger=TokenLedger(input=3))
    narrator.assistant([TextBlock(text="Aside")], parent="call")
    asked = narrator.result("call", "done", is_error=True)
    narrator.user("Go on.", at="2026-01-01T00:00:00Z")
    rule = LoadedFile(path="rule.md", layer="conditional")
    narrator.loaded([rule], after=asked)
    narrator.loaded([])
    trace = trace_of(events)
    assert [(turn.turn_index, turn.role) for turn in trace.turns] == [
        (0, "user"),
        (1, "assistant"),
        (2, "assistant"),
        (3, "toolResult"),
        (4, "user"),
    ]
    assert (narrator.messages, narrator.last_text) == (1, "Because␛.")
    assert (trace.reply, trace.guidance) == ("Because␛.", (rule,))
    assert trace.turns[4].started_at == "2026-01-01T00:00:00Z"


def test_a_secluded_place_is_private_knows_nothing_of_the_user_and_goes(tmp_path: Path) -> None:
    workspace = tmp_path / "box"
    with Seclusion(workspace, {"TRIAL": "1", "HOME": "/elsewhere"}) as place:
        env = place.env(EXTRA="2")
        assert set(env) == {"PATH", "LANG", "TERM", "HOME", "TMPDIR", "TRIAL", "EXTRA"}
        assert env["PATH"] == os.environ["PATH"]
        assert Path(env["HOME"]) == place.home
        (place.folder("config") / "file").touch()
        assert place.folder("config") == place.folder("config")
        assert place.root.parent == tmp_path
        assert place.root.stat().st_mode & 0o77 == 0
    assert list(tmp_path.iterdir()) == []


def test_a_daemon_that_was_told_of_the_place_does_not_outlive_it(tmp_path: Path) -> None:
    with Seclusion(tmp_path / "box", {}) as place:
        script = "setsid sh -c 'setsid sleep 600 & echo $!' & wait"
        with Dialogue.start(["sh", "-c", script], cwd=tmp_path, env=place.env()) as dialogue:
            daemon = int(next(dialogue.lines(time.monotonic() + 20, 20)))
            assert list(dialogue.lines(time.monotonic() + 20, 20)) == []
        assert runs(daemon)
    assert gone(daemon)
