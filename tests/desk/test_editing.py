"""An audit fixed in place: only its lines change, its stored trials are judged again, and refusals leave everything."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.projects import CORPUS, git, make_project
from workbench.checks.records import Outcome
from workbench.desk.desk import Desk
from workbench.desk.editing import EntryEdit, editor_command
from workbench.desk.records import AskRequest, DeskError

FILE = "audits/knowledge.yaml"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_project(tmp_path / "shed")


def ask(desk: Desk, *audit_ids: str) -> str:
    async def run() -> str:
        live = desk.ask(AskRequest(audit_ids))
        await asyncio.wait_for(live.wait(), 60)
        return live.run_id

    return asyncio.run(run())


def test_saving_changes_those_lines_and_flips_every_stored_trial(root: Path) -> None:
    desk = Desk.open(root)
    runs = {ask(desk, "oil-day", "hive-count"), ask(desk, "oil-day")}
    edit = desk.editor.open("oil-day")
    assert (edit.line, edit.text.splitlines()[0]) == (13, "- id: oil-day")
    saved = desk.editor.save(edit, edit.text.replace("Tuesday", "Friday"))
    assert (root / FILE).read_text() == CORPUS.replace("Tuesday", "Friday")
    assert {run_id for run_id, _ in saved.flips} == runs
    assert (saved.judged, saved.runs, saved.problems) == (2, 2, ())
    assert {flip.after.outcome for _, flip in saved.flips} == {Outcome.PASSED}
    row = next(row for group in desk.sections() for row in group.rows if row.audit.id == "oil-day")
    assert row.last is not None
    assert row.last.verdict.outcome is Outcome.PASSED
    again = desk.editor.save(edit_now(saved.edit), edit_now(saved.edit).text)
    assert again.flips == ()


def edit_now(edit: EntryEdit | None) -> EntryEdit:
    assert edit is not None
    return edit


def test_what_would_break_something_is_refused_and_nothing_is_written(root: Path) -> None:
    desk = Desk.open(root)
    edit = desk.editor.open("oil-day")
    for text, line, told in (
        (edit.text.replace("prompt:", "promt:"), 2, "`prompt` is missing"),
        (edit.text.replace('"Says Friday"', '"Says'), 5, "quote"),
        (edit.text.replace("id: oil-day", "id: hive-count"), 1, "taken"),
        (f"{edit.text}\n- id: more", 1, "exactly one entry"),
    ):
        considered = desk.editor.consider(edit, text)
        assert considered.audit is None
        assert told in considered.problems[0].message
        assert considered.problems[0].position.line == line
        with pytest.raises(DeskError):
            desk.editor.save(edit, text)
    assert (root / FILE).read_text() == CORPUS


def test_a_file_that_moved_is_not_written(root: Path) -> None:
    desk = Desk.open(root)
    edit = desk.editor.open("oil-day")
    (root / FILE).write_text(f"# moved\n{CORPUS}")
    with pytest.raises(DeskError, match="changed by someone else"):
        desk.editor.save(edit, edit.text.replace("Tuesday", "Friday"))
    assert (root / FILE).read_text() == f"# moved\n{CORPUS}"


def test_what_is_questionable_is_told_as_one_types_and_after(root: Path) -> None:
    desk = Desk.open(root)
    edit = desk.editor.open("oil-day")
    text = f"{edit.text}\n  correct_matches: ['(']\n  samples: {{wrong: ['On Tuesday']}}"
    considered = desk.editor.consider(edit, text)
    assert considered.audit is not None
    told = {(problem.code, problem.position.line) for problem in considered.problems}
    assert told == {("bad-pattern", 6), ("sample", 7)}
    saved = desk.editor.save(edit, text.replace("'('", "'on tuesday'"))
    told = {(problem.code, problem.position.line) for problem in saved.problems}
    assert told == {("untaught-literal", 17), ("sample", 19)}
    saved = desk.editor.save(edit_now(saved.edit), edit_now(saved.edit).text.rpartition("\n")[0])
    assert {problem.code for problem in saved.problems} == {"untaught-literal", "no-samples"}
    git(root, "commit", "-qam", "On record")
    assert "no-samples" not in {problem.code for problem in desk.lint("oil-day")}


def test_the_editor_of_the_environment_opens_at_the_line(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    desk = Desk.open(root)
    ask(desk, "oil-day")
    called: list[Sequence[str]] = []

    def launch(argv: Sequence[str], cwd: Path) -> int:
        called.append(argv)
        path = Path(argv[-1])
        path.write_text(path.read_text().replace("Tuesday", "Friday"))
        return 0

    desk.editor.launch = launch
    monkeypatch.setenv("EDITOR", "vim -u 'my rc'")
    saved = desk.editor.attend(desk.editor.open("oil-day"))
    assert called == [("vim", "-u", "my rc", "+13", str(root / FILE))]
    assert [str(flip) for _, flip in saved.flips] == ["oil-day now passes"]
    desk.editor.launch = lambda argv, cwd: 1
    assert desk.editor.attend(edit_now(saved.edit)).note == "vim ended with status 1"


def test_an_editor_is_told_the_line_only_if_it_takes_it(tmp_path: Path) -> None:
    path = tmp_path / "a b.yaml"
    assert editor_command({"EDITOR": "/usr/bin/nano"}, path, 3) == ("/usr/bin/nano", "+3", str(path))
    assert editor_command({"EDITOR": "code --wait"}, path, 3) == ("code", "--wait", str(path))
    for wrong in ({}, {"EDITOR": " "}, {"EDITOR": "vi 'open"}):
        with pytest.raises(DeskError, match=r"\$EDITOR"):
            editor_command(wrong, path, 3)


def test_answers_are_the_samples_then_what_was_said_equal_ones_once(root: Path) -> None:
    desk = Desk.open(root)
    ask(desk, "oil-day")
    ask(desk, "oil-day")
    edit = desk.editor.open("oil-day")
    desk.editor.save(edit, f"{edit.text}\n  samples: {{right: [Friday], negation: ['Not on Tuesday']}}")
    audit = desk.select("oil-day")[0]
    found = desk.editor.answers(audit)
    assert [(answer.sample, answer.times) for answer in found] == [("right", 1), ("negation", 1), (None, 2)]
    assert "Friday" in found[-1].text
