"""Several statuses in one go: seen, written, each committed by itself; the first refusal stops it."""

from pathlib import Path

from textual.pilot import Pilot

from tests.projects import git, make_project
from tests.tui.conftest import WIDE, settle, until
from workbench.desk.desk import Desk
from workbench.tui.app import WorkbenchApp
from workbench.tui.screens.confirm import ConfirmScreen
from workbench.tui.screens.status import StatusScreen

FILE = "audits/knowledge.yaml"


async def opened(pilot: Pilot[None], app: WorkbenchApp) -> StatusScreen:
    """Ask everything, then open the status screen with both sections marked."""
    await settle(pilot)
    await pilot.press("a")
    await until(pilot, lambda: app.board.tally.finished == 4 and not app.runs.live, 60)
    await settle(pilot)
    await pilot.press("s")
    await settle(pilot)
    await pilot.press("space", "down", "space")
    await settle(pilot)
    assert isinstance(app.screen, StatusScreen)
    assert "2 marked" in str(app.screen.sections.listing.border_subtitle)
    return app.screen


async def test_marked_sections_are_written_together_and_committed_apart(tmp_path: Path) -> None:
    root = make_project(tmp_path / "shed")
    before = (root / FILE).read_bytes()
    app = WorkbenchApp(Desk.open(root))
    async with app.run_test(size=WIDE) as pilot:
        status = await opened(pilot, app)
        await pilot.press("w")
        await until(pilot, lambda: isinstance(app.screen, ConfirmScreen))
        assert (root / FILE).read_bytes() == before
        await pilot.press("y")
        await until(pilot, lambda: "all 2 written" in str(status.draft._outcome.content))
        await settle(pilot)
        await pilot.press("c")
        await until(pilot, lambda: "all 2 committed" in str(status.draft._outcome.content), 60)
        await settle(pilot)
        assert git(root, "status", "--porcelain") == ""
        told = git(root, "log", "-2", "--format=%s").split("\n")
        assert told == ["Record a status for Tools", "Record a status for Bees"]
        for _ in range(2):
            await pilot.press("u")
            await until(pilot, lambda: "taken back" in str(status.draft._outcome.content))
            await settle(pilot)
        assert (root / FILE).read_bytes() == before


async def test_a_refusal_stops_there_and_says_what_is_done(tmp_path: Path) -> None:
    root = make_project(tmp_path / "shed")
    hook = root / ".git" / "hooks" / "commit-msg"
    hook.write_text('#!/bin/sh\nif grep -q "for Tools" "$1"; then echo "not today"; exit 1; fi\n', encoding="utf-8")
    hook.chmod(0o755)
    app = WorkbenchApp(Desk.open(root))
    async with app.run_test(size=WIDE) as pilot:
        status = await opened(pilot, app)
        await pilot.press("w")
        await until(pilot, lambda: isinstance(app.screen, ConfirmScreen))
        await pilot.press("y")
        await until(pilot, lambda: "all 2 written" in str(status.draft._outcome.content))
        await settle(pilot)
        await pilot.press("c")
        await until(pilot, lambda: "stopped there" in str(status.draft._outcome.content), 60)
        told = str(status.draft._outcome.content)
        assert "not today" in told
        assert "1 of 2 done, 1 left as they were" in told
        assert git(root, "log", "-1", "--format=%s") == "Record a status for Bees"
