"""Asking at a git revision: what is typed becomes the commit it means, or an error that says what to do."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from tests.projects import git, make_project
from workbench.desk.desk import Desk
from workbench.desk.records import AskRequest, DeskError

SELECTED = ("ladder-place", "oil-day")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A project whose guidance has lost the ladder since its first commit."""
    root = make_project(tmp_path / "shed")
    guide = root / "AGENTS.md"
    guide.write_text(guide.read_text("utf-8").replace("long ladder", "rake"), encoding="utf-8")
    git(root, "commit", "--quiet", "--all", "-m", "Move the ladder")
    return root


async def test_a_run_is_asked_at_the_commit_a_revision_meant_and_says_so(root: Path) -> None:
    desk = Desk.open(root)
    live = desk.ask(AskRequest(SELECTED, revision="HEAD~1", hide=("docs/",)))
    git(root, "commit", "--quiet", "--allow-empty", "-m", "Meanwhile")
    await asyncio.wait_for(live.wait(), 60)
    outcomes = {one.trial.audit_id: one.verdict.outcome.value for one in desk.trials(live.run_id)}
    assert outcomes == {"ladder-place": "passed", "oil-day": "failed"}
    box = live.manifest.boxes["audits/knowledge.yaml"]
    assert (box.revision, box.commit, box.dirty) == ("HEAD~1", git(root, "rev-parse", "HEAD~2"), False)
    assert live.manifest.hide == ("docs/",)
    assert "Left out of the box on purpose" in (live.folder / "report.md").read_text("utf-8")


async def test_how_an_audit_stands_is_told_by_the_box_that_lies_there(root: Path) -> None:
    desk = Desk.open(root)
    plain = AskRequest(SELECTED)
    for request in (plain, replace(plain, revision="HEAD~1"), replace(plain, hide=("docs",))):
        await asyncio.wait_for(desk.ask(request).wait(), 60)
    newest, _, first = (run.run_id for run in desk.runs())
    assert {row.last.run_id for group in desk.sections(SELECTED) for row in group.rows if row.last} == {first}
    assert len(desk.trials(newest)) == 2
    assert not desk.archive.flips(newest)
    for _ in desk.archive.refresh():
        pass
    assert [len(lane.points) for lane in desk.archive.trend("ladder-place")] == [1]


@pytest.mark.parametrize(
    ("revision", "hide", "told"),
    [
        ("none", (), r"knowledge.yaml: .*no commit 'none'.*git log"),
        ("-q", (), "no git revision"),
        ("", ("***",), "hide: "),
    ],
)
def test_what_cannot_be_asked_is_refused_before_anything_starts(
    root: Path, revision: str, hide: tuple[str, ...], told: str
) -> None:
    desk = Desk.open(root)
    with pytest.raises(DeskError, match=told):
        desk.ask(AskRequest(SELECTED, revision=revision, hide=hide))
    assert not desk.runs()
