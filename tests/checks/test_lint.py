"""The lint: each warning has a case that earns it and a neighbour that does not."""

from typing import Any

import pytest

from workbench.checks.lint import lint
from workbench.corpus.records import Audit, Corpus, Position, Section, Status

FILES = ("AGENTS.md", "docs/eggs.md")


def corpus(prompt: str = "Where do eggs go?", fixture: dict[str, str] | None = None, **checks: Any) -> Corpus:
    positions = {"": Position(line=3, column=5)} | {key: Position(line=7, column=5) for key in checks}
    audit = Audit(id="eggs", prompt=prompt, checks=checks, file="k.yaml", positions=positions, fixture=fixture or {})
    status = Status(date="2026-01-05", text="1/1", line=2)
    return Corpus(
        file="k.yaml",
        audits=(audit,),
        sections=(Section(title="Eggs", line=1, audit_ids=("eggs",), statuses=(status,)),),
    )


@pytest.mark.parametrize(
    ("checks", "codes"),
    [
        ({}, ["no-checks"]),
        ({"final_reply": True}, ["no-checks"]),
        ({"correct_contains": ["barn"]}, []),
        ({"correct_contains": ["Eggs go"]}, ["prompt-echo"]),
        ({"correct_contains_any": ["barn", "eggs"]}, ["prompt-echo"]),
        ({"response_not_contains": ["eggs go now"]}, []),
        ({"correct_contains_any": ["no", "Both", "test", "step", "x", "", "`"]}, ["vacuous"] * 7),
        ({"correct_contains": ["42", "notes"]}, []),
        ({"correct_contains_any": ["not.*quote", r"\bbarn", "shed|barn", "barn (?:door)"]}, ["regex-literal"] * 4),
        ({"response_not_contains": ["the.+barn"]}, ["regex-literal"]),
        ({"cards_contain": [r"\d+"], "bash_contains": ["cat a | grep b", "ls *.md"]}, ["regex-literal"]),
        (
            {"response_not_contains": ["bbx answer", "barn", "bbx answer <", "put them in the barn"]},
            ["bare-negative"] * 2,
        ),
        (
            {"response_not_matches": [r"\bbarn\b", r"barn\s+door", "bbx answer <", "in the barn$"]},
            ["bare-negative"] * 2,
        ),
        ({"should_read": ["docs/eggs.md", "eggs", "docs/hens.md"]}, ["absent-target"]),
        ({"should_read_any": ["docs/hens.md", "docs/eggs.md"]}, []),
        ({"should_read_any": ["docs/hens.md", "docs/ducks.md"]}, ["absent-target"] * 2),
        ({"should_not_read": ["docs/hens.md"]}, []),
        ({"correct_matches": ["(?i)barn"]}, ["bad-pattern"]),
        ({"correct_contain": ["barn"], "correct_contains": ["barn"]}, ["unknown-key"]),
    ],
)
def test_what_proves_less_than_it_seems_to_is_told(checks: dict[str, Any], codes: list[str]) -> None:
    problems = lint(corpus(**checks), FILES)
    assert [problem.code for problem in problems] == codes
    assert all(problem.fix and problem.file == "k.yaml" and problem.audit_id == "eggs" for problem in problems)
    line = 7 if checks and codes != ["no-checks"] else 3
    assert {problem.position.line for problem in problems} <= {line}


def test_what_a_fixture_stages_is_there() -> None:
    assert lint(corpus(should_read=["hens.md"], fixture={"docs/hens.md": "x"}), FILES) == ()


def test_without_a_box_nothing_is_absent() -> None:
    assert lint(corpus(should_read=["docs/hens.md"]), None) == ()


def test_package_docs_may_be_elsewhere() -> None:
    (problem,) = lint(corpus(should_read=["node_modules/coop/docs/hens.md"]), FILES)
    assert "only where that package is installed" in problem.fix


def test_a_section_nobody_reported_on_is_told_once_it_has_entries() -> None:
    whole = corpus(correct_contains=["barn"])
    sections = (
        Section(title="Hens", line=20, audit_ids=("a",)),
        Section(title="Empty", line=30),
        Section(title="", line=4, audit_ids=("b",)),
    )
    problems = lint(whole.model_copy(update={"sections": (*whole.sections, *sections)}), None)
    assert [(problem.code, problem.position.line) for problem in problems] == [("no-status", 4), ("no-status", 20)]
    assert "'Hens'" in problems[1].message
