"""What costs money wants to be named, is forecast and told; the doctor says who can be asked."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.projects import make_project

ENGINES = Path(__file__).parents[1] / "runs" / "engines"
PAID = """\
engine: paying
tests:
  - {id: shed, prompt: "say shed\\ncost 0.25", expected_level: knows_about, watch_for: x, correct_contains: [shed]}
  - {id: own, prompt: "?", expected_level: knows_about, watch_for: x, surface: dev}
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_project(tmp_path / "shed", {"audits/paid.yaml": PAID})


def workbench(root: Path, *arguments: str, key: str = "quince-1234") -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join(filter(None, (str(ENGINES), os.environ.get("PYTHONPATH", ""))))
    private = {"XDG_CONFIG_HOME": str(root.parent / "config"), "PAYING_KEY": key, "PYTHONPATH": path}
    environment = os.environ | {"NO_COLOR": "1", "COLUMNS": "100"} | private
    argv = [sys.executable, "-m", "workbench", *arguments]
    return subprocess.run(argv, cwd=root, input="", capture_output=True, text=True, timeout=120, env=environment)


def test_who_costs_money_must_be_named_where_nobody_can_say_yes(root: Path) -> None:
    done = workbench(root, "run", "shed")
    assert done.returncode == 2
    assert "asking paying costs money (cost unknown, as no earlier trial" in done.stderr
    assert "say so with --engine paying" in done.stderr
    assert workbench(root).stdout.count("ladder-place") == 1  # the headless start leaves out what costs money


def test_a_run_is_forecast_counted_and_capped(root: Path) -> None:
    first = workbench(root, "run", "shed", "--engine", "paying", "--trials", "2")
    assert "2 trials of paying: cost unknown" in first.stdout
    assert "✓ shed#2  $0.25" in first.stdout
    assert " s  $0.50  report reports/" in first.stdout

    capped = ("--engine", "paying", "--trials", "4", "--parallel", "1", "--max-cost", "0.5", "--json")
    lines = [json.loads(line) for line in workbench(root, "run", "shed", *capped).stdout.splitlines()]
    forecast, *trials, run = lines
    assert forecast == {
        "type": "forecast",
        "engine": "paying",
        "model": "",
        "trials": 4,
        "usd": 1.0,
        "seen": 2,
        "maxCost": 0.5,
    }
    assert [(line["outcome"], line["costUsd"]) for line in trials[:2]] == [("passed", 0.25)] * 2
    assert [(line["reason"], line["costUsd"]) for line in trials[2:]] == [("budget", None)] * 2
    assert (run["usd"], run["unpriced"], run["passed"], run["unmeasured"]) == (0.5, 0, 2, 2)

    for option, told in ((("--max-cost", "inf"), "a number of dollars"), (("--timeout", "9"), "as it was planned")):
        refused = workbench(root, "run", "--resume", "latest", *option)
        assert (refused.returncode, told in refused.stderr) == (2, True)
    ((lane,),) = [audit["lanes"] for audit in json.loads(workbench(root, "trend", "shed", "--json").stdout)]
    assert [trial["standing"] for trial in lane["trials"]] == ["passed"] * 4  # what was not asked is in no trend


def test_a_named_box_leaves_developer_audits_out_and_says_so(root: Path) -> None:
    done = workbench(root, "run", "shed", "own", "--box", ".", "--engine", "paying")
    assert "1 developer audit left out; --dev asks them" in done.stdout
    assert " dev" in workbench(root, "list", "own").stdout
    assert workbench(root, "run", "own", "--box", ".", "--engine", "paying").returncode == 2


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--engine", "paying", "--rehearse", "--model", "x"), "--rehearse lets the reader answer"),
        (("--engine", "reader", "--rehearse"), "the reader is no program to rehearse"),
        (("--engine", "acp", "--command", "agent", "--rehearse"), "an ACP agent asks its own provider"),
        (("--engine", "paying", "--command", "agent"), "--command names an ACP agent"),
        (("--engine", "paying", "--command", "'"), "cannot be split into words"),
        (("--engine", "paying", "--pi-dev-key"), "--pi-dev-key is for pi"),
    ],
)
def test_what_contradicts_itself_is_told(root: Path, arguments: tuple[str, ...], told: str) -> None:
    done = workbench(root, "run", "shed", *arguments)
    assert done.returncode == 2
    assert told in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_the_doctor_tells_who_is_ready_and_never_a_credential(root: Path) -> None:
    done = workbench(root, "doctor", "--engine", "paying", "--engine", "reader")
    assert done.returncode == 0
    assert "paying" in done.stdout
    assert "PAYING_KEY" in done.stdout
    assert "quince-1234" not in done.stdout
    assert "free: workbench run --rehearse --engine paying" in done.stdout
    lacking = workbench(root, "doctor", "--engine", "paying", key="")
    assert (lacking.returncode, "no key: set PAYING_KEY" in lacking.stdout) == (1, True)
    refused = workbench(root, "run", "shed", "--engine", "paying", key="").stderr
    assert "paying is not ready" in refused
    assert "`--rehearse` needs none" in refused

    every = json.loads(workbench(root, "doctor", "--json").stdout)
    assert {"reader", "claude", "codex", "pi", "acp", "api", "paying"} <= {one["engine"] for one in every}
    assert {one["engine"]: one["rehearsable"] for one in every if one["engine"] in ("paying", "acp", "reader")} == {
        "paying": True,
        "acp": False,
        "reader": False,
    }
    assert workbench(root, "doctor", "--engine", "nobody").returncode == 2


def test_what_somebody_stopped_has_not_flipped(root: Path) -> None:
    corpus = root / "audits" / "paid.yaml"
    workbench(root, "run", "shed", "--engine", "paying")
    for prompt, told in (("end cancelled", False), ("say barn", True)):
        corpus.write_text(PAID.replace('"say shed\\ncost 0.25"', f'"{prompt}"'), encoding="utf-8")
        assert ("→" in workbench(root, "run", "shed", "--engine", "paying").stdout) == told
