"""`workbench watch` in a pipe and on a terminal: a line an event, an end that says how."""

import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest

from tests.projects import CORPUS, GUIDE, make_project
from tests.terminal import Terminal
from workbench.cli.watch_telling import telling
from workbench.desk.watching.records import Edit, Edited
from workbench.insight.impact import FileChange, Reason, Touch

if TYPE_CHECKING:
    from workbench.desk.watching.watch import Watch

ENGINES = Path(__file__).parents[1] / "runs" / "engines"
TUESDAY = GUIDE.replace("Friday", "Tuesday")
PAID = "engine: paying\ntests:\n  - {id: own, prompt: say x, expected_level: guessable, watch_for: x}\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_project(tmp_path / "shed")


def environment(root: Path) -> dict[str, str]:
    path = os.pathsep.join(filter(None, (str(ENGINES), os.environ.get("PYTHONPATH", ""))))
    private = {"XDG_CONFIG_HOME": str(root.parent / "config"), "PAYING_KEY": "quince-1234", "PYTHONPATH": path}
    return os.environ | {"COLUMNS": "100"} | private


@contextlib.contextmanager
def watching(root: Path, *arguments: str) -> "Iterator[subprocess.Popen[str]]":
    argv = [sys.executable, "-m", "workbench", "watch", *arguments]
    pipe = subprocess.PIPE
    with subprocess.Popen(
        argv, cwd=root, stdin=subprocess.DEVNULL, stdout=pipe, stderr=pipe, text=True, env=environment(root)
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def until(process: "subprocess.Popen[str]", wanted: str) -> str:
    """The next line that holds something; a line that never comes ends the test with the suite's own limit."""
    assert process.stdout is not None
    for line in process.stdout:
        if wanted in line:
            return line
    raise AssertionError(f"it ended before it said {wanted!r}: {process.stderr.read() if process.stderr else ''}")


@pytest.mark.parametrize(("stream", "name"), [("stdout", "notes.txt"), ("stderr", "docs/notes.txt")])
def test_what_it_tells_is_not_written_into_a_box_it_watches(root: Path, stream: str, name: str) -> None:
    argv, pipe = [sys.executable, "-m", "workbench", "watch"], subprocess.PIPE
    with (root / name).open("w+", encoding="utf-8") as file:
        streams: dict[str, Any] = {"stdin": subprocess.DEVNULL, "stdout": pipe, "stderr": pipe, stream: file}
        done = subprocess.run(argv, cwd=root, env=environment(root), check=False, text=True, timeout=60, **streams)
        file.seek(0)
        told = done.stderr or file.read()
    assert done.returncode == 2
    assert f"{name} lies in a box that is watched" in told


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 0)])
def test_in_a_pipe_every_event_is_a_line_at_once_and_the_end_is_clean(root: Path, number: int, code: int) -> None:
    with watching(root) as process:
        assert until(process, " ready ").split(" ", 1)[1] == "ready 3 files in shed for 4 audits\n"
        until(process, " settled ")
        (root / "AGENTS.md").write_text(TUESDAY, encoding="utf-8")
        assert 'edited AGENTS.md; it touches oil-day ("Tuesday"' in until(process, " edited ")
        assert "fixed oil-day: failed → passed" in until(process, " fixed ")
        (root / "audits" / "knowledge.yaml").write_text(f"{CORPUS}  - {{id: half", encoding="utf-8")
        assert "corpus-broken audits/knowledge.yaml:32:1: error: " in until(process, " corpus-broken ")
        process.send_signal(number)
        assert process.wait(30) == code
        assert process.stderr is not None
        assert process.stderr.read() == ""


def test_an_edit_is_one_line_though_the_map_adds_reasons_to_it(capsys: pytest.CaptureFixture[str]) -> None:
    came, stands = Reason("literal", "AGENTS.md", 5, "came"), Reason("gained", "AGENTS.md", 5, "stands")
    touches = ((Touch("oil-day", (came,)),), (Touch("oil-day", (stands, came)),), (Touch("oil", (came,)),))
    with telling(cast("Watch", None), lambda: None, levels=False, as_json=False) as hear:
        for number, touched in ((1, touches[0]), (1, touches[1]), (1, touches[1] + touches[2]), (2, touches[1])):
            hear(Edited(Edit(number, "", ".", (FileChange("AGENTS.md", "x", "y"),), touches=touched)))
    told = [line.split(" ", 2)[2] for line in capsys.readouterr().out.splitlines()]
    assert told == [
        "AGENTS.md; it touches oil-day (came)",
        "AGENTS.md; it touches oil-day (stands) and 1 more",
        "AGENTS.md; it touches oil-day (stands)",
    ]


def test_for_programs_every_event_is_an_object(root: Path) -> None:
    with watching(root, "--json", "oil-day") as process:
        ready = json.loads(until(process, '"ready"'))
        assert (ready["type"], ready["audits"], ready["engine"]) == ("ready", 1, "reader")
        asking = json.loads(until(process, '"asking"'))
        assert (asking["audits"], asking["baseline"], asking["forecast"]) == (["oil-day"], True, None)
        until(process, '"settled"')
        (root / "AGENTS.md").write_text(TUESDAY, encoding="utf-8")
        edited = json.loads(until(process, '"edited"'))
        assert (edited["edit"], edited["files"], edited["touched"][0]["audit"]) == (1, ["AGENTS.md"], "oil-day")
        flipped = json.loads(until(process, '"flipped"'))
        assert (flipped["kind"], flipped["before"]["outcome"], flipped["after"]["outcome"]) == (
            "fixed",
            "failed",
            "passed",
        )
        assert "levels" not in flipped  # no human has saved one


def test_where_nobody_can_say_yes_who_costs_money_must_be_named(root: Path) -> None:
    (root / "audits" / "paid.yaml").write_text(PAID, encoding="utf-8")
    with watching(root) as process:
        assert process.wait(30) == 2
        assert process.stderr is not None
        assert "asking paying costs money" in process.stderr.read()
    with watching(root, "no-such-audit") as process:
        assert process.wait(30) == 2


def test_nobody_reads_any_more(root: Path) -> None:
    with watching(root) as process:
        until(process, " settled ")
        assert process.stdout is not None
        process.stdout.close()
        (root / "AGENTS.md").write_text(TUESDAY, encoding="utf-8")
        assert process.wait(30) == 141


def test_on_a_terminal_a_yes_is_asked_for_and_taken(root: Path) -> None:
    (root / "audits" / "knowledge.yaml").write_text(PAID, encoding="utf-8")
    argv = [sys.executable, "-m", "workbench", "watch"]
    with Terminal(argv, root, **environment(root)) as terminal:
        terminal.wait(rb"watching.*Ctrl-C ends it")
        (root / "AGENTS.md").write_text(TUESDAY, encoding="utf-8")
        terminal.wait(rb"ask\? y, or n, and Enter")  # whole, however narrow the terminal and long the offer
        since = len(terminal.output)
        terminal.send("y\n")
        terminal.wait(rb"new.* own", since)
        terminal.send("\x03")
