"""The context ledger grows by whole rows; whatever else stands in it is kept, and told where it is damaged."""

import threading
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from workbench.records.ledger import Ledger, LedgerError, Row, append, load
from workbench.records.ledger_edit import insert

SEED = """\
# Context usage of knowledge audits.
# One row an audit a run.
test1:
  find-tree:
    - date: 2026-07-03T09:00:00.000Z
      boxCommit: 0123456
      repoCommit: 5e31
      initial: 18000
      peak: 19400
      added: 1400
      turns: 3
  find-inbox:   # the always-on baseline
    - date: 2026-07-03T09:00:00.000Z
      boxCommit: "0123456"
      repoCommit: aaaa
      initial: 17900
      peak: 17900
      added: 0
      turns: 1

# kept apart
test2:
  find-tree:
    - {date: 2026-07-04, boxCommit: b, repoCommit: c, initial: 5, peak: 6, added: 1, turns: 2}
"""


def row(initial: int = 18200, **more: str) -> Row:
    told = {"date": "2026-11-30T01:02:03.004Z", "engine": "claude", "model": "m", "prompt_hash": "sha256:ab", **more}
    return Row.model_validate({"initial": initial, "peak": initial + 5, "added": 5, "turns": 2, **told})


def grown(text: str, box: str, audit: str) -> str:
    return insert(text, box, audit, row().model_dump(by_alias=True))


def test_rows_are_read_as_they_are_written() -> None:
    ledger = Ledger(SEED, "context-history.yaml")
    (first,) = ledger.rows("find-tree", "test1")
    assert (first.box_commit, first.repo_commit, first.initial, first.engine) == ("0123456", "5e31", 18000, "")
    assert [found.date for found in ledger.rows("find-tree")] == [
        "2026-07-03T09:00:00.000Z",
        "2026-07-04T00:00:00.000Z",
    ]
    assert ledger.problems == ()


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize(
    ("box", "audit"), [("test1", "find-tree"), ("test1", "new"), ("test2", "find-tree"), ("o", "n")]
)
def test_a_row_is_added_and_nothing_else_changes(box: str, audit: str, end: str) -> None:
    before = SEED.replace("\n", end)
    after = grown(before, box, audit)
    kept = iter(after.splitlines(keepends=True))
    assert all(line in kept for line in before.splitlines(keepends=True))
    assert Ledger(after, "").rows(audit, box) == (*Ledger(before, "").rows(audit, box), row())
    assert Ledger(after, "").problems == ()
    others = {("test1", "find-tree"), ("test1", "find-inbox"), ("test2", "find-tree")} - {(box, audit)}
    assert all(Ledger(after, "").rows(a, b) == Ledger(before, "").rows(a, b) for b, a in others)


def test_a_first_row_has_the_seeds_shape(tmp_path: Path) -> None:
    file = tmp_path / "kept" / "context-history.yaml"
    append(file, "test1", "find-tree", row(box_commit="1234567", snapshot_hash="ab12"))
    lines = file.read_text(encoding="utf-8").splitlines()
    assert [line[:2] for line in lines[:2]] == ["# ", "# "]
    assert lines[2:] == [
        "test1:",
        "  find-tree:",
        "    - date: 2026-11-30T01:02:03.004Z",
        '      boxCommit: "1234567"',
        '      repoCommit: ""',
        "      initial: 18200",
        "      peak: 18205",
        "      added: 5",
        "      turns: 2",
        "      engine: claude",
        '      engineVersion: ""',
        "      model: m",
        "      promptHash: sha256:ab",
        "      snapshotHash: ab12",
    ]


def test_lists_that_are_not_indented_stay_so() -> None:
    flat = "test1:\n  a:\n  - date: 2026-07-03\n    initial: 5\n    peak: 5\n    added: 0\n    turns: 1"
    after = grown(flat, "test1", "a")
    assert after.startswith(flat + "\n  - date: 2026-11-30")
    assert len(Ledger(after, "").rows("a")) == 2


def test_damaged_rows_are_told_and_kept(tmp_path: Path) -> None:
    file = tmp_path / "context-history.yaml"
    damaged = SEED.replace("      peak: 19400\n      added: 1400\n", "").replace("turns: 1\n", "turns: [1\n", 1)
    file.write_text(damaged + "lost line\n", encoding="utf-8")
    append(file, "test1", "find-tree", row())
    kept = iter(file.read_text(encoding="utf-8").splitlines())
    assert all(line in kept for line in damaged.splitlines())
    told = [(p.position.line, p.code, p.message) for p in load(file).problems]
    assert told[0] == (5, "ledger-row", "a row of find-tree is damaged: peak is missing")
    assert [code for _, code, _ in told] == ["ledger-row", "ledger-row", "ledger-stray"]
    assert [found.initial for found in load(file).rows("find-tree", "test1")] == [18200]


def test_numbers_that_do_not_add_up_never_enter_a_trend() -> None:
    (problem,) = Ledger(SEED.replace("added: 1400", "added: 14"), "").problems
    assert "peak 19400 less initial 18000 is not added 14" in problem.message


def test_a_merge_in_progress_is_told_and_not_added_to(tmp_path: Path) -> None:
    file = tmp_path / "context-history.yaml"
    ours = "      turns: 3\n"
    text = SEED.replace(ours, f"<<<<<<< HEAD\n{ours}=======\n      turns: 4\n>>>>>>> side\n")
    file.write_text(text, encoding="utf-8")
    assert [p.code for p in load(file).problems if p.position.line == 11] == ["ledger-conflict"]
    with pytest.raises(LedgerError, match=r"line 11 .*keep the rows of both sides"):
        append(file, "test1", "find-inbox", row())
    assert file.read_text(encoding="utf-8") == text


@pytest.mark.parametrize("text", ["test1: {}\n", "test1:\n  find-tree: []\n", "test1:\n\tfind-tree:\n"])
def test_where_no_row_fits_nothing_is_written(tmp_path: Path, text: str) -> None:
    file = tmp_path / "context-history.yaml"
    file.write_text(text, encoding="utf-8")
    assert load(file).problems
    if "\t" not in text:
        with pytest.raises(LedgerError, match="nothing was added"):
            append(file, "test1", "find-tree", row())
        assert file.read_text(encoding="utf-8") == text


def test_appends_at_the_same_time_all_arrive(tmp_path: Path) -> None:
    file = tmp_path / "context-history.yaml"
    threads = [threading.Thread(target=append, args=(file, "b", f"a{n % 3}", row(n))) for n in range(100, 124)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found.initial for n in range(3) for found in load(file).rows(f"a{n}")) == list(range(100, 124))


NAMES = st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=8) | st.sampled_from(
    ["on", "null", "1", "1e3", "- a", "a: b", "a #b", "#", "'", '"', "*x", "&x", "{", "~", "<<", "?", "=", "b c"]
)


@given(st.lists(st.tuples(NAMES, NAMES), min_size=1, max_size=6))
def test_whatever_boxes_and_audits_are_called_all_rows_come_back(names: list[tuple[str, str]]) -> None:
    text = ""
    for box, audit in names:
        text = grown(text, box, audit)
    ledger = Ledger(text, "")
    assert ledger.problems == ()
    assert all(len(ledger.rows(audit, box)) == names.count((box, audit)) for box, audit in names)
    read = yaml.load(text, yaml.CSafeLoader)
    assert sum(len(rows) for audits in read.values() for rows in audits.values()) == len(names)
