"""Grading without a screen: which trials wait for whom, what stays hidden, how far everybody agrees."""

import asyncio
from pathlib import Path

import pytest

from tests.projects import git, make_project
from workbench.desk.desk import Desk
from workbench.desk.grading import Wanted
from workbench.desk.project import Settings, find
from workbench.desk.records import AskRequest, DeskError


async def asked(root: Path, *, trials: int = 1) -> tuple[Desk, str]:
    desk = Desk.open(root)
    live = desk.ask(AskRequest(tuple(audit.id for audit in desk.select(())), trials=trials))
    await asyncio.wait_for(live.wait(), 60)
    return desk, live.run_id


def waiting(desk: Desk, terms: str = "", wanted: Wanted | None = None) -> list[str]:
    return [trial.trial.key for trial in desk.grading.queue(terms, wanted or Wanted())]


async def test_a_queue_holds_what_waits_for_this_grader(tmp_path: Path) -> None:
    root = make_project(tmp_path / "shed")
    desk, run_id = await asked(root, trials=2)
    assert waiting(desk, "section:tools") == ["ladder-place", "ladder-place#2", "oil-day", "oil-day#2"]
    assert waiting(desk, "", Wanted("failed")) == ["oil-day", "oil-day#2"]
    assert waiting(desk, "", Wanted("marked", marked=frozenset({"hive-count"}))) == ["hive-count", "hive-count#2"]
    desk.assess(run_id, "oil-day", level="guessable", note="as a rule")
    assert waiting(desk, "oil") == ["oil-day#2"]
    kept = Wanted(keep=frozenset({(run_id, "oil-day")}))
    assert waiting(desk, "oil", kept) == ["oil-day", "oil-day#2"], "what was just graded can be gone back to"
    git(root, "config", "user.name", "Bo Second")
    assert waiting(Desk.open(root), "oil") == ["oil-day", "oil-day#2"], "others' assessments leave it ungraded for me"


async def test_agreement_is_told_over_all_runs_and_graders(tmp_path: Path) -> None:
    root = make_project(tmp_path / "shed")
    desk, run_id = await asked(root)
    desk.assess(run_id, "ladder-place", level="knows_directly", verdict="pass")
    desk.assess(run_id, "oil-day", level="knows_about", verdict="pass", cause="stale expectation")
    desk.assess(run_id, "swarm-feeling", verdict="unsure")
    git(root, "config", "user.name", "Bo Second")
    other = Desk.open(root)
    other.assess(run_id, "oil-day", level="knows_directly", verdict="fail")
    found = other.grading.agreement()
    assert found.trials == 3
    assert str(found.checks) == "2 of 2 · 100 % · κ 1.00"
    assert found.apart == (("unsure", 1),)
    assert [(pair.first, pair.second, pair.verdicts.n, pair.levels.same) for pair in found.pairs] == [
        ("Bo Second", "Robin Grader", 1, 0)
    ]
    assert found.levels.n == 2
    assert found.levels.differing == ((("knows_directly", "discoverable"), 1),)
    assert other.grading.agreement("ladder").trials == 1


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", "blind = true\n"),
        ('# ours\n\nparallel = 2 # "two"', '# ours\nblind = true\n\nparallel = 2 # "two"'),
        ("blind   = false  # for now\r\nparallel = 2\r\n", "blind   = true  # for now\r\nparallel = 2\r\n"),
        ('corpora = [\n  "a/*.yaml",\n]\n', 'blind = true\ncorpora = [\n  "a/*.yaml",\n]\n'),
    ],
)
def test_grading_blind_is_kept_and_leaves_the_rest_of_the_file_alone(tmp_path: Path, before: str, after: str) -> None:
    config = tmp_path / "workbench.toml"
    config.write_bytes(before.encode())
    Desk.open(tmp_path).grading.set_blind(True)
    assert config.read_bytes().decode() == after
    assert find(tmp_path).settings.blind
    desk = Desk.open(tmp_path)
    desk.grading.set_blind(False)
    assert not desk.grading.blind
    assert not find(tmp_path).settings.blind


def test_in_a_shared_configuration_the_flag_goes_into_our_table(tmp_path: Path) -> None:
    config = tmp_path / "pyproject.toml"
    config.write_text('[project]\nname = "x"\n\n[tool.workbench]\nparallel = 2\n\n[tool.other]\nblind = 3\n')
    Desk.open(tmp_path).grading.set_blind(True)
    assert find(tmp_path).settings == Settings(parallel=2, blind=True)
    assert "[tool.workbench]\nblind = true\nparallel = 2\n\n[tool.other]\nblind = 3\n" in config.read_text()


def test_a_file_that_cannot_be_changed_with_certainty_is_left_alone(tmp_path: Path) -> None:
    config = tmp_path / "workbench.toml"
    text = 'reports = """\nblind = false\n"""\n'
    config.write_text(text)
    desk = Desk.open(tmp_path)
    with pytest.raises(DeskError, match="with certainty"):
        desk.grading.set_blind(True)
    assert config.read_text() == text
    assert not desk.grading.blind
