"""The map of a project: which boxes are looked into, by whose rules, and what is hidden there."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.projects import CORPUS, GUIDE, git, make_project
from workbench.desk.contexts import Contexts
from workbench.desk.desk import Desk
from workbench.desk.records import DeskError
from workbench.guidance.records import KnowledgeMap
from workbench.probe.records import ContextReport, Difference


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    desk = Desk.open(make_project(tmp_path / "shed"))
    yield desk
    await desk.maps.close()


def stands(known: KnowledgeMap, audit: str) -> str:
    placement = known.placement(audit)
    assert placement is not None
    return placement.told


async def test_answers_are_placed_and_never_in_the_corpus_that_expects_them(desk: Desk) -> None:
    known = await desk.maps.read()
    (box,) = known.boxes
    assert (box.box, box.root, box.rules, box.cwd) == (".", str(desk.project.root), "claude", ".")
    assert stands(known, "ladder-place") == "taught where expected: AGENTS.md:3"
    assert stands(known, "hive-count") == "taught where expected: docs/bees.md:3, named in AGENTS.md:7"
    assert stands(known, "oil-day").startswith("stands nowhere: researchable at best")
    assert stands(known, "swarm-feeling") == "its checks name nothing to look for"
    assert not any("audits/" in one.file.path for one in box.files)


async def test_an_edit_is_seen_at_once_and_so_is_a_corpus_that_was_read_again(desk: Desk) -> None:
    await desk.maps.read()
    root = desk.project.root
    (root / "AGENTS.md").write_text("New.\n\n" + GUIDE.replace("Friday", "Tuesday"), encoding="utf-8")
    known = await desk.maps.read()
    assert stands(known, "oil-day") == "taught where expected: AGENTS.md:7"
    corpus = CORPUS.replace('["Tuesday"]', '["the shears"]')
    (root / "audits/knowledge.yaml").write_text(corpus, encoding="utf-8")
    assert stands(await desk.maps.read(), "oil-day") == "taught where expected: AGENTS.md:7"
    desk.reload()
    assert stands(await desk.maps.read(), "oil-day") == "taught where expected: AGENTS.md:7; also in the prompt"


async def test_earlier_answers_ledgers_and_answer_keys_teach_nothing(desk: Desk) -> None:
    root = desk.project.root
    for name in ("reports/x/report.md", "context-history.yaml", "scratch/notes.md", "keys/answers.md"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("Tuesday\n", encoding="utf-8")
    (root / "audits/knowledge.yaml").write_text('answer_key: ["/keys/"]\n' + CORPUS, encoding="utf-8")
    git(root, "add", "-f", ".")
    desk.reload()
    assert stands(await desk.maps.read(), "oil-day").startswith("stands nowhere")


async def test_notes_that_no_trial_sees_teach_nothing_whatever_else_is_an_answer_key(tmp_path: Path) -> None:
    config = 'corpora = ["audits/*.yaml"]\nanswer_key = ["/keys/"]\n'
    desk = Desk.open(make_project(tmp_path / "shed", {"workbench.toml": config, "scratch/notes.md": "Tuesday\n"}))
    try:
        assert stands(await desk.maps.read(), "oil-day").startswith("stands nowhere")
    finally:
        await desk.maps.close()


async def test_naming_audits_narrows_answers_and_not_what_is_asked_about(desk: Desk) -> None:
    every, one = await desk.maps.read(), await desk.maps.read(["oil-day"])
    assert [placement.audit_id for placement in one.boxes[0].placements] == ["oil-day"]
    assert one.boxes[0].unasked == every.boxes[0].unasked
    assert one.boxes[0].files == every.boxes[0].files
    with pytest.raises(DeskError, match="no audit is called 'nobody'"):
        await desk.maps.read(["nobody"])


async def test_another_engine_another_chain(desk: Desk) -> None:
    old = await desk.maps.read(engine="claude@2.1.197")
    assert stands(old, "ladder-place") == "taught deeper than expected: AGENTS.md:3"
    assert (await desk.maps.read(engine="pi")).boxes[0].rules == "pi"
    assert (await desk.maps.read(engine="reader")).boxes[0].rules == "claude"
    for wrong in ("nobody", "claude@x@"):
        with pytest.raises(DeskError, match="nobody"):
            await desk.maps.read(engine=wrong if wrong == "nobody" else "nobody@1")


async def test_boxes_and_starting_folders_are_mapped_apart(tmp_path: Path) -> None:
    entry = '  - id: {}\n    prompt: "Where?"\n    expected_level: knows_directly\n    watch_for: x\n'
    entry += '    correct_contains: ["the pump"]\n'
    corpus = "box: ../yard\nengine: codex\ntests:\n" + entry.format("top") + entry.format("down")
    corpus += "    context_dir: well\n" + entry.format("seen") + "    surface: dev\n"
    files = {
        "audits/yard.yaml": corpus,
        "yard/well/AGENTS.md": "Mind the pump.\n",
        "audits/lost.yaml": "box: gone\n" + CORPUS,
    }
    files["audits/lost.yaml"] = files["audits/lost.yaml"].replace("- id: ", "- id: lost-")
    desk = Desk.open(make_project(tmp_path / "shed", files))
    known = await desk.maps.read()
    await desk.maps.close()
    there = [(box.box, box.rules, box.cwd, [one.audit_id for one in box.placements]) for box in known.boxes]
    assert ("../yard", "codex", ".", ["top"]) in there
    assert ("../yard", "codex", "well", ["down"]) in there
    assert (".", "codex", ".", ["seen"]) in there
    assert stands(known, "top") == "taught deeper than expected: well/AGENTS.md:1"
    assert stands(known, "down") == "taught where expected: well/AGENTS.md:1"
    assert len(known.left_out) == 1
    assert "gone" in known.left_out[0]


async def test_nobody_asks_about_a_passage_only_where_no_audit_of_that_box_does_from_wherever_it_starts(
    tmp_path: Path,
) -> None:
    entry = '  - id: {}\n    prompt: "Which?"\n    expected_level: knows_directly\n    watch_for: x\n'
    entry += '    correct_contains: ["{}"]\n'
    corpus = "tests:\n" + entry.format("top", "the north wall") + entry.format("down", "The SHEARS are oiled")
    corpus += "    context_dir: well\n" + entry.format("other", "seven hives") + "    engine: codex\n"
    corpus += entry.format("here", "the bell rings") + "    surface: dev\n"
    guide = GUIDE + "\nAt noon the bell rings in the yard.\n\nNobody ever asks about the blue door.\n"
    files = {"audits/knowledge.yaml": corpus, "AGENTS.md": guide, "well/AGENTS.md": "Mind the pump.\n"}
    desk = Desk.open(make_project(tmp_path / "shed", files))
    every, one = await desk.maps.read(), await desk.maps.read(["top"])
    await desk.maps.close()
    assert {(box.rules, box.cwd) for box in every.boxes} == {("claude", "."), ("claude", "well"), ("codex", ".")}
    assert [box.cwd for box in one.boxes] == ["."]
    for box in (*every.boxes, *one.boxes):
        told = [passage.quote for passage in box.unasked if passage.path in ("AGENTS.md", "docs/bees.md")]
        assert told == [GUIDE.splitlines()[-1], "Nobody ever asks about the blue door."], (box.rules, box.cwd)


async def test_a_revision_is_mapped_as_it_was(desk: Desk) -> None:
    root = desk.project.root
    (root / "AGENTS.md").write_text(GUIDE.replace("Friday", "Tuesday"), encoding="utf-8")
    assert stands(await desk.maps.read(), "oil-day") == "taught where expected: AGENTS.md:5"
    assert stands(await desk.maps.read(revision="HEAD"), "oil-day").startswith("stands nowhere")
    with pytest.raises(DeskError, match="git knows no commit 'v9'"):
        await desk.maps.read(revision="v9")


def test_a_kept_context_report_says_where_the_chain_is_not_to_be_trusted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = Desk.open(make_project(tmp_path / "shed"))
    root = str(desk.project.root)
    assert desk.contexts.remark(root, ".", "claude") == ""
    difference = Difference(path="AGENTS.md", chain="always", engine="never")
    report = ContextReport(engine="claude", version="2.1.332", box="shed", differences=(difference,))
    desk.contexts._keep(report, desk.project.root)
    assert desk.contexts.remark(root, ".", "claude").startswith("the context report of claude 2.1.332 is out of date")
    monkeypatch.setattr(Contexts, "stale", lambda *_: False)
    assert desk.contexts.remark(root, ".", "claude").startswith("claude 2.1.332, when probed, met 1 file otherwise")
    assert desk.contexts.remark(root, ".", "codex") == ""
