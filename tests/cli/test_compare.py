"""`workbench compare` as programs and people use it: exit codes, one document, one yes before money."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.projects import GUIDE, git, make_project

ENGINES = Path(__file__).parents[1] / "runs" / "engines"
PAID = """\
engine: paying
tests:
  - {id: shed, prompt: "say shed\\ncost 0.25", expected_level: knows_about, watch_for: x, correct_contains: [shed]}
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = make_project(tmp_path / "shed", {"audits/paid.yaml": PAID})
    (root / "AGENTS.md").write_text(GUIDE.replace("north wall", "west wall"), encoding="utf-8")
    git(root, "commit", "-qam", "Move the ladder")
    return root


def workbench(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join(filter(None, (str(ENGINES), os.environ.get("PYTHONPATH", ""))))
    private = {"XDG_CONFIG_HOME": str(root.parent / "config"), "PAYING_KEY": "quince-1234", "PYTHONPATH": path}
    environment = os.environ | {"NO_COLOR": "1", "COLUMNS": "100"} | private
    argv = [sys.executable, "-m", "workbench", *arguments]
    return subprocess.run(argv, cwd=root, input="", capture_output=True, text=True, timeout=120, env=environment)


def document(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    (line,) = done.stdout.splitlines()
    found: dict[str, Any] = json.loads(line)
    return found


def test_few_trials_are_told_and_enough_of_them_fail_the_command(root: Path) -> None:
    few = workbench(root, "compare", "HEAD~1", "HEAD", "ladder", "oil", "--trials", "2")
    assert few.returncode == 0
    assert "ladder-place  ✓ 2/2 [34–100 %]  →  ✗ 0/2 [0–66 %]\n" in few.stdout
    assert "2 trials a side: too few to speak of a regression or an improvement (5 needed)" in few.stdout
    assert "1 audit unchanged" in few.stdout
    assert "asking 8 trials" in few.stderr

    enough = workbench(root, "compare", "HEAD~1", "HEAD", "ladder", "oil", "--trials", "5", "--diff")
    assert enough.returncode == 1
    assert "✗ 0/5 [0–43 %]  regression\n" in enough.stdout
    assert "+The long ladder is kept at the west wall" in enough.stdout

    again = workbench(root, "compare", "HEAD", "HEAD~1", "ladder", "--trials", "5", "--json")
    assert (again.returncode, again.stderr) == (0, "")
    told = document(again)
    assert (told["a"]["kind"], len(told["a"]["reused"]), told["counts"]) == ("revision", 1, {"fixed": 1})
    (audit,) = told["audits"]
    assert (audit["beyondChance"], audit["a"]["passed"], audit["b"]["passed"]) == (True, 0, 5)
    assert audit["a"]["observedLevel"] is None
    assert "west wall" in audit["a"]["trials"][0]["reply"]
    assert "-The long ladder is kept at the west wall" in told["guidanceDiff"]


def test_both_sides_cost_one_yes_and_share_one_cap(root: Path) -> None:
    refused = workbench(root, "compare", "HEAD~1", "HEAD", "shed")
    assert refused.returncode == 2
    assert "asking paying costs money" in refused.stderr
    assert "say so with --engine paying" in refused.stderr
    asked = ("compare", "HEAD~1", "HEAD", "shed", "--engine", "paying", "--trials", "4", "--parallel", "1")
    capped = workbench(root, *asked, "--max-cost", "1")
    assert capped.returncode == 3
    assert "both sides: 8 trials of paying: cost unknown" in capped.stderr
    assert "no more once $1.00 is spent" in capped.stderr
    assert "A  100 % (2/2, 95 %: 34–100 %)  $0.50" in capped.stdout
    assert "B  100 % (2/2, 95 %: 34–100 %)  $0.50" in capped.stdout


def test_a_glob_that_hides_nothing_is_told_before_anything_is_asked_and_in_the_comparison(root: Path) -> None:
    done = workbench(root, "compare", "HEAD~1", "HEAD", "ladder", "--hide", "dosc/", "--json")
    told = "--hide dosc/ hides nothing: no file that is asked about has such a path"
    assert done.stderr.splitlines()[0] == f"workbench: {told}"
    assert told in json.loads(done.stdout)["notes"]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("nowhere", "."), "neither a run (there is none yet) nor a git revision"),
        (("HEAD", "main", "ladder"), "are the same files"),
        (("HEAD~1", "HEAD", "no-such-audit"), "no audit matches"),
        (("HEAD~1", "HEAD", "ladder", "--hide", "a/***"), "too many wildcards"),
    ],
)
def test_a_mistake_is_one_line(root: Path, arguments: tuple[str, ...], told: str) -> None:
    done = workbench(root, "compare", *arguments)
    assert done.returncode == 2
    assert told in done.stderr
    assert (done.stdout, len(done.stderr.splitlines())) == ("", 1)
