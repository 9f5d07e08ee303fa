"""The program as a user runs it: whole processes, exit codes, what stands on which stream."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.projects import git, make_project

PROGRAM = [sys.executable, "-m", "workbench"]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_project(tmp_path / "shed")


def workbench(root: Path, *arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"NO_COLOR": "1", "COLUMNS": "100"}
    return subprocess.run(
        [*PROGRAM, *arguments], cwd=root, input=stdin, capture_output=True, text=True, timeout=120, env=environment
    )


def test_run_tells_by_exit_code_and_leaves_a_report(root: Path) -> None:
    done = workbench(root, "run")
    assert (done.returncode, done.stderr) == (1, "")
    assert "✗ oil-day" in done.stdout
    assert "✓ 2 passed" in done.stdout
    report = root / done.stdout.split("report ")[1].strip()
    assert "oil-day" in report.read_text(encoding="utf-8")
    assert workbench(root, "run", "ladder-place").returncode == 0
    assert git(root, "status", "--porcelain") == ""


def test_without_a_terminal_the_bench_runs_what_is_free(root: Path) -> None:
    done = workbench(root)
    assert done.returncode == 1
    assert "report reports/" in done.stdout


def test_json_is_all_there_is_on_stdout(root: Path) -> None:
    lines = [json.loads(line) for line in workbench(root, "run", "--json").stdout.splitlines()]
    assert [line["type"] for line in lines] == ["trial"] * 4 + ["run"]
    assert lines[-1]["failed"] == 1
    for command in (["list"], ["show", "oil-day"], ["lint"], ["regrade"], ["status", "Tools"], ["report"], ["prune"]):
        done = workbench(root, *command, "--json")
        assert done.stderr == ""
        json.loads(done.stdout)


@pytest.mark.parametrize("before", [True, False])
def test_a_project_is_named_before_or_after_the_command(root: Path, tmp_path: Path, before: bool) -> None:
    named = ["--project", str(root)]
    done = workbench(tmp_path, *(named if before else []), "list", *([] if before else named))
    assert "oil-day" in done.stdout


def test_lists_and_shows_and_lints(root: Path) -> None:
    workbench(root, "run")
    listed = workbench(root, "list", "is:failed").stdout
    assert "oil-day" in listed
    assert "ladder-place" not in listed
    assert "oil-day" not in workbench(root, "list", "-oil-day").stdout
    nothing = workbench(root, "list", "-oil-day", "oil-day")
    assert (nothing.returncode, nothing.stdout) == (0, "")
    assert "no audit matches" in nothing.stderr
    shown = workbench(root, "show", "oil-day").stdout
    assert "correct_contains" in shown
    assert "Friday" in shown
    lint = workbench(root, "lint")
    assert lint.returncode == 0
    assert "swarm-feeling" in lint.stdout


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["run", "colour:red"], "colour"),
        (["run", "-colour:red"], "colour"),
        (["run", "nothing-like-it"], "no audit matches"),
        (["run", "--filter", "a", "--filter", "b"], "--filter was given 2 times"),
        (["run", "--engine", "nobody"], "reader"),
        (["run", "--box", "nowhere"], "nowhere"),
        (["run", "--resume", "yesterday"], "yesterday"),
        (["report", "never"], "never"),
        (["status", "Nowhere"], "Tools"),
        (["list", "--project", "missing"], "missing"),
    ],
)
def test_a_mistake_is_one_line_on_stderr(root: Path, arguments: list[str], told: str) -> None:
    done = workbench(root, *arguments)
    assert done.returncode == 2
    assert told in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_a_broken_corpus_asks_nothing(root: Path) -> None:
    corpus = root / "audits" / "knowledge.yaml"
    corpus.write_text(corpus.read_text(encoding="utf-8") + "  - id: half\n", encoding="utf-8")
    done = workbench(root, "run", "oil-day")
    assert done.returncode == 2
    assert "audits/knowledge.yaml:" in done.stderr
    assert "half" in done.stderr


def test_status_is_shown_written_and_committed(root: Path) -> None:
    workbench(root, "run")
    corpus = root / "audits" / "knowledge.yaml"
    before = corpus.read_bytes()
    assert "not written" in workbench(root, "status", "tools").stdout
    assert corpus.read_bytes() == before
    done = workbench(root, "status", "Tools", "--text", "-", "--commit", stdin="One gap, known.\n")
    assert (done.returncode, done.stderr) == (0, "")
    assert "One gap, known." in git(root, "show", "HEAD")
    assert git(root, "status", "--porcelain") == ""


def test_init_starts_a_corpus_and_keeps_what_is_there(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "-b", "main")
    git(tmp_path, "config", "user.name", "Robin Grader")
    git(tmp_path, "config", "user.email", "robin@example.org")
    (tmp_path / "CLAUDE.md").write_text("# Here\n\nCLAUDE.md tells an agent how to work in this repository.\n")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "Start")
    (tmp_path / "draft.txt").write_text("mine\n")
    done = workbench(tmp_path, "init", "--commit")
    assert done.returncode == 0
    assert sorted(git(tmp_path, "show", "--format=", "--name-only", "HEAD").split()) == [
        "audits/knowledge.yaml",
        "reports/.gitignore",
        "workbench.toml",
    ]
    assert git(tmp_path, "status", "--porcelain") == "?? draft.txt"
    assert workbench(tmp_path, "run").returncode == 0
    assert "kept workbench.toml" in workbench(tmp_path, "init").stdout


def test_ctrl_c_keeps_what_is_finished_and_exits_130(root: Path) -> None:
    child = subprocess.Popen(
        [*PROGRAM, "run", "--trials", "200", "--json"],
        cwd=root,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert child.stdout is not None
    first = json.loads(child.stdout.readline())
    os.killpg(child.pid, signal.SIGINT)
    rest = child.stdout.read().splitlines()
    assert child.wait(30) == 130
    ended = json.loads(rest[-1])
    kept = json.loads(workbench(root, "report", first["run"], "--json").stdout)
    assert len(kept) == ended["passed"] + ended["failed"] + ended["unmeasured"] + ended["unjudged"]
    assert 0 < len(kept) < 800
