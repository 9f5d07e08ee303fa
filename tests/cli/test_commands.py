"""The program as a user runs it: whole processes, exit codes, what stands on which stream."""

import json
import os
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.projects import git, make_project
from workbench.desk.desk import Desk
from workbench.desk.records import DeskError

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


@pytest.mark.parametrize("arguments", [["run"], ["watch"], []])
def test_where_no_corpus_holds_an_audit_it_says_where_they_are_looked_for(root: Path, arguments: list[str]) -> None:
    (root / "audits" / "knowledge.yaml").write_text("tests: []\n", encoding="utf-8")
    done = workbench(root, *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"corpora are the files of {root} that match audits/*.yaml; `workbench init`" in done.stderr


def test_reports_are_ignored_by_git_wherever_they_are_made(root: Path) -> None:
    git(root, "rm", "-qr", "reports")
    git(root, "commit", "-qm", "No reports")
    workbench(root, "run", "oil-day")
    assert git(root, "status", "--porcelain") == "?? reports/"
    assert git(root, "ls-files", "-o", "--exclude-standard") == "reports/.gitignore"


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
        (["run", "--no-such-option"], "--no-such-option; `workbench run -h` shows"),
        (["compare", "latest"], "Missing argument 'B'; `workbench compare -h` shows"),
        (["run", "--trials", "none"], "--trials"),
        (["fly"], "'fly'; `workbench -h` shows"),
        (["run", "--timeout", "inf"], "timeout"),
        (["list", "--project", "~nobody-of-that-name"], "nobody-of-that-name"),
        (["list", "--project", "odd\udcff"], "UTF-8"),
        (["run", "--box", "odd\udcff"], "UTF-8"),
    ],
)
def test_a_mistake_is_one_line_on_stderr(root: Path, arguments: list[str], told: str) -> None:
    make_project(root / "odd\udcff")
    done = workbench(root, *arguments)
    assert done.returncode == 2
    assert told in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert done.stdout == ""


@pytest.mark.parametrize("arguments", [["run", "half"], []])
def test_a_broken_corpus_asks_nothing(root: Path, arguments: list[str]) -> None:
    corpus = root / "audits" / "knowledge.yaml"
    corpus.write_text(corpus.read_text(encoding="utf-8") + "  - id: half\n", encoding="utf-8")
    done = workbench(root, *arguments)
    assert done.returncode == 2
    assert "audits/knowledge.yaml:" in done.stderr
    assert "half" in done.stderr


def test_a_map_of_a_corpus_that_cannot_be_read_says_so(root: Path) -> None:
    (root / "audits" / "knowledge.yaml").write_text("tests:\n  - id: [\n", encoding="utf-8")
    done = workbench(root, "map")
    assert "audits/knowledge.yaml:3:1: error: this cannot be read as YAML" in done.stderr


def test_lint_says_in_one_line_that_git_cannot_read_the_box(root: Path) -> None:
    (root / ".git" / "index").write_bytes(b"DIRC torn")
    done = workbench(root, "lint")
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 1)
    assert "index" in done.stderr


def test_lint_tells_what_keeps_an_audit_from_being_loaded(root: Path) -> None:
    corpus = root / "audits" / "knowledge.yaml"
    corpus.write_text(corpus.read_text(encoding="utf-8") + "  - id: half\n", encoding="utf-8")
    for selection in ([], ["oil-day"]):
        done = workbench(root, "lint", *selection)
        assert done.returncode == 1
        assert "`prompt` is missing" in done.stdout


def test_nothing_foreign_reaches_the_terminal_raw(root: Path) -> None:
    corpus = root / "audits" / "knowledge.yaml"
    text = corpus.read_text(encoding="utf-8").replace('["Tuesday"]', '["\\e]52;c;AAAA\\a\\x9b31m\\u202e"]')
    corpus.write_text(text, encoding="utf-8")
    shown = [workbench(root, *command.split()) for command in ("run", "list", "show", "report", "lint", "status Tools")]
    corpus.rename(corpus.with_name("odd\x1b]0;x\x07\x9b\u202e.yaml"))
    shown += [workbench(root, "run"), workbench(root, "list")]
    (root / "workbench.toml").write_text('"\\u001B\\u009B" = 1\n', encoding="utf-8")
    shown += [workbench(root, "list"), workbench(root, "run", "--bo\x1b\x9bgus")]
    for done in shown:
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", done.stdout + done.stderr), done.args
    assert [done.returncode for done in shown] == [1, 0, 0, 0, 0, 0, 2, 0, 2, 2]


@pytest.mark.parametrize(
    "line",
    [
        'corpora = [""]',
        'corpora = ["."]',
        'corpora = ["a**"]',
        'reports = "."',
        'reports = ".git"',
        'reports = "r\\u001B\\u0000"',
        "parallel = 0",
        "timeout = inf",
        f"x = {'[' * 3000}{']' * 3000}",
    ],
)
def test_a_configuration_that_cannot_be_meant_is_refused(root: Path, line: str) -> None:
    (root / "workbench.toml").write_text(line + "\n", encoding="utf-8")
    with pytest.raises(DeskError, match=r"workbench\.toml"):
        Desk.open(root)


@pytest.mark.parametrize(
    ("redirected", "status"), [(">&-", 1), ("<&- 2>&-", 1), ("--json | head -c 1", 0), (">/dev/full", 2), ("", 1)]
)
def test_a_run_is_kept_whatever_becomes_of_its_streams(root: Path, redirected: str, status: int) -> None:
    command = f"{shlex.join(PROGRAM)} run {redirected}"
    environment = os.environ | {"PYTHONIOENCODING": "ascii"}
    done = subprocess.run(
        ["/bin/sh", "-c", command], cwd=root, capture_output=True, text=True, timeout=120, env=environment
    )
    assert done.returncode == status
    assert "Traceback" not in done.stderr
    (run,) = Desk.open(root).runs()
    assert run.complete


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


def test_agreement_says_what_it_is_worth(root: Path) -> None:
    assert "Agreement over 0 trials" in workbench(root, "show", "--agreement").stdout
    run_id = json.loads(workbench(root, "run", "--json", "section:tools").stdout.splitlines()[-1])["run"]
    Desk.open(root).assess(run_id, "oil-day", level="knows_directly", verdict="pass")
    told = workbench(root, "show", "--agreement").stdout
    assert "0 of 1 · 0 % · κ undefined: each said one thing only" in told
    document = json.loads(workbench(root, "show", "--agreement", "--json").stdout)
    assert document["checks"] == {
        "n": 1,
        "same": 0,
        "percent": 0.0,
        "kappa": None,
        "undefined": "each said one thing only",
        "table": [{"one": "pass", "other": "fail", "times": 1}],
        "apart": {},
    }


def test_what_flipped_since_the_run_before_is_told(root: Path) -> None:
    workbench(root, "run", "oil-day")
    guide = root / "AGENTS.md"
    guide.write_text(guide.read_text(encoding="utf-8").replace("Friday", "Tuesday"), encoding="utf-8")
    assert "✗ → ✓ oil-day" in workbench(root, "run").stdout


def test_a_misspelt_check_is_told_when_it_is_asked(root: Path) -> None:
    corpus = root / "audits" / "knowledge.yaml"
    corpus.write_text(corpus.read_text(encoding="utf-8") + '    corect_contains: ["buzz"]\n', encoding="utf-8")
    done = workbench(root, "run", "swarm-feeling")
    assert done.returncode == 0
    assert "corect_contains" in done.stderr


@pytest.mark.parametrize("run", ["latest", "nonsense"])
def test_a_status_is_drafted_from_a_run_named_as_everywhere(root: Path, run: str) -> None:
    workbench(root, "run")
    done = workbench(root, "status", "Tools", "--run", run)
    assert done.returncode == (0 if run == "latest" else 2)
    assert "1/2 pass" in done.stdout or "there is no run" in done.stderr


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("box: ../nowhere", "nowhere"),
        ("guidance_rules: claud", "claud"),
        ("engine: nobody", "nobody"),
    ],
)
def test_lint_tells_what_a_run_would_stumble_over(root: Path, line: str, told: str) -> None:
    corpus = root / "audits" / "knowledge.yaml"
    corpus.write_text(f"{line}\n" + corpus.read_text(encoding="utf-8"), encoding="utf-8")
    done = workbench(root, "lint")
    assert done.returncode == 1
    assert told in done.stdout


def test_quotes_may_reach_a_selection(root: Path) -> None:
    assert "oil-day" in workbench(root, "list", 'section:"Tools"').stdout
