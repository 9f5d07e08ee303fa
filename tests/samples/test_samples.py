"""The samples load, and under the reader they show every verdict for the reasons their notes give."""

import asyncio
import shutil
from pathlib import Path

import pytest

from workbench.checks.registry import FINAL_REPLY, bind, definitions
from workbench.corpus.loading import load_all
from workbench.corpus.records import LEVELS, Corpus
from workbench.desk.desk import Desk
from workbench.desk.records import AskRequest

ROOT = Path(__file__).parents[2]

NOT_PASSED = {
    "watering-young-trees": "failed",
    "crate-labels": "failed",
    "felled-card": "failed",
    "press-price": "unmeasured(turn_limit)",
    "chat-greeting": "unmeasured(missing)",
    "scab-waiting-time": "unmeasured(no_tool)",
    "best-tree": "unjudged",
    "house-new-engine": "failed",
    "house-wire-limit": "failed",
}
HOUSE = ("AGENTS.md", "Makefile", "README.md", "workbench/engines/protocol.py", "workbench/runs/wire.py")
"""What the developer audits are about, beside their corpus."""

MEANT = {"no-checks": {"best-tree"}, "absent-target": {"watering-young-trees"}, "no-status": {""}}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("samples")
    shutil.copytree(ROOT / "audits", root / "audits")
    for name in ("workbench.toml", *HOUSE):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, root / name)
    (root / "reports").mkdir()
    return root


@pytest.fixture(scope="module")
def corpora(project: Path) -> tuple[Corpus, ...]:
    return load_all(sorted((project / "audits").glob("*.yaml")), project)


def test_they_load_without_a_fault(corpora: tuple[Corpus, ...]) -> None:
    audits = [audit for corpus in corpora for audit in corpus.audits]
    problems = [*(p for corpus in corpora for p in corpus.problems), *(p for a in audits for p in bind(a).problems)]
    assert [str(problem) for problem in problems] == []
    assert 30 <= len(audits) <= 40
    assert {audit.surface for audit in audits} == {"box", "dev"}


def test_they_use_every_check_and_every_level(corpora: tuple[Corpus, ...]) -> None:
    audits = [audit for corpus in corpora for audit in corpus.audits]
    assert {*definitions(), FINAL_REPLY} == {key for audit in audits for key in audit.checks}
    assert {audit.expected_level for audit in audits} == set(LEVELS)


def test_statuses_of_every_shape_are_read(corpora: tuple[Corpus, ...]) -> None:
    read = {section.title: [(s.date, s.qualifier) for s in section.statuses] for c in corpora for section in c.sections}
    assert read["Finding your way"] == [("2026-10-12", "reader"), ("2026-06-03", "claude claude-sonnet-4-5")]
    assert [date for date, _ in read["Following a pointer (`docs/`)"]] == ["2026-06-03", "2026-06-05", "2026-10-12"]
    assert [date for date, _ in read["Rules with paths"]] == ["2026-07-01", "2026-09-14"]


def test_lint_says_only_what_is_meant(project: Path) -> None:
    found: dict[str, set[str]] = {}
    for problem in Desk.open(project).lint():
        found.setdefault(problem.code, set()).add(problem.audit_id)
    assert found == MEANT


def test_the_reader_shows_every_verdict(project: Path) -> None:
    desk = Desk.open(project)
    ids = tuple(audit.id for audit in desk.select(""))

    async def ask() -> str:
        live = desk.ask(AskRequest(audit_ids=ids))
        await live.wait()
        return live.run_id

    run_id = asyncio.run(ask())
    told = {summary.trial.audit_id: str(summary.verdict) for summary in desk.trials(run_id)}
    assert told == {audit_id: NOT_PASSED.get(audit_id, "passed") for audit_id in ids}
    report = desk.reporter.report(run_id)
    assert all(f"\n## {audit_id}\n" in report for audit_id in ids)
