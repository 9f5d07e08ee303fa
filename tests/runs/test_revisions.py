"""Trials are asked at a git revision of the box, with paths left out, and a resumed run stays there."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from tests.boxes.conftest import commit, write
from tests.runs.conftest import question, run
from workbench.host.git import Git
from workbench.reports.markdown import ReportInput, render_head
from workbench.runs.campaign import start
from workbench.runs.plan import Question, RunPlan, plan
from workbench.runs.preparing import seen_from
from workbench.runs.resume import plan_rest, resume
from workbench.runs.store import load

ASKED = "Where do the ladders lean?"


@pytest.fixture(autouse=True)
def nobodys_git(monkeypatch: pytest.MonkeyPatch) -> None:
    values = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull}
    people = {f"GIT_{who}_{what}": "ida@x" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    for name, value in (values | people).items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def past(box: Path) -> str:
    """The commit before the shed burned down."""
    Git(box).run("init", "--quiet", "--initial-branch=main")
    first = commit(box, "The shed stands")
    commit(box, "It burned down", {"AGENTS.md": "Ladders are gone.\n"})
    write(box, {"AGENTS.md": "Ladders are nowhere.\n"})
    return first


def asked(project: Path, questions: list[Question], **options: object) -> RunPlan:
    return plan(questions, reports=project / "reports", project=project, engine="reader", **options)  # type: ignore[arg-type]


async def test_a_question_is_asked_at_its_revision_and_the_report_says_so(project: Path, box: Path, past: str) -> None:
    then = replace(question("then", ASKED, box), revision=past, revision_name="v1")
    head = replace(question("head", ASKED, box), revision=Git(box).head())
    campaign, _ = await run(asked(project, [then, head, question("now", ASKED, box)]))
    stored = load(campaign.folder)
    outcomes = {key: one.verdict.outcome.value for key, one in stored.finished.items()}
    assert outcomes == {"then": "passed", "head": "failed", "now": "failed"}
    loaded = {key: stored.trace(key).meta.guidance[0].text for key in stored.finished}
    assert (loaded["head"], loaded["now"]) == ("Ladders are gone.\n", "Ladders are nowhere.\n")


async def test_a_developer_session_works_at_the_revision_too(project: Path, box: Path, past: str) -> None:
    asked_then = replace(question("then", ASKED, box), revision=past)
    dev = replace(asked_then, audit=asked_then.audit.model_copy(update={"surface": "dev"}))
    campaign, _ = await run(asked(project, [dev]))
    assert campaign.tally.passed == 1
    assert campaign.manifest.boxes["audits/a.yaml (dev)"].commit == past


async def test_a_run_goes_on_at_its_revision_with_the_same_paths_hidden(project: Path, box: Path, past: str) -> None:
    then = replace(question("then", ASKED, box), revision=past, revision_name="v1")
    campaign = start(asked(project, [then], hide=["notes.md"]))
    campaign.cancel()
    await campaign.wait()
    stored = load(campaign.folder)
    assert (stored.missing(), stored.manifest.hide) == (("then",), ("notes.md",))
    commit(box, "Much later", {"AGENTS.md": "Nothing.\n"})
    rest = plan_rest(stored, {"then": question("then", ASKED, box)}, project=project)
    tally = await resume(stored, rest).wait()
    again = load(campaign.folder)
    assert tally.passed == 1
    assert not again.drifted()
    record = again.resumed[-1].boxes["audits/a.yaml"]
    assert (record.revision, record.commit, record.dirty) == ("v1", past, False)
    told = render_head(ReportInput(again.manifest, ()))
    assert f"box at {past[:7]}, which v1 meant" in told
    assert "Left out of the box on purpose: notes.md." in told


async def test_hidden_paths_are_in_no_workspace(project: Path, box: Path, past: str) -> None:
    then = replace(question("then", ASKED, box), revision=past)
    campaign, _ = await run(asked(project, [then, question("now", ASKED, box)], hide=["/AGENTS.md"]))
    assert (campaign.tally.passed, campaign.tally.failed) == (0, 2)


async def test_no_corpus_is_found_at_a_revision_under_a_name_it_had_then(project: Path, box: Path, past: str) -> None:
    old = "tests:\n  - id: then\n    prompt: Where do the pears hang, which nothing else tells?\n"
    commit(box, "Ask elsewhere", {"qa/old.yaml": old, "audits/gone.yaml": "pears: hang, which nothing else tells\n"})
    (project / "audits" / "a.yaml").write_text(old.replace("Where", "And where"))
    asking = question("then", "Where do the pears hang, which nothing else tells?", box)
    at_head = replace(asking, revision=Git(box).head())
    planned = asked(project, [at_head], corpora=["audits/*.yaml"], hidden=[project / "audits" / "a.yaml"])
    campaign, _ = await run(replace(planned, project=box))
    told = load(campaign.folder).trace("then").model_dump_json()
    assert "notes.md" in told
    assert ".yaml" not in told


def test_globs_of_a_project_as_a_box_sees_them(tmp_path: Path) -> None:
    project = tmp_path / "a b"
    (project / "boxes" / "orchard").mkdir(parents=True)
    globs = ["audits/*.yaml", "boxes/*/qa.yaml", "**/*.audit.yaml", "boxes/other/x.yaml", "./top.yaml"]
    assert seen_from(project, project, globs) == (
        "/audits/*.yaml", "/boxes/*/qa.yaml", "/**/*.audit.yaml", "/boxes/other/x.yaml", "/top.yaml",
    )  # fmt: skip
    assert seen_from(tmp_path, project, ["audits/*.yaml"]) == ("/a\\ b/audits/*.yaml",)
    assert seen_from(project / "boxes" / "orchard", project, globs) == ("/qa.yaml", "/**/*.audit.yaml")
    assert seen_from(tmp_path / "elsewhere", project, globs) == ()
