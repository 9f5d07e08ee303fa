"""Grading mode as one uses it: a whole queue by keyboard, blind, with notes demanded, left and come back to."""

from dataclasses import replace
from typing import Any

import pytest
from textual.pilot import Pilot

from tests.tui.conftest import LOW, WIDE, settle, until
from tests.tui.orchard import ME, OrchardDesk
from workbench.desk.records import DeskError, TrialView
from workbench.grading.records import Assessment
from workbench.tui.app import WorkbenchApp
from workbench.tui.screens.agreement import AgreementScreen
from workbench.tui.screens.bench import BenchScreen
from workbench.tui.screens.confirm import ConfirmScreen
from workbench.tui.screens.definitions import DefinitionsScreen
from workbench.tui.screens.grade import GradeScreen


async def grading(pilot: Pilot[Any], *keys: str) -> GradeScreen:
    """Open grading mode after some keys at the bench."""
    await settle(pilot)
    await press(pilot, *keys, "g")
    screen = pilot.app.screen
    assert isinstance(screen, GradeScreen)
    return screen


async def press(pilot: Pilot[Any], *keys: str) -> None:
    for key in keys:
        await pilot.press(key)
        await settle(pilot)


def told(screen: GradeScreen) -> str:
    """The line of the form."""
    return str(screen.form._line.content)


def page(screen: GradeScreen) -> str:
    """All that can be read on the screen."""
    texts = (screen.page._text, screen.aside._text)
    frames = (screen.page.border_subtitle, screen.aside.border_subtitle, screen.bar.render())
    return "\n".join(str(part) for part in (*(text.content for text in texts), *frames))


def at(screen: GradeScreen) -> str:
    assert screen.sight.named is not None
    return screen.sight.named[1]


async def test_a_whole_queue_is_graded_by_keyboard(desk: OrchardDesk, app: WorkbenchApp) -> None:
    async with app.run_test(size=WIDE) as pilot:
        screen = await grading(pilot, "down")
        assert at(screen) == "card-glob"
        assert "1 of 3" in page(screen)
        assert "docs/cards.md" in page(screen)
        assert "observed" not in page(screen), "the human comes first"
        await press(pilot, "3", "f", "c", "b", "n", *"was old", "enter")
        assert desk.saved[-1] == Assessment(
            trial="card-glob", grader=ME, at=desk.saved[-1].at, level="discoverable", verdict="fail"
        ).model_copy(update={"cause": "stale expectation", "note": "was old"})
        assert at(screen) == "grafting-tools"
        assert "2 of 3" in page(screen)
        assert "card-glob" in told(screen)
        assert "you and the checks agree" in told(screen)
        await press(pilot, "4", "p", "enter", "u", "enter")
        assert [(saved.trial, saved.verdict) for saved in desk.saved[1:]] == [
            ("grafting-tools", "pass"),
            ("describe-rules", "unsure"),
        ]
        assert "3 graded" in page(screen)
        assert "last one" in told(screen) or "describe-rules" in told(screen)
        await press(pilot, "k", "k")
        assert at(screen) == "card-glob"
        assert "observed" in page(screen)
        await press(pilot, "enter", "right", "left")
        assert len(desk.saved) == 3, "what did not change is not saved again"


async def test_a_note_is_demanded_where_a_level_says_little(desk: OrchardDesk, app: WorkbenchApp) -> None:
    async with app.run_test(size=LOW) as pilot:
        screen = await grading(pilot, "down")
        await press(pilot, "enter")
        assert "nothing is entered" in told(screen)
        for digit, level in (("6", "guessable"), ("7", "improvised"), ("9", "does not know")):
            await press(pilot, digit, "enter")
            assert f"{level} wants a note" in told(screen)
        assert desk.saved == []
        await press(pilot, "n", *"no idea", "escape", "d")
        assert isinstance(app.screen, DefinitionsScreen)
        await press(pilot, "6", "enter")
        assert (desk.saved[0].level, desk.saved[0].note) == ("guessable", "no idea")
        await press(pilot, "8", "8", "p", "enter")
        assert (desk.saved[1].level, desk.saved[1].verdict) == ("", "pass")


async def test_blind_hides_everything_until_level_and_verdict_are_locked(desk: OrchardDesk, app: WorkbenchApp) -> None:
    async with app.run_test(size=WIDE) as pilot:
        screen = await grading(pilot, "down")
        assert "must not read" in page(screen)
        await press(pilot, "b")
        assert desk.grading.blind
        for word in ("must not read", "reader", " failed ", "expected"):
            assert word not in page(screen)
        await press(pilot, "3", "enter")
        assert "p f u is missing" in told(screen)
        assert desk.saved == []
        await press(pilot, "p", "enter")
        assert "locked" in told(screen)
        await press(pilot, "j", "k")
        assert "locked" not in told(screen), "what was told of it is over when one moves on"
        assert at(screen) == "card-glob", "first one sees what the checks say"
        assert desk.saved[-1].verdict == "pass"
        for word in ("must not read", "reader", "you say pass, the checks failed", "expected", "observed"):
            assert word in page(screen)
        await press(pilot, "5", "f")
        await pilot.click("#grade-choices", offset=(6, 0))
        await settle(pilot)
        assert "locked" in told(screen)
        assert (screen.form.filled.level, screen.form.filled.verdict) == ("discoverable", "pass")
        await press(pilot, "c", "h", "enter")
        assert (desk.saved[-1].level, desk.saved[-1].cause) == ("discoverable", "matcher miss")
        await press(pilot, "enter")
        assert at(screen) == "grafting-tools"
        assert "unmeasured" not in page(screen)
        await press(pilot, "tab")
        assert screen.session.kind == "marked", "blind, being in the failed queue would tell the verdict"


async def test_one_leaves_and_comes_back_to_where_one_was(desk: OrchardDesk, app: WorkbenchApp) -> None:
    async with app.run_test(size=WIDE) as pilot:
        screen = await grading(pilot, "down")
        await press(pilot, "2", "p", "enter", "4", "n", *"half", "escape", "escape")
        assert isinstance(app.screen, BenchScreen)
        assert app.bench is not None
        assert app.bench.rows.audit is not None
        assert app.bench.rows.audit.audit.id == "grafting-tools"
        screen = await grading(pilot)
        assert at(screen) == "grafting-tools"
        assert "2 of 3" in page(screen)
        assert (screen.form.filled.level, screen.form.filled.note) == ("deducible", "half")
        assert "not saved yet" in str(screen.form.border_subtitle)
        await press(pilot, "ctrl+q")
        assert isinstance(app.screen, ConfirmScreen), "what was entered is not given up in silence"
        await press(pilot, "n", "k", "escape")
        assert app.bench.form.filled.level == "knows_about", "the bench's form holds what was saved here"
        await press(pilot, "space")
        screen = await grading(pilot)
        await press(pilot, "tab")
        assert [trial.trial.key for trial in screen._trials] == ["card-glob", "note-names"]
        await press(pilot, "tab")
        assert [trial.trial.key for trial in screen._trials] == ["card-glob"]


async def test_what_the_audit_expects_and_others_said_shows_once_one_has_spoken(
    desk: OrchardDesk, app: WorkbenchApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = desk.trial
    said = Assessment(trial="card-glob", grader="Bo Second", at="", level="improvised", verdict="fail")

    def told_more(*named: str) -> TrialView:
        view = plain(*named)
        assert view.summary is not None
        assert view.audit is not None
        audit = view.audit.model_copy(update={"notes": "Fails until the old folder goes."})
        summary = replace(view.summary, assessments=(said, *view.summary.assessments))
        return replace(view, audit=audit, summary=summary)

    monkeypatch.setattr(desk, "trial", told_more)
    async with app.run_test(size=LOW) as pilot:
        screen = await grading(pilot, "down")
        late = ("the old folder goes", "Bo Second", "expected", "observed")
        assert not [word for word in late if word in page(screen)]
        await press(pilot, "3", "enter", "k")
        assert [word for word in late if word in page(screen)] == list(late)


async def test_a_save_that_fails_loses_nothing(
    desk: OrchardDesk, app: WorkbenchApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any, **__: Any) -> Assessment:
        raise DeskError("the disk is full")

    async with app.run_test(size=WIDE) as pilot:
        screen = await grading(pilot, "down")
        with monkeypatch.context() as broken:
            broken.setattr(desk, "assess", full)
            await press(pilot, "3", "p", "enter", "k")
        assert at(screen) == "card-glob"
        assert "0 graded" in page(screen)
        assert screen.form.filled.level == "discoverable"
        await press(pilot, "enter")
        assert desk.saved[-1].level == "discoverable"


async def test_agreement_is_a_key_away_and_says_what_it_is_worth(app: WorkbenchApp) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await settle(pilot)
        await press(pilot, "K")
        screen = app.screen
        assert isinstance(screen, AgreementScreen)
        await until(pilot, lambda: "κ undefined" in str(screen._page.content))
        assert "1 of 2" in str(screen._page.content)
        await press(pilot, "escape")
        titles = [command.title for command in app.get_system_commands(app.screen)]
        assert "How far humans, checks and acts agree, with κ" in titles


async def test_an_empty_queue_says_where_to_go(app: WorkbenchApp) -> None:
    async with app.run_test(size=LOW) as pilot:
        screen = await grading(pilot)
        await press(pilot, "tab", "tab")
        assert "Nothing in the corpora is marked" in page(screen)
        await press(pilot, "3", "enter", "c", "n", "j", "space", "d")
        assert isinstance(app.screen, GradeScreen)
        assert screen.form.filled.blank
        await press(pilot, "shift+tab", "escape")
        assert isinstance(app.screen, BenchScreen)
