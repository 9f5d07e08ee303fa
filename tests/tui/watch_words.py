"""What journeys through the flip board share: opening it, and reading what stands there."""

from typing import Any, cast

from textual.pilot import Pilot

from tests.tui.conftest import settle, until
from tests.tui.orchard import OrchardDesk
from tests.tui.watches import OrchardWatch
from workbench.desk.forecast import Offer
from workbench.desk.watching.records import Wants
from workbench.engines.protocol import Readiness
from workbench.tui.app import WorkbenchApp
from workbench.tui.screens.watch import WatchScreen
from workbench.tui.widgets.header import HeaderBar
from workbench.tui.widgets.side_by_side import HalfText


async def opened(pilot: Pilot[Any], desk: OrchardDesk) -> tuple[WatchScreen, OrchardWatch]:
    """The board, opened with its key, and the watch behind it."""
    await settle(pilot)
    await pilot.press("w")
    await settle(pilot)
    return cast("WatchScreen", pilot.app.screen), desk.watches[-1]


async def drawn(pilot: Pilot[Any], screen: WatchScreen) -> None:
    """Everything that happened is on the screen."""
    await until(pilot, lambda: not screen.due)
    await settle(pilot)


def rows_of(screen: WatchScreen) -> list[str]:
    """Every line of the list."""
    options = (screen.listing.get_option_at_index(index) for index in range(screen.listing.option_count))
    return [str(option.prompt) for option in options]


def said(half: HalfText) -> str:
    """What stands on one side."""
    return "\n".join(line.lead[0] + line.text for line, _ in half._lines)


def header(app: WorkbenchApp) -> str:
    """The line at the top."""
    return str(app.screen.query_one(HeaderBar).render())


def wants(*audits: str) -> Wants:
    """What asking these of claude comes to."""
    ready = Readiness(engine="claude", version="2.1.332", credential="ANTHROPIC_API_KEY")
    return Wants(Offer("claude", "", len(audits), free=False, ready=ready, usd=0.42, seen=3, cap=2.0), audits)
