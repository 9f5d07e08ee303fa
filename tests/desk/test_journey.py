"""The whole journey without a screen: ask, look, assess, draft, write, commit, undo."""

import asyncio
from pathlib import Path

import pytest

from tests.projects import git, make_project
from workbench.checks.records import Outcome
from workbench.desk.desk import Desk
from workbench.desk.records import AskRequest, DeskError

FILE, SECTION = "audits/knowledge.yaml", "Tools"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_project(tmp_path / "shed")


async def ask(desk: Desk, *terms: str) -> str:
    live = desk.ask(AskRequest(tuple(audit.id for audit in desk.select(terms))))
    await asyncio.wait_for(live.wait(), 60)
    return live.run_id


async def test_from_a_question_to_a_commit_and_back(root: Path) -> None:
    desk, corpus = Desk.open(root), root / FILE
    before, head = corpus.read_bytes(), git(root, "rev-parse", "HEAD")
    run_id = await ask(desk)
    outcomes = {row.audit.id: row.last.verdict.outcome for group in desk.sections() for row in group.rows if row.last}
    assert outcomes == {
        "ladder-place": Outcome.PASSED,
        "oil-day": Outcome.FAILED,
        "hive-count": Outcome.PASSED,
        "swarm-feeling": Outcome.UNJUDGED,
    }
    desk.assess(
        run_id, "oil-day", level="knows_directly", verdict="pass", cause="stale expectation", note="It is\u2028Friday."
    )
    view = desk.trial("oil-day")
    assert view.summary is not None
    assert view.summary.human is not None
    assert (view.summary.human.cause, view.summary.human.grader) == ("stale expectation", "Robin Grader")
    assert view.trace is not None
    assert "Friday" in view.trace.reply
    draft = desk.recorder.draft(FILE, SECTION)
    edit = desk.recorder.write(desk.recorder.redraft(draft, "1/2 pass.\n=== not a header ==="))
    written = corpus.read_bytes()
    assert len(written) > len(before)
    done = desk.recorder.commit(edit)
    assert done.refused == ""
    assert git(root, "show", "--format=", "--name-only", "HEAD") == FILE
    assert git(root, "status", "--porcelain") == ""
    assert [status.date for status in desk.corpora()[0].sections[0].statuses][1:] == ["2026-01-05"]
    undone = desk.recorder.undo()
    assert undone.refused == ""
    assert corpus.read_bytes() == before
    assert git(root, "rev-list", "--count", f"{head}..HEAD") == "2"


async def test_a_draft_says_whose_verdicts_it_counts(root: Path) -> None:
    desk = Desk.open(root)
    run_id = await ask(desk, "section:tools")
    assert "1/2 pass" in desk.recorder.draft(FILE, SECTION).text
    desk.assess(run_id, "oil-day", verdict="pass", cause="stale expectation")
    text = desk.recorder.draft(FILE, SECTION).text
    assert "2/2 pass" in text
    assert "human" in text
    assert "stale expectation" in text


async def test_writing_is_refused_when_the_file_moved(root: Path) -> None:
    desk, corpus = Desk.open(root), root / FILE
    await ask(desk, "oil-day")
    edit = desk.recorder.draft(FILE, SECTION)
    corpus.write_bytes(corpus.read_bytes() + b"\n# somebody was here\n")
    moved = corpus.read_bytes()
    with pytest.raises(DeskError, match="draft"):
        desk.recorder.write(edit)
    assert corpus.read_bytes() == moved


async def test_undo_before_the_commit_takes_only_our_lines(root: Path) -> None:
    desk, corpus = Desk.open(root), root / FILE
    before = corpus.read_bytes()
    await ask(desk, "oil-day")
    desk.recorder.write(desk.recorder.draft(FILE, SECTION))
    corpus.write_bytes(corpus.read_bytes() + b"\n# somebody was here\n")
    desk.recorder.undo()
    assert corpus.read_bytes() == before + b"\n# somebody was here\n"
    with pytest.raises(DeskError, match="nothing to undo"):
        desk.recorder.undo()


async def test_regrading_after_an_edit_tells_the_flip(root: Path) -> None:
    desk, corpus = Desk.open(root), root / FILE
    run_id = await ask(desk)
    corpus.write_bytes(corpus.read_bytes().replace(b'"Tuesday"', b'"Friday"'))
    desk.reload()
    done = desk.regrade(run_id)
    assert [(flip.trial, flip.before.outcome, flip.after.outcome) for flip in done.flips] == [
        ("oil-day", Outcome.FAILED, Outcome.PASSED)
    ]
    assert desk.select("is:failed") == ()


async def test_the_index_of_runs_is_a_cache(root: Path) -> None:
    desk = Desk.open(root)
    await ask(desk, "oil-day")
    for junk in (b"", b"this is no database" * 100):
        (root / "reports" / ".index.sqlite").write_bytes(junk)
        assert [audit.id for audit in Desk.open(root).select("is:failed")] == ["oil-day"]


@pytest.mark.parametrize(
    ("config", "told"),
    [
        ("corpora = 3\n", "corpora"),
        ("corpra = []\n", "corpra"),
        ("not toml\n", "TOML"),
        ('corpora = ["../*.yaml"]\n', "inside the project"),
    ],
)
def test_a_wrong_configuration_is_one_line(tmp_path: Path, config: str, told: str) -> None:
    (tmp_path / "workbench.toml").write_text(config, encoding="utf-8")
    with pytest.raises(DeskError, match=told):
        Desk.open(tmp_path)


@pytest.mark.parametrize("box", ["../reports", "../.git", "../reports/deeper"])
async def test_no_box_lies_where_answers_lie(root: Path, box: str) -> None:
    (root / "reports" / "deeper").mkdir()
    corpus = root / FILE
    corpus.write_text(f"box: {box}\n" + corpus.read_text(encoding="utf-8"), encoding="utf-8")
    desk = Desk.open(root)
    with pytest.raises(DeskError, match="answers"):
        desk.ask(AskRequest(("oil-day",)))


async def test_a_missing_box_says_what_it_resolved_to(root: Path) -> None:
    corpus = root / FILE
    corpus.write_text("box: ../nowhere\n" + corpus.read_text(encoding="utf-8"), encoding="utf-8")
    desk = Desk.open(root)
    with pytest.raises(DeskError, match="nowhere"):
        desk.ask(AskRequest(("oil-day",)))


async def test_a_trial_cannot_look_into_the_environment_that_asked(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ORCHARD_KEY", "pomona-0451")
    corpus = root / FILE
    peek = '  - {id: peek, prompt: "Run `cat /proc/$PPID/environ`", expected_level: guessable, watch_for: "-"}\n'
    corpus.write_text(corpus.read_text(encoding="utf-8") + peek, encoding="utf-8")
    desk = Desk.open(root)
    run_id = await ask(desk, "peek")
    written = b"".join(path.read_bytes() for path in (root / "reports" / run_id).rglob("*") if path.is_file())
    assert b"PATH=" in written
    assert b"pomona-0451" not in written


async def test_what_is_read_back_from_a_run_is_as_safe_as_what_was_written(root: Path) -> None:
    run_id = await ask(Desk.open(root), "oil-day")
    folder = root / "reports" / run_id
    evil = "\\u001b]52;c;x\\u0007\\u009b"
    for path in (folder / "journal.jsonl", next((folder / "traces").glob("*.jsonl"))):
        text = path.read_text(encoding="utf-8")
        path.write_text(text.replace("Friday", f"Friday{evil}").replace("not in", f"not{evil} in"), encoding="utf-8")
    desk = Desk.open(root)
    view = desk.trial("oil-day")
    assert view.trace is not None
    assert view.summary is not None
    told = view.trace.reply + repr(view.summary.checks) + desk.reporter.report(run_id)
    assert "Friday" in told
    assert not {"\x1b", "\x07", "\x9b"} & set(told)


async def test_a_stopped_trial_does_not_replace_what_was_known(root: Path) -> None:
    desk = Desk.open(root)
    await ask(desk, "oil-day")
    live = desk.ask(AskRequest(("oil-day",), trials=50))
    live.cancel()
    await asyncio.wait_for(live.wait(), 60)
    assert [audit.id for audit in desk.select("is:failed")] == ["oil-day"]
