"""Comparing with real repositories and the reader: who is meant, what is asked again, what came of it."""

import asyncio
import subprocess
from pathlib import Path

import pytest

from tests.projects import CORPUS, GUIDE, git, make_project
from workbench.desk.comparing.records import Compared, CompareRequest, Prepared
from workbench.desk.desk import Desk
from workbench.desk.records import AskRequest, DeskError
from workbench.insight.sides import Stand

FILE = "audits/knowledge.yaml"
WEST = GUIDE.replace("north wall", "west wall")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """The shed at two commits: in the later one the ladder has moved, which its audit does not know."""
    root = make_project(tmp_path / "shed")
    (root / "AGENTS.md").write_text(WEST, encoding="utf-8")
    git(root, "commit", "-qam", "Move the ladder")
    return root


@pytest.fixture
def desk(root: Path) -> Desk:
    return Desk.open(root)


async def ask(desk: Desk, *terms: str, trials: int = 1) -> str:
    live = desk.ask(AskRequest(tuple(audit.id for audit in desk.select(terms)), trials=trials))
    await asyncio.wait_for(live.wait(), 60)
    return live.run_id


async def seen_through(desk: Desk, request: CompareRequest) -> tuple[Prepared, Compared]:
    prepared = desk.comparing.prepare(request)
    live = desk.comparing.ask(prepared, desk.ask)
    await asyncio.wait_for(live.wait(), 60)
    return prepared, desk.comparing.compared(prepared, live)


def told(compared: Compared) -> dict[str, str]:
    return {row.name: row.told for row in compared.comparison.rows}


async def test_two_revisions_are_asked_alike_and_what_was_asked_is_not_asked_again(desk: Desk, root: Path) -> None:
    request = CompareRequest("HEAD~1", "HEAD", trials=2)
    prepared, found = await seen_through(desk, request)
    assert [side.told for side in prepared.sides] == [
        f"HEAD~1 ({git(root, 'rev-parse', 'HEAD~1')[:9]})",
        f"HEAD ({git(root, 'rev-parse', 'HEAD')[:9]})",
    ]
    assert prepared.offer is not None
    assert (prepared.offer.trials, prepared.offer.free) == (16, True)
    assert told(found) == {
        "ladder-place": "broken",
        "swarm-feeling": "unjudged",
        "oil-day": "unchanged",
        "hive-count": "unchanged",
    }
    assert [difference.name for difference in found.differences] == ["box"]
    assert found.comparison.rule.startswith("2 trials a side: too few")
    ladder = found.comparison.rows[0]
    assert ladder.a is not None
    assert ladder.b is not None
    assert "north wall" in ladder.a.tries[0].reply
    assert "west wall" in ladder.b.tries[0].reply
    assert ladder.grown is not None
    diff = desk.comparing.guidance_diff(found)
    assert "-The long ladder is kept at the north wall of the shed." in diff
    assert "+The long ladder is kept at the west wall of the shed." in diff

    again = desk.comparing.prepare(request)
    assert again.offer is None
    assert all(side.reused for side in again.sides)
    assert told(desk.comparing.compared(again)) == told(found)
    more = desk.comparing.prepare(CompareRequest("HEAD~1", "HEAD", trials=3))
    assert more.offer is not None
    assert more.offer.trials == 24


async def test_the_working_tree_is_asked_with_its_edits_and_a_clean_run_stands_for_its_commit(
    desk: Desk, root: Path
) -> None:
    run_id = await ask(desk)
    (root / "AGENTS.md").write_text(GUIDE, encoding="utf-8")
    prepared = desk.comparing.prepare(CompareRequest("HEAD", "."))
    assert prepared.a.reused == (run_id,)
    assert "edited" in prepared.b.told
    _, found = await seen_through(desk, CompareRequest("HEAD", "."))
    assert told(found)["ladder-place"] == "fixed"
    assert found.notes == (f"A is answered by {run_id}",)
    # What lies there uncommitted is never taken for the same again.
    assert desk.comparing.prepare(CompareRequest("HEAD", ".")).b.reused == ()


@pytest.mark.parametrize(("sides", "side", "signs"), [(("HEAD", "."), "B", "-+"), ((".", "HEAD"), "A", "+-")])
async def test_the_diff_shows_the_working_tree_as_it_lies_there(
    desk: Desk, root: Path, sides: tuple[str, str], side: str, signs: str
) -> None:
    (root / "AGENTS.md").write_text(GUIDE, encoding="utf-8")
    (root / "docs").mkdir(exist_ok=True)
    (root / "docs" / "new.md").write_text("Nobody knows this page yet.", encoding="utf-8")
    (root / "code.py").write_text("x = 1\n", encoding="utf-8")
    _, found = await seen_through(desk, CompareRequest(*sides))
    lines = desk.comparing.guidance_diff(found).splitlines()
    assert lines[0] == f"{side} is . as it lies there now, uncommitted edits included."
    gone, come = signs[0], signs[1]
    assert any(line.startswith(f"{gone}The long ladder is kept at the west wall") for line in lines)
    assert f"{come}Nobody knows this page yet." in lines
    assert ("--- /dev/null" if side == "B" else "+++ /dev/null") in lines
    assert lines[-1] == "Other files that differ: 1."


async def test_two_runs_are_laid_beside_each_other_and_nobody_is_asked(desk: Desk, root: Path) -> None:
    first = await ask(desk)
    (root / FILE).write_text(CORPUS.replace('["seven"]', '["seven", "behind"]').replace('["Tuesday"]', '["day"]'))
    desk.reload()
    second = await ask(desk, "ladder", "oil", "hive")
    prepared = desk.comparing.prepare(CompareRequest(first, "latest"))
    assert prepared.offer is None
    found = desk.comparing.compared(prepared)
    assert told(found) == {
        "oil-day": "checks loosened",
        "hive-count": "checks tightened",
        "swarm-feeling": "only in A",
        "ladder-place": "unchanged",
    }
    assert found.comparison.rows[0].change.told == ("no longer: correct_contains Tuesday",)
    assert any(first in note and second in note and "regrade" in note for note in found.notes)
    # Once both are judged by the same checks, nothing is loosened any more.
    desk.regrade(first)
    assert told(desk.comparing.compared(prepared))["oil-day"] == "unchanged"
    narrow = desk.comparing.prepare(CompareRequest(first, second, terms=("hive",)))
    assert set(told(desk.comparing.compared(narrow))) == {"hive-count"}
    with pytest.raises(DeskError, match="leave --engine, --trials out"):
        desk.comparing.prepare(CompareRequest(first, second, engine="reader", trials=3))
    with pytest.raises(DeskError, match="have no audit in common that matches 'swarm'"):
        desk.comparing.prepare(CompareRequest(first, second, terms=("swarm",)))


async def test_a_run_beside_a_revision_is_asked_as_the_run_was(desk: Desk) -> None:
    run_id = await ask(desk, "ladder", "oil", trials=2)
    prepared, found = await seen_through(desk, CompareRequest("HEAD~1", f"run:{run_id}"))
    assert prepared.offer is not None
    assert prepared.offer.trials == 4
    assert told(found) == {"ladder-place": "broken", "oil-day": "unchanged"}
    # The run itself never answers the other side, though it asked the very commit.
    noise = desk.comparing.prepare(CompareRequest(run_id, "HEAD"))
    assert noise.b.request is not None


async def test_hidden_paths_are_hidden_on_both_sides_and_recorded(desk: Desk) -> None:
    request = CompareRequest("HEAD~1", "HEAD", terms=("hive",), hide=("docs/",))
    prepared, found = await seen_through(desk, request)
    assert [side.hide for side in (found.a, found.b)] == [("docs/",)] * 2
    assert found.differences[0].name == "box"
    assert {half.standing.passed for row in found.comparison.rows for half in (row.a, row.b) if half} == {0}
    assert not [note for note in found.notes if "hides nothing" in note]
    # A run that saw the page answers no side from which it is hidden, and the other way round.
    shown = desk.comparing.prepare(CompareRequest("HEAD~1", "HEAD", terms=("hive",)))
    assert shown.a.reused == ()
    assert desk.comparing.prepare(request).a.reused == tuple(run.run_id for run in found.a.runs)
    assert prepared.a.reused == ()


def test_a_glob_that_hides_nothing_on_either_side_is_told(desk: Desk, root: Path) -> None:
    files = {".gitignore": "made/\n", "made/new.md": "Seven.\n", "late/far.md": "Eight.\n"}
    for name, text in files.items():
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    corpus = root / FILE
    corpus.write_text('include_ignored: ["made/"]\n' + corpus.read_text("utf-8"), encoding="utf-8")
    git(root, "add", ".gitignore", "late")
    git(root, "commit", "-qm", "Come late")
    git(root, "rm", "-q", "docs/bees.md")
    desk.reload()
    hide = ("doc/", "docs/", "late/", "made/", "!docs/keep.md", "*.txt")
    for a, b, idle in (("HEAD~1", "HEAD", ["doc/", "*.txt"]), ("HEAD~1", ".", ["doc/", "*.txt"])):
        notes = desk.comparing.prepare(CompareRequest(a, b, hide=hide)).notes
        assert [note.split()[1] for note in notes] == idle
        assert all("hides nothing" in note for note in notes)
    assert [
        note.split()[1] for note in desk.comparing.prepare(CompareRequest("HEAD~2", "HEAD~1", hide=hide)).notes
    ] == [
        "doc/",
        "late/",
        "*.txt",
    ]


@pytest.mark.parametrize(
    ("a", "b", "complaint"),
    [
        (".", "worktree", "A and B are the same"),
        ("HEAD", "main", "are the same files"),
        ("nowhere", ".", "neither a run .there is none yet. nor a git revision"),
        ("run:HEAD", ".", "no run 'HEAD'"),
        ("rev:latest", ".", "knows no commit 'latest'"),
        ("latest", ".", "no run 'latest'"),
        ("--output=x", ".", "is no git revision"),
    ],
)
def test_a_name_that_means_nothing_says_what_it_could_have(desk: Desk, a: str, b: str, complaint: str) -> None:
    with pytest.raises(DeskError, match=complaint):
        desk.comparing.prepare(CompareRequest(a, b))


async def test_a_name_that_is_a_run_and_a_revision_must_say_which(desk: Desk, root: Path) -> None:
    run_id = await ask(desk, "ladder")
    git(root, "tag", run_id[:10])
    with pytest.raises(DeskError, match=f"write run:{run_id[:10]} or rev:{run_id[:10]}"):
        desk.comparing.prepare(CompareRequest(run_id[:10], "HEAD~1"))
    assert desk.comparing.prepare(CompareRequest(f"rev:{run_id[:10]}", "HEAD~1")).a.named.kind == "revision"
    assert desk.comparing.prepare(CompareRequest(run_id[:12], "HEAD~1")).a.named.name == run_id
    git(root, "tag", run_id)
    assert desk.comparing.prepare(CompareRequest(run_id, "HEAD~1")).a.named.kind == "run"


async def test_a_definition_that_has_gone_from_the_corpus_is_found_in_its_commits(desk: Desk, root: Path) -> None:
    first = await ask(desk, "oil")
    (root / FILE).write_text(CORPUS.replace("On which weekday", "When"), encoding="utf-8")
    subprocess.run(["git", "commit", "-qam", "Ask shorter"], cwd=root, check=True)
    desk.reload()
    second = await ask(desk, "oil")
    found = desk.comparing.compared(desk.comparing.prepare(CompareRequest(first, second)))
    assert [row.change.told for row in found.comparison.rows] == [("asked otherwise: prompt",)]
    assert told(found) == {"oil-day": "asked otherwise"}


async def test_the_pair_that_lies_nearest_and_the_commits_that_touched_guidance(desk: Desk, root: Path) -> None:
    assert desk.comparing.suggested() == ("", "")
    runs = [await ask(desk, *terms) for terms in (("ladder",), ("oil",), ("ladder", "hive"))]
    assert desk.comparing.suggested() == (runs[0], runs[2])
    assert desk.comparing.suggested(runs[1]) == ("", runs[1])
    stopped = desk.ask(AskRequest(("ladder-place",)))
    stopped.cancel_trial(stopped.manifest.trials[0].key)
    assert (await stopped.wait()).unmeasured == 1
    last = await ask(desk, "ladder")
    assert desk.comparing.suggested() == (runs[2], last), "one that was stopped has nothing to compare"
    (root / "notes.txt").write_text("no guidance", encoding="utf-8")
    (root / ".claude" / "rules").mkdir(parents=True)
    git(root, "add", ".")
    git(root, "commit", "-qm", "Take a note")
    (root / ".claude" / "rules" / "bees.txt").write_text("Bees.", encoding="utf-8")
    git(root, "add", ".")
    git(root, "commit", "-qm", "Rule the bees")
    found = desk.comparing.revisions()
    assert [one.subject for one in found] == ["Rule the bees", "Move the ladder", "Start the shed"]
    assert git(root, "rev-parse", "HEAD").startswith(found[0].commit)


def stand(compared: Compared, name: str) -> Stand:
    """How A stands on an audit."""
    row = next(row for row in compared.comparison.rows if row.name == name)
    assert row.a is not None
    return row.a


async def test_levels_are_told_once_a_human_saved_one(desk: Desk, root: Path) -> None:
    request = CompareRequest(await ask(desk, "hive"), await ask(desk, "hive"))
    before = stand(desk.comparing.compared(desk.comparing.prepare(request)), "hive-count")
    assert before.level
    assert before.shown_level == ""
    desk.assess(request.a, "hive-count", level="knows_about", verdict="pass")
    after = stand(desk.comparing.compared(desk.comparing.prepare(request)), "hive-count")
    assert (after.shown_level, after.human_level) == (before.level, "knows_about")
    (root / "workbench.toml").write_text("show_observed_early = true\n", encoding="utf-8")
    early = Desk.open(root).comparing
    found = early.compared(early.prepare(CompareRequest(request.b, request.a)))
    assert stand(found, "hive-count").shown_level == before.level


async def test_what_was_stopped_is_missing_and_not_failed(desk: Desk) -> None:
    first = await ask(desk, "hive", "ladder")
    live = desk.ask(AskRequest(("hive-count", "ladder-place"), trials=40))
    live.cancel()
    await asyncio.wait_for(live.wait(), 60)
    found = desk.comparing.compared(desk.comparing.prepare(CompareRequest(first, live.run_id)))
    assert not found.comparison.of("broken", "less")
    assert found.b.unfinished
    assert f"B: {found.b.unfinished} trials never finished: missing, not failed" in found.notes


async def test_every_stored_trial_counts_unless_a_number_is_named(desk: Desk) -> None:
    await seen_through(desk, CompareRequest("HEAD~1", "HEAD", terms=("ladder",), trials=5))
    every = desk.comparing.compared(desk.comparing.prepare(CompareRequest("HEAD~1", "HEAD", terms=("ladder",))))
    assert told(every) == {"ladder-place": "broken: regression"}
    three = CompareRequest("HEAD~1", "HEAD", terms=("ladder",), trials=3)
    assert told(desk.comparing.compared(desk.comparing.prepare(three))) == {"ladder-place": "broken"}


async def test_boxes_without_the_revision_are_named_and_can_be_left_out(root: Path) -> None:
    plain = root.parent / "pump"
    plain.mkdir()
    (plain / "AGENTS.md").write_text("The long hose is kept at the red pump.\n", encoding="utf-8")
    pump = 'id: pump, prompt: "Where is the long hose kept?", watch_for: x, correct_contains: [red]'
    (root / "audits" / "pump.yaml").write_text(
        f"box: {plain}\ntests:\n  - {{{pump}, expected_level: knows_directly}}\n", encoding="utf-8"
    )
    desk = Desk.open(root)
    with pytest.raises(DeskError, match=r"pump is in no git repository.*; a selection can leave out"):
        desk.comparing.prepare(CompareRequest("HEAD~1", "HEAD"))
    assert desk.comparing.prepare(CompareRequest("HEAD~1", "HEAD", terms=("ladder",))).offer is not None
    # A folder that git does not know is asked as it lies there, and told by what its files were.
    run_id = await ask(desk, "pump")
    (plain / "AGENTS.md").write_text("The long hose is kept at the blue pump.\n", encoding="utf-8")
    _, found = await seen_through(desk, CompareRequest(run_id, "."))
    assert told(found) == {"pump": "broken"}
    (box,) = found.differences
    assert "files" in box.a
    assert "has no commits" in desk.comparing.guidance_diff(found)
    with pytest.raises(DeskError, match=r"nothing in common: .* asked none of what 'ladder' selects"):
        desk.comparing.prepare(CompareRequest(run_id, ".", terms=("ladder",)))
