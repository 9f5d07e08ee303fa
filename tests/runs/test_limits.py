"""What a provider and a cap allow: waiting and asking again, stopping early, paying no more than was said."""

import time
from pathlib import Path

import pytest

from tests.runs.conftest import Heard, Plan, question, run
from workbench.checks.records import Outcome
from workbench.engines.protocol import Ending, EngineSettings
from workbench.runs import pacing
from workbench.runs.campaign import start
from workbench.runs.events import Paused
from workbench.runs.pacing import patience
from workbench.runs.records import TrialFinished, TrialStarted
from workbench.runs.resume import plan_rest, resume
from workbench.runs.store import load
from workbench.traces.reasons import Reason

GOOD = "say In the shed."


async def test_a_cap_stops_the_asking_and_the_rest_can_be_asked_later(scripted: Plan, box: Path) -> None:
    script = f"{GOOD}\nbudget .\ncost 0.4"
    campaign, _ = await run(scripted([script] * 5, engine="paying", parallel=1, max_cost=1.0))

    stored = load(campaign.folder)
    assert [stored.trace(f"a{n}").reply for n in range(3)] == [
        f"In the shed.\nat most {left}" for left in ("1.00", "0.60", "0.20")
    ]
    for name in ("a3", "a4"):
        assert (stored.finished[name].verdict.reason, stored.finished[name].asked) == (Reason.BUDGET, False)
        assert "the cap of $1.00 is reached" in stored.finished[name].verdict.detail
    assert campaign.tally.cost == "$1.20"
    assert stored.manifest.max_cost == 1.0

    questions = {f"a{n}": question(f"a{n}", script, box) for n in range(5)}
    rest = resume(stored, plan_rest(stored, questions, project=box.parent / "project"))
    await rest.wait()
    assert load(campaign.folder).complete
    assert rest.tally.cost == "$2.00"
    assert rest.tally.passed == 5


async def test_under_a_cap_no_more_run_at_once_than_it_can_pay(scripted: Plan, tmp_path: Path) -> None:
    alone = f"{GOOD}\ncost 0.4"
    one, other = (f"mark {tmp_path / mine}\nmeet {tmp_path / its}\n{alone}" for mine, its in ("ab", "ba"))
    campaign, heard = await run(scripted([alone, one, other, *[alone] * 3], engine="paying", parallel=4, max_cost=1.0))
    assert campaign.tally.cost == "$1.20"
    told = [event.type for event in heard.events if isinstance(event, TrialStarted | TrialFinished)]
    assert told[:4] == ["started", "finished", "started", "started"]  # alone as long as nobody knows what it costs


async def test_a_trial_that_waited_while_others_spent_the_cap_is_not_asked_without_one(
    scripted: Plan, tmp_path: Path
) -> None:
    waits = f"meet {tmp_path / 'there'}\ncost 5\nlimit {tmp_path / 'count'} 1 1"
    spends = f"mark {tmp_path / 'there'}\n{GOOD}\ncost 1"
    campaign, _ = await run(scripted([f"{GOOD}\ncost 0.1", waits, spends], engine="paying", parallel=2, max_cost=1.0))
    assert (tmp_path / "count").stat().st_size == 1
    assert campaign.tally.cost == "$1.10"
    assert load(campaign.folder).finished["a1"].verdict.detail == "not asked: the cap of $1.00 is reached"


async def test_unknown_costs_are_counted_apart_and_a_cap_that_cannot_be_kept_stops_too(scripted: Plan) -> None:
    campaign, _ = await run(scripted([GOOD, f"{GOOD}\ncost 0.1", "end auth"], engine="paying", parallel=1))
    assert campaign.tally.cost == "$0.10; cost of 1 trial unknown"

    blind, _ = await run(scripted([GOOD] * 5, engine="paying", parallel=1, max_cost=1.0))
    assert (blind.tally.passed, blind.tally.unmeasured) == (3, 2)
    assert "cannot be kept" in load(blind.folder).finished["a4"].verdict.detail

    cut_off, _ = await run(scripted(["whisper In the", "end timed_out"], engine="paying", parallel=1))
    assert cut_off.tally.cost == "cost of 1 trial unknown"

    free, _ = await run(scripted([GOOD] * 4, parallel=1, max_cost=1.0))
    assert (free.tally.passed, free.tally.cost) == (4, "")


async def test_a_provider_that_wants_patience_gets_it_and_the_trial_a_fresh_workspace(
    scripted: Plan, tmp_path: Path
) -> None:
    script = f"limit {tmp_path / 'count'} 2 0.3\nlist .\nwrite left.txt\n{GOOD}"
    begun = time.monotonic()
    campaign, heard = await run(scripted([script], engine="paying"))

    assert time.monotonic() - begun >= 0.6
    stored = load(campaign.folder)
    assert stored.finished["a0"].verdict.outcome is Outcome.PASSED
    assert [event.seconds for event in heard.events if isinstance(event, Paused)] == [0.3, 0.3]
    assert sum(isinstance(event, TrialStarted) for event in heard.events) == 3
    assert len(list((campaign.folder / "traces").glob("*.jsonl"))) == 3
    assert stored.trace("a0").reply.splitlines()[0] == "AGENTS.md notes.md"


async def test_patience_has_an_end_and_cancelling_does_not_wait_for_it(scripted: Plan, tmp_path: Path) -> None:
    campaign, _ = await run(scripted([f"limit {tmp_path / 'a'} 9 0.01"], engine="paying"))
    assert (tmp_path / "a").stat().st_size == pacing.ATTEMPTS
    assert load(campaign.folder).finished["a0"].verdict.reason is Reason.RATE_LIMIT

    waiting = start(scripted([f"limit {tmp_path / 'b'} 9 15", GOOD, GOOD], engine="paying", parallel=1))
    heard = Heard(waiting)
    await heard.until(lambda event: isinstance(event, Paused))
    begun = time.monotonic()
    waiting.cancel()
    await waiting.wait()
    assert time.monotonic() - begun < 5
    assert load(waiting.folder).missing() == ("a1", "a2")


async def test_a_pause_holds_back_every_other_trial(scripted: Plan, tmp_path: Path) -> None:
    campaign = start(scripted([f"limit {tmp_path / 'a'} 1 15", "hang .", GOOD], engine="paying", parallel=2))
    heard = Heard(campaign)
    await heard.until(lambda event: isinstance(event, Paused))
    campaign.cancel_trial("a1")
    await heard.until(lambda event: getattr(event, "trial", "") == "a1" and hasattr(event, "verdict"))
    assert campaign.running == ("a0",)
    campaign.cancel_trial("a0")
    await heard.until(lambda event: getattr(event, "trial", "") == "a0" and hasattr(event, "verdict"))
    campaign.cancel()
    await campaign.wait()
    assert load(campaign.folder).finished["a0"].verdict.reason is Reason.CANCELLED


@pytest.mark.parametrize(
    ("ending", "attempt", "seconds"),
    [
        (Ending(reason=Reason.RATE_LIMIT, retry_after=30), 1, 30),
        (Ending(reason=Reason.OVERLOADED), 1, pacing.FIRST),
        (Ending(reason=Reason.OVERLOADED), 2, 2 * pacing.FIRST),
        (Ending(reason=Reason.OVERLOADED), pacing.ATTEMPTS, 0),
        (Ending(reason=Reason.RATE_LIMIT, retry_after=3600), 1, 0),
        (Ending(reason=Reason.CRASHED, retry_after=5), 1, 0),
        (Ending(), 1, 0),
    ],
)
def test_how_long_a_trial_waits(ending: Ending, attempt: int, seconds: float) -> None:
    assert patience(ending, attempt, 600) == seconds


async def test_one_refused_credential_speaks_for_all_and_resuming_asks_them_again(scripted: Plan, box: Path) -> None:
    campaign, _ = await run(scripted([GOOD, "end auth", GOOD, GOOD], engine="paying", parallel=1))
    stored = load(campaign.folder)
    assert campaign.tally.passed == 1
    assert [stored.finished[f"a{n}"].verdict.reason for n in (1, 2, 3)] == [Reason.AUTH] * 3
    assert stored.finished["a3"].verdict.detail == "not asked: as told"
    assert stored.unsettled() == ("a1", "a2", "a3")


async def test_an_engine_that_has_gone_stops_the_run_but_a_trial_that_lacks_something_does_not(
    scripted: Plan, tmp_path: Path
) -> None:
    scripts = ["end missing", GOOD]
    campaign, _ = await run(scripted(scripts, engine="paying", parallel=1, keys={"PAYING_KEY": "k" * 9}))
    assert (campaign.tally.passed, campaign.tally.unmeasured) == (1, 1)

    gone = EngineSettings(program=str(tmp_path / "nowhere"))
    campaign, _ = await run(scripted(scripts, engine="paying", parallel=1, engine_settings=gone))
    assert load(campaign.folder).finished["a1"].verdict.detail == "not asked: as told"


async def test_a_key_reaches_the_engine_alone_and_no_record(scripted: Plan, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAYING_KEY", "from-the-environment")
    the_plan = scripted(["key PAYING_KEY"], engine="paying", keys={"PAYING_KEY": "quince-1234"})
    assert "quince" not in repr(the_plan)
    campaign, heard = await run(the_plan)

    stored = load(campaign.folder)
    assert stored.trace("a0").reply == "PAYING_KEY is [redacted], for tools unset"
    assert "quince-1234" not in repr(heard.events)
    written = b"".join(path.read_bytes() for path in campaign.folder.rglob("*") if path.is_file())
    assert b"quince-1234" not in written
