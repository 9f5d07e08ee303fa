"""What each agent loads: shown at once where it is known, probed on demand, stopped at once."""

from typing import cast

from textual.pilot import Pilot

from tests.tui.conftest import settle, until
from tests.tui.contexts import OrchardContexts
from tests.tui.orchard import OrchardDesk
from workbench.tui.app import WorkbenchApp
from workbench.tui.screens.bench import BenchScreen
from workbench.tui.screens.context import ContextScreen


async def _opened(pilot: Pilot[None]) -> ContextScreen:
    await settle(pilot)
    await pilot.press("c")
    await settle(pilot)
    return cast("ContextScreen", pilot.app.screen)


def _listed(screen: ContextScreen) -> list[str]:
    return [str(screen.listing.get_option_at_index(index).prompt) for index in range(screen.listing.option_count)]


async def test_what_was_probed_before_shows_at_once_and_its_text_beside_it(
    app: WorkbenchApp, desk: OrchardDesk
) -> None:
    contexts: OrchardContexts = desk.contexts
    async with app.run_test(size=(140, 40)) as pilot:
        screen = await _opened(pilot)
        assert contexts.probed == []
        rows = _listed(screen)
        assert [row.split()[1] for row in rows if row[:1] in ("●", "◐", "○", "·")] == [
            "always",
            "on",
            "referenced",
            "never",
        ]
        assert [row.split()[1] for row in rows if row.startswith("!")] == ["docs/AGENTS.md"]
        while "docs/AGENTS.md" not in str(screen.prose.border_title):
            await pilot.press("down")
            await settle(pilot)
        text = [line.text for line, _ in screen.prose._lines]
        assert "the chain says never; it came later" in text
        assert "# The orchard" in text
        await pilot.press("right_square_bracket")
        await settle(pilot)
        assert "/home/robin/.codex/AGENTS.md" in _listed(screen)[0]
        assert "changed since" in str(screen.parts.render())


async def test_a_probe_tells_its_steps_and_gives_its_place_to_what_it_found(
    app: WorkbenchApp, desk: OrchardDesk
) -> None:
    contexts: OrchardContexts = desk.contexts
    async with app.run_test(size=(140, 40)) as pilot:
        screen = await _opened(pilot)
        await pilot.press("left_square_bracket", "r")
        await until(pilot, lambda: "reading docs/naming.md" in str(screen.parts.render()))
        assert "3/6" in str(screen.parts.render())
        contexts.go_on.set()
        await settle(pilot)
        assert contexts.probed == ["pi"]
        assert "1.6.0" in str(screen.tabs.render())
        assert any("AGENTS.md" in row for row in _listed(screen))


async def test_escape_stops_the_probe_and_every_one_that_waits_then_leaves(
    app: WorkbenchApp, desk: OrchardDesk
) -> None:
    contexts: OrchardContexts = desk.contexts
    async with app.run_test(size=(140, 40)) as pilot:
        screen = await _opened(pilot)
        await pilot.press("R")
        await until(pilot, lambda: contexts.probed)
        await pilot.press("escape")
        await settle(pilot)
        assert (contexts.probed, contexts.ended) == (["claude"], ["claude"])
        assert app.screen is screen
        assert any("AGENTS.md" in row for row in _listed(screen))
        await pilot.press("escape")
        await settle(pilot)
        assert isinstance(pilot.app.screen, BenchScreen)


async def test_an_agent_that_has_gone_is_told_and_the_next_is_probed(app: WorkbenchApp, desk: OrchardDesk) -> None:
    contexts: OrchardContexts = desk.contexts
    contexts.go_on.set()
    async with app.run_test(size=(140, 40), notifications=True) as pilot:
        await _opened(pilot)
        await pilot.press("R")
        await settle(pilot)
        assert contexts.probed == ["claude", "codex", "pi"]
        assert ["not installed" in note.message for note in app._notifications] == [True]


async def test_a_box_that_is_not_there_stays_told(app: WorkbenchApp, desk: OrchardDesk) -> None:
    desk.contexts.missing = "audits/barn: no such folder"
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await _opened(pilot)
        await pilot.resize_terminal(140, 40)
        await settle(pilot)
        assert "audits/barn: no such folder" in str(screen.parts.render())
