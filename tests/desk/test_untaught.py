"""Advice about literals that no guidance teaches as they are compared."""

from pathlib import Path

import pytest

from tests.projects import CORPUS, make_project
from workbench.desk.desk import Desk

ENTRY = """\
  - id: {id}
    prompt: "{prompt}"
    expected_level: {level}
    watch_for: x
    {check}: {literals}
"""


def told(root: Path, *entries: tuple[str, str, str, str], prompt: str = "Where?", more: str = "") -> dict[str, str]:
    """What the lint says of untaught literals, by audit; entries are id, level, check and literals."""
    corpus = "tests:\n"
    for name, level, check, literals in entries:
        corpus += ENTRY.format(id=name, prompt=prompt, level=level, check=check, literals=literals) + more
    files = {
        "audits/knowledge.yaml": corpus,
        "AGENTS.md": "The long ladder is at the *north*\nwall. See docs/bees.md.\n",
        "pump.py": "PRESSURE = 'four bar'\n",
    }
    problems = Desk.open(make_project(root, files)).lint()
    return {one.audit_id: str(one) for one in problems if one.code == "untaught-literal"}


def test_what_stands_nowhere_or_is_only_set_otherwise_is_told_at_its_check(tmp_path: Path) -> None:
    found = told(
        tmp_path / "shed",
        ("gone", "knows_directly", "correct_contains", '["Tuesday"]'),
        ("broken", "knows_about", "correct_contains", '["north wall"]'),
        ("either", "discoverable", "correct_contains_any", '["geese", "ganders"]'),
    )
    fix = "use a pattern (`correct_matches`), or teach the words"
    where = "audits/knowledge.yaml:6:5: warning: `correct_contains` 'Tuesday' stands nowhere in the box"
    assert found["gone"] == f"{where} [gone]; {fix}"
    assert "taught nowhere word for word: AGENTS.md:1 has it but for line breaks, marks and quotes" in found["broken"]
    assert "`correct_contains_any` 'geese' stands nowhere" in found["either"]


def test_what_is_taught_or_not_guidances_to_teach_is_left_alone(tmp_path: Path) -> None:
    assert not told(
        tmp_path / "shed",
        ("taught", "knows_directly", "correct_contains", '["LONG ladder"]'),
        ("either", "knows_about", "correct_contains_any", '["geese", "seven hives"]'),
        ("code", "discoverable", "correct_contains", '["four bar"]'),
        ("deduced", "deducible", "correct_contains", '["Tuesday"]'),
        ("command", "knows_directly", "bash_contains", '["git log"]'),
        ("pattern", "knows_directly", "correct_matches", '["Tuesday"]'),
        ("said", "knows_directly", "correct_contains", '["where"]'),
    )
    assert not told(
        tmp_path / "barn",
        ("staged", "knows_directly", "correct_contains", '["Tuesday"]'),
        more="    fixture: {note.md: On Tuesday.}\n",
    )


def test_a_picture_makes_no_box_too_large_to_be_looked_through(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workbench.guidance.untaught._MOST", 1_000)
    root = tmp_path / "shed"
    (root / "art").mkdir(parents=True)
    (root / "art" / "rake.png").write_bytes(b"\x89PNG\0" * 1_000)
    asked = ("gone", "knows_directly", "correct_contains", '["Tuesday"]')
    assert set(told(root, asked)) == {"gone"}
    (root / "art" / "rake.txt.py").write_text("x = 1\n" * 1_000, encoding="utf-8")
    assert told(root, asked) == {}


def test_the_projects_own_corpus_teaches_nothing(tmp_path: Path) -> None:
    problems = Desk.open(make_project(tmp_path / "shed", {"audits/knowledge.yaml": CORPUS})).lint()
    assert [one.audit_id for one in problems if one.code == "untaught-literal"] == ["oil-day"]
