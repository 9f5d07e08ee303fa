"""A verdict is stale when what it hangs on changed, the list says so when it is asked, and nothing is guessed."""

import asyncio
import json
from pathlib import Path

import pytest

from tests.projects import git, make_project
from workbench.desk.desk import Desk
from workbench.desk.records import AskRequest, DeskError
from workbench.host.files import sha256
from workbench.insight.staleness import Staleness
from workbench.runs.contents import FILE
from workbench.runs.identity import audit_hash

CORPUS_FILE = "audits/knowledge.yaml"


@pytest.fixture
async def root(tmp_path: Path) -> Path:
    """A project all of whose audits were asked."""
    root = make_project(tmp_path / "shed")
    await ask(Desk.open(root))
    return root


async def ask(desk: Desk, *audit_ids: str, **how: str) -> str:
    live = desk.ask(AskRequest(audit_ids or tuple(audit.id for audit in desk.select(())), **how))  # type: ignore[arg-type]
    await asyncio.wait_for(live.wait(), 60)
    return live.run_id


async def staleness(desk: Desk) -> dict[str, Staleness]:
    """What is known of every audit once it was looked into."""
    desk.staleness.in_background = True
    await desk.staleness.refresh()
    rows = [row for group in desk.sections() for row in group.rows]
    return {row.audit.id: row.stale for row in rows if row.stale is not None}


def edit(root: Path, path: str, before: str, after: str) -> None:
    text = (root / path).read_text("utf-8")
    assert before in text
    (root / path).write_text(text.replace(before, after), encoding="utf-8")


async def test_nothing_is_stale_while_nothing_changed(root: Path) -> None:
    (root / "AGENTS.md").touch()
    edit(root, CORPUS_FILE, "# Questions", "# Some questions")
    git(root, "commit", "--quiet", "--all", "-m", "Say more")
    found = await staleness(Desk.open(root))
    assert len(found) == 4
    assert not any(found.values()), found
    assert not any(one.unknown for one in found.values())


async def test_what_bears_neither_on_the_answer_nor_on_the_verdict_makes_nothing_stale(root: Path) -> None:
    edit(root, CORPUS_FILE, "  - id: oil-day\n", "  - id: oil-day\n    notes: seen twice\n    tags: [oil]\n")
    edit(root, CORPUS_FILE, "oil-day was a gap.", "oil-day is none any more.")
    found = await staleness(Desk.open(root))
    assert len(found) == 4
    assert not any(found.values()), found


async def test_an_entry_is_known_again_by_a_hash_that_took_its_notes_in(root: Path) -> None:
    desk = Desk.open(root)
    audit = next(audit for audit in desk.select("ladder-place"))
    whole = audit.model_dump(mode="json", exclude={"file", "section", "positions", "samples"})
    kept = sha256(json.dumps(whole, sort_keys=True).encode("ascii"))
    journal = next((root / "reports").glob("*/journal.jsonl"))
    journal.write_text(journal.read_text("utf-8").replace(audit_hash(audit), kept), encoding="utf-8")
    assert not any((await staleness(Desk.open(root))).values())
    edit(root, CORPUS_FILE, "the long ladder", "that long ladder")
    assert (await staleness(Desk.open(root)))["ladder-place"].told == "the audit's own entry changed since"


async def test_edited_guidance_makes_every_audit_of_its_box_stale_until_it_is_asked_again(root: Path) -> None:
    desk = Desk.open(root)
    edit(root, "AGENTS.md", "north wall", "south wall")
    found = await staleness(desk)
    assert {one.told for one in found.values()} == {"guidance changed since (AGENTS.md)"}
    assert len(desk.select("is:stale")) == 4
    await ask(desk, "ladder-place")
    assert "ladder-place" not in {audit.id for audit in desk.select("is:stale")}, "known of another trial"
    await desk.staleness.refresh()
    assert {audit.id for audit in desk.select("is:stale")} == {"oil-day", "hive-count", "swarm-feeling"}
    assert {audit.id for audit in desk.select("is:stale is:failed")} == {"oil-day"}
    assert [audit.id for audit in desk.select("-is:stale")] == ["ladder-place"]


async def test_an_edited_entry_makes_its_audit_stale_and_a_page_of_the_box_all(root: Path) -> None:
    edit(root, CORPUS_FILE, "On which weekday", "On what day")
    edit(root, "docs/bees.md", "seven", "nine")
    (root / "docs" / "new.md").write_text("New.\n", encoding="utf-8")
    found = await staleness(Desk.open(root))
    box = "the box shed changed since (docs/bees.md, docs/new.md added)"
    assert found["oil-day"].told == f"the audit's own entry changed since; {box}"
    assert [change.what for change in found["hive-count"].changes] == ["box"]


async def test_another_version_of_the_engine_is_told(root: Path) -> None:
    run = next((root / "reports").glob("*/run.json"))
    manifest = json.loads(run.read_text("utf-8"))
    version = manifest["engine_version"]
    run.write_text(json.dumps(manifest | {"engine_version": "0.0.1"}), encoding="utf-8")
    found = await staleness(Desk.open(root))
    assert found["oil-day"].told == f"reader was 0.0.1 then and is {version} now"


async def test_a_run_of_an_earlier_version_is_read_without_its_files(root: Path) -> None:
    for kept in (root / "reports").glob(f"*/{FILE}"):
        kept.unlink()
    assert not any((await staleness(Desk.open(root))).values())
    edit(root, "AGENTS.md", "north wall", "south wall")
    found = (await staleness(Desk.open(root)))["oil-day"]
    assert found.changes[0].told == "guidance changed since"
    assert found.unknown == ("which files changed: the run did not keep what its box held",)


async def test_what_was_asked_elsewhere_or_of_a_box_that_is_gone_is_not_called_stale(root: Path) -> None:
    run = next((root / "reports").glob("*/run.json"))
    manifest = json.loads(run.read_text("utf-8"))
    edit(root, "AGENTS.md", "north wall", "south wall")
    run.write_text(json.dumps(manifest | {"imported": True}), encoding="utf-8")
    found = (await staleness(Desk.open(root)))["oil-day"]
    assert not found
    assert "box and guidance: it was asked elsewhere" in found.unknown
    manifest["boxes"][CORPUS_FILE]["path"] = str(root / "gone")
    run.write_text(json.dumps(manifest), encoding="utf-8")
    found = (await staleness(Desk.open(root)))["oil-day"]
    assert not found
    assert "box and guidance: " in found.unknown[-1]


async def test_a_resumed_run_is_held_against_the_state_it_was_resumed_in(root: Path) -> None:
    desk = Desk.open(root)
    live = desk.ask(AskRequest(("oil-day", "hive-count")))
    live.cancel()
    await asyncio.wait_for(live.wait(), 60)
    edit(root, "AGENTS.md", "north wall", "south wall")
    await asyncio.wait_for(desk.resume(live.run_id).wait(), 60)
    found = await staleness(desk)
    assert {audit_id for audit_id, one in found.items() if one} == {"ladder-place", "swarm-feeling"}


def test_a_list_that_nobody_asks_for_it_looks_at_no_box(tmp_path: Path) -> None:
    root = make_project(tmp_path / "shed")
    asyncio.run(ask(Desk.open(root)))
    edit(root, "AGENTS.md", "north wall", "south wall")
    desk = Desk.open(root)
    assert [row.stale for group in desk.sections() for row in group.rows] == [None] * 4
    assert "staleness" not in vars(desk)
    assert len(desk.select("is:stale")) == 4
    with pytest.raises(DeskError, match=r"known are: .*stale"):
        desk.select("is:stael")
