"""What stands in the way of a watch, what it costs, how it ends; and one on a real project, file by file."""

from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest

from tests.projects import CORPUS, GUIDE, make_project
from tests.tui.conftest import LOW, WIDE, settle, until
from tests.tui.orchard import PROBLEM, REPLY, OrchardDesk
from tests.tui.watch_words import drawn, header, opened, rows_of, said, wants
from tests.tui.watches import answered, guide_edit
from workbench.checks.records import Outcome
from workbench.desk.desk import Desk
from workbench.desk.watching.records import Withheld
from workbench.tui.app import WorkbenchApp
from workbench.tui.screens import watch as watch_screen
from workbench.tui.screens.bench import BenchScreen
from workbench.tui.screens.confirm import ConfirmScreen
from workbench.tui.screens.watch import WatchScreen


@pytest.fixture(autouse=True)
def no_pulse(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watch_screen, "PULSE", 1000.0)


async def test_money_is_asked_for_once_where_one_looks_and_a_no_can_be_taken_back(
    app: WorkbenchApp, desk: OrchardDesk
) -> None:
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        _, watch = await opened(pilot, desk)
        await pilot.press("escape")
        await settle(pilot)
        watch.edited(guide_edit(1, ("card-glob",)))
        watch.want(wants("card-glob"))
        await settle(pilot)
        assert isinstance(app.screen, BenchScreen), "nothing comes up under typing hands"
        assert "asks for a yes" in header(app)
        await pilot.press("w")
        await until(pilot, lambda: isinstance(app.screen, ConfirmScreen))
        assert "about $0.42, as 3 earlier trials cost" in str(app.screen.query_one("#detail Hanging").render())
        assert "$2.00 for all the watch asks" in str(app.screen.query_one("#detail Hanging").render())
        await pilot.press("enter")
        await settle(pilot)
        assert watch.answers == [], "Enter pays for nothing"
        await pilot.press("n")
        await settle(pilot)
        assert watch.answers == [False]
        screen = cast("WatchScreen", app.screen)
        await drawn(pilot, screen)
        assert "‖ card-glob" in rows_of(screen)[1]
        assert "1 audit not asked: nobody said yes" in str(screen.head.notices.render())

        watch.edited(guide_edit(2, ("card-glob",)))
        await drawn(pilot, screen)
        assert not isinstance(app.screen, ConfirmScreen), "nobody is asked twice"
        await pilot.press("y")
        await settle(pilot)
        await pilot.press("y")
        await settle(pilot)
        assert watch.answers == [False, True]
        assert not screen.check_action("pay", ())
        watch.ask("card-glob", offer=wants("card-glob").offer)
        await drawn(pilot, screen)
        assert "claude: about $0.42" in str(screen.head.counts.render()), "every edit is forecast"


async def test_a_yes_pays_nobody_who_was_not_named_when_it_was_asked_for(app: WorkbenchApp, desk: OrchardDesk) -> None:
    async with app.run_test(size=WIDE) as pilot:
        _, watch = await opened(pilot, desk)
        watch.edited(guide_edit(1, ("card-glob", "note-names")))
        watch.want(wants("card-glob"))
        await until(pilot, lambda: isinstance(app.screen, ConfirmScreen))
        first = app.screen
        both = wants("card-glob", "note-names")
        watch.want(replace(both, offer=replace(both.offer, engine="claude, codex")))
        await pilot.press("y")
        await until(pilot, lambda: isinstance(app.screen, ConfirmScreen) and app.screen is not first)
        assert watch.answers == []
        assert "claude, codex" in str(app.screen.query_one("#detail Hanging").render())
        await pilot.press("y")
        await settle(pilot)
        assert watch.answers == [True]


async def test_what_is_not_asked_says_why(app: WorkbenchApp, desk: OrchardDesk) -> None:
    async with app.run_test(size=LOW) as pilot:
        screen, watch = await opened(pilot, desk)
        watch.edited(guide_edit(1, ("card-glob", "note-names")))
        watch._tell(Withheld(("card-glob", "note-names"), "the cap of $2.00 is spent"))
        await drawn(pilot, screen)
        assert "2 audits not asked: the cap of $2.00 is spent" in str(screen.head.notices.render())
        assert "the cap of $2.00 is spent" in rows_of(screen)[1]


async def test_a_broken_corpus_stands_in_a_line_until_it_is_mended_and_no_typing_is_lost(
    app: WorkbenchApp, desk: OrchardDesk
) -> None:
    async with app.run_test(size=WIDE) as pilot:
        screen, watch = await opened(pilot, desk)
        watch.break_corpus(PROBLEM)
        watch.lose("boxes/orchard/docs")
        await drawn(pilot, screen)
        told = " ".join(str(screen.head.notices.render()).split())
        assert "audits/knowledge.yaml:48 'shoud_read' is no key of an audit; did you mean 'should_read'?" in told
        assert "boxes/orchard/docs is gone" in told
        assert "knowledge.yaml is broken" in header(app)

        await pilot.press("escape")
        await settle(pilot)
        bench = app.bench
        assert bench is not None
        await pilot.press("down", "space", "G", "n", *"half a no")
        await settle(pilot)
        before = (bench.rows.audit, bench.rows.marked, bench.form.note.value)
        watch.mend_corpus(PROBLEM.file)
        watch.find("boxes/orchard/docs")
        await settle(pilot)
        assert (bench.rows.audit, bench.rows.marked, bench.form.note.value) == before
        assert before[1:] == (("card-glob",), "half a no")
        assert "broken" not in header(app)


async def test_a_watch_that_cannot_go_on_says_so_and_stops(app: WorkbenchApp, desk: OrchardDesk) -> None:
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        screen, watch = await opened(pilot, desk)
        watch.edited(guide_edit(1, ("card-glob",)))
        watch.failed(OSError(28, "no space left on device"))
        await drawn(pilot, screen)
        assert watch.stopped
        assert "not watching" in str(screen.head.state.render())
        assert "no space left on device" in str(screen.head.notices.render())
        assert "card-glob" in rows_of(screen)[1], "what was seen stays"
        assert any("no space left" in note.message for note in app._notifications)
        assert not app.board.watching


async def test_whoever_looks_elsewhere_hears_what_an_edit_did_once(app: WorkbenchApp, desk: OrchardDesk) -> None:
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        _, watch = await opened(pilot, desk)
        await pilot.press("escape")
        await settle(pilot)
        watch.edited(guide_edit(1, ("card-glob", "note-names")))
        watch.flipped("card-glob", answered(desk, "card-glob", Outcome.PASSED, REPLY), "fixed")
        watch.flipped("note-names", answered(desk, "note-names", Outcome.FAILED, REPLY), "unchanged")
        watch.settled()
        watch.settled()
        await settle(pilot)
        assert [note.message for note in app._notifications] == ["AGENTS.md: ▲ 1 fixed. w shows them"]


async def test_what_runs_can_be_stopped_and_the_watch_goes_on(app: WorkbenchApp, desk: OrchardDesk) -> None:
    async with app.run_test(size=WIDE) as pilot:
        screen, watch = await opened(pilot, desk)
        watch.edited(guide_edit(1, ("card-glob",)))
        assert not screen.check_action("stop", ())
        watch.ask("card-glob").begin()
        await drawn(pilot, screen)
        await pilot.press("x")
        await settle(pilot)
        assert not app.board.live
        assert not watch.stopped
        assert "○ card-glob" in rows_of(screen)[1]


async def test_a_watch_that_takes_its_time_to_end_takes_nothing_from_the_one_begun_after_it(
    app: WorkbenchApp, desk: OrchardDesk
) -> None:
    async with app.run_test(size=WIDE) as pilot:
        screen, first = await opened(pilot, desk)
        first.let_go.clear()
        await pilot.press("W")
        await until(pilot, lambda: first.stopped)
        await pilot.press("W")
        await until(pilot, lambda: len(desk.watches) == 2 and desk.watches[1].begun)
        second = desk.watches[1]
        first._tell(Withheld(("card-glob",), "it was stopped"))
        first.failed(OSError(28, "no space left on device"))
        first.let_go.set()
        await until(pilot, lambda: not first._hear)
        second.edited(guide_edit(1, ("card-glob",)))
        await drawn(pilot, screen)
        assert app.watching.on
        assert "○ card-glob" in rows_of(screen)[1], "the later one is heard, and of nobody else"

        second.let_go.clear()
        await pilot.press("W")
        await until(pilot, lambda: second.stopped)
        await pilot.press("ctrl+q")
        await until(pilot, lambda: any(worker.group == "close" for worker in app.workers))
        await pilot.pause()
        assert not app._exit, "leaving waits for what ends"
        second.let_go.set()
        await until(pilot, lambda: app._exit)


async def test_leaving_the_bench_ends_the_watch(app: WorkbenchApp, desk: OrchardDesk) -> None:
    async with app.run_test(size=WIDE) as pilot:
        _, watch = await opened(pilot, desk)
        await pilot.press("ctrl+q")
        await until(pilot, lambda: app._exit)
    assert watch.stopped
    assert not watch._hear


async def test_leaving_while_the_watch_asks_wants_a_yes(app: WorkbenchApp, desk: OrchardDesk) -> None:
    async with app.run_test(size=WIDE) as pilot:
        _, watch = await opened(pilot, desk)
        watch.edited(guide_edit(1, ("card-glob",)))
        watch.ask("card-glob").begin()
        await settle(pilot)
        await pilot.press("ctrl+q")
        await settle(pilot)
        assert isinstance(app.screen, ConfirmScreen)
        await pilot.press("y")
        await until(pilot, lambda: app._exit)
    assert watch.stopped
    assert watch.live == ()


async def test_a_file_that_is_saved_flips_what_it_answers_on_a_real_project(tmp_path: Path) -> None:
    root = make_project(tmp_path / "shed")
    app = WorkbenchApp(Desk.open(root))
    async with app.run_test(size=WIDE) as pilot:
        await settle(pilot)
        await pilot.press("w")
        await until(pilot, lambda: app.board.tally.finished == 4 and not app.board.live, 60)
        screen, watch, bench = cast("WatchScreen", app.screen), app.watching.watch, app.bench
        assert watch is not None
        assert bench is not None
        assert "3 files in 1 folder · 4 audits · reader" in str(screen.head.state.render())
        guide = root / "AGENTS.md"
        guide.write_text(GUIDE.replace("north wall", "south wall").replace("Friday", "Tuesday"), "utf-8")
        await until(pilot, lambda: len(watch.rows) == 4 and all(row.kind for row in watch.rows), 60)
        await until(pilot, lambda: not app.board.live, 60)
        await drawn(pilot, screen)
        assert [row.split()[:3] for row in rows_of(screen)[1:3]] == [
            ["▼", "ladder-place", "✓→✗"],
            ["▲", "oil-day", "✗→✓"],
        ]
        assert "+The long ladder is kept at the south wall" in str(screen.detail.diff.text.render())
        await until(pilot, lambda: "south wall" in said(screen.detail.sides.after))
        assert "north wall" in said(screen.detail.sides.before)

        await pilot.press("escape")
        await settle(pilot)
        await until(pilot, lambda: bench.rows.audit is not None and bench.rows.audit.last is not None)
        assert bench.rows.audit is not None
        assert bench.rows.audit.last is not None
        assert bench.rows.audit.last.verdict.outcome is Outcome.FAILED, "the list tells the later verdict"
        corpus = root / "audits/knowledge.yaml"
        corpus.write_text(CORPUS.replace('["seven"]', '["seven"'), "utf-8")
        await until(pilot, lambda: "knowledge.yaml is broken" in header(app), 60)
        assert len(bench.rows.audit_ids) == 4, "the last good one holds"
        corpus.write_text(CORPUS.replace("hive-count", "hive-number"), "utf-8")
        await until(pilot, lambda: "hive-number" in bench.rows.audit_ids, 60)
        assert "broken" not in header(app)
        await until(pilot, lambda: len(watch.edits) == 2 and all(row.kind for row in watch.rows), 60)
        await until(pilot, lambda: not app.runs.live, 60)
        await settle(pilot)
        await pilot.press("ctrl+q")
        await until(pilot, lambda: app._exit, 30)
