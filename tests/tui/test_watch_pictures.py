"""Pictures of the flip board, dark and light, wide and 80×24; `pytest --snapshot-update` takes them anew."""

from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from tests.tui.conftest import LOW, WIDE, until
from tests.tui.orchard import PROBLEM, OrchardDesk, as_desk
from tests.tui.watch_words import drawn, opened, wants
from tests.tui.watches import guide_edit, played
from workbench.tui.app import WorkbenchApp
from workbench.tui.screens import watch as watch_screen
from workbench.tui.screens.confirm import ConfirmScreen
from workbench.tui.themes import DARK, LIGHT


async def _nothing(pilot: Pilot[Any], desk: OrchardDesk) -> None:
    desk.watches[-1].ready()


async def _edits(pilot: Pilot[Any], desk: OrchardDesk) -> None:
    await played(pilot, desk)
    await pilot.press("right_square_bracket", "down")


async def _news(pilot: Pilot[Any], desk: OrchardDesk) -> None:
    await played(pilot, desk)


async def _answers(pilot: Pilot[Any], desk: OrchardDesk) -> None:
    await _edits(pilot, desk)
    await pilot.press("down", "3")


async def _whole_edit(pilot: Pilot[Any], desk: OrchardDesk) -> None:
    await _edits(pilot, desk)
    await pilot.press("up", "enter")


async def _trouble(pilot: Pilot[Any], desk: OrchardDesk) -> None:
    watch = await played(pilot, desk)
    watch.break_corpus(PROBLEM)
    watch.lose("boxes/orchard/docs")


async def _money(pilot: Pilot[Any], desk: OrchardDesk) -> None:
    watch = desk.watches[-1]
    watch.ready()
    watch.edited(guide_edit(1))
    watch.want(wants("card-glob", "inbox-place"))
    await until(pilot, lambda: isinstance(pilot.app.screen, ConfirmScreen))


async def _unpaid(pilot: Pilot[Any], desk: OrchardDesk) -> None:
    await _money(pilot, desk)
    await pilot.press("n")


PICTURES = {
    "watch-wide-dark": (WIDE, DARK, _edits),
    "watch-wide-light": (WIDE, LIGHT, _news),
    "watch-mid-light": ((120, 34), LIGHT, _trouble),
    "watch-edit-mid-dark": ((120, 34), DARK, _whole_edit),
    "watch-low-dark": (LOW, DARK, _edits),
    "watch-low-light": (LOW, LIGHT, _answers),
    "watch-empty-wide-dark": (WIDE, DARK, _nothing),
    "watch-empty-low-light": (LOW, LIGHT, _nothing),
    "watch-money-low-dark": (LOW, DARK, _money),
    "watch-unpaid-wide-light": (WIDE, LIGHT, _unpaid),
}


@pytest.mark.parametrize("name", PICTURES)
def test_the_board_looks_as_it_did(name: str, snap_compare: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watch_screen, "PULSE", 1000.0)
    size, theme, play = PICTURES[name]
    desk = OrchardDesk(Path("orchard"))
    app = WorkbenchApp(as_desk(desk))
    app.theme = theme.name

    async def arrange(pilot: Pilot[Any]) -> None:
        screen, _ = await opened(pilot, desk)
        await play(pilot, desk)
        await drawn(pilot, screen)
        await pilot.wait_for_animation()

    assert snap_compare(app, terminal_size=size, run_before=arrange)
