"""Journeys through stored runs: the history, a trial of an old run, a report, a search, a deletion."""

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from textual.content import Content
from textual.pilot import Pilot
from textual.widgets import OptionList, Static

from tests.projects import make_project
from tests.tui.archive import HITS, LIVE, RUN
from tests.tui.conftest import LOW, WIDE, settle, until
from tests.tui.orchard import OrchardDesk, as_desk
from workbench.desk.desk import Desk
from workbench.desk.records import AskRequest
from workbench.tui.app import WorkbenchApp
from workbench.tui.archive.markdown import lines
from workbench.tui.screens.bench import BenchScreen
from workbench.tui.screens.confirm import ConfirmScreen
from workbench.tui.screens.find import FindScreen
from workbench.tui.screens.grade import GradeScreen
from workbench.tui.screens.history import HistoryScreen
from workbench.tui.screens.report import ReportScreen
from workbench.tui.screens.trial import TrialScreen

Screens = HistoryScreen | FindScreen | ReportScreen | TrialScreen | ConfirmScreen


async def press(pilot: Pilot[Any], *keys: str) -> None:
    for key in keys:
        await pilot.press(key)
        await settle(pilot)


def told(listing: OptionList) -> list[str]:
    prompts = (listing.get_option_at_index(index).prompt for index in range(listing.option_count))
    return [prompt.plain if isinstance(prompt, Content) else str(prompt) for prompt in prompts]


def painted(screen: Any, widget: str) -> str:
    content = screen.query_one(widget, Static).visual
    return content.plain if isinstance(content, Content) else str(content)


@pytest.mark.parametrize("size", [WIDE, LOW])
async def test_runs_tell_what_they_took_and_nothing_unknown_is_zero(app: WorkbenchApp, size: tuple[int, int]) -> None:
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        await press(pilot, "h")
        screen = app.screen
        assert isinstance(screen, HistoryScreen)
        live, finished, claude, codex, old = told(screen.runs)
        assert "●" in live
        assert live.split()[-3:] == ["…", "…", "free"]
        assert "✓2 ✗2 ?1 –1" in finished
        assert finished.split()[-5:] == ["9.2", "s", "112.3k", "est.", "free"]
        assert claude.split()[-2:] == ["≥1.4M", "unknown"]
        assert codex.split()[-2:] == ["unknown", "unknown"]
        assert "○3" in old
        assert all(len(line) <= screen.runs.content_size.width for line in told(screen.runs))
        assert not screen.check_action("delete", ())
        await press(pilot, "down")
        assert screen.check_action("delete", ())
        assert "11 trials, 1 human · 17.1k → 17.9k est." in painted(screen, "#trend")
        assert "✗✓?✓?✗✗✓?✓✗" in painted(screen, "#trend")


async def test_who_was_asked_and_the_cost_keep_their_room_before_the_tokens(app: WorkbenchApp) -> None:
    async with app.run_test(size=(120, 34)) as pilot:
        await settle(pilot)
        await press(pilot, "h")
        screen = app.screen
        assert isinstance(screen, HistoryScreen)
        _, finished, claude, *_ = told(screen.runs)
        assert "claude claude" in claude
        assert claude.split()[-1] == "unknown"
        assert finished.split()[-3:] == ["9.2", "s", "free"]


async def test_from_a_run_to_the_transcript_of_its_trial_and_back(app: WorkbenchApp) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await settle(pilot)
        await press(pilot, "h", "down", "enter", "down", "enter")
        screen = app.screen
        assert isinstance(screen, TrialScreen)
        assert "card-glob" in str(screen.transcript.border_title)
        assert screen.checks.listing.option_count == 4
        await press(pilot, "tab", "enter")
        assert screen.focused is screen.checks.listing
        await press(pilot, "escape", "escape")
        assert isinstance(app.screen, BenchScreen)


async def test_a_graded_run_is_deleted_on_a_yes_only(app: WorkbenchApp, desk: OrchardDesk) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await settle(pilot)
        await press(pilot, "h", "d")
        assert isinstance(app.screen, HistoryScreen)  # the first run is live
        await press(pilot, "down", "d")
        assert isinstance(app.screen, ConfirmScreen)
        assert "2 of them were graded" in painted(app.screen, "#question")
        await press(pilot, "n")
        assert desk.archive.deleted == []
        await press(pilot, "d", "y")
        assert desk.archive.deleted == [RUN]
        assert isinstance(app.screen, HistoryScreen)
        assert len(told(app.screen.runs)) == 4
        assert app.screen.line is not None
        assert app.screen.line.summary.run_id not in (RUN, LIVE)


async def test_a_report_is_read_part_by_part_and_written_in_each_form(app: WorkbenchApp, desk: OrchardDesk) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await settle(pilot)
        await press(pilot, "down", "o")
        screen = app.screen
        assert isinstance(screen, ReportScreen)
        assert str(screen.prose.border_title) == "card-glob"
        await press(pilot, "home")
        assert str(screen.prose.border_title) == "The run as a whole"
        await press(pilot, "m", "h", "x", "j")
        assert [form for _, form in desk.exported] == ["md", "html", "junit", "json"]
        await press(pilot, "tab")
        assert screen.focused is screen.prose
        await press(pilot, "escape")
        assert isinstance(app.screen, BenchScreen)


async def test_a_search_finds_as_one_types(app: WorkbenchApp) -> None:
    async with app.run_test(size=LOW) as pilot:
        await settle(pilot)
        await press(pilot, "f")
        screen = app.screen
        assert isinstance(screen, FindScreen)
        assert "who read it" in painted(screen, "#find-told")
        await press(pilot, *"reed:x")
        assert "did you mean" in painted(screen, "#find-told")
        screen.search.value = "nothing"
        await settle(pilot)
        assert painted(screen, "#find-told") == "no trial"
        screen.search.value = "read:docs/cards"
        await settle(pilot)
        assert [line.split()[1] for line in told(screen.hits)] == ["card-glob", "inbox-place", "note-names"]
        await press(pilot, "enter", "enter")
        assert isinstance(app.screen, TrialScreen)
        await press(pilot, "escape", "slash", "escape")
        assert isinstance(app.screen, BenchScreen)


async def test_the_whole_way_on_real_runs(tmp_path: Path) -> None:
    desk = Desk.open(make_project(tmp_path / "shed"))
    for _ in range(2):
        live = desk.ask(AskRequest(tuple(audit.id for audit in desk.select("section:tools"))))
        await asyncio.wait_for(live.wait(), 60)
    app = WorkbenchApp(desk)
    async with app.run_test(size=WIDE) as pilot:
        await settle(pilot)
        await press(pilot, "h")
        screen = app.screen
        assert isinstance(screen, HistoryScreen)
        await until(pilot, lambda: all("est." in line for line in told(screen.runs)))
        await press(pilot, "tab", "down")
        await until(pilot, lambda: "✗✗" in painted(screen, "#trend"))
        await press(pilot, "o")
        assert isinstance(app.screen, ReportScreen)
        assert str(app.screen.prose.border_title) == "oil-day"
        await press(pilot, "h")
        await until(pilot, lambda: list((tmp_path / "shed" / "reports").glob("*/report.html")))
        await press(pilot, "escape", "d", "y")
        await until(pilot, lambda: len(desk.runs()) == 1)
        await press(pilot, "slash", *"friday")
        assert isinstance(app.screen, FindScreen)
        assert len(told(app.screen.hits)) == 1


def test_the_markdown_of_a_report_is_shown_as_it_reads() -> None:
    shown = [
        line.lead[0] + line.text for line in lines("# A \\# title\n**Prompt:** x \\[b\\] `a*b`\n- ✗ says `` ` ``: no")
    ]
    assert shown == ["A # title", "Prompt  x [b] a*b", "  ✗ says `: no"]
    fenced = list(lines("> ```text\n> # no title \\[\n> ```\n```assessment\ntrial: a\nnote: b\n  c\n```\n---\nend"))
    assert [line.text for line in fenced] == ["# no title \\[", "trial    a", "note     b", "  c", "end"]
    assert fenced[0].lead == ("▎ ", "bar")


async def test_the_bench_can_open_in_grading_mode(desk: OrchardDesk) -> None:
    app = WorkbenchApp(as_desk(desk), grade=desk.trials(RUN)[1])
    async with app.run_test(size=WIDE) as pilot:
        await settle(pilot)
        screen = app.screen
        assert isinstance(screen, GradeScreen)
        assert screen.sight.named == (RUN, "card-glob")
        await press(pilot, "escape")
        assert isinstance(app.screen, BenchScreen)


HOSTILE = "[/x][bold]\x1b]0;title\x07\x9b31m\u202e\ud800 \\["


async def test_hostile_text_of_old_runs_stays_text(app: WorkbenchApp, desk: OrchardDesk) -> None:
    first, *rest = desk.archive.lines()
    manifest = first.summary.manifest.model_copy(update={"engine": HOSTILE, "model": HOSTILE, "selection": HOSTILE})
    line = replace(first, summary=replace(first.summary, run_id=HOSTILE, manifest=manifest), live=False)
    desk.archive.told = (line, *rest)
    desk.archive.hits = tuple(replace(hit, trial=HOSTILE, engine=HOSTILE, at=HOSTILE, shown=HOSTILE) for hit in HITS)
    async with app.run_test(size=LOW) as pilot:
        await settle(pilot)
        await press(pilot, "h", "o", "escape", "d", "n", "slash", "x", "down", "enter")
        assert isinstance(app.screen, TrialScreen)
        await press(pilot, "escape")
        assert isinstance(app.screen, FindScreen)
        drawn = "".join(told(app.screen.hits))
        assert "[/x][bold]␛" in drawn
        assert not {char for char in drawn if char in "\x1b\x07\x9b\u202e\ud800"}


async def test_a_run_that_ends_meanwhile_is_told_anew(tmp_path: Path) -> None:
    app = WorkbenchApp(Desk.open(make_project(tmp_path / "shed")))
    async with app.run_test(size=WIDE) as pilot:
        await settle(pilot)
        await pilot.press("r", "h")
        await until(pilot, lambda: isinstance(app.screen, HistoryScreen) and not app.runs.live, 60)
        await settle(pilot)
        screen = app.screen
        assert isinstance(screen, HistoryScreen)
        (line,) = told(screen.runs)
        assert "●" not in line
        assert "✓1" in line
