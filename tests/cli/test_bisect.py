"""`workbench bisect` as a user runs it: its steps, its exit codes, and money that asks first and stays under a cap."""

import json
import os
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.cli.test_commands import PROGRAM
from tests.cli.test_commands import workbench as free
from tests.cli.test_money import ENGINES
from tests.cli.test_money import workbench as paid
from tests.desk.test_bisecting import GONE, commit, notes
from tests.projects import GUIDE, make_project

CORPUS = """\
engine: paying
tests:
  - {id: page, prompt: "list\\ncost 0.25", expected_level: knows_about, watch_for: x, correct_contains: [docs/page.md]}
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = make_project(tmp_path / "shed", {"audits/paid.yaml": CORPUS})
    guide = notes(root, GUIDE, "Before", 2)
    commit(root, "Tidy", {"AGENTS.md": f"{guide.replace('north wall', 'wall')}", "docs/page.md": "A page.\n"})
    notes(root, GONE, "After", 2)
    return root


def told(done: subprocess.CompletedProcess[str]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_each_step_is_told_then_the_commit_and_its_diff(root: Path) -> None:
    done = free(root, "bisect", "ladder-place", "HEAD~9..HEAD")
    assert (done.returncode, done.stderr) == (0, "")
    first, *steps = done.stdout.split("\n\n")[0].splitlines()
    assert first.startswith("5 commits of guidance; usually ")
    assert all((step[:2] in ("✓ ", "✗ ") and "1 of 1 pass" in step) or "0 of 1 pass" in step for step in steps)
    assert "lost by " in done.stdout
    assert " Robin Grader Tidy\n" in done.stdout
    assert '"north wall" went from AGENTS.md:3' in done.stdout
    assert "-The long ladder is kept at the north wall of the shed." in done.stdout
    again = free(root, "bisect", "ladder-place", "HEAD~9..HEAD")
    assert "nothing is left to ask" in again.stdout
    assert done.stdout.splitlines()[-1].endswith(" trials asked")
    assert again.stdout.splitlines()[-1] == f"{done.stdout.splitlines()[-1]} before, none now"
    alike = free(root, "bisect", "oil-day", "HEAD~9..HEAD", "--json")
    assert alike.returncode == 1
    assert [line["type"] for line in told(alike)] == ["forecast", "step", "step", "bisect"]
    assert told(alike)[-1]["outcome"] == "alike"


def test_money_asks_first_and_a_cap_stops_what_a_higher_one_goes_on_with(root: Path) -> None:
    refused = paid(root, "bisect", "page", "HEAD~9..HEAD")
    assert refused.returncode == 2
    assert "say so with --engine paying" in refused.stderr
    command = ("bisect", "page", "HEAD~9..HEAD", "--engine", "paying", "--json")
    stopped = paid(root, *command, "--max-cost", "1.5")
    assert stopped.returncode == 3
    forecast, *steps, end = told(stopped)
    assert (forecast["engine"], forecast["maxCost"], forecast["usd"]) == ("paying", 1.5, None)
    assert forecast["trials"] > forecast["usually"] > 8
    assert (end["outcome"], end["usd"] <= 1.5, "cap" in end["why"]) == ("stopped", True, True)
    whole = paid(root, *command, "--max-cost", "20")
    assert whole.returncode == 0
    forecast, *steps, end = told(whole)
    assert forecast["usd"] == pytest.approx(forecast["trials"] * 0.25)
    assert (end["outcome"], end["direction"], end["after"]["subject"]) == ("commit", "taught", "Tidy")
    assert end["after"]["guidance"] == ["AGENTS.md", "docs/page.md"]
    assert end["sure"] >= 0.95
    assert end["usd"] == pytest.approx(0.25 * end["trials"])
    assert sum(step["known"] for step in steps) >= 1


def test_what_nobody_can_tell_the_cost_of_is_never_told_as_nothing(root: Path) -> None:
    corpus = root / "audits/paid.yaml"
    corpus.write_text(CORPUS.replace("\\ncost 0.25", ""), "utf-8")
    command = ("bisect", "page", "HEAD~9..HEAD", "--engine", "paying")
    first = told(paid(root, *command, "--json", "--max-cost", "5"))[-1]
    assert (first["usd"], first["unpriced"]) == (0, first["trials"])
    assert "the cap of $5.00 cannot be kept" in first["why"]
    again = told(paid(root, *command, "--json", "--max-cost", "5"))[-1]
    assert again["trials"] == first["trials"], "going on is no way round a cap"
    whole = paid(root, *command)
    assert whole.returncode == 0
    assert "cost of " in whole.stdout.splitlines()[-1]
    assert whole.stdout.endswith(" trials unknown\n")


def test_an_interrupted_one_exits_so_and_is_gone_on_with(root: Path) -> None:
    hanging = CORPUS.replace("list", f"mark {root / 'begun'}\\nmeet {root / 'go'}\\nlist")
    (root / "audits/paid.yaml").write_text(hanging.replace("engine: paying", "engine: scripted"), encoding="utf-8")
    environment = os.environ | {"PYTHONPATH": f"{ENGINES}:{os.environ.get('PYTHONPATH', '')}", "NO_COLOR": "1"}
    argv = [*PROGRAM, "bisect", "page", "HEAD~9..HEAD", "--json"]
    process = subprocess.Popen(argv, cwd=root, env=environment, stdout=subprocess.PIPE, text=True)
    while not (root / "begun").exists():
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=60)
    assert process.returncode == 130
    assert json.loads(out.splitlines()[-1])["outcome"] == "stopped"
    (root / "go").touch()
    done = paid(root, "bisect", "--resume", "--json")
    assert done.returncode == 0
    assert told(done)[-1]["after"]["subject"] == "Tidy"


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [
        ([], "name an audit and GOOD..BAD"),
        (["page"], "name an audit and GOOD..BAD"),
        (["--resume"], "no bisection"),
        (["page", "a..b", "--resume"], "--resume"),
    ],
)
def test_a_mistake_is_one_line_on_stderr(root: Path, arguments: list[str], wanted: str) -> None:
    done = free(root, "bisect", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert wanted in done.stderr
    assert len(done.stderr.splitlines()) == 1
