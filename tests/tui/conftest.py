"""What the tests of the screen share: the invented orchard, and waiting without sleeping."""

import asyncio
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from tests.tui.orchard import OrchardDesk, as_desk
from workbench.tui.app import WorkbenchApp
from workbench.tui.screens.confirm import ConfirmScreen

WIDE, LOW = (140, 40), (80, 24)


async def settle(pilot: Pilot[Any]) -> None:
    """Wait until every worker that needs nobody is done and what it changed is drawn."""
    await pilot.pause()
    while workers := [worker for worker in pilot.app.workers if worker.group not in _waiting(pilot)]:
        await pilot.app.workers.wait_for_complete(workers)
        await pilot.pause()


def _waiting(pilot: Pilot[Any]) -> set[str]:
    """Groups of workers that wait for a run or a human, not for the machine."""
    return {"runs", "deeds"} if isinstance(pilot.app.screen, ConfirmScreen) else {"runs"}


async def until(pilot: Pilot[Any], holds: Callable[[], object], seconds: float = 20.0) -> None:
    """Wait until something holds, drawing meanwhile; fail with what did not."""
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, f"never held: {holds}"
        await pilot.pause()
        await asyncio.sleep(0.01)


@pytest.fixture(autouse=True)
def faults(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where unexpected errors are written: no test may leave one, and none sees the settings of who runs it."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    log = tmp_path / "state" / "workbench" / "faults.log"
    yield log
    assert not log.exists(), log.read_text("utf-8")


@pytest.fixture
def desk(tmp_path: Path) -> OrchardDesk:
    """The orchard, in a folder that exists."""
    root = tmp_path / "orchard"
    (root / "audits").mkdir(parents=True)
    (root / "audits" / "guidance.yaml").write_text("tests:\n  # === Asking first ===\n", encoding="utf-8")
    return OrchardDesk(root)


@pytest.fixture
def app(desk: OrchardDesk) -> WorkbenchApp:
    """The bench on the orchard."""
    return WorkbenchApp(as_desk(desk))
