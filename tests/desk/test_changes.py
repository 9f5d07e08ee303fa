"""What changed since a revision, in real repositories: which files are seen, which audits they touch, and why."""

import asyncio
from pathlib import Path

import pytest

from tests.projects import BEES, CORPUS, GUIDE, git, make_project
from workbench.desk.changes import ChangeSet
from workbench.desk.desk import Desk
from workbench.desk.records import AskRequest, DeskError


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_project(tmp_path / "shed")


def since(root: Path, revision: str = "HEAD", request: AskRequest | None = None) -> ChangeSet:
    async def look() -> ChangeSet:
        desk = Desk.open(root)
        try:
            return await desk.changes.since(revision, request)
        finally:
            await desk.maps.close()

    return asyncio.run(look())


def first(found: ChangeSet) -> dict[str, str]:
    """Audit id → its strongest reason, likeliest audit first."""
    return {touch.audit_id: touch.reasons[0].because for touch in found.touches}


def files(found: ChangeSet) -> dict[str, tuple[str | None, str | None]]:
    return {file.path: (file.before, file.after) for box in found.boxes for file in box.files}


def test_nothing_changed_touches_nothing(root: Path) -> None:
    found = since(root)
    assert (found.boxes, found.corpora, found.touches, found.untold) == ((), (), (), "")


def test_edits_new_files_and_gone_ones_count_committed_or_not(root: Path) -> None:
    (root / "AGENTS.md").write_text(GUIDE.replace("Friday", "Tuesday"), encoding="utf-8")
    git(root, "commit", "-qam", "Tuesday")
    (root / "docs/bees.md").unlink()
    (root / "docs/räume.md").write_text("# Rooms\n", encoding="utf-8")
    (root / "docs/picture.bin").write_bytes(b"\0\1")
    (root / "audits/other.yaml").write_text(CORPUS.replace("- id: ", "- id: other-"), encoding="utf-8")
    (root / "reports" / "notes.md").write_text("seven", encoding="utf-8")
    assert set(files(since(root))) == {"docs/bees.md", "docs/räume.md", "docs/picture.bin"}
    found = since(root, "HEAD~1")
    assert files(found) == {
        "AGENTS.md": (GUIDE, GUIDE.replace("Friday", "Tuesday")),
        "docs/bees.md": (BEES, None),
        "docs/räume.md": (None, "# Rooms\n"),
        "docs/picture.bin": (None, None),
    }
    touched = first(found)
    assert (touched["oil-day"], touched["hive-count"]) == ("gained", "lost")
    assert (touched["ladder-place"], touched["other-oil-day"]) == ("always", "entry")
    assert found.corpora == ("audits/other.yaml",)
    assert git(root, "status", "--porcelain").count("\n") == 3  # the box is as it was


def test_an_answer_that_is_named_no_more_has_moved(root: Path) -> None:
    index = "Bees are in `docs/far.md`.\n"
    for name, text in (("AGENTS.md", "All is in `docs/index.md`.\n"), ("docs/index.md", index), ("docs/far.md", BEES)):
        (root / name).write_text(text, encoding="utf-8")
    (root / "docs/bees.md").unlink()
    git(root, "add", "--all", ".")
    git(root, "commit", "-qm", "Move the bees")
    (root / "docs/index.md").write_text("Ask Ida.\n", encoding="utf-8")
    found = since(root)
    assert first(found) == {"hive-count": "moved"}
    assert found.touches[0].reasons[0].told == 'docs/far.md:3 with "seven" is present now, was referenced'


def test_edits_of_the_corpus_are_told_and_its_text_is_no_guidance(root: Path) -> None:
    (root / "audits/knowledge.yaml").write_text(CORPUS.replace("long ladder", "short ladder"), encoding="utf-8")
    found = since(root)
    assert first(found) == {"ladder-place": "entry"}
    assert (found.boxes, found.corpora) == ((), ("audits/knowledge.yaml",))


def test_what_the_last_trial_read_touches_it_and_denied_files_do_not(root: Path) -> None:
    async def ask() -> None:
        await Desk.open(root).ask(AskRequest(("hive-count",))).wait()

    asyncio.run(ask())
    (root / "docs/bees.md").write_text(f"{BEES}\nHoney is sold on Sundays.\n", encoding="utf-8")
    assert first(since(root)) == {"hive-count": "read"}
    corpus = CORPUS.replace("tests:", "deny: [docs]\ntests:", 1)
    (root / "audits/knowledge.yaml").write_text(corpus, encoding="utf-8")
    git(root, "commit", "-qm", "Deny", "audits")
    assert first(since(root)) == {}


def test_a_linked_guidance_file_is_known_by_what_it_leads_to(root: Path) -> None:
    (root / "CLAUDE.md").symlink_to("AGENTS.md")
    git(root, "add", ".")
    git(root, "commit", "-qm", "Link")
    (root / "AGENTS.md").write_text(f"{GUIDE}\nMind the dog.\n", encoding="utf-8")
    assert set(first(since(root)).values()) == {"always"}
    assert len(first(since(root))) == 4


def test_each_box_is_compared_in_its_own_repository(root: Path, tmp_path: Path) -> None:
    box = make_project(tmp_path / "barn", {"AGENTS.md": "The saw is in the barn.\n"})
    named = f"box: {box}\n{CORPUS.replace('- id: ', '- id: barn-')}"
    (root / "audits/barn.yaml").write_text(named, encoding="utf-8")
    git(root, "add", ".")
    git(root, "commit", "-qm", "Ask in the barn")
    (box / "AGENTS.md").write_text("The saw is at the north wall.\n", encoding="utf-8")
    found = since(root)
    assert [(change.box, [file.path for file in change.files]) for change in found.boxes] == [(str(box), ["AGENTS.md"])]
    assert found.touches[0].audit_id == "barn-ladder-place"
    assert set(first(found)) == {f"barn-{name}" for name in ("ladder-place", "oil-day", "hive-count", "swarm-feeling")}
    with pytest.raises(DeskError, match=r"barn: git knows no commit"):
        since(root, git(root, "rev-parse", "HEAD"))
    only = since(root, "HEAD", AskRequest(("ladder-place",)))
    assert (only.boxes, only.touches) == ((), ())


def test_a_box_that_is_a_folder_of_a_repository_and_was_not_there(root: Path) -> None:
    (root / "box").mkdir()
    (root / "box/AGENTS.md").write_text("Friday.\n", encoding="utf-8")
    found = since(root, "HEAD", AskRequest(("oil-day",), box=str(root / "box"), surface="box"))
    assert files(found) == {"AGENTS.md": (None, "Friday.\n")}
    assert first(found) == {"oil-day": "always"}


@pytest.mark.parametrize("revision", ["no-such", "--all", ""])
def test_a_revision_that_is_none_is_refused(root: Path, revision: str) -> None:
    with pytest.raises(DeskError, match="git"):
        since(root, revision)
