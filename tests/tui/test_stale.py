"""A verdict that is out of date is marked in the list once that is known, and the checks pane says what changed."""

import asyncio
from pathlib import Path
from typing import Any, cast

import pytest
from textual.pilot import Pilot
from textual.theme import Theme
from textual.widgets import Static

from tests.projects import make_project
from tests.tui.conftest import LOW, WIDE, settle, until
from tests.tui.orchard import OrchardDesk, as_desk
from tests.tui.test_pictures import _Then
from workbench.desk.desk import Desk
from workbench.desk.records import AskRequest, AuditRow
from workbench.insight.staleness import Changed, Staleness
from workbench.tui.app import WorkbenchApp
from workbench.tui.screens.bench import BenchScreen
from workbench.tui.themes import DARK, LIGHT
from workbench.tui.widgets import audit_labels
from workbench.tui.widgets.audit_entries import walk

TOLD = "guidance changed since (AGENTS.md, docs/AGENTS.md added)"
STALE = Staleness((Changed("guidance", TOLD, ("AGENTS.md", "docs/AGENTS.md")),))
UNKNOWN = Staleness((), ("box and guidance: it was asked elsewhere",))


def _listed(screen: BenchScreen) -> list[str]:
    return [screen.rows.render_line(y).text for y in range(screen.rows.size.height)]


def _expected(screen: BenchScreen) -> str:
    return " ".join(str(screen.checks.query_one("#expected", Static).render()).split())


def _bench(pilot: Pilot[None]) -> BenchScreen:
    return cast("BenchScreen", pilot.app.screen)


def _ids(screen: BenchScreen) -> list[str]:
    return [node.data.audit.id for node in walk(screen.rows.root) if isinstance(node.data, AuditRow)]


async def _show(pilot: Pilot[None], audit_id: str) -> None:
    tree = _bench(pilot).rows
    node = next(n for n in walk(tree.root) if isinstance(n.data, AuditRow) and n.data.audit.id == audit_id)
    tree.move_cursor(node)
    await settle(pilot)


async def test_a_stale_verdict_is_marked_and_the_checks_pane_says_why(app: WorkbenchApp, desk: OrchardDesk) -> None:
    stale, elsewhere, fresh = [row.audit.id for group in desk.sections() for row in group.rows if row.last][:3]
    desk.staleness.stale = {stale: STALE, elsewhere: UNKNOWN, fresh: Staleness()}
    async with app.run_test(size=(140, 40)) as pilot:
        await settle(pilot)
        screen = _bench(pilot)
        marked = [line for line in _listed(screen) if "≠" in line]
        assert len(marked) == 1
        assert stale in marked[0]
        await _show(pilot, stale)
        assert _expected(screen).endswith(f"≠ stale {TOLD}")
        await _show(pilot, elsewhere)
        assert _expected(screen).endswith("not known box and guidance: it was asked elsewhere")
        await _show(pilot, fresh)
        assert "stale" not in _expected(screen)
        assert desk.staleness.looked == 1
        assert desk.staleness.in_background


async def test_the_marks_come_after_the_list_and_go_when_it_is_read_again(app: WorkbenchApp, desk: OrchardDesk) -> None:
    stale = next(row.audit.id for group in desk.sections() for row in group.rows if row.last)
    async with app.run_test(size=(140, 40)) as pilot:
        await settle(pilot)
        screen = _bench(pilot)
        assert not any("≠" in line for line in _listed(screen))
        desk.staleness.stale, desk.staleness.due = {stale: STALE}, True
        await pilot.press("ctrl+r")
        await until(pilot, lambda: any("≠" in line for line in _listed(screen)))
        desk.staleness.stale, desk.staleness.due = {}, True
        await pilot.press("ctrl+r")
        await until(pilot, lambda: not any("≠" in line for line in _listed(screen)))


async def test_on_a_real_project_an_edit_shows_the_filter_picks_it_and_asking_again_settles_it(tmp_path: Path) -> None:
    root = make_project(tmp_path / "shed")
    desk = Desk.open(root)
    await asyncio.wait_for(desk.ask(AskRequest(("ladder-place", "oil-day"))).wait(), 60)
    (root / "AGENTS.md").write_text("The ladder is gone.\n", encoding="utf-8")
    app = WorkbenchApp(Desk.open(root))
    async with app.run_test(size=(140, 40)) as pilot:
        screen = _bench(pilot)
        await until(pilot, lambda: sum("≠" in line for line in _listed(screen)) == 2)
        await pilot.press("slash", *"is:st")
        await settle(pilot)
        await pilot.press("right")
        await until(pilot, lambda: screen.listing.filter == "is:stale")
        await until(pilot, lambda: _ids(screen) == ["ladder-place", "oil-day"])
        await pilot.press("escape")
        await _show(pilot, "ladder-place")
        screen.rows.focus()
        await pilot.press("r")
        await until(pilot, lambda: sum("≠" in line for line in _listed(screen)) == 1)


@pytest.mark.parametrize(("size", "theme"), [(WIDE, DARK), (LOW, LIGHT)], ids=["wide-dark", "low-light"])
def test_it_looks_as_it_did(
    size: tuple[int, int], theme: Theme, snap_compare: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(audit_labels, "date", _Then)
    desk = OrchardDesk(Path("orchard"))
    ids = [row.audit.id for group in desk.sections() for row in group.rows if row.last]
    desk.staleness.stale = {ids[0]: STALE, ids[2]: STALE}
    app = WorkbenchApp(as_desk(desk))
    app.theme = theme.name

    async def arrange(pilot: Pilot[Any]) -> None:
        await settle(pilot)
        await _show(pilot, ids[0])

    assert snap_compare(app, terminal_size=size, run_before=arrange)
