"""The whole journey at the screen, on a real project: ask, watch, grade, write, commit, take back."""

from pathlib import Path

from tests.projects import git, make_project
from tests.tui.conftest import WIDE, settle, until
from workbench.checks.records import Outcome
from workbench.desk.desk import Desk
from workbench.tui.app import WorkbenchApp
from workbench.tui.screens.status import StatusScreen

FILE = "audits/knowledge.yaml"


async def test_from_a_question_to_a_commit_and_back(tmp_path: Path) -> None:
    root = make_project(tmp_path / "shed")
    corpus = root / FILE
    before, head = corpus.read_bytes(), git(root, "rev-parse", "HEAD")
    app = WorkbenchApp(Desk.open(root))
    async with app.run_test(size=WIDE) as pilot:
        await settle(pilot)
        bench = app.bench
        assert bench is not None
        await pilot.press("R")
        await until(pilot, lambda: app.board.tally.finished == 2, 60)
        await until(pilot, lambda: not app.runs.live, 60)
        await settle(pilot)
        rows = bench.rows.section.rows if bench.rows.section else ()
        assert [row.last.verdict.outcome for row in rows if row.last] == [Outcome.PASSED, Outcome.FAILED]
        assert "north wall" in "\n".join(bench.transcript.rows.row(y).text for y in range(bench.transcript.rows.height))

        await pilot.press("right_square_bracket")
        await until(pilot, lambda: bench.rows.audit is not None and bench.rows.audit.audit.id == "oil-day")
        await settle(pilot)
        await pilot.press("G", "1", "p", "c", "b", "escape")
        await until(pilot, lambda: "observed" in str(bench.form._told.content) and bench.form.filled.cause)
        await settle(pilot)

        await pilot.press("s")
        await settle(pilot)
        status = app.screen
        assert isinstance(status, StatusScreen)
        await until(pilot, lambda: "2/2 pass" in status.draft.text)
        assert "stale expectation" in status.draft.text
        await pilot.press("e", "end", *" Seen.", "ctrl+s")
        await until(pilot, lambda: "w writes it" in str(status.draft._outcome.content))
        assert corpus.read_bytes() == before, "what is written must have been seen"
        assert "Seen." in str(status.draft._diff.content)
        await pilot.press("ctrl+s")
        await until(pilot, lambda: corpus.read_bytes() != before)
        await until(pilot, lambda: status.check_action("commit", ()))
        await settle(pilot)
        assert git(root, "status", "--porcelain") == f"M {FILE}"

        await pilot.press("c")
        await until(pilot, lambda: "committed" in str(status.draft._outcome.content))
        assert git(root, "show", "--format=", "--name-only", "HEAD") == FILE
        assert git(root, "status", "--porcelain") == ""
        await settle(pilot)
        await pilot.press("escape")
        await settle(pilot)
        await pilot.press("u")
        await until(pilot, lambda: corpus.read_bytes() == before)
        await settle(pilot)
        assert git(root, "rev-list", "--count", f"{head}..HEAD") == "2"
        await pilot.press("o")
        await until(pilot, lambda: list((root / "reports").glob("*/report.md")))
