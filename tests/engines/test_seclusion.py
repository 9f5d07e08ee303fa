"""What opens a user's doors is shut to every agent's program, but for the program itself."""

import json
from pathlib import Path

import pytest

from workbench.engines.claude.engine import ClaudeEngine
from workbench.engines.codex import command
from workbench.engines.protocol import EngineSettings, Task
from workbench.engines.seclusion import Seclusion
from workbench.host import processes, sandbox


@pytest.fixture
def task(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Task:
    """A task of a user who has a key and keeps programs where credentials are kept too."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for name, text in ((".ssh/id", "private"), (".pi/bin/pi", "#!/bin/sh\ncat $HOME_OF_USER/.ssh/id; echo ran\n")):
        path = tmp_path / "home" / name
        path.parent.mkdir(parents=True)
        path.write_text(text)
        path.chmod(0o755)
    (tmp_path / "trial" / "box").mkdir(parents=True)
    return Task(trial="t", prompt="?", workspace=tmp_path / "trial" / "box", keys={"ANTHROPIC_API_KEY": "dummy-key"})


@pytest.mark.skipif(not sandbox.available(), reason="no sandbox here")
def test_a_program_finds_the_users_keys_shut_and_itself_open(task: Task, tmp_path: Path) -> None:
    home = tmp_path / "home"
    with Seclusion(task.workspace, {"HOME_OF_USER": str(home)}) as place:
        argv = place.confined([str(home / ".pi/bin/pi")], task)
        done = processes.run(argv, cwd=task.workspace, env=place.env(), timeout=20)
    assert "ran" in done.text
    assert "private" not in done.text


def test_claude_and_codex_shut_them_by_rules_of_their_own(task: Task, tmp_path: Path) -> None:
    program = tmp_path / "claude"
    program.write_text('#!/bin/sh\ncase "$1" in --version) echo 2.1.332; exit;; esac\necho "$@" > "$PWD/argv"\n')
    program.chmod(0o755)
    ClaudeEngine(EngineSettings(program=str(program))).run(task, lambda event: None)
    argv = (task.workspace / "argv").read_text()
    settings = json.loads("{" + argv.partition("--settings {")[2].partition(" --tools")[0])
    assert f"Read(/{tmp_path}/home/.ssh/**)" in settings["permissions"]["deny"]
    home = tmp_path / "home"
    assert command.closed(task, home / ".ssh/id", tmp_path / "gone", "codex") == [home / ".pi", home / ".ssh"]
    assert command.closed(task, home / ".ssh/id", tmp_path / "gone", str(home / ".pi/bin/pi")) == [home / ".ssh"]
