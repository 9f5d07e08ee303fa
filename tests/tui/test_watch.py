"""The flip board: begun with a key, alive across screens, told by events; money asks first, and asks once."""

from pathlib import Path
from typing import Any, cast

import pytest
from textual.pilot import Pilot

from tests.projects import CORPUS, GUIDE, make_project
from tests.tui.conftest import LOW, WIDE, settle, until
from tests.tui.orchard import PROBLEM, REPLY, OrchardDesk, as_desk
from tests.tui.watches import OrchardWatch, answered, guide_edit, played
from workbench.checks.records import Outcome
from workbench.desk.desk import Desk
from workbench.desk.forecast import Offer
from workbench.desk.watching.records import Wants, Withheld
from workbench.engines.protocol import Readiness
from workbench.traces.events import TextDelta
from workbench.tui.app import WorkbenchApp
from workbench.tui.board import Choice
from workbench.tui.screens import watch as watch_screen
from workbench.tui.screens.bench import BenchScreen
from workbench.tui.screens.confirm import ConfirmScreen
from workbench.tui.screens.trial import TrialScreen
from workbench.tui.screens.watch import WatchScreen
from workbench.tui.themes import DARK, LIGHT
from workbench.tui.widgets.header import HeaderBar
from workbench.tui.widgets.side_by_side import HalfText


@pytest.fixture(autouse=True)
def _no_pulse(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watch_screen, "PULSE", 1000.0)


async def _watching(pilot: Pilot[None], desk: OrchardDesk) -> tuple[WatchScreen, OrchardWatch]:
    await settle(pilot)
    await pilot.press("w")
    await settle(pilot)
    return cast("WatchScreen", pilot.app.screen), desk.watches[-1]


async def _drawn(pilot: Pilot[None], screen: WatchScreen) -> None:
    """Everything that happened is on the screen."""
    await until(pilot, lambda: not screen.due)
    await settle(pilot)


def _rows(screen: WatchScreen) -> list[str]:
    options = (screen.listing.get_option_at_index(index) for index in range(screen.listing.option_count))
    return [str(option.prompt) for option in options]


def _said(half: HalfText) -> str:
    return "\n".join(line.lead[0] + line.text for line, _ in half._lines)


def _header(app: WorkbenchApp) -> str:
    return str(app.screen.query_one(HeaderBar).render())


async def test_it_watches_what_the_filter_leaves_across_screens_until_it_is_stopped(
    app: WorkbenchApp, desk: OrchardDesk
) -> None:
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await settle(pilot)
        app.board.choice = Choice("claude", "sonnet")
        await pilot.press("slash", *"note", "enter")
        await until(pilot, lambda: app.bench is not None and app.bench.rows.audit_ids == ("note-names",))
        screen, watch = await _watching(pilot, desk)
        assert (watch.request.terms, watch.request.engine, watch.request.model) == (("note",), "claude", "sonnet")
        assert watch.begun
        watch.ready()
        await _drawn(pilot, screen)
        assert "in  boxes/orchard\n" in str(screen.empty.render())
        assert "17 files in 2 folders · 8 audits (note) · reader" in str(screen.state.render())

        await pilot.press("escape")
        await settle(pilot)
        assert isinstance(app.screen, BenchScreen)
        assert "watching" in _header(app)
        await pilot.press("w")
        await settle(pilot)
        assert desk.watches == [watch], "the one that goes on is opened"

        await pilot.press("W")
        await settle(pilot)
        assert watch.stopped
        assert "watching" not in _header(app)
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
        await _drawn(pilot, screen)
        assert "nothing to watch: the selection holds no audit" in str(screen.notices.render())
        assert not app.board.watching


async def test_an_edit_brings_the_audits_it_touches_and_what_became_of_them(
    app: WorkbenchApp, desk: OrchardDesk
) -> None:
    async with app.run_test(size=WIDE) as pilot:
        screen, _ = await _watching(pilot, desk)
        await played(pilot, desk)
        await _drawn(pilot, screen)
        rows = [row.split() for row in _rows(screen) if row.strip()]
        assert rows[0][:3] == ["08:02:12", "AGENTS.md", "+1"]
        assert "Thin the apples in June." in _rows(screen)[0]
        assert [row[:2] for row in rows[1:3]] == [["●", "pruning-season"], ["●", "grafting-tools"]]
        assert [row[:3] for row in rows[4:]] == [
            ["▼", "inbox-place", "✓→✗"],
            ["▲", "card-glob", "✗→✓"],
            ["+", "archive-rule", "○→✓"],
            ["=", "note-names", "✗→✗"],
        ]
        assert '"*.note.card" stands in' in _rows(screen)[6], "the reason"
        counted = " ".join(str(screen.counts.render()).split())
        assert counted == "2 edits ▼ 1 broken ▲ 1 fixed ● 2 running + 1 new = 1 unchanged"
        assert "watching · AGENTS.md" in _header(app)
        assert app.board.running.keys() == {"pruning-season", "grafting-tools"}, "the bench follows these runs too"

        await pilot.press("right_square_bracket", "down")
        await settle(pilot)
        diff = str(screen.detail.diff.text.render())
        assert "-New notes go to `notes/`." in diff
        assert "+New notes go to `inbox/`, and nowhere else." in diff
        assert str(screen.detail.sides.after.border_title).endswith("failed")
        assert "✗ contains *.note.card  absent" in _said(screen.detail.sides.after)
        assert "kind note" in _said(screen.detail.sides.before)
        marked = [
            text for line, _ in screen.detail.sides.after._lines for text, style in line.body if style == "differs"
        ]
        assert marked == ["inbox"]

        await pilot.press("enter")
        await settle(pilot)
        assert isinstance(app.screen, TrialScreen)


async def test_the_answer_grows_while_it_is_given(app: WorkbenchApp, desk: OrchardDesk) -> None:
    async with app.run_test(size=WIDE) as pilot:
        screen, watch = await _watching(pilot, desk)
        watch.edited(guide_edit(1, ("card-glob",)))
        await _drawn(pilot, screen)
        assert "waiting for its turn" in _said(screen.detail.sides.after)
        run = watch.ask("card-glob")
        run.begin()
        await _drawn(pilot, screen)
        assert "Grep note card" in _said(screen.detail.sides.after)
        run.tell(TextDelta("card-glob", "You can"), TextDelta("card-glob", " list"))
        await settle(pilot)
        assert "You can list" in _said(screen.detail.sides.after)
        run.finish()
        watch.flipped("card-glob", answered(desk, "card-glob", Outcome.PASSED, REPLY), "fixed")
        await _drawn(pilot, screen)
        assert "every note card" in _said(screen.detail.sides.after)
        assert str(screen.detail.sides.after.border_title).endswith("passed")


async def test_the_mark_follows_the_news_until_a_human_moves_it(app: WorkbenchApp, desk: OrchardDesk) -> None:
    async with app.run_test(size=WIDE) as pilot:
        screen, watch = await _watching(pilot, desk)
        watch.edited(guide_edit(1, ("card-glob", "note-names")))
        await _drawn(pilot, screen)
        assert screen.flip is not None
        assert screen.flip.audit_id == "card-glob"
        watch.flipped("note-names", answered(desk, "note-names", Outcome.FAILED, REPLY), "broken")
        await _drawn(pilot, screen)
        assert screen.flip.audit_id == "note-names", "what is broken is read first"
        await pilot.press("down")
        await settle(pilot)
        watch.edited(guide_edit(2, ("inbox-place",)))
        await _drawn(pilot, screen)
        assert screen.flip.key == (1, "card-glob")
        await pilot.press("home")
        await settle(pilot)
        assert screen.flip.key == (2, "inbox-place")


async def test_the_observed_level_waits_for_the_humans_own(app: WorkbenchApp, desk: OrchardDesk) -> None:
    levels = ("discoverable", "knows_about")
    async with app.run_test(size=WIDE) as pilot:
        screen, watch = await _watching(pilot, desk)
        watch.edited(guide_edit(1, ("card-glob",)))
        watch.flipped("card-glob", answered(desk, "card-glob", Outcome.FAILED, REPLY), "moved", levels)
        await _drawn(pilot, screen)
        sides = screen.detail.sides
        assert "observed" not in _said(sides.before) + _said(sides.after)
        assert "discoverable" not in str(screen.detail.diff.border_title)

        trial = answered(desk, "card-glob", Outcome.FAILED, REPLY, level="knows_directly")
        assert trial.human is not None
        await pilot.press("enter")
        await settle(pilot)
        await pilot.press("escape")
        await _drawn(pilot, screen)
        assert "observed" not in _said(sides.before), "that one has no level of a human's"
        assert "observed  knows about" in _said(sides.after), "it was graded meanwhile"
        assert "moved: discoverable → knows about" in str(screen.detail.diff.border_title)


async def test_the_observed_level_shows_early_where_that_is_wanted(app: WorkbenchApp, desk: OrchardDesk) -> None:
    desk.show_observed_early = True
    async with app.run_test(size=WIDE) as pilot:
        screen, watch = await _watching(pilot, desk)
        watch.edited(guide_edit(1, ("card-glob",)))
        watch.flipped("card-glob", answered(desk, "card-glob", Outcome.PASSED, REPLY), "fixed")
        await _drawn(pilot, screen)
        assert "observed  discoverable" in _said(screen.detail.sides.before)
        assert "observed  knows about" in _said(screen.detail.sides.after)


def _wants(*audits: str) -> Wants:
    ready = Readiness(engine="claude", version="2.1.332", credential="ANTHROPIC_API_KEY")
    return Wants(Offer("claude", "", len(audits), free=False, ready=ready, usd=0.42, seen=3, cap=2.0), audits)


async def test_money_is_asked_for_once_where_one_looks_and_a_no_can_be_taken_back(
    app: WorkbenchApp, desk: OrchardDesk
) -> None:
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        _, watch = await _watching(pilot, desk)
        await pilot.press("escape")
        await settle(pilot)
        watch.edited(guide_edit(1, ("card-glob",)))
        watch.want(_wants("card-glob"))
        await settle(pilot)
        assert isinstance(app.screen, BenchScreen), "nothing comes up under typing hands"
        assert "asks for a yes" in _header(app)
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
        await _drawn(pilot, screen)
        assert "‖ card-glob" in _rows(screen)[1]
        assert "1 audit not asked: nobody said yes" in str(screen.notices.render())

        watch.edited(guide_edit(2, ("card-glob",)))
        await _drawn(pilot, screen)
        assert not isinstance(app.screen, ConfirmScreen), "nobody is asked twice"
        await pilot.press("y")
        await settle(pilot)
        await pilot.press("y")
        await settle(pilot)
        assert watch.answers == [False, True]
        assert not screen.check_action("pay", ())
        watch.ask("card-glob", offer=_wants("card-glob").offer)
        await _drawn(pilot, screen)
        assert "claude: about $0.42" in str(screen.counts.render()), "every edit is forecast"


async def test_what_is_not_asked_says_why(app: WorkbenchApp, desk: OrchardDesk) -> None:
    async with app.run_test(size=LOW) as pilot:
        screen, watch = await _watching(pilot, desk)
        watch.edited(guide_edit(1, ("card-glob", "note-names")))
        watch._tell(Withheld(("card-glob", "note-names"), "the cap of $2.00 is spent"))
        await _drawn(pilot, screen)
        assert "2 audits not asked: the cap of $2.00 is spent" in str(screen.notices.render())
        assert "the cap of $2.00 is spent" in _rows(screen)[1]


async def test_a_broken_corpus_stands_in_a_line_until_it_is_mended_and_no_typing_is_lost(
    app: WorkbenchApp, desk: OrchardDesk
) -> None:
    async with app.run_test(size=WIDE) as pilot:
        screen, watch = await _watching(pilot, desk)
        watch.break_corpus(PROBLEM)
        watch.lose("boxes/orchard/docs")
        await _drawn(pilot, screen)
        told = " ".join(str(screen.notices.render()).split())
        assert "audits/knowledge.yaml:48 'shoud_read' is no key of an audit; did you mean 'should_read'?" in told
        assert "boxes/orchard/docs is gone" in told
        assert "knowledge.yaml is broken" in _header(app)

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
        assert "broken" not in _header(app)


async def test_a_watch_that_cannot_go_on_says_so_and_stops(app: WorkbenchApp, desk: OrchardDesk) -> None:
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        screen, watch = await _watching(pilot, desk)
        watch.edited(guide_edit(1, ("card-glob",)))
        watch.failed(OSError(28, "no space left on device"))
        await _drawn(pilot, screen)
        assert watch.stopped
        assert "not watching" in str(screen.state.render())
        assert "no space left on device" in str(screen.notices.render())
        assert "card-glob" in _rows(screen)[1], "what was seen stays"
        assert any("no space left" in note.message for note in app._notifications)
        assert not app.board.watching


async def test_whoever_looks_elsewhere_hears_what_an_edit_did_once(app: WorkbenchApp, desk: OrchardDesk) -> None:
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        _, watch = await _watching(pilot, desk)
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
        screen, watch = await _watching(pilot, desk)
        watch.edited(guide_edit(1, ("card-glob",)))
        assert not screen.check_action("stop", ())
        watch.ask("card-glob").begin()
        await _drawn(pilot, screen)
        await pilot.press("x")
        await settle(pilot)
        assert not app.board.live
        assert not watch.stopped
        assert "○ card-glob" in _rows(screen)[1]


async def test_leaving_the_bench_ends_the_watch(app: WorkbenchApp, desk: OrchardDesk) -> None:
    async with app.run_test(size=WIDE) as pilot:
        _, watch = await _watching(pilot, desk)
        await pilot.press("ctrl+q")
        await until(pilot, lambda: app._exit)
    assert watch.stopped
    assert not watch._hear


async def test_leaving_while_the_watch_asks_wants_a_yes(app: WorkbenchApp, desk: OrchardDesk) -> None:
    async with app.run_test(size=WIDE) as pilot:
        _, watch = await _watching(pilot, desk)
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
        assert "3 files in 1 folder · 4 audits · reader" in str(screen.state.render())
        guide = root / "AGENTS.md"
        guide.write_text(GUIDE.replace("north wall", "south wall").replace("Friday", "Tuesday"), "utf-8")
        await until(pilot, lambda: len(watch.rows) == 4 and all(row.kind for row in watch.rows), 60)
        await until(pilot, lambda: not app.board.live, 60)
        await _drawn(pilot, screen)
        assert [row.split()[:3] for row in _rows(screen)[1:3]] == [
            ["▼", "ladder-place", "✓→✗"],
            ["▲", "oil-day", "✗→✓"],
        ]
        assert "+The long ladder is kept at the south wall" in str(screen.detail.diff.text.render())
        await until(pilot, lambda: "south wall" in _said(screen.detail.sides.after))
        assert "north wall" in _said(screen.detail.sides.before)

        await pilot.press("escape")
        await settle(pilot)
        await until(pilot, lambda: bench.rows.audit is not None and bench.rows.audit.last is not None)
        assert bench.rows.audit is not None
        assert bench.rows.audit.last is not None
        assert bench.rows.audit.last.verdict.outcome is Outcome.FAILED, "the list tells the later verdict"
        corpus = root / "audits/knowledge.yaml"
        corpus.write_text(CORPUS.replace('["seven"]', '["seven"'), "utf-8")
        await until(pilot, lambda: "knowledge.yaml is broken" in _header(app), 60)
        assert len(bench.rows.audit_ids) == 4, "the last good one holds"
        corpus.write_text(CORPUS.replace("hive-count", "hive-number"), "utf-8")
        await until(pilot, lambda: "hive-number" in bench.rows.audit_ids, 60)
        assert "broken" not in _header(app)
        await until(pilot, lambda: len(watch.edits) == 2 and all(row.kind for row in watch.rows), 60)
        await until(pilot, lambda: not app.runs.live, 60)
        await settle(pilot)
        await pilot.press("ctrl+q")
        await until(pilot, lambda: app._exit, 30)


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
    watch.want(_wants("card-glob", "inbox-place"))
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
def test_the_board_looks_as_it_did(name: str, snap_compare: Any) -> None:
    size, theme, play = PICTURES[name]
    desk = OrchardDesk(Path("orchard"))
    app = WorkbenchApp(as_desk(desk))
    app.theme = theme.name

    async def arrange(pilot: Pilot[Any]) -> None:
        screen, _ = await _watching(pilot, desk)
        await play(pilot, desk)
        await _drawn(pilot, screen)
        await pilot.wait_for_animation()

    assert snap_compare(app, terminal_size=size, run_before=arrange)
