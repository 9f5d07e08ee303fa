"""A map after edits is the map one would draw anew, and it is drawn by a process that can be lost."""

import asyncio
import os
import shutil
import signal
import tempfile
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.boxes.snapshot import take
from workbench.corpus.records import Audit
from workbench.guidance.ground import Viewpoint
from workbench.guidance.mapper import MapError, MapperDoor
from workbench.guidance.mapper_wire import BoxAsked
from workbench.guidance.mapping import Mapper

PATHS = ("AGENTS.md", "CLAUDE.md", "docs/a.md", "docs/b.md", "sub/AGENTS.md", "src/x.py")
LINES = st.sampled_from(
    [
        "",
        "# Sheds",
        "The ladder stands at the north wall.",
        "The ladder stands at the north\nwall of the old shed.",
        "See `docs/a.md` and [b](docs/b.md).",
        "@docs/b.md",
        "Seven hives stand behind the sheds, geese too.",
        "- hives: seven\n- geese: *twelve*",
        "---",
        "<!-- the key is under the stone -->",
    ]
)
TEXTS = st.lists(LINES, max_size=6).map("\n".join)
CHECKS = st.fixed_dictionaries(
    {},
    optional={
        "correct_contains": st.lists(st.sampled_from(["north wall", "seven", "key is", "old stones"]), max_size=2),
        "correct_contains_any": st.lists(st.sampled_from(["geese: twelve", "hive behind the shed"]), max_size=2),
        "correct_matches": st.lists(
            st.sampled_from([r"north\s+wall", r"\bse(ven|pt)\b", r"old.{0,9}shed"]), max_size=2
        ),
    },
)
FIXTURES = st.dictionaries(st.sampled_from(PATHS), TEXTS, max_size=1)
AUDITS = st.lists(st.tuples(CHECKS, st.sampled_from(["knows_directly", "discoverable"]), FIXTURES), max_size=3)
EDIT = st.tuples(st.sampled_from(PATHS), st.none() | TEXTS)


Drawn = list[tuple[dict[str, list[str]], str, dict[str, str]]]
Step = tuple[Sequence[tuple[str, str | None]], Drawn]


def audits_of(drawn: Drawn) -> list[Audit]:
    return [
        Audit(id=f"a{n}", prompt="Where is the seven?", expected_level=level, checks=checks, fixture=fixture, file="k")
        for n, (checks, level, fixture) in enumerate(drawn)
    ]


@settings(max_examples=60, deadline=None)
@given(
    st.dictionaries(st.sampled_from(PATHS), TEXTS), st.lists(st.tuples(st.lists(EDIT, max_size=2), AUDITS), max_size=4)
)
def test_what_is_left_of_an_earlier_map_changes_nothing(files: dict[str, str], steps: list[Step]) -> None:
    root = Path(tempfile.mkdtemp())
    try:
        mapper = Mapper()
        begin: Step = (list(files.items()), [])
        for edits, drawn in [begin, *steps]:
            for path, text in edits:
                place = root / path
                place.unlink(missing_ok=True)
                if text is not None:
                    place.parent.mkdir(exist_ok=True)
                    place.write_text(text, encoding="utf-8")
            audits, view = audits_of(drawn), Viewpoint("claude")
            taken = take(root)
            known = mapper.map("box", taken, view, audits)
            mapper.tidy()
            assert known == Mapper().map("box", taken, view, audits)
    finally:
        shutil.rmtree(root)


@pytest.fixture
def box(tmp_path: Path) -> Path:
    (tmp_path / "AGENTS.md").write_text("There are seven hives.\n", encoding="utf-8")
    return tmp_path


AUDIT = Audit(
    id="a", prompt="How many?", expected_level="knows_directly", checks={"correct_contains": ["seven"]}, file="k"
)


def asked(box: Path, rules: str = "claude") -> tuple[BoxAsked, ...]:
    return (BoxAsked(name="box", box=box, rules=rules, audits=(("k", "a"),)),)


async def test_a_process_that_is_killed_is_replaced(box: Path) -> None:
    door, audits = MapperDoor(), (AUDIT,)
    try:
        first = await door.map(asked(box), audits)
        assert door.pid is not None
        before = door.pid
        os.kill(before, signal.SIGKILL)
        again = await door.map(asked(box), audits)
        assert again.boxes[0].placements == first.boxes[0].placements
        assert door.pid != before
    finally:
        await door.close()
    assert door.pid is None


async def test_what_cannot_be_mapped_is_told_and_the_process_stays(box: Path) -> None:
    door = MapperDoor()
    try:
        with pytest.raises(MapError, match="no guidance rules named 'nobody'"):
            await door.map(asked(box, "nobody"), (AUDIT,))
        pid = door.pid
        with pytest.raises(MapError, match="nowhere"):
            await door.map(asked(box / "nowhere"), (AUDIT,))
        await door.map(asked(box), (AUDIT,))
        assert door.pid == pid
    finally:
        await door.close()


async def test_a_map_that_takes_too_long_is_given_up(box: Path) -> None:
    door = MapperDoor(patience=0.01)
    with pytest.raises(MapError, match="not drawn within"):
        await door.map(asked(box), (AUDIT,))
    assert door.pid is None


async def test_whoever_stops_waiting_leaves_no_answer_behind_for_the_next(box: Path) -> None:
    door, audits = MapperDoor(), (AUDIT,)
    try:
        await door.map(asked(box), audits)
        pid = door.pid
        waiting = asyncio.create_task(door.map(asked(box), audits))
        await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        known = await door.map(asked(box, "codex"), audits)
        assert (known.boxes[0].rules, door.pid) == ("codex", pid)
    finally:
        await door.close()


async def test_closing_does_not_wait_for_what_is_being_drawn(box: Path) -> None:
    door = MapperDoor()
    drawing = asyncio.create_task(door.map(asked(box), (AUDIT,)))
    await asyncio.sleep(0)
    await door.close()
    with pytest.raises(asyncio.CancelledError):
        await drawing
    assert door.pid is None
