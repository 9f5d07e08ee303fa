"""The list of audits: marks, what is asked then, what the filter offers, how other engines and ages show."""

from dataclasses import replace

from tests.tui.conftest import WIDE, settle, until
from tests.tui.orchard import OrchardDesk, rows
from workbench.tui.app import WorkbenchApp
from workbench.tui.widgets.audit_labels import age_words, audit_label


def marked(app: WorkbenchApp) -> list[str]:
    """The marked audits."""
    assert app.bench is not None
    return list(app.bench.rows.marked)


async def test_marks_say_what_is_asked(desk: OrchardDesk, app: WorkbenchApp) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await settle(pilot)
        assert app.bench is not None
        await pilot.press("down", "space", "down", "space", "down", "down", "space")
        await settle(pilot)
        assert marked(app) == ["card-glob", "note-names", "pruning-season", "grafting-tools", "describe-rules"]
        await pilot.press("space")
        assert marked(app) == ["card-glob", "note-names"]
        assert "2 marked" in str(app.bench.audits.border_subtitle)
        await pilot.press("r")
        assert desk.live is not None
        assert list(desk.live._ids) == ["card-glob", "note-names"]
        desk.live.cancel()
        await until(pilot, lambda: not app.runs.live)
        await pilot.press("up", "enter")
        assert list(desk.live._ids) == ["archive-rule"], "enter asks the one under the cursor, whatever is marked"
        desk.live.cancel()
        await pilot.press("escape")
        assert marked(app) == []


async def test_the_filter_offers_how_to_go_on(app: WorkbenchApp) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await settle(pilot)
        assert app.bench is not None
        pane = app.bench.audits
        await pilot.press("slash")
        await pilot.pause()
        assert "is:" in str(pane._hint.content)
        await pilot.press(*"is:fa")
        await pilot.pause()
        await pilot.press("right")
        assert pane.filter.value == "is:failed"
        await pilot.press("enter")
        await pilot.pause()
        assert not pane._hint.display


def test_other_engines_and_the_age_stand_beside_the_verdict() -> None:
    row = next(row for section in rows() for row in section.rows if row.audit.id == "inbox-place")
    assert row.last is not None
    others = (replace(row.last, engine="codex"), replace(row.last, engine="claude+reader"))
    label = audit_label(replace(row, others=others, passed=2, measured=3), running=False, fresh=None)
    assert label.measures == ("codex ✓", "claude+ ✓", "12h", "2/3", "1")
    assert [age_words(days) for days in (0.01, 1.5, 12.2, 400)] == ["14m", "36h", "12d", "57w"]
