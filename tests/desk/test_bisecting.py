"""The commit of guidance that lost or taught an answer is found in real repositories; nothing is asked twice."""

import asyncio
import json
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tests.projects import GUIDE, git, make_project
from workbench.desk.bisecting.hand import Bisecting
from workbench.desk.bisecting.records import Bisected, BisectRequest, Step
from workbench.desk.desk import Desk
from workbench.desk.records import AskRequest, DeskError

GONE = GUIDE.replace("at the north wall", "somewhere")
KEPT = "The long ladder is kept at the north wall of the shed.\n"
SILENT = GUIDE.replace(KEPT, "")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_project(tmp_path / "shed")


def commit(root: Path, subject: str, files: Mapping[str, str | None]) -> str:
    """Write files, None for one that goes, and commit them; the commit's name."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if text is None:
            path.unlink()
        else:
            path.write_text(text, encoding="utf-8")
    git(root, "add", "--all", ".")
    git(root, "commit", "-q", "-m", subject)
    return git(root, "rev-parse", "HEAD")


def notes(root: Path, guide: str, name: str, number: int = 4) -> str:
    """Commits that matter to no answer, some of them of guidance; the guide as it is then."""
    for n in range(number):
        guide += f"\n{name} {n}.\n"
        commit(root, f"{name} {n}", {"AGENTS.md": guide})
        commit(root, f"Code of {name} {n}", {"src/x.py": f"{name.lower()} = {n}\n"})
    return guide


def bisect(
    root: Path, audit: str, revisions: str, hear: Callable[[Step], None] = lambda step: None
) -> tuple[Bisected, list[Step]]:
    """Bisect to the end, with the steps that were told."""
    desk, steps = Desk.open(root), []

    async def run() -> Bisected:
        prepared = desk.bisecting.prepare(BisectRequest(audit, revisions))
        live = desk.bisecting.live(prepared)

        def heard(step: Step) -> None:
            steps.append(step)
            hear(step)

        try:
            return await desk.bisecting.run(prepared, live, desk.ask, heard)
        finally:
            await desk.maps.close()

    return asyncio.run(run()), steps


def runs(root: Path) -> int:
    return len(list((root / "reports").glob("2*")))


def test_the_commit_that_lost_an_answer_is_found_with_its_diff(root: Path) -> None:
    guide = notes(root, GUIDE, "Before")
    guide = guide.replace("at the north wall", "somewhere")
    culprit = commit(root, "Tidy the guide", {"AGENTS.md": guide, "src/x.py": "lost = 1\n"})
    notes(root, guide, "After")
    git(root, "checkout", "-q", "-b", "elsewhere", "HEAD~3")
    (root / "AGENTS.md").write_text("edited\n", encoding="utf-8")
    before = git(root, "status", "--porcelain=v2", "--branch")
    found, steps = bisect(root, "ladder-place", "main~17..main")
    assert (found.kind, found.after.commit, found.after.subject, found.lost) == (
        "commit",
        culprit,
        "Tidy the guide",
        True,
    )
    assert found.after.guidance == ("AGENTS.md",)
    assert (found.counts[0].passed, found.counts[1].passed) == (found.counts[0].measured, 0)
    assert "+The long ladder is kept somewhere of the shed." in found.diff
    assert "src/x.py" not in found.diff
    assert [reason.told for reason in found.stood] == ['"north wall" went from AGENTS.md:3']
    assert found.asked == len(steps) == runs(root) <= 7
    assert found.sure == 1.0
    assert git(root, "status", "--porcelain=v2", "--branch") == before
    assert Desk.open(root).trial("ladder-place").summary is None  # how it stands is not for an old commit to say


def test_the_commit_that_taught_an_answer_is_found_in_a_merge(root: Path) -> None:
    git(root, "checkout", "-q", "-b", "side")
    commit(root, "Write of Tuesday", {"docs/day.md": "The shears are oiled on Tuesday.\n"})
    commit(root, "Name it", {"AGENTS.md": GUIDE.replace("on Friday", "on Tuesday")})
    git(root, "checkout", "-q", "main")
    commit(root, "Main goes on", {"docs/bees.md": "There are seven hives here.\n"})
    git(root, "merge", "-q", "--no-ff", "-m", "Merge the day", "side")
    merge = git(root, "rev-parse", "HEAD")
    commit(root, "More", {"docs/more.md": "More.\n"})
    found, _ = bisect(root, "oil-day", "HEAD~3..")
    assert (found.kind, found.after.commit, found.lost) == ("commit", merge, False)
    assert [(reason.path, reason.told) for reason in found.stood][:1] == [
        ("AGENTS.md", '"Tuesday" came into AGENTS.md:5')
    ]


def test_what_another_file_did_is_not_put_down_to_guidance(root: Path) -> None:
    first = commit(root, "Say it in code only", {"AGENTS.md": SILENT, "src/ladder.py": KEPT})
    guide = notes(root, SILENT, "Before", 2)
    commit(root, "Rename", {"src/ladder.py": "pass\n"})
    commit(root, "After", {"AGENTS.md": f"{guide}\nAfter.\n"})
    found, _ = bisect(root, "ladder-place", f"{first}..")
    assert (found.kind, found.after.guidance, found.after.others) == ("range", (), 2)
    assert (found.after.subject, found.diff, found.stood) == ("Rename", "", ())


def test_an_imported_file_is_guidance_whatever_its_name(root: Path) -> None:
    first = commit(root, "Import", {"AGENTS.md": f"{SILENT}\n@rules/ladder.conf\n", "rules/ladder.conf": KEPT})
    commit(root, "Note", {"docs/a.md": "a\n"})
    culprit = commit(root, "Reword", {"rules/ladder.conf": "The long ladder is kept by Ida.\n"})
    found, _ = bisect(root, "ladder-place", f"{first}..HEAD")
    assert (found.kind, found.after.commit, found.after.guidance) == ("commit", culprit, ("rules/ladder.conf",))


def test_commits_that_cannot_be_measured_leave_a_range(root: Path) -> None:
    corpus = (root / "audits/knowledge.yaml").read_text(encoding="utf-8")
    asked_in = corpus.replace("- id: ladder-place", "- id: ladder-place\n    context_dir: yard")
    first = commit(root, "Ask in the yard", {"audits/knowledge.yaml": asked_in, "yard/x.txt": "x\n"})
    commit(root, "No yard", {"yard/x.txt": None, "docs/a.md": "a\n"})
    commit(root, "Lost meanwhile", {"AGENTS.md": GONE})
    last = commit(root, "A yard again", {"yard/x.txt": "x\n", "docs/b.md": "b\n"})
    found, _ = bisect(root, "ladder-place", f"{first}..HEAD")
    assert (found.kind, found.before.commit, found.after.commit) == ("range", first, last)
    assert [step.point.subject for step in found.skipped] == ["No yard", "Lost meanwhile"]
    assert all("yard" in step.skipped for step in found.skipped)
    assert "-The long ladder is kept at the north wall" in found.diff
    commit(root, "No yard", {"yard/x.txt": None})
    with pytest.raises(DeskError, match=r"BAD \(\w+\) cannot be measured: .*yard"):
        bisect(root, "ladder-place", f"{first}..HEAD")


def test_ends_that_answer_alike_are_told_so(root: Path) -> None:
    notes(root, GUIDE, "Note", 3)
    found, steps = bisect(root, "ladder-place", "HEAD~6..HEAD")
    assert (found.kind, len(steps)) == ("alike", 2)
    assert [str(count) for count in found.counts] == ["1 of 1", "1 of 1"]


def test_an_interrupted_bisection_goes_on_and_asks_nothing_twice(root: Path) -> None:
    guide = notes(root, GUIDE, "Before")
    culprit = commit(root, "Lose it", {"AGENTS.md": guide.replace("north wall", "wall")})
    notes(root, guide.replace("north wall", "wall"), "After")

    class Stop(Exception):  # noqa: N818 - the name says what it is
        pass

    asked: list[str] = []

    def kill_after(number: int) -> Callable[[Step], None]:
        def hear(step: Step) -> None:
            asked.extend([] if step.known else [step.point.commit])
            if len([step for step in asked if step]) >= number:
                raise Stop

        return hear

    for number in (1, 3):
        with pytest.raises(Stop):
            bisect(root, "ladder-place", "HEAD~17..HEAD", kill_after(number))
    (journal,) = (root / "reports" / "bisect").glob("ladder-place-*.jsonl")
    lines = journal.read_bytes().splitlines(keepends=True)
    judged = [n for n, line in enumerate(lines) if json.loads(line)["type"] == "judged"]
    torn = lines[judged[-1]]
    journal.write_bytes(b"".join(line for line in lines if line is not torn) + torn[:20])  # killed while it was written
    desk = Desk.open(root)
    request = desk.bisecting.unfinished()
    assert request.audit_id == "ladder-place"
    found, steps = bisect(root, request.audit_id, request.revisions, lambda step: kill_after(99)(step))
    assert found.after.commit == culprit
    assert [step.known for step in steps].index(False) == 3
    assert len(asked) == len(set(asked)) == runs(root)
    again, known = bisect(root, "ladder-place", "HEAD~17..HEAD")
    assert (again, all(step.known for step in known)) == (found, True)
    assert len(asked) == runs(root)
    with pytest.raises(DeskError, match="no bisection is to be gone on with"):
        Desk.open(root).bisecting.unfinished()


def test_an_edited_audit_is_another_question(root: Path) -> None:
    notes(root, GUIDE, "Note", 2)
    bisect(root, "ladder-place", "HEAD~4..HEAD")
    corpus = root / "audits/knowledge.yaml"
    corpus.write_text(corpus.read_text(encoding="utf-8").replace("long ladder", "tall ladder"), encoding="utf-8")
    _, steps = bisect(root, "ladder-place", "HEAD~4..HEAD")
    assert not any(step.known for step in steps)


def test_a_box_that_is_a_folder_of_a_repository_is_bisected_by_its_own_files(root: Path) -> None:
    corpus = (root / "audits/knowledge.yaml").read_text(encoding="utf-8")
    first = commit(root, "Box", {"box/AGENTS.md": GUIDE, "audits/knowledge.yaml": f"box: ../box\n{corpus}"})
    notes(root, GUIDE, "Above", 2)
    culprit = commit(root, "Lose it", {"box/AGENTS.md": GONE})
    notes(root, GUIDE, "Above again", 1)
    found, steps = bisect(root, "ladder-place", f"{first}..HEAD")
    assert (found.kind, found.after.commit, found.after.guidance) == ("commit", culprit, ("AGENTS.md",))
    assert len(steps) == 2
    with pytest.raises(DeskError, match="held nothing"):
        bisect(root, "ladder-place", f"{first}~1..HEAD")


@pytest.mark.parametrize(
    ("audit", "revisions", "told"),
    [
        ("nobody", "HEAD~1..HEAD", "no audit is called 'nobody'"),
        ("swarm-feeling", "HEAD~1..HEAD", "no checks"),
        ("oil-day", "HEAD", "write GOOD..BAD"),
        ("oil-day", "HEAD...HEAD~1", "write GOOD..BAD"),
        ("oil-day", "HEAD..HEAD~2", r"write HEAD~2\.\.HEAD"),
        ("oil-day", "HEAD..", "the same commit"),
        ("oil-day", "HEAD~1..HEAD", "changed guidance"),
        ("oil-day", "nope..HEAD", "git knows no commit 'nope'"),
        ("oil-day", "--all..HEAD", "no git revision"),
    ],
)
def test_what_cannot_be_bisected_is_refused_before_anything_is_asked(
    root: Path, audit: str, revisions: str, told: str
) -> None:
    notes(root, GUIDE, "Note", 2)
    with pytest.raises(DeskError, match=told):
        Desk.open(root).bisecting.prepare(BisectRequest(audit, revisions, AskRequest(())))
    assert runs(root) == 0
    assert isinstance(Desk.open(root).bisecting, Bisecting)
