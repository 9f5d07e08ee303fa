"""How the bench behaves towards the one who uses it: settings, greeting, faults, a folder without a project."""

from pathlib import Path

import pytest

from tests.projects import make_project
from tests.terminal import Terminal, begun, bench
from tests.tui.conftest import LOW, WIDE, settle, until
from tests.tui.orchard import OrchardDesk, as_desk
from workbench.desk.preferences import load
from workbench.tui.app import WorkbenchApp
from workbench.tui.offer import OfferApp
from workbench.tui.screens.bench import BenchScreen
from workbench.tui.screens.welcome import WelcomeScreen


def settings(tmp_path: Path) -> Path:
    """The user's own file."""
    return tmp_path / "config" / "workbench" / "settings.toml"


def at_bench(app: WorkbenchApp) -> bool:
    """Whether nothing lies over the bench."""
    return isinstance(app.screen, BenchScreen)


async def test_a_first_start_explains_itself_once(tmp_path: Path) -> None:
    desk = OrchardDesk(empty=True)
    app = WorkbenchApp(as_desk(desk), load())
    async with app.run_test(size=LOW) as pilot:
        await settle(pilot)
        assert isinstance(app.screen, WelcomeScreen)
        await pilot.press("enter")
        await settle(pilot)
        assert at_bench(app)
    assert settings(tmp_path).exists()
    app = WorkbenchApp(as_desk(desk), load())
    async with app.run_test(size=LOW) as pilot:
        await settle(pilot)
        assert at_bench(app)
        await pilot.press("f1")
        assert isinstance(app.screen, WelcomeScreen)


async def test_the_look_is_remembered_and_keys_can_be_chosen(tmp_path: Path) -> None:
    settings(tmp_path).parent.mkdir(parents=True)
    settings(tmp_path).write_text('bell = false\n[keys]\nproblems = "f9"\nfly = "x"\n', encoding="utf-8")
    app = WorkbenchApp(as_desk(OrchardDesk()), load())
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await settle(pilot)
        told = [notification.message for notification in app._notifications]
        assert any("'fly' is no action" in message for message in told), told
        await pilot.press("exclamation_mark")
        assert at_bench(app)
        await pilot.press("f9")
        assert not at_bench(app)
        await pilot.press("escape", "ctrl+t", "ctrl+t")
        await settle(pilot)
        assert app.theme == "workbench-contrast"
        help_of = {command.title: command.help for command in app.get_system_commands(app.screen)}
        assert help_of["What is wrong in the corpora"] == "key f9"
    kept = load()
    assert (kept.theme, kept.bell, kept.keys["problems"]) == ("contrast", False, "f9")
    WorkbenchApp(as_desk(OrchardDesk()))  # gives every key back its place


@pytest.mark.parametrize("text", ["theme = 3", "theme = 'pink'", "= broken", "colour = 'red'"])
async def test_wrong_settings_are_told_in_one_line_and_left_alone(tmp_path: Path, text: str) -> None:
    settings(tmp_path).parent.mkdir(parents=True)
    settings(tmp_path).write_text(text, encoding="utf-8")
    preferences = load()
    assert str(settings(tmp_path)) in preferences.problem
    assert "\n" not in preferences.problem
    preferences.theme = "light"
    preferences.keep()
    assert settings(tmp_path).read_text("utf-8") == text


async def test_a_fault_in_the_background_is_told_and_the_bench_stays(app: WorkbenchApp, faults: Path) -> None:
    async def fails() -> None:
        secret = "not to be shown"
        raise RuntimeError(f"cannot count to {len(secret)}")

    async with app.run_test(size=LOW, notifications=True) as pilot:
        await settle(pilot)
        app.run_worker(fails(), group="fault")
        await until(pilot, lambda: app._notifications)
        told = next(iter(app._notifications)).message
        assert "cannot count to 15" in told
        assert str(faults) in told
        assert app.is_running
        await pilot.press("down")
        await settle(pilot)
    assert "RuntimeError: cannot count to 15" in faults.read_text("utf-8")
    faults.unlink()


async def test_a_folder_without_a_project_is_offered_a_start(tmp_path: Path) -> None:
    app = OfferApp(tmp_path)
    async with app.run_test(size=LOW) as pilot:
        await pilot.pause()
        await pilot.press("y")
        await pilot.pause()
    assert app.return_value is True


def test_the_end_of_a_run_is_said_to_the_desktop(tmp_path: Path) -> None:
    root = make_project(tmp_path / "shed")
    with begun(root, tmp_path) as terminal:
        terminal.send("r")
        terminal.wait(rb"\x1b\]2;shed: 1 passed \xe2\x80\x93 Workbench\x07")
        terminal.wait(rb"(?<!Workbench)\x07")


def test_a_killed_bench_gives_the_terminal_back(tmp_path: Path) -> None:
    root = make_project(tmp_path / "shed")
    with Terminal(bench(), root, XDG_CONFIG_HOME=str(tmp_path), XDG_STATE_HOME=str(tmp_path)) as terminal:
        terminal.wait(b"enter begins")
        terminal.terminate()
        terminal.wait(rb"\x1b\[\?1049l")
