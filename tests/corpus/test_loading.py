"""Corpora load as they are written; what is wrong is told and costs nobody else anything."""

import os
from pathlib import Path

import pytest
from hypothesis import given, settings

from tests.corpus.conftest import Load
from tests.corpus.corpora import Sketch, corpora
from tests.corpus.test_edit import read
from workbench.corpus.loading import load, load_all
from workbench.corpus.records import Corpus, CorpusSettings, Position
from workbench.text.sanitize import clean

EVERY_FIELD = r"""
tests:
  # === Boxes (`_content/`) ===
  - id: every-field
    surface: box
    prompt: |
      <state narration="on">
      Where would you look?
    style: Be brief
    expected_level: knows_about
    watch_for: "Names _content/inbox/ directly"
    # the checks
    correct_contains: ["_content/inbox"]
    correct_contains_any: [on, 017, 2026-08-22]
    correct_matches:
      - "bbx\\s+create"
      - 'it''s \d+'
    response_not_contains: []
    response_not_matches: ["bbx answer <"]
    cards_contain: [memo]
    cards_not_under: [_tmp/]
    should_read: ["docs/card.md"]
    should_read_any: [a.md, b.md]
    should_not_read: []
    bash_contains: [bbx]
    should_search: box
    read_before_edit: [src/AGENTS.md]
    final_reply: true
    tags: [navigation, no]
    notes: >
      folded
      text
    max_turns: 20
    engine: pi
    context_dir: _tmp/area
    fixture:
      _tmp/area/AGENTS.md: |
        ---
        paths: x
        ---
        {% raw %}
        # === not a header ===
    chat_mode: true
    plugins: [recipes]
"""


def test_every_field_of_a_bee_box_corpus_loads_unchanged(loaded: Load) -> None:
    corpus = loaded(EVERY_FIELD)
    assert corpus.problems == ()
    (audit,) = corpus.audits
    assert audit.full_prompt == 'Be brief. <state narration="on">\nWhere would you look?\n'
    assert (audit.notes, audit.tags, audit.max_turns, audit.chat_mode) == (
        "folded text\n",
        ("navigation", "no"),
        20,
        True,
    )
    assert audit.fixture == {
        "_tmp/area/AGENTS.md": "---\npaths: x\n---\n{% raw %}\n# === not a header ===\n",
    }
    assert (audit.engine, audit.context_dir, audit.plugins, audit.section) == (
        "pi",
        "_tmp/area",
        ("recipes",),
        "Boxes (`_content/`)",
    )
    assert audit.checks == {
        "correct_contains": ["_content/inbox"],
        "correct_contains_any": ["on", 17, "2026-08-22"],
        "correct_matches": [r"bbx\s+create", r"it's \d+"],
        "response_not_contains": [],
        "response_not_matches": ["bbx answer <"],
        "cards_contain": ["memo"],
        "cards_not_under": ["_tmp/"],
        "should_read": ["docs/card.md"],
        "should_read_any": ["a.md", "b.md"],
        "should_not_read": [],
        "bash_contains": ["bbx"],
        "should_search": "box",
        "read_before_edit": ["src/AGENTS.md"],
        "final_reply": True,
    }
    assert audit.position() == audit.position("id") == Position(line=4, column=5)
    assert audit.position("should_search") == Position(line=26, column=5)


@settings(deadline=None, max_examples=150)
@given(corpora())
def test_sections_entries_and_statuses_of_any_corpus(sketch: Sketch) -> None:
    corpus = read(sketch.data)
    assert [p for p in corpus.problems if p.severity == "error"] == []
    assert [(s.title, list(s.audit_ids), len(s.statuses)) for s in corpus.sections] == sketch.told
    assert [audit.section for audit in corpus.audits] == [s.title for s in corpus.sections for _ in s.audit_ids]
    for section in corpus.sections:
        if section.title:
            assert f"=== {section.title} ===" in sketch.lines[section.line - 1]
    for audit in corpus.audits:
        position = audit.position("prompt")
        assert sketch.lines[position.line - 1][position.column - 1 :].startswith("prompt:")


def entry(extra: str = "", name: str = "a") -> str:
    return f"- id: {name}\n  prompt: p\n  expected_level: knows_about\n  watch_for: w\n{extra}"


NEIGHBOURS = "tests:\n" + entry(name="before") + "{}" + entry(name="after")


@pytest.mark.parametrize(
    ("broken", "code", "line", "message"),
    [
        ("- prompt: p\n  expected_level: x\n  watch_for: w\n", "missing", 6, "`id`"),
        ("- id: a\n  prompt: p\n", "missing", 6, "`expected_level`"),
        ("- id: a\n  prompt: p\n", "missing", 6, "`watch_for`"),
        ("- id: a\n  prompt: p\n  expected_level: x\n  watchfor: w\n", "missing", 9, "`watch_for`"),
        ("- id: a\n  prompt: ' '\n  expected_level: knows_about\n  watch_for: w\n", "empty", 7, "`prompt`"),
        ("- just text\n", "wrong-type", 6, "mapping"),
        ("-\n", "wrong-type", 6, "mapping"),
        (entry(name="017"), "wrong-type", 6, "the number 17"),
        (entry("  tags: navigation\n"), "wrong-type", 10, "a list, not a single text"),
        (entry("  tags: [a, 1]\n"), "wrong-type", 10, "`tags` item 2"),
        (entry("  notes:\n"), "wrong-type", 10, "no value"),
        (entry("  max_turns: '9'\n"), "wrong-type", 10, "a whole number"),
        (entry("  max_turns: true\n"), "wrong-type", 10, "a whole number"),
        (entry("  max_turns: 0\n"), "bad-value", 10, "at least 1"),
        (entry("  chat_mode: yes\n"), "wrong-type", 10, "true or false, not 'yes'"),
        (entry("  surface: web\n"), "wrong-type", 10, "'box' or 'dev'"),
        (entry("  fixture: {a.md: [x]}\n"), "wrong-type", 10, "entry 'a.md'"),
        (entry("  1: x\n"), "wrong-type", 10, "the key 1"),
        (entry("  ? [x]\n  : x\n"), "yaml", 10, "cannot be a key"),
        (entry("  should_read: !!set {x}\n"), "yaml", 10, "!!set"),
        pytest.param(entry(f"  x: {'[' * 900 + ']' * 900}\n"), "yaml", 10, "nested too deeply", id="nested"),
        (entry("  prompt: again\n"), "duplicate-key", 10, "`prompt`"),
        (entry("  fixture: {a.md: x, 'a.md': y}\n"), "duplicate-key", 10, "`a.md`"),
        (entry(name="before"), "duplicate-id", 6, "line 2"),
        *(
            (entry(f"  surface: dev\n  {key}: {value}\n"), "dev-only", 11, f"`{key}`")
            for key, value in (("context_dir", "x"), ("fixture", "{}"), ("chat_mode", "false"), ("plugins", "[]"))
        ),
    ],
)
def test_a_broken_entry_is_told_and_loses_no_neighbour(
    loaded: Load, broken: str, code: str, line: int, message: str
) -> None:
    corpus = loaded(NEIGHBOURS.format(broken))
    assert [audit.id for audit in corpus.audits] == ["before", "after"]
    assert corpus.sections[0].audit_ids == ("before", "after")
    told = [p for p in corpus.problems if p.code == code and message in p.message]
    assert [(p.severity, p.position.line, p.file) for p in told] == [("error", line, "audits.yaml")]
    assert "id" in message or not broken.startswith("- id: a") or told[0].audit_id == "a"


@pytest.mark.parametrize(
    ("content", "code", "place", "message"),
    [
        ("tests:\n\t- id: a\n", "yaml", (2, 1), "a tab"),
        ("tests:\n- id: a\n  prompt: x: y\n", "yaml", (3, 12), "a `: `"),
        ('tests:\n- id: "a\n', "yaml", (2, 7), "never closed"),
        pytest.param("tests: " + "[" * 3000, "yaml", (1, 1007), "nested too deeply", id="nested"),
        ("tests:\n- &a [*a]\n", "wrong-type", (2, 3), "mapping"),
        ("tests: \x1b", "yaml", (1, 8), "U+001B"),
        (b"tests:\n- id: caf\xe9\n", "not-utf-8", (2, 10), "not UTF-8"),
        ("tests:\n  a: b\n", "no-tests", (1, 1), "must be a list"),
        ("tests:\n", "no-tests", (1, 1), "`tests` is empty"),
        ("- id: a\n", "no-tests", (1, 1), "not a mapping"),
        ("# nothing\n", "no-tests", (1, 1), "empty"),
        ("box: x\n", "no-tests", (1, 1), "missing"),
        ("tests: []\ntest: []\n", "unknown-key", (2, 1), "`test`"),
        ("tests: []\ntests: []\n", "duplicate-key", (2, 1), "`tests`"),
        ("history: -1\ntests: []\n", "bad-value", (1, 1), "`history`"),
        ("deny: secret\ntests: []\n", "wrong-type", (1, 1), "a list, not a single text"),
        ("env: [A, B=hunter2]\ntests: []\n", "env-value", (1, 1), "'B'"),
        ("env: [A, 'B C']\ntests: []\n", "bad-value", (1, 1), "'B C'"),
    ],
)
def test_a_broken_file_is_told_and_never_raises(
    loaded: Load, content: str | bytes, code: str, place: tuple[int, int], message: str
) -> None:
    corpus = loaded(content)
    assert [(p.code, (p.position.line, p.position.column)) for p in corpus.problems] == [(code, place)]
    assert message in corpus.problems[0].message
    assert "hunter2" not in str(corpus.problems[0])
    assert corpus.problems[0].fix or code == "bad-value"


def test_settings_are_read_and_a_wrong_one_keeps_the_others(loaded: Load) -> None:
    corpus = loaded(
        "box: ../orchard\nengine: reader\nenv: [HOME, B=c]\nhistory: many\nanswer_key: ['*.yaml']\ntests: []\n"
    )
    assert corpus.settings == CorpusSettings(box="../orchard", engine="reader", env=("HOME",), answer_key=("*.yaml",))
    assert [problem.code for problem in corpus.problems] == ["env-value", "wrong-type"]


def test_an_unknown_level_is_only_a_warning_that_names_the_nine(loaded: Load) -> None:
    corpus = loaded("tests:\n" + entry().replace("knows_about", "knows_abuot"))
    assert [audit.expected_level for audit in corpus.audits] == ["knows_abuot"]
    (problem,) = corpus.problems
    assert (problem.severity, problem.code, problem.position.line, problem.audit_id) == (
        "warning",
        "unknown-level",
        4,
        "a",
    )
    assert "improvised" in problem.message
    assert problem.fix == "did you mean `knows_about`?"


def test_texts_that_would_steer_a_terminal_are_shown_instead(loaded: Load) -> None:
    corpus = loaded("tests:\n" + entry('  notes: "\\e]0;x\\a"\n  should_read: ["\\e"]\n'))
    assert corpus.audits[0].notes == "␛]0;x␇"
    assert corpus.audits[0].checks == {"should_read": ["␛"]}  # as in the trace it is looked for in
    assert [problem.code for problem in corpus.problems] == ["control-characters"] * 2


def test_anchors_give_their_values_and_cannot_explode(loaded: Load) -> None:
    corpus = loaded("tests:\n" + entry("  tags: &t [x]\n") + entry("  tags: *t\n", "b"))
    assert [audit.tags for audit in corpus.audits] == [("x",), ("x",)]
    bomb = "".join(f"  k{n}: &k{n} [{', '.join([f'*k{n - 1}' if n else 'x'] * 10)}]\n" for n in range(9))
    assert [problem.code for problem in loaded("tests:\n" + entry(bomb)).problems] == ["yaml"]


def test_an_id_is_unique_across_files(tmp_path: Path) -> None:
    for name, text in (("a.yaml", entry()), ("b.yaml", entry() + entry(name="b")), ("c.yaml", entry(name="b"))):
        (tmp_path / name).write_text("tests:\n" + text)
    first, second, third = load_all([tmp_path / name for name in ("a.yaml", "b.yaml", "c.yaml")], tmp_path)
    assert [audit.id for corpus in (first, second, third) for audit in corpus.audits] == ["a", "b"]
    assert second.sections[0].audit_ids == ("b",)
    assert [(p.code, p.file, p.position.line) for p in second.problems] == [("duplicate-id", "b.yaml", 2)]
    assert "a.yaml:2" in second.problems[0].message
    assert "b.yaml:6" in third.problems[0].message


def test_a_file_that_cannot_be_read_is_a_problem(tmp_path: Path) -> None:
    missing: Corpus = load(tmp_path / "gone.yaml", tmp_path)
    folder: Corpus = load(tmp_path, tmp_path)
    assert [problem.code for corpus in (missing, folder) for problem in corpus.problems] == ["unreadable"] * 2


def test_a_name_that_cannot_be_told_is_a_problem(tmp_path: Path) -> None:
    for name in (b"a\x1b]0;x\x07.yaml", b"b\n.yaml", b"c\xff.yaml", b"d\xc2\x9b.yaml"):
        path = tmp_path / os.fsdecode(name)
        path.write_text("tests:\n" + entry())
        corpus = load(path, tmp_path)
        assert [problem.code for problem in corpus.problems] == ["bad-name"]
        assert not corpus.audits
        assert clean(corpus.file) == corpus.file
