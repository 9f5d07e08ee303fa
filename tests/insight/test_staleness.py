"""What changed since an audit was asked: told where it is known, never guessed where it is not."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.insight.staleness import Conditions, compare
from workbench.runs.records import BoxContents, BoxRecord

BOX = BoxRecord(name="..", path="/home/ida/orchard", commit="a" * 40, snapshot_hash="s1", guidance_hash="g1")
THEN = Conditions(
    definition="d1",
    engine="claude",
    version="2.1.0",
    box=BOX,
    contents=BoxContents(guidance={"AGENTS.md": "1", "docs/AGENTS.md": "2"}, rest="r1"),
)


def asked(*, guidance: dict[str, str] | None = None, rest: str = "r1", **changed: object) -> Conditions:
    """Conditions like `THEN` but for some; the box's own hashes follow from what it holds."""
    contents = BoxContents(guidance=THEN.contents.guidance if guidance is None else guidance, rest=rest)  # type: ignore[union-attr]
    same = contents == THEN.contents
    box = BOX.model_copy(update={} if same else {"snapshot_hash": "s2"})
    if contents.guidance != THEN.contents.guidance:  # type: ignore[union-attr]
        box = box.model_copy(update={"guidance_hash": "g2"})
    return replace(THEN, box=box, contents=contents, **changed)  # type: ignore[arg-type]


def test_nothing_changed() -> None:
    assert not compare(THEN, asked())
    assert compare(THEN, asked()).unknown == ()


def test_guidance_is_told_by_file_and_the_rest_of_the_box_apart() -> None:
    edited = compare(THEN, asked(guidance={"AGENTS.md": "9", "new/AGENTS.md": "3"}))
    assert edited.told == "guidance changed since (AGENTS.md, new/AGENTS.md added, docs/AGENTS.md removed)"
    assert edited.changes[0].files == ("AGENTS.md", "new/AGENTS.md", "docs/AGENTS.md")
    assert [change.what for change in edited.changes] == ["guidance"]
    rest = compare(THEN, asked(rest="r2"), {"docs/bees.md": "", "a\x1b[2J.md": " added"})
    assert rest.told == "the box orchard changed since (docs/bees.md, a␛[2J.md added)"
    assert (
        compare(THEN, asked(rest="r2"), dict.fromkeys("abcde", "")).told
        == "the box orchard changed since (a, b, c and 2 more)"
    )
    many = compare(THEN, asked(guidance={f"{n}.md": "" for n in range(9)} | THEN.contents.guidance))  # type: ignore[union-attr]
    assert many.told == "guidance changed since (0.md added, 1.md added, 2.md added and 6 more)"


def test_every_kind_of_change_is_told_once() -> None:
    now = asked(guidance={}, rest="r2", definition="d2", version="2.2.0")
    moved = replace(now, box=now.box.model_copy(update={"commit": "b" * 40}))  # type: ignore[union-attr]
    staleness = compare(THEN, moved)
    assert [change.what for change in staleness.changes] == ["guidance", "definition", "engine", "box"]
    assert "claude was 2.1.0 then and is 2.2.0 now" in staleness.told
    assert "the box orchard changed since (it was at aaaaaaa)" in staleness.told


def test_a_run_that_kept_no_files_still_knows_that_guidance_changed() -> None:
    bare = replace(THEN, contents=None)
    staleness = compare(bare, asked(guidance={"AGENTS.md": "9"}))
    assert staleness.told == "guidance changed since"
    assert staleness.unknown == ("which files changed: the run did not keep what its box held",)
    assert compare(bare, asked()).unknown == ()


@pytest.mark.parametrize(
    ("then", "now", "told"),
    [
        (replace(THEN, unknown="asked elsewhere"), asked(rest="r2"), "asked elsewhere"),
        (THEN, replace(asked(), box=None, unknown="the box is gone"), "the box is gone"),
        (replace(THEN, version=""), asked(), "which version of claude was asked"),
        (THEN, asked(version=""), "which version of claude is here"),
    ],
)
def test_what_is_not_known_makes_no_audit_stale(then: Conditions, now: Conditions, told: str) -> None:
    staleness = compare(then, now)
    assert not staleness
    assert staleness.unknown == (told,)


_SUMS = st.dictionaries(st.sampled_from(["AGENTS.md", "CLAUDE.md", "a/AGENTS.md", "b.md"]), st.sampled_from("12"))


@given(_SUMS, _SUMS)
def test_exactly_the_files_that_differ_are_told(before: dict[str, str], after: dict[str, str]) -> None:
    then = replace(THEN, contents=BoxContents(guidance=before, rest="r1"))
    now = asked(guidance=after)
    now = replace(now, box=now.box.model_copy(update={"guidance_hash": "g1" if before == after else "g2"}))  # type: ignore[union-attr]
    changed = [change for change in compare(then, now).changes if change.what == "guidance"]
    files = {path for change in changed for path in change.files}
    assert files == {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}
