"""`workbench import` and `workbench trend`, as a human and as a program sees them."""

import json
from pathlib import Path

from tests.cli.test_archive import workbench
from tests.projects import make_project

SESSION = Path(__file__).parents[1] / "engines" / "captures" / "claude-persist.session.jsonl"


def test_a_session_is_taken_in_and_its_trend_is_told(tmp_path: Path) -> None:
    root = make_project(tmp_path / "shed")
    (told,) = json.loads(workbench(root, "import", str(SESSION), "--audit", "ladder-place", "--json").stdout)
    assert (told["audit"], told["engine"], told["outcome"]) == ("ladder-place", "claude", "failed")
    assert told["earlier"] == ""
    said = workbench(root, "import", str(SESSION)).stdout
    assert "answers no audit; --audit names one" in said
    assert f"is in {told['run']} too, and counts twice" in said
    assert "secrets cannot be told from text" in said
    assert "4,200 tokens at the start" in workbench(root, "trend", "ladder-place").stdout
    assert "oil-day  never asked" in workbench(root, "trend").stdout
    (trend,) = json.loads(workbench(root, "trend", "ladder-place", "--json").stdout)
    assert [trial["initialContext"] for lane in trend["lanes"] for trial in lane["trials"]] == [4200]


def test_a_mistake_is_one_line(tmp_path: Path) -> None:
    root = make_project(tmp_path / "shed")
    done = workbench(root, "import", "gone.jsonl")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "gone.jsonl: no such file" in done.stderr
