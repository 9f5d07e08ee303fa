"""A watch: what counts as an edit, whom it has asked again, and what it leaves alone."""

import asyncio
import os
import shutil
from pathlib import Path

import pytest

from tests.desk.watched import FILE, Ear, watched
from tests.projects import BEES, CORPUS, GUIDE, git, make_project
from tests.saving import WAYS
from workbench.desk.desk import Desk
from workbench.desk.records import AskRequest
from workbench.desk.watching.records import (
    Asking,
    CorpusBroken,
    CorpusMended,
    Flipped,
    FolderBack,
    FolderLost,
    Ready,
    WatchRequest,
    Withheld,
)

TUESDAY = GUIDE.replace("Friday", "Tuesday")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_project(tmp_path / "shed")


async def nothing_came_of_it(ear: Ear, root: Path, edits: int) -> None:
    """Make an edit that is one, and see that what came before it was none."""
    (root / "docs" / "marker.md").write_text(f"marker {edits}\n", encoding="utf-8")
    edit = (await ear.edited()).edit
    assert ([file.path for file in edit.files], edit.corpora) == (["docs/marker.md"], ())
    assert edit.number == edits + 1


@pytest.mark.parametrize("way", WAYS)
async def test_every_way_to_save_is_one_edit_that_flips_what_it_touches(root: Path, way: str) -> None:
    async with watched(root) as ear:
        for number, text in enumerate((TUESDAY, GUIDE), start=1):
            await asyncio.to_thread(WAYS[way], root / "AGENTS.md", text)
            edit = (await ear.edited()).edit
            before, after = (GUIDE, TUESDAY) if text == TUESDAY else (TUESDAY, GUIDE)
            assert [(one.path, one.before, one.after) for one in edit.files] == [("AGENTS.md", before, after)]
            assert edit.touches[0].audit_id == "oil-day"
            flip = await ear.until(Flipped, lambda event: event.row.audit_id == "oil-day")
            assert flip.row.kind == ("fixed" if text == TUESDAY else "broken")
            await ear.settled(number)
        assert ear.watch.rows[0].edit.number == 2
        assert {row.kind for row in ear.watch.rows} == {"fixed", "broken", "unchanged"}


async def test_what_was_asked_before_is_not_asked_at_the_start_and_is_what_flips_are_told_of(root: Path) -> None:
    desk = Desk.open(root)
    first = desk.ask(AskRequest(("oil-day", "ladder-place")))
    await first.wait()
    async with watched(root) as ear:
        (root / "AGENTS.md").write_text(TUESDAY, encoding="utf-8")
        flip = await ear.until(Flipped, lambda event: event.row.audit_id == "oil-day")
        assert flip.row.before is not None
        assert flip.row.after is not None
        assert flip.row.before.run_id == first.run_id
        view = desk.trial("oil-day", flip.row.after.run_id, "oil-day")
        assert view.trace is not None
        assert "Tuesday" in view.trace.reply


async def test_the_start_asks_only_what_was_never_asked_as_it_is_defined_now(root: Path) -> None:
    await Desk.open(root).ask(AskRequest(("oil-day", "hive-count"))).wait()
    corpus = root / FILE
    corpus.write_text(corpus.read_text("utf-8").replace("How many hives", "How many bee hives"), encoding="utf-8")
    async with watched(root, settle=False) as ear:
        asking = await ear.until(Asking)
        assert asking.baseline
        assert asking.audit_ids == ("ladder-place", "hive-count", "swarm-feeling")
        await ear.settled(0)
        assert ear.watch.rows == ()


async def test_touched_modes_and_equal_content_are_no_edits(root: Path) -> None:
    guide = root / "AGENTS.md"
    async with watched(root) as ear:
        os.utime(guide)
        guide.chmod(0o600)
        guide.write_text(GUIDE, encoding="utf-8")
        WAYS["renamed"](guide, GUIDE)
        (root / "shed.py").write_text("print()\n", encoding="utf-8")
        await nothing_came_of_it(ear, root, 0)


async def test_own_writes_are_no_edits(root: Path) -> None:
    desk = Desk.open(root)
    async with watched(root) as ear:
        edit = desk.recorder.write(desk.recorder.draft(FILE, "Tools"))
        assert edit.written
        desk.recorder.commit(edit)
        await desk.ask(AskRequest(("oil-day",))).wait()
        (root / "context-history.yaml").write_text("rows: []\n", encoding="utf-8")
        (root / "reports" / "note.md").write_text("Friday\n", encoding="utf-8")
        await nothing_came_of_it(ear, root, 0)


async def test_two_watches_beside_each_other_come_to_rest(root: Path) -> None:
    async with watched(root) as one, watched(root) as other:
        (root / "AGENTS.md").write_text(TUESDAY, encoding="utf-8")
        await one.settled(1)
        await other.settled(1)
        await nothing_came_of_it(one, root, 1)
        await nothing_came_of_it(other, root, 1)


async def test_a_burst_is_one_edit(root: Path) -> None:
    async with watched(root) as ear:
        for number in range(200):
            (root / "docs" / f"page-{number}.md").write_text(f"page {number}\n", encoding="utf-8")
        edit = (await ear.edited()).edit
        assert len(edit.files) == 200
        await ear.settled(1)
        assert len(ear.watch.edits) == 1


async def test_a_branch_switch_is_one_edit_and_so_is_the_way_back(root: Path) -> None:
    git(root, "checkout", "-q", "-b", "tuesday")
    (root / "AGENTS.md").write_text(TUESDAY, encoding="utf-8")
    shutil.move(root / "docs", root / "texts")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "Oil on Tuesday")
    git(root, "checkout", "-q", "main")
    async with watched(root) as ear:
        git(root, "checkout", "-q", "tuesday")
        first = (await ear.edited()).edit
        assert [file.path for file in first.files] == ["AGENTS.md", "docs/bees.md", "texts/bees.md"]
        await ear.settled(1)
        assert {row.audit_id: row.kind for row in ear.watch.rows}["oil-day"] == "fixed"
        git(root, "checkout", "-q", "main")
        await ear.settled(2)
        assert [file.path for file in ear.watch.edits[0].files] == [file.path for file in first.files]
        (root / "docs" / "bees.md").write_text(BEES.replace("seven", "nine"), encoding="utf-8")
        await ear.until(Flipped, lambda event: event.row.audit_id == "hive-count" and event.row.kind == "broken")


async def test_git_at_work_is_waited_for(root: Path) -> None:
    async with watched(root) as ear:
        lock = root / ".git" / "index.lock"
        lock.touch()
        (root / "AGENTS.md").write_text("half of it\n", encoding="utf-8")
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(ear.edited(), 0.6)
        (root / "AGENTS.md").write_text(TUESDAY, encoding="utf-8")
        lock.unlink()
        assert (await ear.edited()).edit.files[0].after == TUESDAY


async def test_a_box_that_goes_and_comes_back_is_waited_for(tmp_path: Path) -> None:
    box = {"box/AGENTS.md": GUIDE, "box/docs/bees.md": BEES}
    root = make_project(tmp_path / "shed", {FILE: f"box: ../box\n{CORPUS}", **box})
    async with watched(root) as ear:
        (root / "box").rename(tmp_path / "away")
        assert (await ear.until(FolderLost)).path == "box"
        assert ear.watch.lost == ("box",)
        (tmp_path / "away").rename(root / "box")
        assert (await ear.until(FolderBack)).path == "box"
        shutil.rmtree(root / "box")
        await ear.until(FolderLost)
        (root / "box" / "docs").mkdir(parents=True)
        (root / "box" / "docs" / "bees.md").write_text(BEES, encoding="utf-8")
        (root / "box" / "AGENTS.md").write_text(TUESDAY, encoding="utf-8")
        await ear.until(FolderBack)
        await ear.until(Flipped, lambda event: event.row.audit_id == "oil-day" and event.row.kind == "fixed")


async def test_a_linked_guide_is_known_by_the_file_it_leads_to(root: Path) -> None:
    (root / "CLAUDE.md").symlink_to("AGENTS.md")
    async with watched(root) as ear:
        WAYS["renamed"](root / "AGENTS.md", TUESDAY)
        edit = (await ear.edited()).edit
        assert [file.path for file in edit.files] == ["AGENTS.md"]
        assert any(reason.because == "always" for touch in edit.touches for reason in touch.reasons)
        await ear.settled(1)
        (root / "CLAUDE.md").unlink()
        (root / "CLAUDE.md").symlink_to("docs/bees.md")
        assert [file.path for file in (await ear.edited()).edit.files] == ["CLAUDE.md"]


async def test_new_folders_of_guidance_count_and_what_git_ignores_does_not(root: Path) -> None:
    (root / ".gitignore").write_text("build/\n*.local.md\n", encoding="utf-8")
    async with watched(root) as ear:
        (root / "build" / "docs").mkdir(parents=True)
        (root / "build" / "docs" / "page.md").write_text("Friday\n", encoding="utf-8")
        (root / "CLAUDE.local.md").write_text("Friday\n", encoding="utf-8")
        await nothing_came_of_it(ear, root, 0)
        (root / "cards" / "old").mkdir(parents=True)
        (root / "cards" / "old" / "CLAUDE.md").write_text("Cards are never deleted.\n", encoding="utf-8")
        edit = (await ear.edited()).edit
        assert [file.path for file in edit.files] == ["cards/old/CLAUDE.md"]


async def test_an_edited_entry_is_asked_again_and_a_comment_is_not(root: Path) -> None:
    corpus = root / FILE
    async with watched(root) as ear:
        corpus.write_text(CORPUS.replace("# Questions", "# More questions"), encoding="utf-8")
        await nothing_came_of_it(ear, root, 0)
        await ear.settled(1)
        corpus.write_text(CORPUS.replace('["Tuesday"]', '["Friday"]'), encoding="utf-8")
        edit = (await ear.edited()).edit
        assert (edit.box, edit.files, edit.corpora) == ("", (), (FILE,))
        assert [(touch.audit_id, touch.reasons[0].because) for touch in edit.touches] == [("oil-day", "entry")]
        await ear.until(Flipped, lambda event: event.row.kind == "fixed")
        await ear.settled(2)
        new = '  - {id: rope, prompt: "Where is the rope?", expected_level: guessable, watch_for: "-"}\n'
        corpus.write_text(corpus.read_text("utf-8") + new, encoding="utf-8")
        await ear.until(Flipped, lambda event: (event.row.audit_id, event.row.kind) == ("rope", "new"))
        await ear.settled(3)
        corpus.write_text(CORPUS.replace('["Tuesday"]', '["Friday"]'), encoding="utf-8")
        (root / "AGENTS.md").write_text(TUESDAY, encoding="utf-8")
        await ear.settled(4)
        assert ear.watch.edits[0].touches[0].audit_id == "oil-day"
        assert "rope" not in {touch.audit_id for touch in ear.watch.edits[0].touches}


async def test_a_corpus_that_breaks_keeps_its_last_good_state_and_says_where(root: Path) -> None:
    corpus = root / FILE
    desk = Desk.open(root)
    watch = desk.watch(WatchRequest())
    ear = Ear(watch)
    watch.start()
    await ear.settled(0)
    for broken in (f"{CORPUS}  - {{id: half", "", CORPUS.replace("expected_level: does_not_know", "expected_level: [")):
        corpus.write_text(broken, encoding="utf-8")
        told = await ear.until(CorpusBroken)
        assert told.file == FILE
        assert watch.broken[FILE] == told.problem
        assert told.problem in desk.problems()
        assert len(desk.select(())) == 4
    (root / "AGENTS.md").write_text(TUESDAY, encoding="utf-8")
    await ear.until(Flipped, lambda event: event.row.audit_id == "oil-day" and event.row.kind == "fixed")
    corpus.write_text(CORPUS.replace('["Tuesday"]', '["Friday"]'), encoding="utf-8")
    await ear.until(CorpusMended)
    assert watch.broken == {}
    await ear.until(Flipped, lambda event: event.row.audit_id == "oil-day" and event.row.kind == "broken")
    await watch.stop()
    corpus.write_text("tests: [", encoding="utf-8")
    desk.reload()
    assert desk.select(()) == ()  # nobody watches any more
    await desk.close()


async def test_a_box_named_mid_watch_is_watched(tmp_path: Path) -> None:
    root = make_project(tmp_path / "shed", {"box/AGENTS.md": TUESDAY})
    async with watched(root) as ear:
        (root / FILE).write_text(f"box: ../box\n{CORPUS}", encoding="utf-8")
        await ear.until(Ready, lambda event: event.watched.folders == ("box",))
        await ear.until(Flipped, lambda event: event.row.audit_id == "oil-day" and event.row.kind == "fixed")
        await ear.settled(1)
        (root / "box" / "AGENTS.md").write_text(GUIDE, encoding="utf-8")
        edit = (await ear.edited()).edit
        assert edit.box == "../box"
        await ear.settled(2)
        (root / "docs" / "bees.md").write_text("none\n", encoding="utf-8")
        (root / "box" / "more.md").write_text("more\n", encoding="utf-8")
        assert [file.path for file in (await ear.edited()).edit.files] == ["more.md"]


async def test_a_selection_is_what_is_watched(root: Path) -> None:
    async with watched(root, terms=("section:bees",)) as ear:
        (root / "AGENTS.md").write_text(TUESDAY, encoding="utf-8")
        edit = (await ear.edited()).edit
        assert {touch.audit_id for touch in edit.touches} <= {"hive-count", "swarm-feeling"}
        await ear.settled(1)


async def test_a_corpus_whose_globs_are_none_is_left_out_and_said_so(root: Path) -> None:
    other = "guidance: ['**********']\ntests:\n  - {id: odd, prompt: x, expected_level: guessable, watch_for: x}\n"
    (root / "audits" / "odd.yaml").write_text(other, encoding="utf-8")
    async with watched(root, settle=False) as ear:
        withheld = await ear.until(Withheld)
        assert (withheld.audit_ids, "wildcards" in withheld.why) == (("odd",), True)
        await ear.settled(0)
        (root / "AGENTS.md").write_text(TUESDAY, encoding="utf-8")
        await ear.settled(1)
        assert {row.audit_id: row.kind for row in ear.watch.rows}["oil-day"] == "fixed"
