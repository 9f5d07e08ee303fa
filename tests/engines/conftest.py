"""A place for tools to work in, and a way to ask the reader."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from workbench.engines.protocol import Ending, Task
from workbench.engines.registry import get
from workbench.engines.toolbox.box import Toolbox
from workbench.engines.toolbox.place import Home, Place
from workbench.guidance.chain import load
from workbench.traces.events import TraceEvent, trace_of
from workbench.traces.records import Trace

Plant = Callable[[dict[str, str]], Path]
Ask = Callable[..., tuple[Trace, Ending]]


@pytest.fixture
def plant(tmp_path: Path) -> Plant:
    """Writes a box: path → text; returns its root."""

    def write(files: dict[str, str]) -> Path:
        root = tmp_path / "outer" / "box"
        root.mkdir(parents=True, exist_ok=True)
        for path, text in files.items():
            place = root / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, encoding="utf-8", newline="")
        return root

    return write


@pytest.fixture
def tools(plant: Plant, tmp_path: Path) -> Callable[..., Toolbox]:
    """The toolbox in a planted box; keyword arguments go to its place."""

    def make(files: dict[str, str], **more: Any) -> Toolbox:
        root = plant(files)
        home = Home(tmp_path)
        cwd = str(more.get("cwd", ""))
        return Toolbox("box", Place(root, chain=load(root, cwd, "claude"), **{"cwd": "", "home": home, **more}))

    return make


@pytest.fixture
def ask(plant: Plant) -> Ask:
    """Asks the reader in a planted box and gives the trace and the ending."""

    def question(prompt: str, files: dict[str, str], **more: Any) -> tuple[Trace, Ending]:
        events: list[TraceEvent] = []
        task = Task(trial="t", prompt=prompt, workspace=plant(files), **more)
        ending = get("reader").run(task, events.append)
        return trace_of(events), ending

    return question
