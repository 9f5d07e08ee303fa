"""`run --changed`: only what a change can touch is asked, and why is told first."""

import json
from pathlib import Path

import pytest

from tests.cli.test_commands import workbench
from tests.projects import GUIDE, git, make_project


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_project(tmp_path / "shed", {"docs/day.md": "Oil on Tuesday.\n"})


def test_nothing_changed_asks_nothing_and_all_is_well(root: Path) -> None:
    done = workbench(root, "run", "--changed")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "nothing changed since HEAD; there is nothing to ask\n"
    assert not list((root / "reports").glob("2*"))


def test_only_touched_audits_of_the_selection_are_asked_and_each_says_why(root: Path) -> None:
    (root / "docs/day.md").write_text("Oil on Wednesday.\n", encoding="utf-8")
    (root / "docs/bees.md").write_text("There are eight hives.\n", encoding="utf-8")
    done = workbench(root, "run", "--changed")
    lines = done.stdout.splitlines()
    assert lines[:3] == [
        "2 files changed since HEAD; they can touch 2 selected audits",
        '  hive-count  "seven" no longer stands in docs/bees.md:3  and 1 other reason',
        '  oil-day     "Tuesday" no longer stands in docs/day.md:1',
    ]
    assert "✗ 2 failed" in done.stdout
    git(root, "commit", "-qam", "Eight hives")
    for arguments in (["-oil-day", "--changed", "HEAD~1"], ["--changed=HEAD~1", "-oil-day"], ["hive", "--changed=@~1"]):
        told = [json.loads(line) for line in workbench(root, "run", *arguments, "--json").stdout.splitlines()]
        assert [(line["type"], line.get("audit")) for line in told] == [
            ("changes", None), ("trial", "hive-count"), ("run", None),
        ]  # fmt: skip
        assert [touched["audit"] for touched in told[0]["touched"]] == ["hive-count"]
    assert told[0]["boxes"] == [
        {"box": ".", "commit": git(root, "rev-parse", "HEAD~1"), "files": ["docs/bees.md", "docs/day.md"]}
    ]
    selection = json.loads(next(root.glob(f"reports/{told[2]['run']}/run.json")).read_bytes())["selection"]
    assert selection == "hive --changed @~1"


def test_a_term_after_it_is_a_term_where_it_can_be_no_commit(root: Path) -> None:
    (root / "docs/day.md").write_text("Oil on Wednesday.\n", encoding="utf-8")
    assert "it can touch 1 selected audit" in workbench(root, "run", "--changed", "section:tools", "oil").stdout


def test_a_revision_or_an_engine_that_is_none_and_a_run_to_go_on_with_are_refused(root: Path) -> None:
    (root / "AGENTS.md").write_text(GUIDE + "More.\n", encoding="utf-8")
    for arguments, told in (
        (["--changed", "oil"], f"workbench: {root}: git knows no commit 'oil'"),
        (["--changed", "oil"], "a selection stands before --changed"),
        (["--changed", "--resume", "x"], "planned"),
        (["--changed", "--engine", "nobody"], "no engine named 'nobody'"),
    ):
        done = workbench(root, "run", *arguments)
        assert (done.returncode, done.stdout) == (2, "")
        assert told in done.stderr
        assert len(done.stderr.splitlines()) == 1
