"""Whom a watch asks: what is outdated is stopped, what is paid wants one yes, a forecast and a cap."""

import asyncio
import os
import shutil
from pathlib import Path

import pytest

from tests.desk.watched import watched
from tests.projects import make_project
from workbench.desk.desk import Desk
from workbench.desk.records import AskRequest
from workbench.desk.watching.records import Asking, Edited, Flipped, Outdated, Settled, Wants, Withheld

ENGINES = Path(__file__).parents[1] / "runs" / "engines"
GUIDE = "The ladder stands in the shed. The rope hangs in the barn.\n"


@pytest.fixture(autouse=True)
def _engines(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.syspath_prepend(str(ENGINES))
    inherited = os.environ.get("PYTHONPATH", "")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, (str(ENGINES), inherited))))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("PAYING_KEY", "quince-1234")


def entry(name: str, script: str) -> str:
    wanted = f'expected_level: guessable, watch_for: "-", correct_contains: [{name}]'
    return f'  - {{id: {name}, prompt: "{script}", {wanted}}}\n'


def project(root: Path, engine: str, scripts: dict[str, str]) -> Path:
    """A project whose audits do what their prompts say, and want what their ids say."""
    entries = "".join(entry(name, script) for name, script in scripts.items())
    corpus = f"engine: {engine}\ntests:\n{entries}"
    return make_project(root / "shed", {"audits/knowledge.yaml": corpus, "AGENTS.md": GUIDE})


def edit(root: Path, old: str, new: str) -> None:
    guide = root / "AGENTS.md"
    guide.write_text(guide.read_text("utf-8").replace(old, new), encoding="utf-8")


async def test_what_an_edit_touches_is_stopped_and_asked_again(tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    scripts = {"ladder": f"read AGENTS.md\\nmeet {gate}\\nsay ladder", "rope": f"meet {gate}\\nsay rope"}
    root = project(tmp_path, "scripted", scripts)
    gate.touch()
    async with watched(root) as ear:
        gate.unlink()
        edit(root, "ladder stands", "ladder lies")
        await ear.until(Asking)
        edit(root, "lies in the shed", "leans at the barn")
        assert "ladder" in (await ear.until(Outdated)).audit_ids
        gate.touch()
        again = await ear.until(Asking)
        assert again.audit_ids[0] == "ladder"
        flip = await ear.until(Flipped, lambda event: event.row.audit_id == "ladder")
        assert flip.row.edit.number == 2
        await ear.settled(2)
        assert [row.edit.number for row in ear.watch.rows if row.audit_id == "ladder"] == [2]


async def test_a_verdict_that_was_out_of_date_already_is_nothing_to_compare_with(tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    gate.touch()
    root = project(tmp_path, "scripted", {"ladder": f"meet {gate}\\nsay ladder"})
    await Desk.open(root).ask(AskRequest(("ladder",))).wait()
    edit(root, "ladder stands", "ladder lies")
    gate.unlink()
    async with watched(root, settle=False) as ear:
        assert (await ear.until(Asking)).baseline
        edit(root, "ladder lies", "ladder leans")
        await ear.until(Edited)
        gate.touch()
        flip = await ear.until(Flipped)
        assert (flip.row.before, flip.row.kind) == (None, "new")
        edit(root, "ladder leans", "ladder hangs")
        assert (await ear.until(Flipped)).row.kind == "unchanged"


async def test_a_touched_audit_does_not_wait_for_those_that_only_lack_a_verdict(tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    root = project(tmp_path, "scripted", {f"a{n}": f"meet {gate}\\nsay a{n}" for n in range(12)})
    (root / "workbench.toml").write_text('corpora = ["audits/*.yaml"]\nparallel = 1\n', encoding="utf-8")
    async with watched(root, settle=False) as ear:
        baseline = await ear.until(Asking)
        assert baseline.baseline
        assert len(baseline.audit_ids) == 12
        corpus = root / "audits" / "knowledge.yaml"
        corpus.write_text(corpus.read_text("utf-8").replace("say a11", "say a11 twice"), encoding="utf-8")
        await ear.until(Edited)
        gate.touch()
        first = await ear.until(Asking)
        assert (first.audit_ids, first.baseline) == (("a11",), False)
        rest = await ear.until(Asking)
        assert rest.baseline
        assert "a11" not in rest.audit_ids
        await ear.settled(1)
        assert len(Desk.open(root).select("is:passed")) == 12


async def test_a_run_that_somebody_stops_is_not_begun_again(tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    gate.touch()
    root = project(tmp_path, "scripted", {"ladder": f"meet {gate}\\nsay ladder"})
    async with watched(root) as ear:
        gate.unlink()
        edit(root, "ladder stands", "ladder lies")
        (await ear.until(Asking)).live.cancel()
        assert (await ear.until(Withheld)).audit_ids == ("ladder",)
        await ear.settled(1)


async def test_a_run_whose_folder_is_taken_away_ends_in_a_line_and_the_watch_goes_on(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    gate = tmp_path / "gate"
    root = project(tmp_path, "scripted", {"ladder": f"read AGENTS.md\\nmeet {gate}\\nsay ladder"})
    gate.touch()
    async with watched(root) as ear:
        gate.unlink()
        edit(root, "ladder stands", "ladder lies")
        asking = await ear.until(Asking)
        shutil.rmtree(root / "reports" / asking.live.run_id)
        gate.touch()
        await ear.until(Settled)
        edit(root, "lies in the shed", "leans at the barn")
        await ear.until(Flipped)
    told = [record for record in caplog.records if "could not be closed" in record.message]
    assert [(record.exc_info, "\n" in record.message) for record in told] == [(None, False)]


async def test_paid_audits_want_one_yes_with_a_forecast_and_stop_at_the_cap_of_the_whole_watch(tmp_path: Path) -> None:
    root = project(tmp_path, "paying", {"ladder": "say ladder\\ncost 0.25"})
    await Desk.open(root).ask(AskRequest(("ladder",))).wait()
    async with watched(root, max_cost=0.7) as ear:
        assert ear.watch.costly == ("paying",)
        edit(root, "ladder stands", "ladder lies")
        await ear.until(Edited)
        wants = await ear.until(Wants)
        assert ear.watch.wants == wants
        assert (wants.offer.trials, wants.offer.usd, wants.offer.cap) == (1, 0.25, 0.7)
        assert not any(isinstance(event, Asking) for event in ear.events)
        ear.watch.agree(False)
        assert "the answer was no" in (await ear.until(Withheld)).why
        await ear.settled(1)
        ear.watch.agree(True)
        asking = await ear.until(Asking)
        assert asking.offer is not None
        assert asking.offer.usd == 0.25
        await ear.until(Flipped, lambda event: event.row.kind == "unchanged")
        await ear.settled(1)
        for number, (old, new) in enumerate((("lies", "leans"), ("leans", "hangs")), start=2):
            edit(root, f"ladder {old}", f"ladder {new}")
            asking = await ear.until(Asking)  # nobody is asked a second time
            assert asking.live.manifest.max_cost == pytest.approx(0.7 - 0.25 * (number - 1))
            await ear.settled(number)
        edit(root, "ladder hangs", "ladder stands")
        assert "the cap of $0.70 is reached" in (await ear.until(Withheld)).why
        await ear.settled(4)


async def test_a_cap_that_is_reached_within_a_run_is_told_as_the_human_set_it(tmp_path: Path) -> None:
    scripts = {name: f"say {name}\\ncost 0.25" for name in ("ladder", "rope", "barn")}
    root = project(tmp_path, "paying", scripts)
    await Desk.open(root).ask(AskRequest(("ladder",))).wait()
    async with watched(root, max_cost=1, agreed=True) as ear:
        edit(root, "ladder stands in the shed. The rope", "ladder lies in the shed by the barn. Every rope")
        await ear.until(Settled, lambda event: event.asked == len(scripts))
        edit(root, "ladder lies in the shed by the barn. Every rope", "ladder stands in the shed. The rope")
        whys = [(await ear.until(Withheld)).why for _ in range(2)]
    assert whys == ["the cap of $1.00 is reached"] * 2


async def test_one_yes_to_several_who_cost_money_is_told_what_all_of_them_come_to(tmp_path: Path) -> None:
    root = project(tmp_path, "paying", {"ladder": "say ladder\\ncost 0.25"})
    dear = entry("rope", "say rope\\ncost 1")
    (root / "audits/dear.yaml").write_text(f"engine: paying\nmodel: dear\ntests:\n{dear}", encoding="utf-8")
    for name in ("ladder", "rope"):
        await Desk.open(root).ask(AskRequest((name,))).wait()
    async with watched(root, max_cost=5) as ear:
        edit(root, "ladder stands", "ladder and rope lie")
        wants = await ear.until(Wants, lambda event: len(event.audit_ids) == 2)
        assert ear.watch.wants == wants
        assert (wants.offer.trials, wants.offer.usd, wants.offer.seen, wants.offer.cap) == (2, 1.25, 2, 5)
        assert "dear" in wants.offer.model


async def test_what_is_paid_waits_for_a_longer_quiet_and_what_is_free_does_not(tmp_path: Path) -> None:
    root = project(tmp_path, "paying", {"ladder": "say ladder\\ncost 0.25"})
    free = entry("rope", "read AGENTS.md\\nsay rope")
    (root / "audits" / "free.yaml").write_text(f"engine: scripted\ntests:\n{free}", encoding="utf-8")
    await Desk.open(root).ask(AskRequest(("ladder",))).wait()
    async with watched(root, agreed=True) as ear:
        loop = asyncio.get_running_loop()
        edit(root, "ladder stands in the shed. The rope hangs", "ladder lies in the shed. The rope lies")
        begun = loop.time()
        times = {}
        for _ in range(2):
            asking = await ear.until(Asking)
            times[asking.live.manifest.engine] = loop.time() - begun
        assert times["scripted"] < 1.5 <= times["paying"]
        await ear.settled(1)


async def test_an_engine_that_is_not_ready_withholds_and_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = project(tmp_path, "paying", {"ladder": "say ladder"})
    await Desk.open(root).ask(AskRequest(("ladder",))).wait()
    monkeypatch.delenv("PAYING_KEY")
    async with watched(root) as ear:
        edit(root, "ladder stands", "ladder lies")
        assert "no key: set PAYING_KEY" in (await ear.until(Withheld)).why
        await ear.until(Settled)
        monkeypatch.setenv("PAYING_KEY", "quince-1234")
        edit(root, "ladder lies", "ladder stands")
        await ear.until(Wants)
