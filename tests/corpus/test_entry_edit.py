"""One entry comes out of a corpus and goes in again, and nothing else moves."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.corpus.corpora import Sketch, corpora
from workbench.corpus.edit import EditError
from workbench.corpus.entry_edit import EntryError, find_entry, replace_entry
from workbench.corpus.loading import parse
from workbench.corpus.records import Audit

LINES = st.lists(
    st.sampled_from(
        [
            "  notes: |\n    deep\n\n      deeper\n    # no comment",
            "  tags: [a,\n    b]",
            "  # a comment",
            "  # Status-like, but not one",
            '  correct_matches: ["\\\\bfoo"]',
            "  samples:\n    right: ['yes']\n    wrong:\n    - |\n      no",
            "",
        ]
    ),
    unique=True,
)

FILE = (
    b"\xef\xbb\xbfbox: .\r\ntests:\r\n  # === A ===\r\n  # Status (2026-01-01): fine\r\n  - id: one\r\n"
    b"    prompt: Where?\r\n    expected_level: knows_about\r\n    watch_for: ''\r\n    # correct_contains: [x]\r\n\r\n"
    b"  # Status (2026-01-02): of two\r\n  - id: two\r\n    prompt: &p >\r\n      Where\r\n      # to?\r\n\r\n"
    b"    expected_level: knows_about\r\n    watch_for: ''\r\n    # tail\r\n  # outside\r\n"
    b"  -\r\n    id: three\r\n    prompt: *p\r\n    expected_level: knows_about\r\n    watch_for: ''"
)


def audits(data: bytes) -> list[Audit]:
    return [audit.model_copy(update={"positions": {}}) for audit in parse(data, "a.yaml").audits]


@settings(deadline=None, max_examples=200)
@given(corpora())
def test_an_entry_put_back_is_the_same_file(sketch: Sketch) -> None:
    for audit in parse(sketch.data, "a.yaml").audits:
        assert replace_entry(sketch.data, audit.id, find_entry(sketch.data, audit.id).text) == sketch.data


@settings(deadline=None, max_examples=200)
@given(corpora(), st.data(), LINES)
def test_another_text_changes_those_lines_alone(sketch: Sketch, data: st.DataObject, more: list[str]) -> None:
    before = audits(sketch.data)
    if not before:
        return
    wanted = data.draw(st.sampled_from(before))
    entry = find_entry(sketch.data, wanted.id)
    text = "\n".join([f"- id: {wanted.id}", "  prompt: Another?", "  expected_level: x", "  watch_for: y", *more])
    try:
        new = replace_entry(sketch.data, wanted.id, text)
    except EntryError:
        return  # comments that would run into their neighbours
    rows, own = sketch.data.split(b"\n"), entry.text.count("\n") + 1
    now = new.split(b"\n")
    assert now[: entry.line - 1] == rows[: entry.line - 1]
    rest = rows[entry.line - 1 + own :]
    assert now[len(now) - len(rest) :] == rest
    after = audits(new)
    assert [a for a in after if a.id != wanted.id] == [a for a in before if a.id != wanted.id]
    assert next(a for a in after if a.id == wanted.id).prompt == "Another?"
    assert find_entry(new, wanted.id).text == text.rstrip("\n")


def test_an_entry_has_its_own_comments_and_no_indentation() -> None:
    assert find_entry(FILE, "one").text.splitlines() == [
        "- id: one",
        "  prompt: Where?",
        "  expected_level: knows_about",
        "  watch_for: ''",
        "  # correct_contains: [x]",
    ]
    two = find_entry(FILE, "two")
    assert (two.line, two.text.splitlines()[-1]) == (12, "  # tail")
    assert find_entry(FILE, "three").text.startswith("-\n  id: three\n")


def test_new_lines_take_the_breaks_of_the_file() -> None:
    new = replace_entry(FILE, "one", find_entry(FILE, "one").text.replace("  # correct", "  tags: [a]\n  correct"))
    assert new == FILE.replace(b"    # correct_contains: [x]\r\n", b"    tags: [a]\r\n    correct_contains: [x]\r\n")


@pytest.mark.parametrize(
    ("text", "line", "told"),
    [
        ("- id: one\n  prompt: 'open", 2, "quote"),
        ("- id: one\n- id: more", 1, "exactly one"),
        ("id: one", 1, "begin with"),
        ("- just words", 1, "mapping"),
        (" \n", 0, "nothing left"),
        ("- id: one\nbox: elsewhere", 2, "list"),
        ("- id: one\n  # === B ===\n  prompt: x", 0, "sections"),
        ("- id: one\n  prompt: x\n  # Status (2026-05-05): run on", 0, ""),
    ],
)
def test_a_text_that_would_do_more_is_refused_at_its_line(text: str, line: int, told: str) -> None:
    if not told:
        assert replace_entry(FILE, "one", text).count(b"Status") == 3
        return
    with pytest.raises(EntryError, match=told) as refusal:
        replace_entry(FILE, "one", text)
    assert refusal.value.line == line


def test_what_others_say_through_an_anchor_is_guarded() -> None:
    with pytest.raises(EntryError, match="another part"):
        replace_entry(FILE, "two", find_entry(FILE, "two").text.replace("# to?", "from?"))


def test_an_entry_that_shares_its_lines_is_left_to_the_hand() -> None:
    with pytest.raises(EditError, match="by hand"):
        find_entry(b"tests: [{id: a}, {id: b}]", "a")
    with pytest.raises(EditError, match="load it again"):
        find_entry(FILE, "four")
