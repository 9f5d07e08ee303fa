"""Sessions that were asked elsewhere become trials that open, are checked, graded and judged again like our own."""

import json
from pathlib import Path

import pytest

from tests.projects import make_project
from workbench.desk.desk import Desk
from workbench.desk.records import DeskError

CAPTURES = Path(__file__).parents[1] / "engines" / "captures"
CLAUDE = CAPTURES / "claude-persist.session.jsonl"
ITEMS = """\
tests:
  # === Items ===
  - id: items
    prompt: "Where are  unprocessed items kept?"
    expected_level: knows_directly
    watch_for: "Names the inbox"
    correct_contains: ["inbox"]
    should_read: ["cards/one.md"]
    should_not_read: ["docs/"]
"""


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk.open(make_project(tmp_path / "shed", {"audits/items.yaml": ITEMS}))


def test_a_session_answers_the_audit_that_asks_its_prompt(desk: Desk) -> None:
    before = CLAUDE.read_bytes()
    (done,) = desk.importer.take_in([CLAUDE])
    assert (done.audit_id, done.trial, str(done.verdict), done.redacted) == ("items", "items", "passed", 0)
    assert CLAUDE.read_bytes() == before
    view = desk.trial("items")
    assert view.trace is not None
    assert view.trace.reply.endswith("_content/inbox/")
    assert {act.path for act in view.trace.guidance} >= {".claude/rules/cards.md"}
    assert "(sessions asked elsewhere)" in desk.reporter.report(done.run_id)
    desk.assess(done.run_id, "items", level="knows_directly", verdict="pass")
    assert desk.regrade(done.run_id).judged == 1
    list(desk.archive.refresh())
    (lane,) = desk.archive.trend("items")
    assert (lane.engine, lane.model, lane.strip) == ("claude", "claude-sonnet-4-5", "✓")


def test_several_sessions_may_answer_one_audit_and_none_is_asked_again(desk: Desk) -> None:
    done = desk.importer.take_in([CLAUDE, CLAUDE, CAPTURES / "pi-160.session.jsonl"], "ladder-place")
    assert [(one.engine, one.trial) for one in done] == [
        ("claude", "ladder-place"),
        ("claude", "ladder-place#2"),
        ("pi", "ladder-place"),
    ]
    assert len({one.run_id for one in done}) == 2
    with pytest.raises(DeskError, match="was imported"):
        desk.resume(done[0].run_id)


def test_a_session_without_an_audit_opens_and_is_graded(desk: Desk, tmp_path: Path) -> None:
    file = edited(tmp_path, "Where are unprocessed items kept?", "Where do odd things go?")
    (done,) = desk.importer.take_in([file])
    assert (done.audit_id, str(done.verdict)) == ("", "unjudged")
    desk.assess(done.run_id, done.trial, level="discoverable", verdict="fail")
    (summary,) = desk.trials(done.run_id)
    assert summary.human is not None
    view = desk.trial(summary.trial.audit_id, done.run_id, done.trial)
    assert view.trace is not None
    assert view.trace.meta.prompt == "Where do odd things go?"
    assert "Where do odd things go?" in desk.reporter.report(done.run_id)
    assert desk.regrade(done.run_id).judged == 0


def test_what_looks_like_a_credential_is_left_out(tmp_path: Path) -> None:
    quoting = ITEMS + '    correct_matches: ["With .* items"]\n'
    desk = Desk.open(make_project(tmp_path / "shed", {"audits/items.yaml": quoting}))
    key = "sk-" + "ant-" + "x" * 30
    (done,) = desk.importer.take_in([edited(tmp_path, "Unprocessed items", f"With {key} items")])
    assert done.redacted == 1
    kept = [file.read_text() for file in (desk.project.reports / done.run_id).rglob("*") if file.is_file()]
    assert not any(key in text for text in kept)
    assert any("With [redacted] items" in text for text in kept)


def test_who_read_the_answers_or_stopped_early_is_not_measured(desk: Desk, tmp_path: Path) -> None:
    cheat = edited(tmp_path, "cards/one.md", "audits/items.yaml")
    (done,) = desk.importer.take_in([cheat])
    assert str(done.verdict) == "unmeasured(contaminated)"
    lines = CLAUDE.read_text(encoding="utf-8").splitlines(keepends=True)
    result = max(number for number, line in enumerate(lines) if '"tool_result"' in line)
    cheat.write_text("".join(lines[: result + 1]) + '{"torn', encoding="utf-8")
    (done,) = desk.importer.take_in([cheat])
    assert str(done.verdict) == "unmeasured(cancelled)"


def test_a_folder_that_is_called_like_one_with_answers_is_none(desk: Desk, tmp_path: Path) -> None:
    (done,) = desk.importer.take_in([edited(tmp_path, "cards/one.md", "src/reports/one.md")])
    assert str(done.verdict) == "failed"


def test_a_mistake_imports_nothing(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "notes.jsonl").write_text(json.dumps({"type": "note"}), encoding="utf-8")
    for paths, audit, told in (
        ([CLAUDE, tmp_path / "gone.jsonl"], "", "no such file"),
        ([CLAUDE, tmp_path / "notes.jsonl"], "", r"no session of claude, codex, pi begins like this"),
        ([CLAUDE], "nobody", "no audit 'nobody'"),
    ):
        with pytest.raises(DeskError, match=told):
            desk.importer.take_in(paths, audit)
    assert desk.runs() == ()


def edited(folder: Path, old: str, new: str) -> Path:
    """A copy of a session with one text in another's place."""
    text = CLAUDE.read_text(encoding="utf-8")
    assert old in text
    (folder / "session.jsonl").write_text(text.replace(old, new), encoding="utf-8")
    return folder / "session.jsonl"
