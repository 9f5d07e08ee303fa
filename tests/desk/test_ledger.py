"""The ledger gets a row as a measured trial ends, and tells the trend and the report what was known before."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.projects import make_project
from workbench.brains.scripted import Say, Scripted
from workbench.desk.desk import Desk
from workbench.desk.records import AskRequest
from workbench.endpoint.server import serve
from workbench.records.ledger import Row, append, load

LEDGER = "kept/context-history.yaml"
CONFIG = f'corpora = ["audits/*.yaml"]\nledger = "{LEDGER}"\n'


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A project whose `api` engine asks an endpoint of ours."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("ANTHROPIC_API_KEY", "dummy-key-of-a-test")
    with serve(Scripted((Say("At the north wall."),))) as endpoint:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", endpoint.url)
        yield make_project(tmp_path / "shed", {"workbench.toml": CONFIG})


def ask(root: Path, engine: str, **more: object) -> str:
    async def run() -> tuple[str, str]:
        live = Desk.open(root).ask(AskRequest(("ladder-place",), engine=engine, **more))  # type: ignore[arg-type]
        await live.wait()
        return live.run_id, live.trouble

    run_id, trouble = asyncio.run(run())
    assert trouble == ""
    return run_id


def test_measured_trials_enter_and_estimates_never(root: Path) -> None:
    ask(root, "reader")
    assert not (root / LEDGER).exists()
    run_id = ask(root, "api", trials=2)
    desk = Desk.open(root)
    first, second = load(root / LEDGER).rows("ladder-place", "shed")
    assert first == second
    assert (first.engine, first.turns, first.added) == ("api", 1, 0)
    assert first.initial > 0
    assert first.box_commit == first.repo_commit == desk.project.git().head()
    assert first.prompt_hash.startswith("sha256:")
    assert first.snapshot_hash
    assert first.date == next(run.manifest.started_at for run in desk.runs() if run.run_id == run_id)


def test_the_ledger_tells_what_ran_elsewhere(root: Path) -> None:
    ask(root, "api")
    (here,) = load(root / LEDGER).rows("ladder-place")
    there = {"date": "2026-01-02T03:04:05.000Z", "initial": here.initial + 4000, "peak": here.initial + 4000}
    append(root / LEDGER, "shed", "ladder-place", here.model_copy(update=there))
    append(
        root / LEDGER, "shed", "ladder-place", Row.model_validate({**there, "added": 0, "turns": 1, "engine": "codex"})
    )
    append(root / LEDGER, "elsewhere", "ladder-place", here.model_copy(update=there))
    run_id = ask(root, "api")
    desk = Desk.open(root)
    assert "−4.0k" not in desk.reporter.report(run_id)
    list(desk.archive.refresh())
    lanes = {lane.engine: lane for lane in desk.archive.trend("ladder-place")}
    assert (lanes["api"].strip, lanes["api"].sparkline) == ("·✓✓", "█▁▁")
    assert (lanes["codex"].strip, lanes["codex"].name) == ("·", "codex")
    assert desk.trial("ladder-place").earlier == (here.initial + 4000, here.initial)


def test_without_a_run_here_the_report_compares_with_the_ledger(root: Path) -> None:
    ask(root, "api")
    (here,) = load(root / LEDGER).rows("ladder-place")
    Desk.open(root).prune(0, force=True)
    before = {"date": "2026-01-02T03:04:05.000Z", "initial": here.initial + 4000, "peak": here.initial + 4000}
    (root / LEDGER).unlink()
    append(root / LEDGER, "shed", "ladder-place", here.model_copy(update=before))
    assert "−4.0k since the last run" in Desk.open(root).reporter.report(ask(root, "api"))


def test_a_ledger_that_takes_no_row_is_told_and_costs_no_run(root: Path) -> None:
    (root / LEDGER).parent.mkdir()
    (root / LEDGER).write_text("<<<<<<< HEAD\nshed:\n=======\n>>>>>>> side\n", encoding="utf-8")

    async def run() -> str:
        live = Desk.open(root).ask(AskRequest(("ladder-place",), engine="api"))
        assert (await live.wait()).passed == 1
        return live.trouble

    assert "what git left of a merge" in asyncio.run(run())
    assert [problem.code for problem in Desk.open(root).lint() if problem.file == LEDGER] == ["ledger-conflict"]
