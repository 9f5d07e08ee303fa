"""Reports there and back: a filled-in one becomes assessments, and never goes over a later one."""

import asyncio
import re
from pathlib import Path

import pytest

from tests.projects import git, make_project
from workbench.desk.desk import Desk
from workbench.desk.records import AskRequest, DeskError


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk.open(make_project(tmp_path / "shed"))


async def ask(desk: Desk, *terms: str) -> str:
    live = desk.ask(AskRequest(tuple(audit.id for audit in desk.select(terms))))
    await asyncio.wait_for(live.wait(), 60)
    return live.run_id


def fill(report: str, trial: str, **values: str) -> str:
    """Put values into the block of a trial."""
    start = report.index(f"```assessment\ntrial: {trial}\n")
    head, block = report[:start], report[start:]
    for key, value in values.items():
        block = re.sub(rf"^{key}:.*$", f"{key}: {value}", block, count=1, flags=re.MULTILINE)
    return head + block


async def test_a_filled_in_report_becomes_assessments(desk: Desk) -> None:
    run = await ask(desk, "section:tools")
    report = fill(
        desk.reporter.report(run), "oil-day", level="3", verdict="pass", cause="stale expectation", note="Friday"
    )
    done = desk.reporter.read_back(run, report)
    assert [(a.trial, a.grader, a.level, a.verdict, a.cause, a.note) for a in done.saved] == [
        ("oil-day", "Robin Grader", "discoverable", "pass", "stale expectation", "Friday")
    ]
    assert (done.unchanged, done.blank, done.conflicts) == (0, 1, ())
    again = desk.reporter.read_back(run, report)
    assert (again.saved, again.unchanged, again.blank) == ((), 1, 1)
    changed = desk.reporter.read_back(run, fill(desk.reporter.report(run), "oil-day", verdict="unsure"))
    assert [a.verdict for a in changed.saved] == ["unsure"]


async def test_a_later_grade_is_never_overwritten(desk: Desk) -> None:
    run = await ask(desk, "section:tools")
    blank = desk.reporter.report(run)
    desk.assess(run, "oil-day", level="improvised", verdict="fail", note="at the bench")
    shown = desk.reporter.report(run)
    desk.assess(run, "oil-day", level="guessable", verdict="fail", note="at the bench, later")
    for report in (blank, shown):
        done = desk.reporter.read_back(run, fill(report, "oil-day", level="1", verdict="pass", note="in the report"))
        assert done.saved == ()
        assert [(c.trial, c.filled["level"], c.stored.level) for c in done.conflicts] == [
            ("oil-day", "knows_directly", "guessable")
        ]
    assert desk.reporter.read_back(run, blank).conflicts == ()
    view = desk.trial("oil-day").summary
    assert view is not None
    assert view.human is not None
    assert view.human.note == "at the bench, later"


async def test_one_mistake_saves_nothing(desk: Desk) -> None:
    run = await ask(desk, "section:tools")
    good = fill(desk.reporter.report(run), "ladder-place", level="1", verdict="pass")
    for report, told in (
        (fill(good, "oil-day", verdict="maybe"), r"line \d+: verdict 'maybe' is unknown; known are pass, fail, unsure"),
        (good.replace("trial: oil-day", "trial: oil-week"), r"'oil-week' is no finished trial.*ladder-place, oil-day"),
        (good.replace("trial: oil-day", "trial: ladder-place\nlevel: 2"), "twice"),
        (good + "```assessment\ntrial: ladder-place\nlevel: 2\n```\n", "already; keep one block"),
        (good.replace(f"Run: {run}", "Run: 2020-01-01T00-00-00-reader"), "tells of run 2020"),
        ("nothing here", "holds no assessment block"),
    ):
        with pytest.raises(DeskError, match=told):
            desk.reporter.read_back(run, report)
    assert all(summary.assessments == () for summary in desk.trials(run))


async def test_the_words_of_another_grader_stay_theirs(desk: Desk) -> None:
    run = await ask(desk, "oil-day")
    desk.assess(run, "oil-day", level="discoverable", verdict="pass")
    report = desk.reporter.report(run)
    git(desk.project.root, "config", "user.name", "Kim")
    own = "```assessment\ntrial: oil-day\nlevel: guessable\nverdict: fail\n```\n"
    done = desk.reporter.read_back(run, report + own)
    assert [(a.grader, a.verdict) for a in done.saved] == [("Kim", "fail")]
    assert done.unchanged == 1
    with pytest.raises(DeskError, match="Robin Grader's assessment and you are Kim"):
        desk.reporter.read_back(run, report.replace("verdict: pass", "verdict: fail"))


async def test_parts_and_forms_of_a_report(desk: Desk) -> None:
    run = await ask(desk)
    whole = desk.reporter.report(run)
    assert desk.reporter.part(run, "oil-day").rstrip() in whole
    assert "Verdicts:" in desk.reporter.part(run)
    assert {desk.reporter.export(run, form).name for form in ("md", "html", "junit", "json")} == {
        *("report.md", "report.html", "report.xml", "report.json")
    }
    with pytest.raises(DeskError, match="md, html, junit, json"):
        desk.reporter.report(run, "pdf")


async def test_grading_a_run_begins_where_something_waits(desk: Desk) -> None:
    first = await ask(desk, "section:tools")
    assert desk.grading.first_of(first).trial.key == "ladder-place"
    desk.assess(first, "ladder-place", level="knows_directly")
    assert desk.grading.first_of(first).trial.key == "oil-day"
    await ask(desk, "section:tools")
    with pytest.raises(DeskError, match="grade it in its report"):
        desk.grading.first_of(first)


async def test_a_run_taken_up_after_its_box_changed_says_so(desk: Desk) -> None:
    run = await ask(desk, "section:tools")
    assert "The box changed" not in desk.reporter.report(run)
    root = desk.project.root
    journal = root / "reports" / run / "journal.jsonl"
    kept = [line for line in journal.read_text("utf-8").splitlines(keepends=True) if "oil-day" not in line]
    journal.write_text("".join(kept), encoding="utf-8")
    guide = root / "AGENTS.md"
    guide.write_text(guide.read_text("utf-8").replace("Friday", "Tuesday"), encoding="utf-8")
    await asyncio.wait_for(desk.resume(run).wait(), 60)
    assert re.search(r"The box changed: .*when it was resumed", desk.reporter.report(run))
    assert "the box changed" in desk.reporter.report(run, "html")
