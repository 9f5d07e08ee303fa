"""The bench as one uses it: asking, watching, filtering, judging, leaving; on wide and on narrow terminals."""

from pathlib import Path

from textual.widget import Widget
from textual.widgets import Static

from tests.projects import make_project
from tests.tui.conftest import LOW, WIDE, settle, until
from tests.tui.orchard import OrchardDesk
from workbench.desk.desk import Desk
from workbench.grading.records import Assessment
from workbench.tui.app import WorkbenchApp
from workbench.tui.screens.bench import BenchScreen
from workbench.tui.screens.confirm import ConfirmScreen
from workbench.tui.screens.help import HelpScreen
from workbench.tui.screens.problems import ProblemsScreen
from workbench.tui.screens.status import StatusScreen
from workbench.tui.widgets.audit_tree import AuditTree
from workbench.tui.widgets.diff import added
from workbench.tui.widgets.form_fields import FormFields
from workbench.tui.widgets.hanging import Hanging
from workbench.tui.widgets.keybar import KeyBar
from workbench.tui.widgets.tabs import PaneTabs


def bench(app: WorkbenchApp) -> BenchScreen:
    """The bench of a started app."""
    assert app.bench is not None
    return app.bench


def has_focus(app: WorkbenchApp, widget: Widget) -> bool:
    """Whether keys go to a widget."""
    return app.focused is widget


def page(screen: BenchScreen) -> str:
    """The transcript's words."""
    rows = screen.transcript.rows
    return "\n".join(rows.row(y).text for y in range(rows.height))


def entry_at(app: WorkbenchApp, key: str) -> int:
    """Where the key bar shows a key."""
    line = str(app.screen.query_one(KeyBar).render())
    return line.index(f" {key} ") + 2


async def test_a_run_is_watched_from_start_to_verdict(desk: OrchardDesk, app: WorkbenchApp) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await settle(pilot)
        screen = bench(app)
        await pilot.press("down", "down", "down")
        await settle(pilot)
        assert "never asked" in page(screen)
        assert screen.check_action("form", ()) is False
        await pilot.press("enter")
        assert desk.live is not None
        desk.live.begin()
        await settle(pilot)
        assert "One card, one thought" in page(screen)
        assert "never asked" not in page(screen)
        assert screen.transcript.live
        assert screen.check_action("stop", ()) is True
        desk.live.finish()
        await until(pilot, lambda: screen.showing.finished)
        await settle(pilot)
        assert "You can list them" in page(screen)
        assert "passes" in str(screen.checks.border_subtitle)
        assert app.board.tally.passed == 1
        assert not app.board.live


async def test_stopping_stops_and_leaving_asks_first(desk: OrchardDesk, app: WorkbenchApp) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await settle(pilot)
        await pilot.press("R")
        assert desk.live is not None
        desk.live.begin()
        await settle(pilot)
        assert set(app.board.running) == {"inbox-place", "card-glob", "note-names", "archive-rule"}
        await pilot.press("q")
        assert isinstance(app.screen, ConfirmScreen)
        await pilot.press("n")
        assert app.board.live
        await pilot.press("X")
        await until(pilot, lambda: not app.board.live)
        await pilot.press("a")
        desk.live.begin()
        await settle(pilot)
        await pilot.press("q", "y")
        await until(pilot, lambda: not app.is_running or app._exit)
    assert app.return_code == 0


async def test_an_assessment_is_saved_as_it_is_entered(desk: OrchardDesk, app: WorkbenchApp) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await settle(pilot)
        screen = bench(app)
        await pilot.press("down")
        await settle(pilot)
        told = screen.form._told
        assert "after you grade" in str(told.content)
        await pilot.press("G", "3", "f", "c", "b", "n", *"was old")
        await pilot.press("enter")
        await settle(pilot)
        assert desk.saved[0] == Assessment(
            trial="card-glob", grader=desk.grader, at=desk.saved[0].at, level="discoverable"
        )
        last = desk.saved[-1]
        assert (last.level, last.verdict, last.cause, last.note) == (
            "discoverable",
            "fail",
            "stale expectation",
            "was old",
        )
        assert "discoverable" in str(told.content)
        assert has_focus(app, screen.rows)
        row = screen.rows.audit
        assert row is not None
        assert row.last is not None
        assert row.last.human == last
        await pilot.press("G", "backspace")
        await settle(pilot)
        assert desk.saved[-1].level == ""
        await pilot.resize_terminal(*LOW)
        await pilot.pause()
        assert has_focus(app, screen.form.fields)
        assert [pane.display for pane in screen.query(".pane")] == [False, False, True]


async def test_a_filter_narrows_the_list_and_says_what_is_wrong_with_it(app: WorkbenchApp) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await settle(pilot)
        screen = bench(app)
        await pilot.press("slash", *"glob")
        await until(pilot, lambda: screen.rows.audit_ids == ("card-glob",))
        await settle(pilot)
        assert "1 of 8" in str(screen.audits.border_subtitle)
        await pilot.press("escape", *"nope:x")
        await until(pilot, lambda: "is no key" in str(screen.audits._complaint.content))
        assert screen.rows.audit_ids == ("card-glob",), "a wrong filter leaves the list as it was"
        await pilot.press("escape", *"zzz")
        await until(pilot, lambda: screen.rows.audit_ids == ())
        await settle(pilot)
        assert "No audit fits" in page(screen)
        await pilot.press("escape", "escape")
        await until(pilot, lambda: len(screen.rows.audit_ids) == 8)
        assert has_focus(app, screen.rows)


async def test_evidence_is_a_key_away_and_narrow_terminals_go_there(app: WorkbenchApp) -> None:
    async with app.run_test(size=LOW) as pilot:
        await settle(pilot)
        screen = bench(app)
        assert [pane.display for pane in screen.query(".pane")] == [True, False, False]
        await pilot.press("down")
        await settle(pilot)
        await pilot.press("3", "enter")
        await settle(pilot)
        assert [pane.display for pane in screen.query(".pane")] == [False, True, False]
        assert has_focus(app, screen.transcript)
        await pilot.press("tab", "tab")
        assert has_focus(app, screen.form.fields)
        await pilot.press("tab")
        assert has_focus(app, screen.rows)
        await pilot.press("right_square_bracket")
        await settle(pilot)
        assert screen.rows.audit is not None
        assert screen.rows.audit.audit.id == "note-names"


async def test_help_problems_theme_and_palette(app: WorkbenchApp) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await settle(pilot)
        await pilot.press("question_mark")
        assert isinstance(app.screen, HelpScreen)
        await pilot.press("escape", "exclamation_mark")
        assert isinstance(app.screen, ProblemsScreen)
        await pilot.press("escape", "ctrl+t")
        assert app.theme == "workbench-light"
        titles = [command.title for command in app.get_system_commands(app.screen)]
        assert "Ask the marked audits, or the one under the cursor" in titles
        assert "Stop every run; what is finished stays" not in titles


async def test_the_keys_keep_their_margin_beside_a_scroll_bar(app: WorkbenchApp) -> None:
    async with app.run_test(size=(120, 34)) as pilot:
        await settle(pilot)
        await pilot.press("question_mark")
        await settle(pilot)
        for column in app.screen.query(Hanging):
            assert max(map(len, str(column.render()).splitlines())) <= column.content_size.width


async def test_a_project_without_audits_says_what_to_do() -> None:
    from tests.tui.orchard import as_desk

    app = WorkbenchApp(as_desk(OrchardDesk(empty=True)))
    async with app.run_test(size=LOW) as pilot:
        await settle(pilot)
        assert "workbench init" in page(bench(app))
        await pilot.press("r", "R", "a", "g", "s")
        assert app.screen is app.bench


async def test_a_corpus_that_cannot_be_read_is_told_in_the_list(tmp_path: Path) -> None:
    root = make_project(tmp_path / "shed", {"audits/broken.yaml": "tests: [\n"})
    app = WorkbenchApp(Desk.open(root))
    async with app.run_test(size=LOW) as pilot:
        await settle(pilot)
        told = bench(app).audits.query_one("#filter-error", Static)
        assert "audits/broken.yaml:" in str(told.content)
        await pilot.press("exclamation_mark")
        await settle(pilot)
        assert "no status was ever given" in str(app.screen.query_one("#dialog Static", Static).content)


async def test_every_field_of_the_assessment_keeps_its_line(app: WorkbenchApp) -> None:
    async with app.run_test(size=(112, 30)) as pilot:
        await settle(pilot)
        await pilot.press("G", "8")
        fields = bench(app).form.query_one(FormFields)
        lines = [fields.render_line(y).text for y in range(fields.size.height)]
        assert [line.split()[0] for line in lines] == ["›", "verdict", "cause"], lines
        assert "…" in lines[0]


async def test_where_no_audit_can_be_read_nobody_is_sent_to_init(tmp_path: Path) -> None:
    root = make_project(tmp_path / "shed", {"audits/knowledge.yaml": "tests: [\n"})
    app = WorkbenchApp(Desk.open(root))
    async with app.run_test(size=LOW) as pilot:
        await settle(pilot)
        assert "! lists what is wrong" in page(bench(app))
        assert "workbench init" not in page(bench(app))


async def test_a_note_longer_than_its_field_stays_in_sight(app: WorkbenchApp) -> None:
    async with app.run_test(size=(112, 30)) as pilot:
        await settle(pilot)
        await pilot.press("G", "n", *"wanders off " * 5)
        assert "wanders" in bench(app).form.note.render_line(0).text
        assert bench(app).form.note.scrollable_content_region.height == 1


async def test_the_answers_show_whatever_a_question_is_about(app: WorkbenchApp) -> None:
    async with app.run_test(size=LOW) as pilot:
        await settle(pilot)
        app.push_screen(ConfirmScreen("Write", "words " * 30, detail=added("a line\n" * 90)))
        await settle(pilot)
        dialog, answers = app.screen.query_one("#dialog"), app.screen.query_one("#answers")
        assert dialog.content_region.contains_region(answers.region)


async def test_the_mouse_works_too(desk: OrchardDesk, app: WorkbenchApp) -> None:
    async with app.run_test(size=LOW) as pilot:
        await settle(pilot)
        screen = bench(app)
        await pilot.click(AuditTree, offset=(8, 3))
        await settle(pilot)
        assert screen.rows.audit is not None
        assert screen.rows.audit.audit.id == "card-glob"
        assert desk.live is None, "a click only looks; asking wants a key"
        await pilot.click(PaneTabs, offset=(30, 0))
        await pilot.pause()
        assert [pane.display for pane in screen.query(".pane")] == [False, False, True]
        await pilot.click(FormFields, offset=(66, 1))
        await settle(pilot)
        assert len(desk.saved) == 1
        await pilot.click("#choices", offset=(40, 0))
        await settle(pilot)
        assert [saved.verdict for saved in desk.saved] == ["fail", "unsure"]
        await pilot.press("escape")
        await pilot.click(PaneTabs, offset=(4, 0))
        await pilot.pause()
        await pilot.click(KeyBar, offset=(entry_at(app, "s"), 0))
        await pilot.pause()
        assert isinstance(app.screen, StatusScreen)
