"""A real CLI, asked about a planted workspace, with a script as its model."""

import json
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workbench.brains.scripted import Say, Scripted, Step
from workbench.endpoint.faults import Fault
from workbench.endpoint.records import Received
from workbench.endpoint.server import serve
from workbench.engines.protocol import Ending, Engine, Task
from workbench.traces.events import TraceEvent, trace_of
from workbench.traces.records import ToolResultTurn, Trace

ANSWER = "In the blue basket."


@dataclass
class Told:
    """What came of one run."""

    trace: Trace
    ending: Ending
    events: list[TraceEvent]
    asked: list[Received]

    @property
    def seen(self) -> str:
        """All that reached the model."""
        return json.dumps([request.body for request in self.asked])

    @property
    def results(self) -> list[ToolResultTurn]:
        """What its tools gave."""
        return [turn for turn in self.trace.turns if isinstance(turn, ToolResultTurn)]


Ask = Callable[..., Told]


def plant(root: Path, files: Mapping[str, str]) -> Path:
    """Write files below a folder: path → text; gives the folder."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def repository(root: Path, files: Mapping[str, str]) -> Path:
    """A workspace of these files that is a repository with one commit."""
    plant(root, files)
    git = ["git", "-c", "user.name=t", "-c", "user.email=t@t", "-C", str(root)]
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "box"]):
        subprocess.run([*git, *command], check=True, capture_output=True)
    return root


def ask(
    engine: Engine,
    workspace: Path,
    steps: Sequence[Step],
    faults: Sequence[Fault] = (),
    emit: Callable[[TraceEvent], None] | None = None,
    **more: Any,
) -> Told:
    """Ask an engine once where eggs go, or what `more` says of the task; nothing may stay beside the workspace."""
    beside = sorted(workspace.parent.iterdir())
    events: list[TraceEvent] = []
    with serve(Scripted(steps or (Say(ANSWER),)), faults=faults) as endpoint:
        given = {"trial": "t", "prompt": "Where do eggs go?", "base_url": endpoint.url, "timeout": 90.0}
        task = Task.model_validate({**given, "workspace": workspace, **more})
        ending = engine.run(task, emit or events.append)
        asked = list(endpoint.asked)
    assert sorted(workspace.parent.iterdir()) == beside
    return Told(trace_of(events), ending, events, asked)
