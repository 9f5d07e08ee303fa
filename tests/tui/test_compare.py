"""The comparison: the last two runs at once, other sides chosen, asked and watched, answers and guidance beside it."""

from typing import Any, cast

import pytest
from textual.pilot import Pilot
from textual.widgets import OptionList

from tests.tui.comparing import AFTER, BEFORE, comparing
from tests.tui.conftest import settle, until
from tests.tui.orchard import OrchardDesk
from workbench.tui.app import WorkbenchApp
from workbench.tui.screens.bench import BenchScreen
from workbench.tui.screens.compare import CompareScreen
from workbench.tui.screens.confirm import ConfirmScreen

WIDE, LOW = (140, 40), (80, 24)


async def _opened(pilot: Pilot[Any]) -> CompareScreen:
    await settle(pilot)
    await pilot.press("equals_sign")
    await settle(pilot)
    return cast("CompareScreen", pilot.app.screen)


def _listed(screen: CompareScreen) -> list[str]:
    return [str(screen.table.get_option_at_index(index).prompt) for index in range(screen.table.option_count)]


def _heads(screen: CompareScreen) -> list[str]:
    listed = [str(option.prompt) for option in screen.table.options if option.disabled]
    return [line[2:] for line in listed if line.strip()]


async def test_what_differs_comes_first_and_the_rest_is_one_key_away(app: WorkbenchApp) -> None:
    async with app.run_test(size=WIDE) as pilot:
        screen = await _opened(pilot)
        assert _heads(screen) == [
            "broken  1",
            "fixed  1",
            "passes less often  1",
            "moved level  1",
            "checks loosened  1",
            "only in A  1",
            "no verdict  1",
            "unjudged  1",
            "2 audits unchanged; e shows them",
        ]
        listed = _listed(screen)
        assert next(line for line in listed if "card-glob" in line).split() == [
            "card-glob", "✓", "6/6", "→", "✗", "0/6", "regression", "+700",
        ]  # fmt: skip
        assert "~ 2/3" in next(line for line in listed if "note-names" in line)
        assert "knows directly → discoverable" in next(line for line in listed if "archive-rule" in line)
        assert "○ not asked" in next(line for line in listed if "spray-interval" in line)
        head = str(screen.head.render())
        for told in (
            "engine version  0.1.0 → 0.2.0",
            "hidden on both sides: docs/old/**",
            "checks loosened 1, only in A 1",
        ):
            assert told in head
        assert "4 audits had fewer" in head
        await pilot.press("e")
        await settle(pilot)
        assert any("shed-key" in line for line in _listed(screen))


async def test_answers_stand_beside_each_other_with_the_words_marked_that_differ(app: WorkbenchApp) -> None:
    async with app.run_test(size=WIDE) as pilot:
        screen = await _opened(pilot)
        marked = [
            [piece for line, _ in pane._lines for piece, style in line.body if style == "differs"]
            for pane in (screen.answers.before, screen.answers.after)
        ]
        assert "in docs/old/" in marked[0][0]
        assert "beside what they tell of" in marked[1][0]
        assert "trial 1 of 6" in str(screen.answers.before.border_title)
        await pilot.press("right_square_bracket")
        await settle(pilot)
        assert "trial 2 of 6" in str(screen.answers.after.border_title)
        while screen.row is None or screen.row.name != "pruning-season":
            await pilot.press("down")
            await settle(pilot)
        text = [line.text for line, _ in screen.answers.before._lines]
        assert text[0] == "no longer: correct_contains late winter"
        await pilot.press("d")
        await settle(pilot)
        assert "+Notes are kept beside what they tell of" in str(screen.diff.render())
        assert "index 3f1c2ab" not in str(screen.diff.render())
        await pilot.press("escape")
        await settle(pilot)
        assert app.screen is screen
        await pilot.press("escape")
        await settle(pilot)
        assert isinstance(app.screen, BenchScreen)


async def test_on_a_narrow_terminal_the_answers_take_the_tables_place(app: WorkbenchApp) -> None:
    async with app.run_test(size=LOW) as pilot:
        screen = await _opened(pilot)
        assert screen.table.display
        assert not screen.answers.display
        await pilot.press("enter")
        await settle(pilot)
        assert screen.answers.display
        assert screen.answers.before.region.y < screen.answers.after.region.y
        await pilot.press("escape")
        await settle(pilot)
        assert screen.focused is screen.table


async def test_a_side_that_must_be_asked_is_asked_on_a_key_and_watched(app: WorkbenchApp, desk: OrchardDesk) -> None:
    async with app.run_test(size=WIDE) as pilot:
        screen = await _opened(pilot)
        assert screen.check_action("ask", ()) is False
        await pilot.press("b", *"working", "enter")
        await settle(pilot)
        assert comparing(desk).asked[-1].b == "worktree"
        assert "2 trials of reader: free" in str(screen.head.render())
        await pilot.press("t")
        await settle(pilot)
        assert comparing(desk).asked[-1].trials == 3
        await pilot.press("r")
        await until(pilot, lambda: desk.live is not None and "asking B  0/2" in str(screen.head.render()))
        assert desk.live is not None
        assert screen.check_action("choose", ()) is False
        desk.live.begin()
        desk.live.tell(desk.finish("card-glob"))
        await until(pilot, lambda: "B  ✓ card-glob" in str(screen.head.render()))
        desk.live.finish()
        await until(pilot, lambda: screen.live is None and screen.compared is not None)
        await settle(pilot)
        assert "broken  1" in _heads(screen)
        assert screen.focused is screen.table


async def test_keys_that_come_while_the_sides_are_read_are_heeded(app: WorkbenchApp, desk: OrchardDesk) -> None:
    hand = comparing(desk)
    async with app.run_test(size=WIDE) as pilot:
        screen = await _opened(pilot)
        await pilot.press("b", *"working", "enter")
        await settle(pilot)
        hand.held.clear()
        try:
            await pilot.press("t")
            await until(pilot, lambda: hand.asked[-1].trials == 3)
            await pilot.press("t", "r")
            await until(pilot, lambda: hand.asked[-1].trials == 5)
            await until(pilot, lambda: "for 5 trials of each audit" in str(screen.head.render()))
            assert screen.live is None, "nothing is asked before it is known what that comes to"
        finally:
            hand.held.set()
        await until(pilot, lambda: screen.live is not None and "asking B" in str(screen.head.render()))
        assert screen.prepared is not None
        assert screen.prepared.b.request is not None
        assert screen.prepared.b.request.trials == 5


async def test_a_filter_that_leaves_nothing_says_where_to_change_it(app: WorkbenchApp) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await settle(pilot)
        await pilot.press("slash", *"nobody", "enter")
        await until(pilot, lambda: app.bench is not None and not app.bench.rows.audit_ids)
        await pilot.press("escape")
        screen = await _opened(pilot)
        assert "no audit matches 'nobody'; change it on the bench with /" in str(screen.head.render())


async def test_a_typed_revision_is_meant_as_it_stands_though_runs_were_asked_of_it(
    app: WorkbenchApp, desk: OrchardDesk
) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await _opened(pilot)
        for typed, meant in (("HEAD", "HEAD"), ("main~2", "main~2"), ("2026-11-27T16", "2026-11-27T16-40-12-claude")):
            await pilot.press("a", *typed)
            await settle(pilot)
            said = [str(option.prompt) for option in app.screen.query_one("#sides", OptionList).options]
            assert said[1] == f"the revision or run {typed}"
            await pilot.press("enter")
            await settle(pilot)
            assert comparing(desk).asked[-1].a == meant


async def test_a_dot_is_the_tree_and_what_is_typed_goes_before_what_was_chosen(
    app: WorkbenchApp, desk: OrchardDesk
) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await _opened(pilot)
        for typed, meant in (
            (".", "worktree"),
            (BEFORE, BEFORE),
            (".", "worktree"),
            ("HEAD", "HEAD"),
            (".", "worktree"),
        ):
            await pilot.press("a", *typed)
            await settle(pilot)
            said = [str(option.prompt) for option in app.screen.query_one("#sides", OptionList).options]
            assert ("working tree ." in said) == (typed == ".")
            await pilot.press("enter")
            await settle(pilot)
            assert comparing(desk).asked[-1].a == meant


async def test_money_asks_first_and_leaving_stops_what_is_asked(app: WorkbenchApp, desk: OrchardDesk) -> None:
    comparing(desk).free = False
    async with app.run_test(size=WIDE) as pilot:
        screen = await _opened(pilot)
        await pilot.press("a", *"HEAD~3", "enter")
        await settle(pilot)
        assert comparing(desk).asked[-1].a == "HEAD~3"
        await pilot.press("r")
        await settle(pilot)
        assert isinstance(app.screen, ConfirmScreen)
        await pilot.press("n")
        await settle(pilot)
        assert desk.live is None
        await pilot.press("r")
        await settle(pilot)
        await pilot.press("y")
        await until(pilot, lambda: desk.live is not None and screen.live is not None)
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, BenchScreen) and not app.runs.live)


@pytest.mark.parametrize(("pair", "told"), [(("", AFTER), "not chosen"), ((AFTER, AFTER), "A and B are the same")])
async def test_what_cannot_be_compared_says_what_to_do(
    app: WorkbenchApp, desk: OrchardDesk, pair: tuple[str, str], told: str
) -> None:
    comparing(desk).pair = pair
    async with app.run_test(size=LOW) as pilot:
        screen = await _opened(pilot)
        head = str(screen.head.render())
        assert told in head
        assert "a and b choose the sides" in head
        assert screen.check_action("diff", ()) is False
        await pilot.press("a", *BEFORE[:10], "enter")
        await settle(pilot)
        assert comparing(desk).asked[-1].a == "2026-11-27T16-40-12-claude"
