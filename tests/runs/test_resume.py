"""A run that died is taken up where it stopped: nothing finished is lost, nothing is asked twice for nothing."""

import os
import random
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import psutil
import pytest

from tests.runs import campaign_child
from tests.runs.conftest import Heard, Plan, gone, question, run
from workbench.boxes.workspace import workspaces_base
from workbench.engines.protocol import EngineSettings
from workbench.runs.campaign import start
from workbench.runs.folder import LiveRun, RunError
from workbench.runs.journal import Journal
from workbench.runs.plan import Question
from workbench.runs.records import TrialFinished
from workbench.runs.resume import plan_rest, resume
from workbench.runs.store import RunStore, load
from workbench.traces.events import TurnAdded
from workbench.traces.reasons import Reason

ROOT = Path(__file__).parents[2]


def questions(*names: str, box: Path, script: str = "say In the shed.") -> dict[str, Question]:
    """Questions by audit id."""
    return {name: question(name, script, box) for name in names}


async def test_another_agent_is_not_asked_for_the_rest(scripted: Plan, project: Path, box: Path) -> None:
    first = EngineSettings(command=("agent", "--key", "quince"))
    campaign, _ = await run(scripted(["end cancelled"], engine_settings=first))
    stored = load(campaign.folder)
    assert "quince" not in stored.manifest.model_dump_json()
    with pytest.raises(RunError, match="asked another scripted agent; name its command again with --command"):
        plan_rest(stored, questions("a0", box=box), project=project, engine_settings=EngineSettings(command=("other",)))
    assert plan_rest(stored, questions("a0", box=box), project=project, engine_settings=first).jobs


def test_killed_at_random_points_a_run_ends_with_every_trial_finished_once(project: Path, box: Path) -> None:
    chance = random.Random(20261129)
    reports = project / "reports"
    known: dict[str, TrialFinished] = {}
    for goal in sorted(chance.randrange(campaign_child.TRIALS * 700) for _ in range(5)):
        _run_and_kill(project, box, goal)
        for info in RunStore(reports).runs():
            assert not info.live
            if not info.damaged:
                finished = load(info.folder).finished
                assert known.items() <= finished.items()
                known = finished
    _child(project, box).wait(60)

    latest = RunStore(reports).latest()
    assert latest is not None
    assert latest.complete
    assert latest.tally.passed == campaign_child.TRIALS
    stored = load(latest.folder)
    assert known.items() <= stored.finished.items()
    lines = [entry.trial for entry in Journal(latest.folder).read() if isinstance(entry, TrialFinished)]
    assert set(Counter(lines).values()) == {1}
    assert [stored.trace(f"a{n}").reply for n in range(campaign_child.TRIALS)] == [
        f"shed {n}" for n in range(campaign_child.TRIALS)
    ]
    assert not list(workspaces_base().iterdir())


def _child(project: Path, box: Path) -> "subprocess.Popen[bytes]":
    argv = [sys.executable, "-m", "tests.runs.campaign_child", str(project), str(box)]
    return subprocess.Popen(argv, cwd=ROOT)


def _run_and_kill(project: Path, box: Path, goal: int) -> None:
    """Let a campaign write about `goal` bytes of journal, then kill it; its workers must follow."""
    child = _child(project, box)
    while child.poll() is None and _written(project / "reports") < goal:
        time.sleep(0.001)
    workers = psutil.Process(child.pid).children(recursive=True) if child.poll() is None else []
    child.kill()
    child.wait()
    deadline = time.monotonic() + 10
    while not all(gone(worker.pid) for worker in workers):
        assert time.monotonic() < deadline


def _written(reports: Path) -> int:
    return sum(path.stat().st_size for path in reports.glob("*/journal.jsonl"))


async def test_what_is_missing_or_may_pass_is_asked_again_and_nothing_else(scripted: Plan, box: Path) -> None:
    scripts = ["say In the shed.", "say In the barn.", "end rate_limit", "end turn_limit", "exit 1"]
    campaign, _ = await run(scripted(scripts))
    before = load(campaign.folder)
    assert before.unsettled() == ("a2", "a4")

    again = resume(before, plan_rest(before, questions("a2", "a4", box=box), project=box))
    heard = Heard(again)
    tally = await again.wait()

    after = load(campaign.folder)
    assert {e.trial for e in heard.events if isinstance(e, TrialFinished)} == {"a2", "a4"}
    assert (tally.passed, tally.failed, tally.unmeasured) == (3, 1, 1)
    assert after.tally == tally
    assert after.trace("a2").reply == "In the shed."
    assert [after.finished[key] for key in ("a0", "a1", "a3")] == [before.finished[k] for k in ("a0", "a1", "a3")]
    assert not after.drifted()


async def test_a_box_that_changed_before_the_resume_is_told(scripted: Plan, box: Path) -> None:
    campaign, _ = await run(scripted(["end rate_limit"]))
    (box / "AGENTS.md").write_text("Ladders hang in the barn.\n", encoding="utf-8")
    stored = load(campaign.folder)
    await resume(stored, plan_rest(stored, questions("a0", box=box), project=box)).wait()

    first, last = load(campaign.folder).drifted()["audits/a.yaml"]
    assert first.guidance_hash != last.guidance_hash


async def test_a_run_cannot_go_on_when_live_complete_or_without_its_audits(scripted: Plan, box: Path) -> None:
    campaign = start(scripted(["say half\nhang"]))
    heard = Heard(campaign)
    await heard.until(lambda e: isinstance(e, TurnAdded))
    stored = load(campaign.folder)
    rest = plan_rest(stored, questions("a0", box=box), project=box)
    with pytest.raises(LiveRun, match="still going on"):
        resume(stored, rest)
    campaign.cancel()
    await campaign.wait()

    assert load(campaign.folder).finished["a0"].verdict.reason is Reason.CANCELLED
    with pytest.raises(RunError, match=r"gone from its corpus: a0 \(audits/a.yaml\)"):
        plan_rest(stored, questions("other", box=box), project=box)
    await resume(stored, rest).wait()
    with pytest.raises(RunError, match="is complete"):
        plan_rest(load(campaign.folder), questions("a0", box=box), project=box)


def test_a_torn_line_costs_itself_alone(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    entries = [TrialFinished.model_validate(_finished(name)) for name in ("a", "b")]
    journal.append(entries[0])
    with journal.path.open("ab") as file:
        file.write(b'{"type":"finished","trial":"torn')
    assert journal.read() == (entries[0],)
    journal.append(entries[1])
    assert journal.read() == tuple(entries)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_a_full_disk_is_an_error_and_no_silence(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    journal.path.symlink_to("/dev/full")
    with pytest.raises(OSError, match="No space left"):
        journal.append(TrialFinished.model_validate(_finished("a")))


def _finished(trial: str) -> dict[str, object]:
    return {"trial": trial, "at": "2026-11-29T10:00:00.000Z", "ending": {}, "verdict": {"outcome": "passed"}}
