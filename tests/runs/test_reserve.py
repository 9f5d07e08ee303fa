"""Workers kept ready serve run after run, see no more than each run's own, and end with whoever keeps them."""

import asyncio
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from tests.runs.conftest import Plan, gone, question
from workbench.corpus.records import CorpusSettings
from workbench.engines.protocol import EngineSettings
from workbench.runs.campaign import Campaign, start
from workbench.runs.plan import RunPlan, plan
from workbench.runs.reserve import Reserve
from workbench.runs.store import load

ROOT = Path(__file__).parents[2]
KEEPER = """
import asyncio, os
from workbench.runs.reserve import Reserve

async def keep():
    reserve = Reserve(2)
    reserve.fill()
    await reserve.ready()
    print("ready", flush=True)
    await asyncio.sleep(600)

asyncio.run(keep())
"""


def workers() -> set[int]:
    """The workers below this one, but for those that only wait to be reaped."""
    alive = (child for child in psutil.Process().children() if not gone(child.pid))
    return {child.pid for child in alive if "workbench.runs.worker" in child.cmdline()}


@pytest.fixture
def one(scripted: Plan, tmp_path: Path) -> Callable[..., RunPlan]:
    """Plan one trial that notes down its worker in `worker`."""

    def make(script: str = "", **options: object) -> RunPlan:
        return scripted([f"say In the shed.\nmark {tmp_path / 'worker'}\n{script}".strip()], **options)

    return make


async def asked(the_plan: RunPlan, reserve: Reserve) -> Campaign:
    campaign = start(the_plan, reserve)
    await campaign.wait()
    return campaign


def worker(tmp_path: Path) -> int:
    return int((tmp_path / "worker").read_text("utf-8"))


async def test_runs_share_a_worker_that_was_there_before(
    one: Callable[..., RunPlan], reserve: Reserve, tmp_path: Path
) -> None:
    there = workers()
    for _ in range(2):
        campaign = await asked(one(), reserve)
        assert campaign.tally.passed == 1
        assert {worker(tmp_path)} == there == workers()
    await reserve.close()
    assert not workers() & there


async def test_a_run_gets_no_worker_that_sees_another_environment(
    project: Path, box: Path, reserve: Reserve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ORCHARD", "quinces")

    async def told(env: tuple[str, ...]) -> str:
        settings = CorpusSettings(box=str(box), env=env)
        questions = [question("a0", "tell ORCHARD", box, settings)]
        the_plan = plan(questions, reports=project / "reports", project=project, engine="scripted")
        campaign = await asked(the_plan, reserve)
        return load(campaign.folder).trace("a0").reply

    assert [await told(env) for env in ((), ("ORCHARD",), ())] == [
        "ORCHARD is unset", "ORCHARD is [redacted]", "ORCHARD is unset",
    ]  # fmt: skip


async def test_a_worker_that_held_a_key_is_not_kept(
    one: Callable[..., RunPlan], reserve: Reserve, tmp_path: Path
) -> None:
    there = workers()
    (tmp_path / "program").touch()
    reach = EngineSettings(program=str(tmp_path / "program"))
    campaign = await asked(one(engine="paying", engine_settings=reach, keys={"PAYING_KEY": "quince"}), reserve)
    assert campaign.tally.passed == 1
    assert worker(tmp_path) not in there
    assert workers() == there


async def test_a_worker_below_which_something_still_runs_is_not_kept(
    one: Callable[..., RunPlan], reserve: Reserve, tmp_path: Path
) -> None:
    await asked(one(f"child {tmp_path / 'left'}"), reserve)
    await reserve.ready()
    left = int((tmp_path / "left").read_text("utf-8"))
    assert gone(left)
    assert worker(tmp_path) not in workers()
    assert len(workers()) == 1


async def test_no_more_are_kept_than_were_asked_for() -> None:
    reserve = Reserve(1)
    reserve.fill()
    lane = reserve.take(())  # while the one that was begun still starts
    await lane.warm()
    await reserve.give_back(lane)
    await reserve.ready()
    assert len(workers()) == 1
    await reserve.close()
    assert not workers()


async def test_a_worker_that_searched_for_a_pattern_is_kept(
    project: Path, box: Path, reserve: Reserve, tmp_path: Path
) -> None:
    there = workers()
    for _ in range(2):
        one = question("a0", f"say In the shed.\nmark {tmp_path / 'worker'}", box, correct_matches=[r"\bshed\b"])
        campaign = await asked(plan([one], reports=project / "reports", project=project, engine="scripted"), reserve)
        assert campaign.tally.passed == 1
        assert {worker(tmp_path)} == there == workers()


async def test_what_was_stopped_is_replaced(one: Callable[..., RunPlan], reserve: Reserve, tmp_path: Path) -> None:
    campaign = start(one("hang"), reserve)
    while not (tmp_path / "worker").exists():
        await asyncio.sleep(0.01)
    campaign.cancel()
    await campaign.wait()
    await reserve.ready()
    assert worker(tmp_path) not in workers()
    there = workers()
    again = await asked(one(), reserve)
    assert (again.tally.passed, {worker(tmp_path)}) == (1, there)


def test_a_killed_keeper_leaves_no_worker() -> None:
    keeper = subprocess.Popen([sys.executable, "-c", KEEPER], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert keeper.stdout is not None
    assert keeper.stdout.readline() == "ready\n"
    kept = psutil.Process(keeper.pid).children(recursive=True)
    assert len(psutil.Process(keeper.pid).children()) == 2
    keeper.kill()
    keeper.wait()
    keeper.stdout.close()
    deadline = time.monotonic() + 10
    while not all(gone(one.pid) for one in kept):
        assert time.monotonic() < deadline
