"""Money asks first: one question for each engine, and none where nothing is paid."""

from tests.tui.conftest import WIDE, settle
from tests.tui.orchard import OrchardDesk
from workbench.runs.events import Paused
from workbench.traces.reasons import Reason
from workbench.tui.app import WorkbenchApp
from workbench.tui.screens.confirm import ConfirmScreen
from workbench.tui.widgets.hanging import Hanging


async def test_an_engine_that_costs_money_wants_one_yes(desk: OrchardDesk, app: WorkbenchApp) -> None:
    desk.asks = "claude"
    async with app.run_test(size=WIDE) as pilot:
        await settle(pilot)
        await pilot.press("down", "down", "r")
        await settle(pilot)
        assert isinstance(app.screen, ConfirmScreen)
        assert "about $0.42, as 3 earlier trials cost" in str(app.screen.query_one(Hanging).render())
        await pilot.press("n")
        await settle(pilot)
        assert desk.live is None

        await pilot.press("r")
        await settle(pilot)
        await pilot.press("y")
        await settle(pilot)
        assert desk.live is not None
        first = desk.live
        first.begin()
        first.finish()
        await settle(pilot)
        await pilot.press("down", "r")
        await settle(pilot)
        assert not isinstance(app.screen, ConfirmScreen)
        assert desk.live is not first


async def test_a_rehearsal_never_asks_and_a_wait_for_the_provider_shows(desk: OrchardDesk, app: WorkbenchApp) -> None:
    desk.asks = "claude+reader"
    async with app.run_test(size=WIDE) as pilot:
        await settle(pilot)
        await pilot.press("down", "down", "r")
        await settle(pilot)
        assert desk.live is not None
        desk.live.begin()
        desk.live.tell(Paused("card-glob", 30, Reason.RATE_LIMIT))
        assert app.board.patience == "waiting 30 s for the provider (rate limit)"
        desk.live.finish()
        assert app.board.patience == ""
        await settle(pilot)
