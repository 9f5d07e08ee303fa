"""Stored runs are listed and read back whatever state they are in, regraded, and let go."""

import os
from pathlib import Path

import pytest

from tests.runs.conftest import Plan, question, run
from workbench.checks.records import Outcome, Verdict
from workbench.corpus.records import CorpusSettings
from workbench.engines.protocol import Ending
from workbench.grading.records import Assessment
from workbench.grading.store import AssessmentStore
from workbench.runs.folder import hold
from workbench.runs.journal import Journal
from workbench.runs.prune import prune
from workbench.runs.records import Manifest, Trial, TrialFinished, TrialRegraded
from workbench.runs.regrade import Flip, regrade
from workbench.runs.store import DamagedRun, RunStore, UnknownRun, load

PASSED, FAILED = Verdict(outcome=Outcome.PASSED), Verdict(outcome=Outcome.FAILED)


def make(reports: Path, number: int, *, trials: int = 3, finished: int | None = None) -> Path:
    """A stored run without traces."""
    at = f"2026-11-{1 + number // 24:02}T{number % 24:02}-00-00"
    folder = reports / f"{at}-reader"
    folder.mkdir(parents=True)
    asked = tuple(Trial(audit_id=f"a{n}", file="audits/a.yaml") for n in range(trials))
    manifest = Manifest(run_id=folder.name, started_at=at, workbench_version="1", engine="reader", trials=asked)
    (folder / "run.json").write_text(manifest.model_dump_json(), encoding="utf-8")
    done = [TrialFinished(trial=t.key, at="2026-11-29T10:00:00Z", ending=Ending(), verdict=PASSED) for t in asked]
    lines = "".join(entry.model_dump_json() + "\n" for entry in done[:finished])
    Journal(folder).path.write_text(lines, encoding="utf-8")
    return folder


def test_runs_are_listed_newest_first_with_their_tallies_and_the_index_may_vanish(tmp_path: Path) -> None:
    make(tmp_path, 1)
    make(tmp_path, 2, finished=1)
    store = RunStore(tmp_path)
    listed = [(info.run_id, info.tally.passed, info.complete) for info in store.runs()]
    assert listed == [("2026-11-01T02-00-00-reader", 1, False), ("2026-11-01T01-00-00-reader", 3, True)]

    newest = tmp_path / "2026-11-01T02-00-00-reader"
    Journal(newest).append(TrialFinished(trial="a1", at="", ending=Ending(), verdict=FAILED))
    assert store.runs()[0].tally.failed == 1
    for damage in (b"", b"{}", b'{"version": 9}', b"\xff"):
        (tmp_path / ".index.json").write_bytes(damage)
        assert [info.tally.finished for info in RunStore(tmp_path).runs()] == [2, 3]
    latest = store.latest()
    assert latest is not None
    assert latest.manifest == load(newest).manifest


def test_two_hundred_runs_are_listed_from_the_index_without_reading_them(tmp_path: Path) -> None:
    for number in range(200):
        make(tmp_path, number, trials=5)
    RunStore(tmp_path).runs()
    for path in tmp_path.glob("*/journal.jsonl"):
        stat = path.stat()
        path.write_bytes(b"?" * stat.st_size)
        os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert [info.tally.passed for info in RunStore(tmp_path).runs()] == [5] * 200


def test_damaged_folders_are_listed_as_such_and_strangers_left_out(tmp_path: Path) -> None:
    good = make(tmp_path, 1)
    (tmp_path / "2026-11-03T00-00-00-reader").mkdir()
    broken = tmp_path / "2026-11-04T00-00-00-reader"
    broken.mkdir()
    (broken / "run.json").write_text('{"run_id": "x"', encoding="utf-8")
    (tmp_path / "audit-report.md").write_text("mine", encoding="utf-8")
    (tmp_path / "2026-11-05T00-00-00-linked").symlink_to(good)

    store = RunStore(tmp_path)
    assert [bool(info.damaged) for info in store.runs()] == [True, True, False]
    latest = store.latest()
    assert latest is not None
    assert latest.folder == good
    with pytest.raises(DamagedRun, match=r"has no run\.json"):
        store.open("2026-11-03")
    with pytest.raises(DamagedRun, match="cannot be read"):
        store.open("2026-11-04")


def test_a_run_is_found_by_id_by_prefix_and_as_latest(tmp_path: Path) -> None:
    folders = [make(tmp_path, number) for number in (1, 2, 30)]
    store = RunStore(tmp_path)
    assert store.open("latest").folder == folders[2]
    assert store.open("2026-11-02").folder == folders[2]
    assert store.open(folders[0].name).folder == folders[0]
    with pytest.raises(UnknownRun, match="2 runs begin with '2026-11-01'"):
        store.open("2026-11-01")
    for named in ("", "../etc", "2027"):
        with pytest.raises(UnknownRun, match=folders[2].name):
            store.open(named)
    with pytest.raises(UnknownRun, match="it holds none"):
        RunStore(tmp_path / "nowhere").open("latest")


def test_the_latest_verdict_of_a_trial_holds(tmp_path: Path) -> None:
    folder = make(tmp_path, 1, finished=1)
    journal = Journal(folder)
    journal.append(TrialRegraded(trial="a0", at="", verdict=FAILED))
    journal.append(TrialRegraded(trial="never-finished", at="", verdict=FAILED))
    stored = load(folder)
    assert stored.finished["a0"].verdict == FAILED
    assert (stored.tally.failed, stored.missing()) == (1, ("a1", "a2"))
    assert stored.trace_path("a0") is None


async def test_regrading_judges_stored_traces_by_the_audits_of_today(scripted: Plan, box: Path) -> None:
    campaign, _ = await run(scripted(["say In the shed.", "say In the barn.", "say mute\nend timed_out", "say x"]))
    audits = {
        name: question(name, "anything", box, correct_contains=["barn"]).audit for name in ("a0", "a1", "a2", "moved")
    }
    result = regrade(load(campaign.folder), audits, {"audits/a.yaml": CorpusSettings()})

    passed, failed = Verdict(outcome=Outcome.PASSED), Verdict(outcome=Outcome.FAILED)
    assert [(f.trial, f.before.outcome, f.after.outcome) for f in result.flips] == [
        ("a0", passed.outcome, failed.outcome),
        ("a1", failed.outcome, passed.outcome),
    ]
    assert (result.judged, result.gone, result.unreadable) == (3, ("a3",), ())
    stored = load(campaign.folder)
    assert stored.finished["a1"].verdict.outcome is Outcome.PASSED
    assert stored.finished["a2"].verdict.outcome is Outcome.UNMEASURED
    assert stored.finished["a2"].checks
    size = Journal(campaign.folder).path.stat().st_size

    stored.trace_path("a0").unlink()  # type: ignore[union-attr]
    again = regrade(load(campaign.folder), audits, {})
    assert (again.flips, again.unreadable) == ((), ("a0",))
    assert Journal(campaign.folder).path.stat().st_size == size
    assert isinstance(result.flips[0], Flip)


def test_pruning_keeps_the_newest_the_assessed_and_the_live(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folders = [make(tmp_path, number) for number in range(5)]
    AssessmentStore(folders[0]).add(Assessment(trial="a0", grader="Ada", at="2026-11-29T10:00:00Z", verdict="pass"))
    store = RunStore(tmp_path)
    names = [folder.name for folder in folders]
    with hold(folders[1]):
        assert prune(store, 1, dry_run=True) == (names[3], names[2])
        assert all(folder.exists() for folder in folders)
        assert prune(store, 1) == (names[3], names[2])
        assert [folder.exists() for folder in folders] == [True, True, False, False, True]
        assert prune(store, 0, force=True) == (names[4], names[0])
    (tmp_path / ".pruned-half").mkdir()
    assert prune(store, 0) == (names[1],)
    assert sorted(entry.name for entry in tmp_path.iterdir()) == [".index.json"]
