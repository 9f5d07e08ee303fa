"""A status goes in and comes out again, and nothing else moves."""

import re
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.corpus.corpora import Sketch, corpora
from workbench.corpus.edit import EditError, Insertion, insert_status, remove
from workbench.corpus.loading import load
from workbench.corpus.records import Corpus, Status

TRAPS = st.sampled_from(
    [
        "=== x ===",
        "# === y ===",
        "Status (2026-01-02): no",
        "Status",
        "(2026-03-04)",
        "a === b ",
        "\r\n",
        "\x1b[31m",
        "x" * 130,
    ]
)
SIGNS = st.sampled_from("\n\r\x85\u2028\u2029\t\x0b\x00\x7f\ud800\ufffe\ufeff\u202e\xa0 -:#'")
PROSE = st.lists(TRAPS | SIGNS | st.text(st.characters(codec=None), max_size=20), max_size=12).map("".join)
HEADINGS = st.text(st.characters(codec=None), max_size=12).map(lambda text: f"2026-11-29, reader {text}")


def read(data: bytes) -> Corpus:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "audits.yaml"
        path.write_bytes(data)
        return load(path, Path(folder))


def said(corpus: Corpus) -> object:
    """What a corpus says, wherever it says it."""
    return [
        corpus.settings,
        [audit.model_copy(update={"positions": {}}) for audit in corpus.audits],
        [(section.title, section.audit_ids) for section in corpus.sections],
        [(problem.code, problem.message, problem.audit_id) for problem in corpus.problems],
    ]


def words(corpus: Corpus) -> list[list[tuple[str, str, str]]]:
    """The statuses of each section, wherever they stand."""
    return [[(s.date, s.qualifier, s.text) for s in section.statuses] for section in corpus.sections]


@settings(deadline=None, max_examples=200)
@given(corpora(), st.data(), HEADINGS, PROSE, st.integers(20, 120))
def test_any_status_into_any_section_of_any_corpus(
    sketch: Sketch, data: st.DataObject, heading: str, prose: str, width: int
) -> None:
    old, before = sketch.data, read(sketch.data)
    section = data.draw(st.sampled_from([s for s in before.sections if s.title or s.audit_ids]))
    audit_id = data.draw(st.sampled_from(("", *section.audit_ids)))
    try:
        made = insert_status(
            old,
            title=section.title,
            heading=heading,
            prose=prose,
            audit_id=audit_id,
            width=width,
            section_line=section.line,
        )
    except EditError:
        assume(prose.strip())  # a status without text is refused
        raise
    after = read(made.data)
    assert_only_lines_added(old, made, sketch.line_break.encode())
    assert said(after) == said(before)
    index = before.sections.index(section)
    assert_one_more(before, after, index)
    assert remove(made.data, made) == old


def assert_only_lines_added(old: bytes, made: Insertion, line_break: bytes) -> None:
    added = [line.encode() for line in made.lines]
    assert all(
        re.match(rb"\s*#", line) and not re.search(rb"[\r\n]|\xc2\x85|\xe2\x80[\xa8\xa9]", line) for line in added
    )
    assert not [line for line in made.lines if re.search(r"#\s*===\s*(.+?)\s*===", line)]
    assert len(re.findall(r"Status\s*\(\d{4}-\d\d-\d\d", " ".join(line.strip(" #") for line in made.lines))) == 1
    # Wherever the lines begin, cutting them out with one break each gives back the old content, byte by byte.
    lines = made.data.split(line_break)
    assert lines[made.at_line - 1 : made.at_line - 1 + len(added)] == [
        (b"\xef\xbb\xbf" if made.at_line == 1 and made.data.startswith(b"\xef\xbb\xbf") else b"") + added[0],
        *added[1:],
    ]
    rest = lines[: made.at_line - 1] + lines[made.at_line - 1 + len(added) :]
    assert line_break.join(rest) == old


def assert_one_more(before: Corpus, after: Corpus, index: int) -> None:
    for number, (old, new) in enumerate(zip(words(before), words(after), strict=True)):
        if number == index:
            gained = list(new)
            for status in old:
                gained.remove(status)
            assert [(date, qualifier.split()[0]) for date, qualifier, _ in gained] == [("2026-11-29", "reader")]
        else:
            assert new == old


CORPUS = """\
# Audits
tests:
  - id: first
    prompt: Where?
  # === Views (docs/views.md) ===
  #
  # Status (2026-07-03): old
  - id: second
    notes: >
      folded
  # === Glued ===
  # Prose about the section.
  - id: third

  # === Twice ===

  - id: fourth
  # === Twice ===
  # Retired 2026-05-01: all of it.
  #
  # Tried, then Status (2025-08-15): 1/1
  #
  # === Last ==="""


@pytest.mark.parametrize(
    ("where", "above", "below"),
    [
        ({"title": ""}, "tests:", "  - id: first"),
        ({"title": "Views (docs/views.md)"}, "  #", "  # Status (2026-07-03): old"),
        ({"title": "Glued"}, "  # === Glued ===", "  #"),
        ({"title": "Glued", "audit_id": "third"}, "  # Prose about the section.", "  - id: third"),
        ({"title": "", "audit_id": "fourth"}, "", "  - id: fourth"),
        ({"title": "Twice", "section_line": 15}, "  # === Twice ===", ""),
        ({"title": "Twice", "section_line": 18}, "  #", "  #"),
        ({"title": "Last"}, "  # === Last ===", None),
    ],
)
def test_a_status_stands_newest_first_where_its_readers_look(
    where: dict[str, str], above: str, below: str | None
) -> None:
    made = insert_status(CORPUS.encode(), heading="2026-11-29, reader", prose="3/3 pass.", **where)  # type: ignore[arg-type]
    lines = made.data.decode().split("\n")
    assert made.lines[0] == "  # Status (2026-11-29, reader): 3/3 pass."
    assert lines[made.at_line - 1] == made.lines[0]
    assert lines[made.at_line - 2] == above
    assert (lines[made.at_line] if made.at_line < len(lines) else None) == below


def only_status(prose: str, width: int = 60) -> tuple[tuple[str, ...], Status]:
    made = insert_status(b"tests:\n- id: a\n", title="", heading="2026-11-29, claude (4)", prose=prose, width=width)
    return made.lines, read(made.data).sections[0].statuses[0]


def test_prose_is_wrapped_and_keeps_its_bullets() -> None:
    lines, status = only_status("5/6 pass.\r\n- find-memo: read the index instead of the card, twice in a row\n\nmore")
    assert lines == (
        "# Status (2026-11-29, claude [4]): 5/6 pass.",
        "# - find-memo: read the index instead of the card, twice in",
        "#   a row",
        "# more",
    )
    assert (status.date, status.qualifier) == ("2026-11-29", "claude [4]")
    assert status.text == "5/6 pass. - find-memo: read the index instead of the card, twice in a row more"


def test_prose_cannot_become_structure() -> None:
    lines, status = only_status("a\n=== Title ===\u2028# === Title ===\x85see Status\n(2026-01-01): b\x00c === d")
    assert lines[1:] == ("# == Title ==", "# # == Title ==", "# see Status:", "# (2026-01-01): b\ufffdc === d")
    assert status.line == 2


@pytest.mark.parametrize(
    ("data", "arguments", "message"),
    [
        (CORPUS.encode(), {"title": "Gone"}, "no section 'Gone'"),
        (CORPUS.encode(), {"title": "Twice"}, "lines 15, 18"),
        (CORPUS.encode(), {"title": "Twice", "section_line": 3}, "lines 15, 18"),
        (CORPUS.encode(), {"title": "", "audit_id": "gone"}, "no audit 'gone'"),
        (CORPUS.encode(), {"title": "Views (docs/views.md)", "audit_id": "third"}, "no audit 'third'"),
        (CORPUS.encode(), {"title": "Last", "prose": " \n\t\u2028"}, "no text"),
        (CORPUS.encode(), {"title": "Last", "heading": "reader"}, "must start with a date"),
        (b"tests:\n\t- id: a", {"title": ""}, "a tab"),
        (b"tests: [{id: \xff}]", {"title": ""}, "not UTF-8"),
        (b"# === T ===\ntests: []", {"title": ""}, "no group of audits"),
        (b"tests: [{id: a, n: 'x\n'}, {id: b}]", {"title": "", "audit_id": "b"}, "without changing what the file says"),
    ],
)
def test_what_cannot_be_written_is_refused(data: bytes, arguments: dict[str, str], message: str) -> None:
    with pytest.raises(EditError, match=re.escape(message)):
        insert_status(data, **{"heading": "2026-11-29", "prose": "x", **arguments})  # type: ignore[arg-type]


def test_removing_follows_the_lines_and_refuses_changed_ones() -> None:
    made = insert_status(CORPUS.encode(), title="Glued", heading="2026-11-29", prose="one\ntwo")
    moved = b"# a line above\n" + made.data.replace(b"Where?", b"Where is it?")
    assert remove(moved, made) == b"# a line above\n" + CORPUS.encode().replace(b"Where?", b"Where is it?")
    twice = insert_status(made.data, title="Views (docs/views.md)", heading="2026-11-29", prose="one\ntwo")
    assert remove(twice.data, twice) == made.data
    with pytest.raises(EditError, match="were changed or are gone"):
        remove(made.data.replace(b"# two", b"# too"), made)
    last = insert_status(CORPUS.encode(), title="", audit_id="third", heading="2026-11-29", prose="one\ntwo")
    with pytest.raises(EditError, match="more than them"):
        remove(last.data.replace(b"# two", b"# two\n  # continued by hand"), last)
    quoted = b"tests:\n- id: a\n  notes: |\n    # Status (2026-11-29): one\n"
    with pytest.raises(EditError, match="more than them"):
        remove(quoted, Insertion(b"", ("    # Status (2026-11-29): one",), 4))
