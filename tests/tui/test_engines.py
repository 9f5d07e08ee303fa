"""Whom to ask is chosen for the session, with what each engine has and lacks before one's eyes."""

from textual.widgets import Static

from tests.tui.conftest import LOW, settle
from tests.tui.orchard import OrchardDesk
from workbench.tui.app import WorkbenchApp
from workbench.tui.screens.bench import BenchScreen
from workbench.tui.screens.engines import EnginesScreen
from workbench.tui.widgets.hanging import Hanging
from workbench.tui.widgets.header import HeaderBar


async def test_an_engine_and_a_model_are_chosen_for_what_is_asked_next(desk: OrchardDesk, app: WorkbenchApp) -> None:
    async with app.run_test(size=LOW) as pilot:
        await settle(pilot)
        await pilot.press("E")
        await settle(pilot)
        assert isinstance(app.screen, EnginesScreen)
        await pilot.press("down", "down", "down")
        await settle(pilot)
        assert "set CODEX_API_KEY" in str(app.screen.query_one(Hanging).render())
        await pilot.press("enter")
        await settle(pilot)
        assert isinstance(app.screen, EnginesScreen)

        await pilot.press("up", "m", *"opus", "enter")
        await settle(pilot)
        assert isinstance(app.screen, BenchScreen)
        assert "claude opus" in str(app.screen.query_one(HeaderBar).render())
        await pilot.press("down", "down", "r")
        await settle(pilot)
        await pilot.press("y")
        await settle(pilot)
        assert desk.request is not None
        assert (desk.request.engine, desk.request.model) == ("claude", "opus")


async def test_a_rehearsal_takes_no_model_and_escape_leaves_the_choice_as_it_is(app: WorkbenchApp) -> None:
    async with app.run_test(size=LOW) as pilot:
        await settle(pilot)
        await pilot.press("E")
        await settle(pilot)
        await pilot.press("m", *"opus", "escape", "end", "enter")
        await settle(pilot)
        assert (app.board.choice.engine, app.board.choice.model) == ("claude+reader", "")
        await pilot.press("E")
        await settle(pilot)
        await pilot.press("home", "escape")
        await settle(pilot)
        assert app.board.choice.engine == "claude+reader"
        await pilot.press("E")
        await settle(pilot)
        await pilot.press("home", "enter")
        await settle(pilot)
        assert app.board.choice.engine == ""


async def test_a_mistake_in_the_settings_is_told_and_looked_at_again_once_mended(
    desk: OrchardDesk, app: WorkbenchApp
) -> None:
    desk.engines.mistake = "engines.toml: [claud] is no table of an engine"
    async with app.run_test(size=LOW) as pilot:
        await settle(pilot)
        await pilot.press("E")
        await settle(pilot)
        assert "[claud] is no table" in str(app.screen.query_one("#waiting", Static).render())
        desk.engines.mistake = ""
        await pilot.press("ctrl+r")
        await settle(pilot)
        await pilot.press("end", "enter")
        await settle(pilot)
        assert app.board.choice.engine == "claude+reader"
