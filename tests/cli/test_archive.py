"""`find`, `grade`, `report --format` and the trend in `show`, as a user runs them."""

import json
import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.projects import make_project


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = make_project(tmp_path_factory.mktemp("projects") / "shed")
    workbench(made, "run")
    return made


def workbench(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"NO_COLOR": "1", "COLUMNS": "100"}
    command = [sys.executable, "-m", "workbench", *arguments]
    return subprocess.run(command, cwd=root, input="", capture_output=True, text=True, timeout=120, env=environment)


def test_find_prints_trials_and_json(root: Path) -> None:
    done = workbench(root, "find", "read:bees", "-is:failed")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("✓ hive-count")
    assert done.stdout.endswith("1 trial\n")
    document = json.loads(workbench(root, "find", "friday", "--json").stdout)
    assert [trial["audit"] for trial in document["trials"]] == ["oil-day"]
    wrong = workbench(root, "find", "reed:bees")
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert "did you mean" in wrong.stderr


def test_a_report_in_every_form(root: Path, tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    assert workbench(root, "report", "--format", "html", "--output", str(page)).stdout == ""
    assert page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    suites = ElementTree.fromstring(workbench(root, "report", "--format", "junit").stdout)
    assert (suites.get("tests"), suites.get("failures")) == ("4", "1")
    assert sum(int(suite.attrib["skipped"]) for suite in suites) == 1
    plain = workbench(root, "report", "--json").stdout
    assert plain == workbench(root, "report", "--format", "json").stdout
    assert len(json.loads(plain)) == 4
    wrong = workbench(root, "report", "--format", "pdf")
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert "md, html, junit, json" in wrong.stderr


def test_a_filled_in_report_is_graded_and_a_mistake_saves_nothing(root: Path, tmp_path: Path) -> None:
    report = tmp_path / "report.md"
    workbench(root, "report", "--output", str(report))
    block = "trial: oil-day\ngrader:\nlevel:\nverdict:\n"
    text = report.read_text(encoding="utf-8")
    report.write_text(text.replace(block, block.replace("level:", "level: 11")), encoding="utf-8")
    wrong = workbench(root, "grade", "latest", "--from", str(report))
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert "level '11' is unknown" in wrong.stderr
    report.write_text(text.replace(block, block.replace("level:", "level: 3")), encoding="utf-8")
    assert "1 saved, 0 unchanged, 3 blank" in workbench(root, "grade", "latest", "--from", str(report)).stdout
    again = json.loads(workbench(root, "grade", "--from", str(report), "--json").stdout)
    assert (again["saved"], again["unchanged"], again["conflicts"]) == ([], 1, [])
    report.write_text(text.replace(block, block.replace("level:", "level: 1")), encoding="utf-8")
    parted = workbench(root, "grade", "--from", str(report))
    assert parted.returncode == 1
    assert "stored  discoverable" in parted.stdout
    assert "--from report.md" in workbench(root, "grade").stderr


def test_show_tells_the_trend(root: Path) -> None:
    shown = workbench(root, "show", "hive-count").stdout
    assert "trend  ✓  reader, 1 trial" in shown
    assert "tokens at the start est." in shown
    (document,) = json.loads(workbench(root, "show", "hive-count", "--json").stdout)
    assert [lane["engine"] for lane in document["trend"]] == ["reader"]
