"""A campaign asks everything once, survives whatever its workers do, and stops when told."""

import asyncio
import errno
import os
import time
from pathlib import Path

import psutil
import pytest

from tests.runs.conftest import Heard, Plan, gone, question, run
from workbench.checks.records import Outcome
from workbench.corpus.records import CorpusSettings
from workbench.engines.protocol import EngineSettings
from workbench.runs import campaign as campaigns
from workbench.runs.campaign import start
from workbench.runs.events import RunEnded
from workbench.runs.folder import RunError
from workbench.runs.journal import Journal
from workbench.runs.plan import PlanError, plan
from workbench.runs.records import TrialFinished, TrialStarted
from workbench.runs.regrade import regrade
from workbench.runs.store import RunStore, load
from workbench.traces.events import ChangeSeen, Started, TextDelta, TurnAdded
from workbench.traces.reasons import Reason

GOOD = "say In the shed."
BAD = "say In the barn."


async def test_every_trial_is_asked_and_judged_once_and_all_of_it_is_on_the_disk(scripted: Plan) -> None:
    campaign, _ = await run(scripted([GOOD, BAD, "end turn_limit", GOOD], trials=2, parallel=3))

    stored = load(campaign.folder)
    assert stored.complete
    assert not stored.live
    assert stored.tally == campaign.tally
    assert (campaign.tally.planned, campaign.tally.passed, campaign.tally.failed) == (8, 4, 2)
    assert [t.trial for t in stored.finished.values()] == [t.key for t in stored.manifest.trials]
    assert stored.finished["a2#2"].verdict.reason is Reason.TURN_LIMIT
    assert stored.trace("a1").reply == "In the barn."
    box = stored.manifest.boxes["audits/a.yaml"]
    assert box.snapshot_hash
    assert box.guidance_hash
    assert stored.manifest.engine_version == "1"
    assert stored.manifest.corpus_hashes.keys() == {"audits/a.yaml"}
    assert [info.run_id for info in RunStore(campaign.folder.parent).runs()] == [campaign.run_id]


async def test_the_reader_answers_from_the_guidance_and_changing_the_guidance_changes_the_answer(
    project: Path, box: Path
) -> None:
    asked = [question("ladders", "Where do the ladders lean?", box, correct_contains=["shed"])]
    first, _ = await run(plan(asked, reports=project / "reports", project=project))
    (box / "AGENTS.md").write_text("# Orchard\n\nLadders lean in the old barn.\n", encoding="utf-8")
    second, _ = await run(plan(asked, reports=project / "reports", project=project))

    assert (first.tally.passed, second.tally.failed) == (1, 1)
    runs = [load(campaign.folder) for campaign in (first, second)]
    assert [run.trace("ladders").meta.guidance[0].path for run in runs] == ["AGENTS.md", "AGENTS.md"]
    guidance = [run.manifest.boxes["audits/a.yaml"].guidance_hash for run in runs]
    assert guidance[0] != guidance[1]


async def test_events_of_a_trial_come_in_order_and_the_end_comes_last(scripted: Plan) -> None:
    campaign, heard = await run(scripted(["whisper In\nwhisper  the\nsay In the shed.\nwrite new.txt", GOOD]))

    kinds = [type(event) for event in heard.events if getattr(event, "trial", "") == "a0"]
    kinds = [kind for kind in kinds if kind is not TextDelta]
    assert kinds == [TrialStarted, Started, TurnAdded, TurnAdded, ChangeSeen, TrialFinished]
    assert heard.events[-1] == RunEnded(campaign.run_id, campaign.tally, cancelled=False)
    assert len(heard.batches) < len(heard.events)
    changes = [event.change for event in heard.events if isinstance(event, ChangeSeen)]
    assert [(change.path, change.text) for change in changes] == [("new.txt", "written\n")]


HURT = {
    "exit": ("say half\nexit 3", Reason.CRASHED, "exit status 3): last words"),
    "segfault": ("say half\nsignal 11", Reason.CRASHED, "killed by SIGSEGV"),
    "raise": ("say half\nfail no idea", Reason.CRASHED, "RuntimeError: no idea"),
    "disk full": ("say half\nfull", Reason.CRASHED, os.strerror(errno.ENOSPC)),
    "told": ("say half\nend rate_limit", Reason.RATE_LIMIT, "as told"),
}


async def test_what_befalls_one_trial_is_that_trials_alone(scripted: Plan) -> None:
    scripts = {name: script for name, (script, _, _) in HURT.items()}
    campaign, _ = await run(scripted({"before": GOOD, **scripts, "after": GOOD}, parallel=1))

    stored = load(campaign.folder)
    for name, (_, reason, said) in HURT.items():
        hurt = stored.finished[name]
        assert (hurt.verdict.outcome, hurt.verdict.reason) == (Outcome.UNMEASURED, reason)
        assert said in hurt.verdict.detail
        assert hurt.turns == 1
        assert stored.trace(name).reply == "half"
    assert campaign.tally.passed == 2


async def test_what_an_engine_prints_is_no_protocol_and_no_box_can_be_imported(scripted: Plan) -> None:
    campaign, _ = await run(scripted(['print {"type":"ready"}\nprint rubbish\npath']))

    assert load(campaign.folder).trace("a0").reply == "/ False False"


async def test_a_timeout_kills_the_trial_with_all_it_started_and_the_next_one_is_asked(
    scripted: Plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(campaigns, "GRACE", 0.0)
    pid_file = tmp_path / "pid"
    script = f"child {pid_file}\nsay half\nstuck"
    campaign, _ = await run(scripted([script, GOOD], parallel=1, timeout=1.5))

    hurt = load(campaign.folder).finished["a0"]
    assert hurt.verdict.reason is Reason.TIMED_OUT
    assert hurt.duration_ms >= 1400
    assert gone(int(pid_file.read_text(encoding="utf-8")))
    assert campaign.tally.passed == 1


async def test_cancelling_stops_at_once_and_keeps_what_is_finished(scripted: Plan, tmp_path: Path) -> None:
    pid_file = tmp_path / "pid"
    campaign = start(scripted([GOOD, f"child {pid_file}\nsay half\nhang", GOOD], parallel=1))
    heard = Heard(campaign)
    await heard.until(lambda e: isinstance(e, TurnAdded) and e.trial == "a1" and e.turn.role == "assistant")

    begun = time.monotonic()
    campaign.cancel()
    tally = await campaign.wait()

    assert time.monotonic() - begun < 10
    stored = load(campaign.folder)
    assert stored.finished["a0"].verdict.outcome is Outcome.PASSED
    assert stored.finished["a1"].verdict.reason is Reason.CANCELLED
    assert stored.missing() == ("a2",)
    assert (tally.passed, tally.unmeasured, tally.finished) == (1, 1, 2)
    assert heard.events[-1] == RunEnded(campaign.run_id, tally, cancelled=True)
    assert gone(int(pid_file.read_text(encoding="utf-8")))
    assert not list(Path(os.environ["TMPDIR"]).glob("boxes-*/*"))


def test_a_loop_that_is_torn_down_leaves_no_worker_and_a_readable_run(scripted: Plan, tmp_path: Path) -> None:
    pid_file = tmp_path / "pid"

    async def leave_at_once() -> Path:
        campaign = start(scripted([f"child {pid_file}\nsay half\nhang", GOOD], parallel=1))
        heard = Heard(campaign)
        await heard.until(lambda e: isinstance(e, TurnAdded) and e.turn.role == "assistant")
        return campaign.folder

    stored = load(asyncio.run(leave_at_once()))
    assert stored.finished["a0"].verdict.reason is Reason.CANCELLED
    assert stored.missing() == ("a1",)
    assert stored.tally.cost == ""
    assert not stored.live
    assert gone(int(pid_file.read_text(encoding="utf-8")))
    assert not list(Path(os.environ["TMPDIR"]).glob("boxes-*/*"))


async def test_one_trial_can_be_cancelled_running_or_waiting(scripted: Plan) -> None:
    campaign = start(scripted(["say half\nhang", GOOD, "say not asked"], parallel=1))
    heard = Heard(campaign)
    campaign.cancel_trial("a2")
    campaign.cancel_trial("no-such-trial")
    await heard.until(lambda e: isinstance(e, TurnAdded))
    campaign.cancel_trial("a0")
    tally = await campaign.wait()

    stored = load(campaign.folder)
    assert [stored.finished[key].verdict.reason for key in ("a0", "a2")] == [Reason.CANCELLED, Reason.CANCELLED]
    assert stored.trace_path("a2") is None
    assert (tally.passed, tally.unmeasured) == (1, 2)


async def test_winding_down_sees_through_what_runs_and_begins_nothing_more(scripted: Plan, tmp_path: Path) -> None:
    go_on = tmp_path / "go-on"
    campaign = start(scripted([f"say half\nmeet {go_on}\nsay shed", GOOD, GOOD], parallel=1))
    await Heard(campaign).until(lambda e: isinstance(e, TurnAdded) and e.turn.role == "assistant")
    campaign.wind_down()
    go_on.touch()
    tally = await campaign.wait()
    assert (tally.passed, tally.finished) == (1, 1)
    assert load(campaign.folder).missing() == ("a1", "a2")


async def test_two_campaigns_at_the_same_moment_do_not_meet(scripted: Plan) -> None:
    plans = [scripted([GOOD, BAD]), scripted([GOOD, GOOD])]
    first, second = [start(each) for each in plans]
    tallies = await asyncio.gather(first.wait(), second.wait())

    assert first.folder != second.folder
    assert [tally.passed for tally in tallies] == [1, 2]
    assert [load(each.folder).tally for each in (first, second)] == list(tallies)


async def test_a_box_that_cannot_be_had_is_its_own_trials_trouble(project: Path, box: Path) -> None:
    gone = question("lost", GOOD, box.parent / "nowhere")
    campaign, _ = await run(
        plan([gone, question("found", GOOD, box)], reports=project / "reports", project=project, engine="scripted")
    )

    lost = load(campaign.folder).finished["lost"]
    assert (lost.verdict.outcome, lost.verdict.reason) == (Outcome.UNMEASURED, Reason.MISSING)
    assert "nowhere" in lost.verdict.detail
    assert campaign.tally.passed == 1


@pytest.mark.parametrize(("deaths", "reason"), [(1, None), (2, Reason.CRASHED)])
async def test_a_worker_that_dies_over_a_box_is_replaced_once(
    scripted: Plan, tmp_path: Path, deaths: int, reason: Reason | None
) -> None:
    lives = tmp_path / "lives"
    lives.write_text("dies\n" * deaths)
    settings = EngineSettings(program=str(lives))
    _campaign, heard = await run(scripted(["say shed", "say shed"], engine_settings=settings, parallel=2))
    finished = [event for event in heard.events if isinstance(event, TrialFinished)]
    assert [one.ending.reason for one in finished] == [reason] * 2
    assert lives.read_text() == ""


async def test_a_journal_that_cannot_be_written_ends_the_run_and_keeps_what_is_finished(
    scripted: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = Journal.append

    def full(self: Journal, entry: TrialStarted | TrialFinished) -> None:
        if entry.trial == "a1":
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        kept(self, entry)

    monkeypatch.setattr(Journal, "append", full)
    campaign = start(scripted([GOOD, GOOD, GOOD], parallel=1))
    heard = Heard(campaign)
    with pytest.raises(RunError, match=r"No space left on device.*--resume"):
        await campaign.wait()

    assert load(campaign.folder).finished.keys() == {"a0"}
    ended = heard.events[-1]
    assert isinstance(ended, RunEnded)
    assert ended.error == campaign.error


async def test_a_flood_waits_in_its_pipe_and_the_loop_stays_alive(scripted: Plan) -> None:
    campaign = start(scripted(["flood 3000", "huge 3000000\n" + GOOD], parallel=2))
    worst, before = 0.0, psutil.Process().memory_info().rss
    peak = before
    task = asyncio.create_task(campaign.wait())
    while not task.done():
        begun = time.monotonic()
        await asyncio.sleep(0)
        worst = max(worst, time.monotonic() - begun)
        peak = max(peak, psutil.Process().memory_info().rss)
        await asyncio.sleep(0.002)

    assert task.result().passed == 1
    assert peak - before < 25_000_000
    assert worst < 1


async def test_a_subscriber_that_fails_is_its_own_trouble(scripted: Plan) -> None:
    campaign = start(scripted([GOOD]))

    def broken(_: object) -> None:
        raise RuntimeError("a screen went wrong")

    campaign.subscribe(broken)
    heard = Heard(campaign)
    assert (await campaign.wait()).passed == 1
    assert isinstance(heard.events[-1], RunEnded)


async def test_a_hostile_audit_id_names_a_plain_file(scripted: Plan) -> None:
    ids = ["../../escape", "a/b", "..", "line\nbreak", "ж" * 300, "a-b", "a b", "CON", ".hidden"]
    campaign, _ = await run(scripted(dict.fromkeys(ids, GOOD)))

    assert campaign.tally.passed == len(ids)
    traces = campaign.folder / "traces"
    assert len(list(traces.iterdir())) == len(ids)
    assert all(name.isascii() and not name.startswith(".") for name in os.listdir(traces))
    stored = load(campaign.folder)
    assert all(stored.trace(name).reply == "In the shed." for name in ids)


async def test_secrets_passed_through_reach_the_agent_and_no_record(
    project: Path, box: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ORCHARD_TOKEN", "pomona-0451")
    asked = question("s", "tell ORCHARD_TOKEN", box, CorpusSettings(env=("ORCHARD_TOKEN",)), correct_contains=["is"])
    campaign, heard = await run(plan([asked], reports=project / "reports", project=project, engine="scripted"))

    assert campaign.tally.passed == 1
    assert load(campaign.folder).trace("s").reply == "ORCHARD_TOKEN is [redacted]"
    assert "pomona-0451" not in repr(heard.events)
    written = b"".join(path.read_bytes() for path in campaign.folder.rglob("*") if path.is_file())
    assert b"pomona-0451" not in written


async def test_a_project_that_is_its_own_box_hides_its_corpora_and_reports(project: Path) -> None:
    (project / "AGENTS.md").write_text("Ladders lean in the shed.\n", encoding="utf-8")
    (project / "audits" / "ledger.yaml").write_text("sizes: {}\n", encoding="utf-8")
    asked = question("own", "list .", project, correct_contains=["AGENTS.md"], response_not_contains=["a.yaml"])
    hidden = [project / "audits" / "ledger.yaml"]
    campaign, _ = await run(
        plan([asked], reports=project / "reports", project=project, engine="scripted", hidden=hidden)
    )

    assert load(campaign.folder).trace("own").reply == "AGENTS.md"


async def test_who_saw_the_answer_key_is_not_judged_and_a_link_is_known_for_what_it_leads_to(
    project: Path, box: Path, tmp_path: Path
) -> None:
    (box / "alias.md").symlink_to("notes.md")
    other = tmp_path / "other.md"
    other.write_text("elsewhere\n", encoding="utf-8")
    cheat = question("cheat", f"read {project}/audits/a.yaml\n{GOOD}", box)
    links = question("links", "read alias.md", box, should_read=["notes.md"], should_not_read=["alias.md"])
    outside = question("outside", f"read {other}\n{GOOD}", box)
    asked = [cheat, links, outside]
    campaign, _ = await run(plan(asked, reports=project / "reports", project=project, engine="scripted"))

    finished = load(campaign.folder).finished
    assert finished["cheat"].verdict.reason is Reason.CONTAMINATED
    assert "a.yaml" in finished["cheat"].verdict.detail
    assert finished["links"].verdict.outcome is Outcome.PASSED
    again = regrade(load(campaign.folder), {q.audit.id: q.audit for q in asked}, {})
    assert (again.judged, again.flips) == (3, ())
    assert finished["outside"].verdict.outcome is Outcome.PASSED


def test_a_plan_needs_something_to_ask_and_ids_of_its_own(project: Path, box: Path) -> None:
    with pytest.raises(PlanError, match="nothing to ask"):
        plan([], reports=project / "reports", project=project)
    with pytest.raises(PlanError, match="two audits are called 'a'"):
        plan([question("a", GOOD, box), question("a", BAD, box)], reports=project / "reports", project=project)
