"""The flip board: begun with a key, alive across screens, told by events; money asks first, and asks once."""

from typing import cast

import pytest
from textual.events import AppFocus

from tests.tui.conftest import LOW, WIDE, settle, until
from tests.tui.orchard import REPLY, OrchardDesk
from tests.tui.watch_words import drawn, header, opened, rows_of, said
from tests.tui.watches import answered, guide_edit, played
from workbench.checks.records import Outcome
from workbench.desk.watching.records import Kind
from workbench.traces.events import TextDelta
from workbench.tui.app import WorkbenchApp
from workbench.tui.board import Choice
from workbench.tui.screens import watch as watch_screen
from workbench.tui.screens.bench import BenchScreen
from workbench.tui.screens.grade import GradeScreen
from workbench.tui.screens.trial import TrialScreen
from workbench.tui.screens.watch import WatchScreen


@pytest.fixture(autouse=True)
def no_pulse(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watch_screen, "PULSE", 1000.0)


async def test_it_watches_what_the_filter_leaves_across_screens_until_it_is_stopped(
    app: WorkbenchApp, desk: OrchardDesk
) -> None:
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await settle(pilot)
        app.board.choice = Choice("claude", "sonnet")
        await pilot.press("slash", *"note", "enter")
        await until(pilot, lambda: app.bench is not None and app.bench.rows.audit_ids == ("note-names",))
        screen, watch = await opened(pilot, desk)
        assert (watch.request.terms, watch.request.engine, watch.request.model) == (("note",), "claude", "sonnet")
        assert watch.begun
        watch.ready()
        await drawn(pilot, screen)
        assert "in  boxes/orchard\n" in str(screen.empty.render())
        assert "17 files in 2 folders · 8 audits (note) · reader" in str(screen.head.state.render())

        await pilot.press("escape")
        await settle(pilot)
        assert isinstance(app.screen, BenchScreen)
        assert "watching" in header(app)
        await pilot.press("w")
        await settle(pilot)
        assert desk.watches == [watch], "the one that goes on is opened"

        await pilot.press("W")
        await settle(pilot)
        assert watch.stopped
        assert "watching" not in header(app)
        assert "not watching  W watches again" in str(app.screen.query_one("#watch-state").render())
        assert any("Not watching any more" in note.message for note in app._notifications)
        await pilot.press("W")
        await settle(pilot)
        assert len(desk.watches) == 2


async def test_a_filter_that_leaves_nothing_is_told_where_the_board_would_be(
    app: WorkbenchApp, desk: OrchardDesk
) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await settle(pilot)
        await pilot.press("slash", *"nobody", "enter")
        await until(pilot, lambda: app.bench is not None and not app.bench.rows.audit_ids)
        await pilot.press("escape", "w")
        await settle(pilot)
        screen = cast("WatchScreen", app.screen)
        await drawn(pilot, screen)
        told = "no audit matches 'nobody'; change it on the bench with /"
        assert told in str(screen.head.notices.render())
        assert not app.board.watching


async def test_an_edit_brings_the_audits_it_touches_and_what_became_of_them(
    app: WorkbenchApp, desk: OrchardDesk
) -> None:
    async with app.run_test(size=WIDE) as pilot:
        screen, _ = await opened(pilot, desk)
        await played(pilot, desk)
        await drawn(pilot, screen)
        rows = [row.split() for row in rows_of(screen) if row.strip()]
        assert rows[0][:3] == ["08:02:12", "AGENTS.md", "+1"]
        assert "Thin the apples in June." in rows_of(screen)[0]
        assert [row[:2] for row in rows[1:3]] == [["●", "pruning-season"], ["●", "grafting-tools"]]
        assert [row[:3] for row in rows[4:]] == [
            ["▼", "inbox-place", "✓→✗"],
            ["▲", "card-glob", "✗→✓"],
            ["+", "archive-rule", "○→✓"],
            ["=", "note-names", "✗→✗"],
        ]
        assert '"*.note.card" stands in' in rows_of(screen)[6], "the reason"
        counted = " ".join(str(screen.head.counts.render()).split())
        assert counted == "2 edits ▼ 1 broken ▲ 1 fixed ● 2 running + 1 new = 1 unchanged"
        assert "watching · AGENTS.md" in header(app)
        assert app.board.running.keys() == {"pruning-season", "grafting-tools"}, "the bench follows these runs too"

        await pilot.press("right_square_bracket", "down")
        await settle(pilot)
        diff = str(screen.detail.diff.text.render())
        assert "-New notes go to `notes/`." in diff
        assert "+New notes go to `inbox/`, and nowhere else." in diff
        assert str(screen.detail.sides.after.border_title).endswith("failed")
        assert "✗ contains *.note.card  absent" in said(screen.detail.sides.after)
        assert "kind note" in said(screen.detail.sides.before)
        marked = [
            text for line, _ in screen.detail.sides.after._lines for text, style in line.body if style == "differs"
        ]
        assert marked == ["inbox"]

        await pilot.press("enter")
        await settle(pilot)
        assert isinstance(app.screen, TrialScreen)


async def test_grading_from_the_board_goes_on_to_say_that_it_watches(app: WorkbenchApp, desk: OrchardDesk) -> None:
    async with app.run_test(size=LOW) as pilot:
        screen, watch = await opened(pilot, desk)
        watch.edited(guide_edit(1, ("inbox-place",)))
        watch.flipped("inbox-place", answered(desk, "inbox-place", Outcome.FAILED, REPLY), "broken")
        await drawn(pilot, screen)
        await pilot.press("g")
        await settle(pilot)
        assert isinstance(app.screen, GradeScreen)
        assert str(app.screen.bar.render()).endswith("graded   ◉ watching")
        await app.watching.end()
        assert "watching" not in str(app.screen.bar.render())


async def test_the_head_counts_each_audit_once_as_the_latest_edit_left_it(app: WorkbenchApp, desk: OrchardDesk) -> None:
    async with app.run_test(size=WIDE) as pilot:
        screen, watch = await opened(pilot, desk)

        async def counted(number: int, outcome: Outcome, kind: Kind) -> str:
            watch.edited(guide_edit(number, ("inbox-place",)))
            watch.flipped("inbox-place", answered(desk, "inbox-place", outcome, REPLY, f"run-{number}"), kind)
            await drawn(pilot, screen)
            return " ".join(str(screen.head.counts.render()).split())

        assert await counted(1, Outcome.FAILED, "broken") == "1 edit ▼ 1 broken"
        assert await counted(2, Outcome.FAILED, "unchanged") == "2 edits ▼ 1 broken", "it is broken still"
        assert await counted(3, Outcome.PASSED, "fixed") == "3 edits ▲ 1 fixed"


async def test_the_header_counts_changed_paths_anew_at_an_edit_when_all_is_quiet_and_when_one_comes_back(
    app: WorkbenchApp, desk: OrchardDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    changed = 0
    monkeypatch.setattr(type(desk.project), "state", lambda _: ("main", changed))
    async with app.run_test(size=WIDE) as pilot:
        screen, watch = await opened(pilot, desk)

        async def told() -> str:
            await drawn(pilot, screen)
            return header(app).partition("main")[2].split()[0]

        changed = 1
        watch.edited(guide_edit(1, ("inbox-place",)))
        assert await told() == "±1"
        changed = 2
        watch.settled()
        assert await told() == "±2"
        changed = 3
        app.post_message(AppFocus())
        assert await told() == "±3"


async def test_the_answer_grows_while_it_is_given(app: WorkbenchApp, desk: OrchardDesk) -> None:
    async with app.run_test(size=WIDE) as pilot:
        screen, watch = await opened(pilot, desk)
        watch.edited(guide_edit(1, ("card-glob",)))
        await drawn(pilot, screen)
        assert "waiting for its turn" in said(screen.detail.sides.after)
        run = watch.ask("card-glob")
        run.begin()
        await drawn(pilot, screen)
        assert "Grep note card" in said(screen.detail.sides.after)
        run.tell(TextDelta("card-glob", "You can"), TextDelta("card-glob", " list"))
        await settle(pilot)
        assert "You can list" in said(screen.detail.sides.after)
        run.finish()
        watch.flipped("card-glob", answered(desk, "card-glob", Outcome.PASSED, REPLY), "fixed")
        await drawn(pilot, screen)
        assert "every note card" in said(screen.detail.sides.after)
        assert str(screen.detail.sides.after.border_title).endswith("passed")


async def test_the_mark_follows_the_news_until_a_human_moves_it(app: WorkbenchApp, desk: OrchardDesk) -> None:
    async with app.run_test(size=WIDE) as pilot:
        screen, watch = await opened(pilot, desk)
        watch.edited(guide_edit(1, ("card-glob", "note-names")))
        await drawn(pilot, screen)
        assert screen.flip is not None
        assert screen.flip.audit_id == "card-glob"
        watch.flipped("note-names", answered(desk, "note-names", Outcome.FAILED, REPLY), "broken")
        await drawn(pilot, screen)
        assert screen.flip.audit_id == "note-names", "what is broken is read first"
        await pilot.press("down")
        await settle(pilot)
        watch.edited(guide_edit(2, ("inbox-place",)))
        await drawn(pilot, screen)
        assert screen.flip.key == (1, "card-glob")
        await pilot.press("home")
        await settle(pilot)
        assert screen.flip.key == (2, "inbox-place")


async def test_the_observed_level_waits_for_the_humans_own(app: WorkbenchApp, desk: OrchardDesk) -> None:
    levels = ("discoverable", "knows_about")
    async with app.run_test(size=WIDE) as pilot:
        screen, watch = await opened(pilot, desk)
        watch.edited(guide_edit(1, ("card-glob",)))
        watch.flipped("card-glob", answered(desk, "card-glob", Outcome.FAILED, REPLY), "moved", levels)
        await drawn(pilot, screen)
        sides = screen.detail.sides
        assert "observed" not in said(sides.before) + said(sides.after)
        assert "discoverable" not in str(screen.detail.diff.border_title)

        trial = answered(desk, "card-glob", Outcome.FAILED, REPLY, level="knows_directly")
        assert trial.human is not None
        await pilot.press("enter")
        await settle(pilot)
        await pilot.press("escape")
        await drawn(pilot, screen)
        assert "observed" not in said(sides.before), "that one has no level of a human's"
        assert "observed  knows about" in said(sides.after), "it was graded meanwhile"
        assert "moved: discoverable → knows about" in str(screen.detail.diff.border_title)


async def test_the_observed_level_shows_early_where_that_is_wanted(app: WorkbenchApp, desk: OrchardDesk) -> None:
    desk.show_observed_early = True
    async with app.run_test(size=WIDE) as pilot:
        screen, watch = await opened(pilot, desk)
        watch.edited(guide_edit(1, ("card-glob",)))
        watch.flipped("card-glob", answered(desk, "card-glob", Outcome.PASSED, REPLY), "fixed")
        await drawn(pilot, screen)
        assert "observed  discoverable" in said(screen.detail.sides.before)
        assert "observed  knows about" in said(screen.detail.sides.after)
