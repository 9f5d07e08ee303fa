"""`workbench endpoint`: it says where it is, tells every request, keeps no key, and ends when it is interrupted."""

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import pytest

from tests.endpoint import clients
from workbench.brains.scripts import steps
from workbench.endpoint.faults import KINDS, Fault

ASK = {"model": "m", "messages": [{"role": "user", "content": "hello \x1b[31m"}], "stream": True}


PAGE = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8").partition("## The endpoint")[2]


def test_the_manual_names_every_fault_and_its_script_is_one() -> None:
    assert [kind for kind in KINDS if f"`{kind}`" not in PAGE] == []
    assert len(steps(PAGE.partition("```yaml\n")[2].partition("```")[0])) == 3
    assert Fault.parse(PAGE.partition("`--fault ")[2].partition("--fault ")[2].partition("`")[0]).times == 2


class Running:
    """The command in a process of its own."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._started: list[subprocess.Popen[str]] = []

    def __call__(self, *arguments: str) -> tuple["subprocess.Popen[str]", IO[str]]:
        command = [sys.executable, "-m", "workbench", "endpoint", *arguments]
        # A job in a shell's background has Ctrl-C ignored, and hands that on to all it starts.
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        process = subprocess.Popen(command, cwd=self._folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        signal.signal(signal.SIGINT, before)
        self._started.append(process)
        assert process.stdout
        return process, process.stdout

    def stop(self) -> None:
        for process in self._started:
            process.kill()
            process.communicate()


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Running]:
    running = Running(tmp_path)
    yield running
    running.stop()


def test_requests_are_told_as_lines_and_logged_whole_until_it_is_interrupted(run: Running, tmp_path: Path) -> None:
    (tmp_path / "script.yaml").write_text("- call: Read\n  with: {file_path: a.md}\n- say: Done.\n")
    process, told = run("--brain", "script.yaml", "--fault", "529,times=1", "--log", "log.jsonl")
    url = told.readline().split()[0]
    claude, codex, pi, models = (told.readline() for _ in range(4))
    assert all(url in line for line in (claude, codex, models))
    assert all(line.split()[0] == name for name, line in (("claude", claude), ("codex", codex), ("pi", pi)))
    assert json.loads(models)["providers"]["bench"]["baseUrl"] == f"{url}/v1"
    headers = {"x-api-key": "dummy-key-of-no-use"}
    assert [clients.post(url, "/v1/messages", ASK, headers)[0] for _ in range(2)] == [529, 200]
    assert told.readline() == "POST /v1/messages  anthropic-messages  m  1 turn  529 overloaded\n"
    assert told.readline().endswith('200 Read {"file_path": "a.md"}\n')
    process.send_signal(signal.SIGINT)
    rest, errors = process.communicate(timeout=20)
    assert (process.returncode, rest, errors) == (0, "", "")
    log = (tmp_path / "log.jsonl").read_text()
    assert "dummy-key" not in log
    first, second = map(json.loads, log.splitlines())
    assert first["body"] == second["body"] == ASK
    assert second["answered"] == '200 Read {"file_path": "a.md"}'


def test_json_is_one_object_a_line(run: Running) -> None:
    _, told = run("--json")
    started = json.loads(told.readline())
    assert started["brain"] == "reader"
    clients.post(started["url"], "/v1/responses", {"model": "m", "input": "hello"})
    request = json.loads(told.readline())
    assert (request["wire"], request["model"], request["turns"]) == ("openai-responses", "m", 1)
    assert "headers" not in request


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("--brain", "nobody"), "is no brain"),
        (("--fault", "teapot"), "no fault named 'teapot'"),
        (("--port", "{taken}"), "give another --port"),
    ],
)
def test_what_cannot_be_served_is_refused_in_one_line(run: Running, arguments: tuple[str, ...], why: str) -> None:
    _, told = run("--json")
    taken = json.loads(told.readline())["url"].rpartition(":")[2]
    process, _ = run(*(argument.format(taken=taken) for argument in arguments))
    _, errors = process.communicate(timeout=20)
    assert (process.returncode, errors.count("\n")) == (2, 1)
    assert why in errors
