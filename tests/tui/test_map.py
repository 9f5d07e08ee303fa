"""The map: what differs is found, a file opens at its line, an editor moves an answer, nothing is there; pictures."""

import contextlib
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, cast

import pytest
from textual.content import Content
from textual.pilot import Pilot
from textual.widgets import Static

from tests.projects import make_project
from tests.tui.conftest import LOW, WIDE, settle, until
from tests.tui.maps import NAMES, lay
from tests.tui.orchard import OrchardDesk, as_desk
from workbench.desk.desk import Desk
from workbench.guidance.records import BoxMap, FileLayer, FileWeight, Placement
from workbench.tui.app import WorkbenchApp
from workbench.tui.screens.bench import BenchScreen
from workbench.tui.screens.map import MapScreen
from workbench.tui.screens.map_file import MapFileScreen
from workbench.tui.themes import DARK, LIGHT
from workbench.tui.widgets.map_head import taught_block
from workbench.tui.widgets.map_list import MapList


@pytest.fixture(autouse=True)
def files(desk: OrchardDesk) -> Path:
    """The files of the box, laid where the map says they are."""
    lay(desk.project.root)
    return desk.project.root


async def _opened(pilot: Pilot[Any], *before: str) -> MapScreen:
    await settle(pilot)
    for key in before:
        await pilot.press(key)
        await settle(pilot)
    await pilot.press("m")
    await settle(pilot)
    return cast("MapScreen", pilot.app.screen)


def _lines(listing: MapList) -> list[str]:
    return [str(listing.get_option_at_index(index).prompt).rstrip() for index in range(listing.option_count)]


def _marked(screen: MapScreen) -> str:
    subject = screen.panes.answers.subject
    assert isinstance(subject, Placement)
    return subject.audit_id


def _matrix(screen: MapScreen, audit: str) -> str:
    line = next(line for line in _lines(screen.panes.answers) if f" {audit} " in line)
    return "".join(sign for sign in line if sign in "■▪·")


async def test_each_answer_stands_in_its_layer_beside_the_level_expected(app: WorkbenchApp) -> None:
    async with app.run_test(size=WIDE) as pilot:
        screen = await _opened(pilot, "down")
        assert _marked(screen) == "card-glob"
        assert _matrix(screen, "inbox-place") == "■·····"
        assert _matrix(screen, "card-glob") == "▪·■···"
        assert _matrix(screen, "archive-rule") == "······"
        row = next(line for line in _lines(screen.panes.answers) if "card-glob" in line)
        assert row.startswith("↓ ")
        assert [word in row for word in ("docs/cards.md:31", "knows directly", "deeper")] == [True] * 3
        told = "\n".join(_lines(screen.panes.detail))
        assert "named in AGENTS.md:3" in told
        assert "also in the prompt" in told
        assert "29 more places" in told
        spans = [span for index in range(screen.panes.detail.option_count) for span in _found(screen, index)]
        assert spans == ["*.note.card", "cards", "*.note.card"]


def _found(screen: MapScreen, index: int) -> list[str]:
    prompt = screen.panes.detail.get_option_at_index(index).prompt
    assert isinstance(prompt, Content)
    return [prompt.plain[span.start : span.end] for span in prompt.spans if "on $attention" in str(span.style)]


async def test_one_key_leaves_only_what_differs_and_another_goes_from_one_to_the_next(app: WorkbenchApp) -> None:
    async with app.run_test(size=WIDE) as pilot:
        screen = await _opened(pilot)
        seen = []
        for _ in range(4):
            await pilot.press("n")
            seen.append(_marked(screen))
        assert seen == ["card-glob", "note-names", "describe-rules", "card-glob"]
        await pilot.press("d")
        await settle(pilot)
        heads = [line for line in _lines(screen.panes.answers) if line[:1] not in ("↓", "↑", "✗", "")]
        assert heads == ["Finding things  1/3", "Rules and when they load  2/3"]
        assert sum(line[:1] in ("↓", "↑", "✗") for line in _lines(screen.panes.answers)) == 3
        assert _marked(screen) == "card-glob"
        await pilot.press("d")
        await settle(pilot)
        assert sum(isinstance(one, Placement) for one in screen.panes.answers.subjects) == 7
        await pilot.press("escape")
        await settle(pilot)
        assert app.bench is not None
        assert app.bench.rows.audit is not None
        assert app.bench.rows.audit.audit.id == "card-glob"


async def test_the_benchs_filter_is_kept(app: WorkbenchApp) -> None:
    async with app.run_test(size=WIDE) as pilot:
        screen = await _opened(pilot, "slash", *"rule", "enter")
        await until(pilot, lambda: isinstance(app.screen, MapScreen))
        there = [one.audit_id for one in screen.panes.answers.subjects if isinstance(one, Placement)]
        assert there == ["archive-rule", "describe-rules"]
        await pilot.press("d", "escape")
        await settle(pilot)
        assert isinstance(app.screen, BenchScreen)


async def test_files_tell_their_weight_their_answers_and_what_nobody_asks(app: WorkbenchApp) -> None:
    async with app.run_test(size=WIDE) as pilot:
        screen = await _opened(pilot)
        assert "2.8k" in str(screen.taught.render())
        lines = _lines(screen.panes.files)
        assert lines[0].startswith("! CLAUDE.md:3  imports docs/gone.md")
        assert any("docs/cards.md" in line and line.endswith("1 audit") for line in lines)
        assert any("passages nobody asks about  2" in line for line in lines)
        await pilot.press("tab", "down", "down")
        await settle(pilot)
        assert str(screen.panes.detail.border_title) == "AGENTS.md"
        told = _lines(screen.panes.detail)
        assert any("inbox-place" in line for line in told)
        assert any("10–13" in line and "Asking" in line for line in told)
        await pilot.press("tab", "down", "down", "down", "enter")
        await settle(pilot)
        opened = app.screen
        assert isinstance(opened, MapFileScreen)
        assert opened.text.line == 10
        assert "nobody asks about this passage" in str(opened.text.border_subtitle)


async def test_a_file_opens_at_the_line_with_every_answer_in_its_margin(app: WorkbenchApp) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await _opened(pilot)
        await pilot.press("enter")
        await settle(pilot)
        opened = app.screen
        assert isinstance(opened, MapFileScreen)
        assert opened.text.line == 7
        rows = [opened.text.render_line(y).text for y in range(13)]
        assert [row.split()[-1] for row in rows if "●" in row] == ["card-glob", "inbox-place", "note-names"]
        assert [row.split()[0] for row in rows if "▎" in row] == ["10", "11", "12", "13"]
        await pilot.press("n", "n")
        assert opened.text.line == 10
        await pilot.press("N", "N", "N")
        assert opened.text.line == 3
        await pilot.press("escape")
        await settle(pilot)
        assert isinstance(app.screen, MapScreen)


async def test_what_an_editor_moved_is_seen_when_it_ends(
    app: WorkbenchApp, desk: OrchardDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EDITOR", "vi")

    def launch(argv: Sequence[str], cwd: Path) -> int:
        desk.launched.append(tuple(argv))
        desk.maps.move("card-glob", NAMES, "as_expected")
        return 0

    monkeypatch.setattr(desk, "launch", launch)
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        screen = await _opened(pilot, "down")
        await pilot.press("ctrl+o")
        await settle(pilot)
        assert ["cannot be given" in note.message for note in app._notifications] == [True]
        monkeypatch.setattr(app, "suspend", contextlib.nullcontext)
        await pilot.press("ctrl+o")
        await settle(pilot)
        assert desk.launched == [("vi", "+31", str(desk.project.root / "docs/cards.md"))]
        assert _marked(screen) == "card-glob"
        row = next(line for line in _lines(screen.panes.answers) if "card-glob" in line)
        assert row.startswith("✓ ")
        assert "→ AGENTS.md:8" in row
        assert "→ 1 moved" in str(screen.panes._answers_pane.border_title)
        assert any("stood in docs/cards.md:31, referenced" in line for line in _lines(screen.panes.detail))
        await pilot.press("ctrl+r")
        await settle(pilot)
        assert "moved" not in str(screen.panes._answers_pane.border_title)


async def test_an_editor_in_a_file_has_both_read_again(
    app: WorkbenchApp, desk: OrchardDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EDITOR", "vi")
    monkeypatch.setattr(app, "suspend", contextlib.nullcontext)

    def launch(argv: Sequence[str], cwd: Path) -> int:
        Path(argv[-1]).write_text("# Changed\n", encoding="utf-8")
        return 3

    monkeypatch.setattr(desk, "launch", launch)
    async with app.run_test(size=LOW, notifications=True) as pilot:
        await _opened(pilot)
        await pilot.press("enter")
        await settle(pilot)
        await pilot.press("ctrl+o")
        await settle(pilot)
        opened = app.screen
        assert isinstance(opened, MapFileScreen)
        assert "# Changed" in opened.text.render_line(0).text
        assert desk.maps.read_by == ["", ""]
        assert [note.message for note in app._notifications] == ["vi ended with status 3"]


async def test_other_rules_and_other_boxes_are_stepped_through(app: WorkbenchApp, desk: OrchardDesk) -> None:
    async with app.run_test(size=WIDE) as pilot:
        screen = await _opened(pilot)
        assert "claude@2.1.332" in str(screen.places.render())
        await pilot.press("r")
        await settle(pilot)
        assert desk.maps.read_by == ["", "codex"]
        assert not any(line.startswith("!") for line in _lines(screen.panes.files))
        await pilot.press("right_square_bracket")
        await settle(pilot)
        assert _marked(screen) == "spray-interval"
        assert any("~ AGENTS.md:12  about the same" in line for line in _lines(screen.panes.detail))
        assert any("took longer than 2 s" in line for line in _lines(screen.panes.detail))
        await pilot.press("left_square_bracket", "r", "r")
        await settle(pilot)
        assert desk.maps.read_by == ["", "codex", "pi", "claude"]
        assert _marked(screen) == "inbox-place"


def test_a_skill_further_down_tells_nothing_at_the_start() -> None:
    skills = [FileLayer(path=f"{at}.claude/skills/a/SKILL.md", layer="conditional", told=70) for at in ("", "sub/")]
    for cwd, told in ((".", "0 characters load at the start + 70 that"), ("sub", "at the start + 140 that")):
        box = BoxMap(
            box=".", root="/shed", rules="claude", cwd=cwd, files=tuple(FileWeight(file=one) for one in skills)
        )
        assert told in taught_block(box, 100).plain


def _says(line: Static, told: str) -> bool:
    return str(line.render()).startswith(told)


async def test_the_map_stays_while_it_is_read_again_and_a_refusal_is_told(app: WorkbenchApp, desk: OrchardDesk) -> None:
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        desk.maps.go_on.clear()
        await settle(pilot)
        await pilot.press("m")
        screen = app.screen
        assert isinstance(screen, MapScreen)
        for sign in "●○●":
            told = f"{sign} reading the guidance"
            await until(pilot, partial(_says, screen.taught, told))
        desk.maps.go_on.set()
        await settle(pilot)
        desk.maps.go_on.clear()
        await pilot.press("ctrl+r")
        await until(pilot, lambda: "again" in str(screen.taught.render()))
        assert _marked(screen) == "inbox-place"
        desk.maps.problem = "audits/barn: no such folder; set `box:` in audits/guidance.yaml"
        desk.maps.go_on.set()
        await settle(pilot)
        assert [note.message for note in app._notifications] == [desk.maps.problem]
        assert _marked(screen) == "inbox-place"


@pytest.mark.parametrize(
    ("keys", "state", "says"),
    [
        ((), "problem", "✗ audits/barn: no such folder"),
        ((), "empty", "No audit is loaded, so there is no box to map."),
        ((), "agreed", "Nothing differs: every answer stands where its level expects it."),
        (("slash", *"spray", "enter"), "", "The bench's filter “spray” leaves no audit of this box."),
    ],
)
async def test_what_is_not_there_says_what_to_do(
    keys: tuple[str, ...], state: str, says: str, app: WorkbenchApp, desk: OrchardDesk
) -> None:
    desk.maps.problem = "audits/barn: no such folder" if state == "problem" else ""
    desk.maps.empty = state == "empty"
    if state == "agreed":
        for one in desk.maps.box.placements:
            desk.maps.move(one.audit_id, NAMES, "as_expected")
    if keys:
        desk.maps.barn = desk.maps.barn.model_copy(update={"placements": ()})
    async with app.run_test(size=WIDE) as pilot:
        screen = await _opened(pilot, *keys)
        if state == "agreed":
            screen.view.only = True
            screen.panes.draw()
        assert says in _lines(screen.panes.answers)[0]
        assert screen.check_action("launch", ()) is False or screen.panes.target is not None


async def test_a_file_that_is_staged_by_an_audit_or_leads_out_of_the_box_is_not_shown(
    app: WorkbenchApp, desk: OrchardDesk, files: Path
) -> None:
    (files.parent / "secret.md").write_text("not for the bench")
    (files / "AGENTS.md").unlink()
    (files / "AGENTS.md").symlink_to(files.parent / "secret.md")
    async with app.run_test(size=WIDE) as pilot:
        await _opened(pilot)
        await pilot.press("enter")
        await settle(pilot)
        opened = app.screen
        assert isinstance(opened, MapFileScreen)
        assert "AGENTS.md: not in the box" in str(opened._said.render())
        assert opened.check_action("launch", ()) is False


async def test_a_real_box_is_mapped_edited_and_mapped_again_and_its_process_ends_with_the_bench(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = make_project(tmp_path / "shed")
    desk = Desk.open(root)
    app = WorkbenchApp(desk)
    monkeypatch.setenv("EDITOR", "vi")
    monkeypatch.setattr(app, "suspend", contextlib.nullcontext)

    def launch(argv: Sequence[str], cwd: Path) -> int:
        assert argv[1:] == ("+3", str(root / "AGENTS.md"))
        text = Path(argv[2]).read_text("utf-8")
        Path(argv[2]).write_text("One line more.\n" + text.replace("Friday", "Tuesday"), "utf-8")
        return 0

    desk.editor.launch = launch
    async with app.run_test(size=WIDE) as pilot:
        screen = await _opened(pilot)
        await pilot.press("home")
        assert [line[0] for line in _lines(screen.panes.answers) if line[1:2] == " "] == ["✓", "✗", "✓", "–"]
        assert _matrix(screen, "hive-count") == "··■···"
        await pilot.press("enter")
        await settle(pilot)
        opened = app.screen
        assert isinstance(opened, MapFileScreen)
        assert "ladder-place" in opened.text.render_line(2).text
        await pilot.press("ctrl+o")
        await settle(pilot)
        assert "ladder-place" in opened.text.render_line(3).text
        await pilot.press("escape")
        await settle(pilot)
        places = [line for line in _lines(screen.panes.answers) if "→ AGENTS.md" in line]
        assert [line.split()[1] for line in places] == ["ladder-place", "oil-day"]
        assert desk.maps._door is not None
        pid = desk.maps._door.pid
        assert pid is not None
        await pilot.press("escape", "q")
        await until(pilot, lambda: not Path(f"/proc/{pid}").exists())


async def test_what_is_not_on_the_map_is_told_over_it(app: WorkbenchApp, desk: OrchardDesk) -> None:
    desk.maps.left_out = ("audits/barn.yaml: no such folder; set `box:`",)
    async with app.run_test(size=LOW) as pilot:
        screen = await _opened(pilot)
        assert _lines(screen.panes.answers)[0] == "! audits/barn.yaml: no such folder; set `box:`"
        assert _marked(screen) == "inbox-place"


PICTURES = {
    "map-wide-dark": (WIDE, DARK, ("down", "m")),
    "map-wide-light": (WIDE, LIGHT, ("m", "tab", "down", "down")),
    "map-differing-low-light": (LOW, LIGHT, ("m", "d")),
    "map-files-low-dark": (LOW, DARK, ("m", "2", "down")),
    "map-detail-low-light": (LOW, LIGHT, ("m", "n", "3")),
    "map-file-wide-dark": (WIDE, DARK, ("m", "enter")),
    "map-file-low-light": (LOW, LIGHT, ("m", "n", "enter")),
    "map-bare-wide-light": (WIDE, LIGHT, ("m", "right_square_bracket")),
}


@pytest.mark.parametrize("name", PICTURES)
def test_the_map_looks_as_it_did(name: str, tmp_path: Path, snap_compare: Any) -> None:
    size, theme, keys = PICTURES[name]
    root = tmp_path / "box" / "orchard"
    lay(root)
    app = WorkbenchApp(as_desk(OrchardDesk(root)))
    app.theme = theme.name

    async def arrange(pilot: Pilot[Any]) -> None:
        await settle(pilot)
        for key in keys:
            await pilot.press(key)
            await settle(pilot)
        await pilot.wait_for_animation()

    assert snap_compare(app, terminal_size=size, run_before=arrange)
