"""An audit fixed at the screen, on a real project: edited, refused, saved, its flips shown; its patterns tried."""

import asyncio
import contextlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeVar

import pytest
from textual.pilot import Pilot
from textual.widgets import Static

from tests.projects import CORPUS, make_project
from tests.tui.conftest import LOW, WIDE, settle, until
from workbench.checks.records import Outcome
from workbench.desk.desk import Desk
from workbench.desk.records import AskRequest
from workbench.tui.app import WorkbenchApp
from workbench.tui.screens.bench import BenchScreen
from workbench.tui.screens.confirm import ConfirmScreen
from workbench.tui.screens.edit import EditScreen
from workbench.tui.screens.patterns import PatternsScreen

FILE = "audits/knowledge.yaml"
SAMPLES = """\
    correct_contains: ["Tuesday"]
    correct_matches: ['oiled on']
    samples:
      right: ["They are oiled\\non Friday."]
      wrong: ["Never."]
"""

ScreenType = TypeVar("ScreenType")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    corpus = CORPUS.replace('    correct_contains: ["Tuesday"]\n', SAMPLES)
    root = make_project(tmp_path / "shed", {FILE: corpus})
    desk = Desk.open(root)

    async def ask() -> None:
        await asyncio.wait_for(desk.ask(AskRequest(("oil-day",))).wait(), 60)

    asyncio.run(ask())
    return root


async def go(pilot: Pilot[Any], app: WorkbenchApp, key: str, kind: type[ScreenType]) -> ScreenType:
    """To the audit, and press a key that opens a screen there."""
    await settle(pilot)
    bench = app.bench
    assert bench is not None
    await until(pilot, lambda: bench.rows.audit is not None)
    while bench.rows.audit is None or bench.rows.audit.audit.id != "oil-day":
        await pilot.press("right_square_bracket")
        await settle(pilot)
    await pilot.press(key)
    await settle(pilot)
    assert isinstance(app.screen, kind)
    return app.screen


def told(screen: EditScreen | PatternsScreen, where: str) -> str:
    """What a pane says, as one line."""
    return " ".join(" ".join(str(static.content).split()) for static in screen.query_one(where).query(Static))


async def edit(pilot: Pilot[Any], screen: EditScreen, old: str, new: str) -> None:
    """Change a text as if by hand, at its first place."""
    row = next(n for n, line in enumerate(screen.area.text.split("\n")) if old in line)
    column = screen.area.text.split("\n")[row].index(old)
    screen.area.replace(new, (row, column), (row, column + len(old)))
    await settle(pilot)


async def test_a_literal_is_changed_saved_and_the_flip_is_shown(root: Path) -> None:
    before = (root / FILE).read_bytes()
    app = WorkbenchApp(Desk.open(root))
    async with app.run_test(size=WIDE) as pilot:
        screen = await go(pilot, app, "e", EditScreen)
        assert screen.area.text.splitlines()[0] == "- id: oil-day"
        await edit(pilot, screen, "Tuesday", "Friday")
        await pilot.press("ctrl+s")
        await until(pilot, lambda: "flipped" in told(screen, "#flips"))
        assert "1 flipped ✗ → ✓ oil-day" in told(screen, "#flips")
        assert "right sample 1 is failed by correct_matches 'oiled on'" in told(screen, "#findings")
        await edit(pilot, screen, "'oiled on'", "'oiled\\s+on'")
        await pilot.press("ctrl+s")
        await until(pilot, lambda: "nothing to complain" in told(screen, "#findings"))
        await until(pilot, lambda: "none flipped" in told(screen, "#flips"))
        assert (root / FILE).read_bytes() == before.replace(b"Tuesday", b"Friday").replace(
            b"oiled on'", b"oiled\\s+on'"
        )
        await pilot.press("escape")
        await settle(pilot)
        assert isinstance(app.screen, BenchScreen)
        assert app.screen.rows.audit is not None
        assert app.screen.rows.audit.last is not None
        assert app.screen.rows.audit.last.verdict.outcome is Outcome.PASSED


async def test_what_would_break_the_file_is_refused_at_its_line(root: Path) -> None:
    before = (root / FILE).read_bytes()
    app = WorkbenchApp(Desk.open(root))
    async with app.run_test(size=LOW) as pilot:
        screen = await go(pilot, app, "e", EditScreen)
        await edit(pilot, screen, "prompt:", "promt:")
        await pilot.press("ctrl+s")
        await until(pilot, lambda: "✗" in told(screen, "#flips"))
        await settle(pilot)
        assert "✗ line 14 `prompt` is missing" in told(screen, "#findings")
        assert screen.area.cursor_location == (1, 0)
        await pilot.press("ctrl+l", "ctrl+o", "escape")
        await settle(pilot)
        assert isinstance(app.screen, ConfirmScreen)
        await pilot.press("n", "escape", "y")
        await settle(pilot)
        assert isinstance(app.screen, BenchScreen)
    assert (root / FILE).read_bytes() == before


async def test_the_terminal_is_lent_to_the_editor_and_taken_back(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    desk = Desk.open(root)
    monkeypatch.setenv("EDITOR", "vi")

    def launch(argv: Sequence[str], cwd: Path) -> int:
        path = Path(argv[-1])
        path.write_text(path.read_text().replace('"Tuesday"', '"Friday"').replace("'oiled on'", "friday"))
        return 0

    desk.editor.launch = launch
    app = WorkbenchApp(desk)
    async with app.run_test(size=WIDE) as pilot:
        screen = await go(pilot, app, "e", EditScreen)
        await pilot.press("ctrl+o")
        await until(pilot, lambda: "cannot be given" in told(screen, "#flips"))
        monkeypatch.setattr(app, "suspend", contextlib.nullcontext)
        await pilot.press("ctrl+o")
        await until(pilot, lambda: "✗ → ✓" in told(screen, "#flips"))
        assert "correct_matches: [friday]" in screen.area.text
        assert not screen.dirty


async def test_candidates_are_tried_as_they_are_typed(root: Path) -> None:
    app = WorkbenchApp(Desk.open(root))
    async with app.run_test(size=WIDE) as pilot:
        screen = await go(pilot, app, "p", PatternsScreen)
        await until(pilot, lambda: "wrongly failed: this is a good answer" in told(screen, "#answers-tried"))
        await pilot.press("down")
        await until(pilot, lambda: "near miss" in told(screen, "#answers-tried"))
        assert "line break" in told(screen, "#answers-tried")
        await pilot.press("enter")
        assert screen.field.value == "oiled on"
        await pilot.press("(")
        await until(pilot, lambda: screen.query_one("#try-error").display)
        await pilot.press("backspace", "ctrl+n")
        await until(pilot, lambda: not screen.query_one("#try-error").display)
        assert "contains" in str(screen.query_one("#try-kind", Static).content)
        await until(pilot, lambda: "holds on 1 of 3" in str(screen._box.border_subtitle))
        await pilot.press("escape")
        await settle(pilot)
        assert isinstance(app.screen, BenchScreen)


async def test_the_editor_lends_its_unsaved_text_to_the_pattern_bench(root: Path) -> None:
    app = WorkbenchApp(Desk.open(root))
    async with app.run_test(size=WIDE) as pilot:
        screen = await go(pilot, app, "e", EditScreen)
        await edit(pilot, screen, "Tuesday", "Fri")
        await pilot.press("ctrl+l")
        await settle(pilot)
        assert isinstance(app.screen, PatternsScreen)
        assert [candidate.text for candidate in app.screen._listed] == ["Fri", "oiled on"]
