"""Pictures of every screen, dark and light, wide and 80×24; `pytest --snapshot-update` takes them anew."""

from datetime import date
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from tests.tui.conftest import LOW, WIDE, settle
from tests.tui.orchard import OrchardDesk, as_desk
from workbench.tui.app import WorkbenchApp
from workbench.tui.themes import CONTRAST, DARK, LIGHT
from workbench.tui.widgets import audit_labels


class _Then(date):
    """A day in the year the orchard's statuses were written."""

    @classmethod
    def today(cls) -> "_Then":
        return cls(2026, 11, 29)


PICTURES = {
    "bench-wide-dark": (WIDE, DARK, ("down",)),
    "bench-wide-light": (WIDE, LIGHT, ("down", "tab", "j", "j", "enter")),
    "bench-low-dark": (LOW, DARK, ("down",)),
    "bench-low-light": (LOW, LIGHT, ("down", "G", "4", "f", "c")),
    "status-wide-light": (WIDE, LIGHT, ("s", "w", "c")),
    "status-low-dark": (LOW, DARK, ("s",)),
    "edit-wide-dark": (WIDE, DARK, ("down", "e")),
    "edit-low-light": (LOW, LIGHT, ("down", "e")),
    "patterns-wide-light": (WIDE, LIGHT, ("down", "e", "ctrl+l", "down", "down")),
    "patterns-low-dark": (LOW, DARK, ("down", "e", "ctrl+l", "down", "enter", "(")),
    "history-wide-dark": (WIDE, DARK, ("down", "h", "down")),
    "history-low-light": (LOW, LIGHT, ("down", "h", "down")),
    "trial-wide-light": (WIDE, LIGHT, ("down", "h", "down", "enter", "enter")),
    "trial-low-dark": (LOW, DARK, ("down", "h", "down", "enter", "enter")),
    "report-wide-dark": (WIDE, DARK, ("down", "o")),
    "report-low-light": (LOW, LIGHT, ("down", "o")),
    "find-wide-light": (WIDE, LIGHT, ("f", *"read:cards", "enter")),
    "find-low-dark": (LOW, DARK, ("f",)),
    "help-wide-dark": (WIDE, DARK, ("question_mark",)),
    "help-low-light": (LOW, LIGHT, ("question_mark",)),
    "problems-wide-light": (WIDE, LIGHT, ("exclamation_mark",)),
    "problems-low-dark": (LOW, DARK, ("exclamation_mark",)),
    "welcome-wide-light": (WIDE, LIGHT, ("f1",)),
    "welcome-low-dark": (LOW, DARK, ("f1",)),
    "bench-wide-contrast": (WIDE, CONTRAST, ("down",)),
    "grade-wide-light": (WIDE, LIGHT, ("down", "g", "3", "p", "enter")),
    "grade-blind-wide-dark": (WIDE, DARK, ("down", "g", "b", "3", "p", "c")),
    "grade-low-dark": (LOW, DARK, ("down", "g", "6", "f", "enter")),
    "levels-wide-dark": (WIDE, DARK, ("g", "d")),
    "levels-low-light": (LOW, LIGHT, ("g", "d")),
    "agreement-wide-dark": (WIDE, DARK, ("K",)),
    "agreement-low-light": (LOW, LIGHT, ("K",)),
    "context-wide-dark": (WIDE, DARK, ("c", *["down"] * 5)),
    "context-wide-light": (WIDE, LIGHT, ("c", "right_square_bracket")),
    "context-low-light": (LOW, LIGHT, ("c", "down")),
    "compare-wide-dark": (WIDE, DARK, ("equals_sign",)),
    "compare-wide-light": (WIDE, LIGHT, ("equals_sign", "e", "d")),
    "compare-low-light": (LOW, LIGHT, ("equals_sign", "down")),
    "compare-low-dark": (LOW, DARK, ("equals_sign", "down", "enter")),
    "compare-choose-wide-dark": (WIDE, DARK, ("equals_sign", "b")),
    "compare-plan-low-dark": (LOW, DARK, ("equals_sign", "b", *"work", "enter", "t")),
    "engines-wide-dark": (WIDE, DARK, ("E", "down", "down", "down")),
    "engines-low-light": (LOW, LIGHT, ("E", "down", "down")),
}


@pytest.mark.parametrize("name", PICTURES)
def test_the_screen_looks_as_it_did(name: str, snap_compare: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audit_labels, "date", _Then)
    size, theme, keys = PICTURES[name]
    app = WorkbenchApp(as_desk(OrchardDesk(Path("orchard"))))
    app.theme = theme.name

    async def arrange(pilot: Pilot[Any]) -> None:
        await settle(pilot)
        for key in keys:
            await pilot.press(key)
            await settle(pilot)
        await pilot.wait_for_animation()

    assert snap_compare(app, terminal_size=size, run_before=arrange)
