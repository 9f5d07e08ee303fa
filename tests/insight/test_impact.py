"""Which audits a change can touch: every reason by itself, their order, and how much an edit is taken for."""

import time
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.traces.making import bash, make, read
from workbench.corpus.loading import parse
from workbench.corpus.records import Audit
from workbench.guidance.records import (
    BoxMap,
    FileLayer,
    FileWeight,
    KnowledgeMap,
    Place,
    Placement,
    Wanted,
    WantedPlaces,
)
from workbench.insight.edited import edited
from workbench.insight.impact import FileChange, Reason, Subject, Touch
from workbench.insight.touching import opened, subjects, touched
from workbench.text.changes import changed
from workbench.traces.records import Layer, LoadedFile

GUIDE = """\
# The shed

The ladder hangs at the north wall.

The shears are oiled on Friday.
"""


def audit(name: str, fixture: dict[str, str] | None = None, **checks: Any) -> Audit:
    """An audit with some checks."""
    return Audit(id=name, prompt="Where?", file="audits/a.yaml", checks=checks, fixture=fixture or {})


def placed(name: str, text: str, *places: tuple[str, int, Layer], pattern: bool = False, near: int = 0) -> Placement:
    """A placement of one wanted thing."""
    wanted = WantedPlaces(
        wanted=Wanted(check="correct_matches" if pattern else "correct_contains", text=text, pattern=pattern),
        places=tuple(Place(path=path, line=line, layer=layer) for path, line, layer in places),
        count=len(places),
        near=(Place(path="AGENTS.md", line=near, layer="always", near="about the same"),) if near else (),
    )
    return Placement(audit_id=name, file="audits/a.yaml", expected_level="", wanted=(wanted,))


def mapped(*placements: Placement, always: tuple[str, ...] = ()) -> KnowledgeMap:
    """A map of one box."""
    files = tuple(FileWeight(file=FileLayer(path=path, layer="always")) for path in always)
    return KnowledgeMap(boxes=(BoxMap(box=".", root="/box", rules="claude", files=files, placements=placements),))


def told(touches: tuple[Touch, ...]) -> dict[str, list[tuple[str, str, int]]]:
    """Audit id → because, path and line of each reason; in the order of the touches."""
    return {touch.audit_id: [(r.because, r.path, r.line) for r in touch.reasons] for touch in touches}


def of(change: FileChange, *audits: Audit, **known: Any) -> dict[str, list[tuple[str, str, int]]]:
    """What one change touches."""
    return told(touched([change], subjects(audits, **known)))


def test_only_the_audit_whose_literal_is_in_the_changed_passage_is_touched() -> None:
    """An edit of one paragraph is no edit of its neighbour."""
    change = FileChange("AGENTS.md", GUIDE, GUIDE.replace("north", "south"))
    wall, day = audit("wall", correct_contains=["north wall"]), audit("day", correct_contains=["Friday"])
    assert of(change, wall, day) == {"wall": [("literal", "AGENTS.md", 3)]}
    assert of(FileChange("AGENTS.md", None, GUIDE), wall, day).keys() == {"wall", "day"}
    assert of(FileChange("AGENTS.md", GUIDE, None), wall, day).keys() == {"wall", "day"}
    assert of(FileChange("AGENTS.md", GUIDE, GUIDE), wall, day) == {}


def test_words_over_a_line_break_in_headings_and_by_pattern_are_found() -> None:
    """What a reader would take as said is said."""
    new = "# Kept at the\n\n## North gate\n\nIt hangs at the north\nwall, 2 m up.\n"
    change = FileChange("docs/a.md", "", new)
    audits = (
        audit("broken", correct_contains=["North wall"]),
        audit("heading", correct_contains_any=["north GATE", "east gate"]),
        audit("pattern", correct_matches=[r"\d m\b"]),
        audit("forbidden", response_not_contains=["hangs"]),
        audit("path", should_read=["docs/b.md"]),
        audit("vacuous", correct_contains=["the"]),
    )
    lines = {name: reasons[0][2] for name, reasons in of(change, *audits).items()}
    assert lines == {"broken": 5, "heading": 3, "pattern": 6, "forbidden": 5}


def test_a_placement_tells_gained_lost_and_moved() -> None:
    """The map says more than the passage, and that a line has another number is nothing."""
    change = FileChange("AGENTS.md", GUIDE, f"{GUIDE}\nMore.\n")
    before = mapped(
        placed("gained", "x y"),
        placed("lost", "x y", ("AGENTS.md", 3, "always")),
        placed("moved", "x y", ("docs/a.md", 3, "referenced")),
        placed("elsewhere", "x y", ("docs/a.md", 3, "present")),
        placed("same", "x y", ("docs/a.md", 3, "present")),
    )
    after = mapped(
        placed("gained", "x y", ("AGENTS.md", 7, "always")),
        placed("lost", "x y"),
        placed("moved", "x y", ("docs/a.md", 3, "present")),
        placed("elsewhere", "x y", ("docs/b.md", 1, "present")),
        placed("same", "x y", ("docs/a.md", 9, "present"), ("docs/b.md", 9, "present")),
    )
    audits = [audit(name) for name in ("same", "elsewhere", "moved", "lost", "gained")]
    assert of(change, *audits, before=before, after=after) == {
        "gained": [("gained", "AGENTS.md", 7)],
        "lost": [("lost", "AGENTS.md", 3)],
        "elsewhere": [("moved", "docs/b.md", 1)],
        "moved": [("moved", "docs/a.md", 3)],
    }


def test_alternatives_are_one_choice() -> None:
    """Of several words that all are right one that goes while a nearer one stays loses nothing."""

    def both(*second: Place) -> KnowledgeMap:
        options = ("first", (Place(path="AGENTS.md", line=1, layer="always"),)), ("second", second)
        wanted = tuple(
            WantedPlaces(wanted=Wanted(check="correct_contains_any", text=text, choice=1), places=places)
            for text, places in options
        )
        return mapped(Placement(audit_id="a", file="audits/a.yaml", expected_level="", wanted=wanted))

    change = FileChange("docs/b.md", "other", "another")
    assert of(change, audit("a"), before=both(Place(path="docs/b.md", line=1, layer="present")), after=both()) == {}


def test_the_last_trace_tells_what_was_read_tried_and_loaded() -> None:
    """Read, found by wildcard, tried in vain, loaded on a condition; what is always there comes last."""
    card = LoadedFile(path=".claude/rules/card.md", layer="conditional", text="x")
    trace = make(
        read("docs/a.md"), bash("cat notes/*.md"), guidance=(LoadedFile(path="AGENTS.md", layer="always"), card)
    )
    last = {"asked": opened(trace)}
    for path, because in (
        ("docs/a.md", "read"),
        ("notes/x.md", "read"),
        (".claude/rules/card.md", "read"),
        ("AGENTS.md", "always"),
    ):
        found = of(FileChange(path, None, "new words"), audit("asked"), audit("never"), opened=last)
        assert found["asked"][0][:2] == (because, path)
        assert "never" not in found
    assert of(FileChange("docs/c.md", None, "x"), audit("a", should_read=["docs/c"])) == {
        "a": [("read", "docs/c.md", 1)]
    }


def test_likeliest_first_and_whitespace_last() -> None:
    """Every audit of the folder is touched by what always loads, but those that hang on the passage come first."""
    audits = [audit("any"), audit("reads", should_read=["docs/a.md"]), audit("wall", correct_contains=["north wall"])]
    known = mapped(*(placed(one.id, "nothing") for one in audits), always=("AGENTS.md",))
    guide = FileChange("AGENTS.md", GUIDE, GUIDE.replace("north", "south"))
    blank = FileChange("docs/a.md", "two words", "two\nwords\n")
    touches = told(touched([guide, blank], subjects(audits, after=known)))
    assert list(touches) == ["wall", "reads", "any"]
    assert touches["wall"] == [("literal", "AGENTS.md", 3), ("always", "AGENTS.md", 3)]
    assert touches["reads"] == [("always", "AGENTS.md", 3), ("read", "docs/a.md", 0)]
    again = FileChange("AGENTS.md", GUIDE, GUIDE.replace("\n", " \n"))
    assert of(again, *audits, after=known)["wall"] == [("always", "AGENTS.md", 0)]


def test_what_a_fixture_stages_itself_does_not_reach_the_audit() -> None:
    """The trial lays its own file over the one that was edited."""
    change = FileChange("docs/a.md", None, "north wall")
    staged = audit("staged", fixture={"docs/a.md": "east wall"}, correct_contains=["north wall"])
    assert of(change, staged) == {}


def test_the_map_answers_for_patterns_and_near_passages() -> None:
    """No pattern is searched where the map has looked: a thing it places in a changed line is there, another is not."""
    change = FileChange("AGENTS.md", GUIDE, GUIDE.replace("north", "south"))
    asked = audit("a", correct_matches=["south|never"])
    here = mapped(placed("a", "south|never", ("AGENTS.md", 3, "always"), pattern=True))
    elsewhere = mapped(placed("a", "south|never", ("AGENTS.md", 5, "always"), pattern=True))
    assert of(change, asked, before=elsewhere, after=here)["a"][0] == ("literal", "AGENTS.md", 3)
    assert of(change, asked, before=elsewhere, after=elsewhere) == {}
    near = mapped(placed("a", "hangs on the north side", near=3))
    assert of(change, audit("a"), after=near) == {"a": [("literal", "AGENTS.md", 3)]}


def test_a_pattern_that_takes_too_long_touches_rather_than_hides() -> None:
    """Nothing is known of it, so it may."""
    change = FileChange("AGENTS.md", None, "a" * 40)
    (touch,) = touched([change], [Subject(audit("slow", correct_matches=["(a+)+b"]))])
    assert "too long" in touch.reasons[0].told


_REST = b"expected_level: knows_directly, watch_for: it"
CORPUS = b"""
deny: [secret]
tests:
  - {id: same, prompt: "One?", REST}
  - {id: asked, prompt: "Two?", REST}
  - {id: staged, prompt: "Three?", fixture: {a.md: x, b.md: y}, REST}
  - {id: checked, prompt: "Four?", correct_contains: [four], REST}
""".replace(b"REST", _REST)


def test_edits_of_a_corpus_are_told_entry_by_entry() -> None:
    """An entry, a fixture, a check, a new audit, a setting of all; notes, tags, samples and comments are no edit."""
    old = parse(CORPUS, "a.yaml")
    text = CORPUS.replace(b"Two?", b"Two, then?").replace(b"a.md: x", b"a.md: z").replace(b"[four]", b"[vier]")
    text = (
        text.replace(b'prompt: "One?"', b'prompt: "One?", samples: {right: [one]}, notes: seen, tags: [t]').replace(
            b'prompt: "Two, then?"', b'prompt: "Two, then?", notes: seen'
        )
        + b'  - {id: new, prompt: "x", %s}\n' % _REST
    )

    def told_of(now: bytes) -> dict[str, list[tuple[str, str]]]:
        found = edited(old, parse(now, "a.yaml"))
        return {name: [(r.because, r.told) for r in reasons] for name, reasons in found.items()}

    assert told_of(text) == {
        "asked": [("entry", "its `prompt` was edited")],
        "staged": [("fixture", "its fixture was edited: a.md")],
        "checked": [("entry", "its `correct_contains` was edited")],
        "new": [("entry", "it is new")],
    }
    settings = told_of(CORPUS.replace(b"secret", b"hidden"))
    assert set(settings) == {"same", "asked", "staged", "checked"}
    assert settings["same"] == [("entry", "`deny` of a.yaml was edited")]
    assert edited(None, old).keys() == {"same", "asked", "staged", "checked"}
    edits = {"asked": (Reason("entry", "a.yaml", 5),)}
    assert told(touched([], subjects(old.audits, edits=edits))) == {"asked": [("entry", "a.yaml", 5)]}


_LINES = st.lists(st.sampled_from(["# Head", "one two", "- item", "", "three", "```", "| a |"]), max_size=14)


@given(_LINES, _LINES)
def test_changed_stretches_are_exactly_what_differs(one: list[str], other: list[str]) -> None:
    """Equal words mean no change, and each changed stretch quotes the lines it names."""
    before, after = "\n".join(one), "\n".join(other)
    found = changed("a.md", before, after)
    assert not changed("a.md", before, before)
    if before.split() != after.split():
        assert found
    for text, side in ((before, found.before), (after, found.after)):
        lines = text.split("\n")
        for stretch in side:
            assert stretch.text == "\n".join(lines[stretch.line - 1 : stretch.end_line])


def test_an_edit_among_600_audits_is_placed_at_once() -> None:
    """A watch asks at every save; the bound is ten times the figure, as other tests run beside this one."""
    text = "\n\n".join(f"Thing {n} lies in drawer {n}." for n in range(400))
    change = FileChange("AGENTS.md", text, text.replace("in drawer 200.", "on shelf 200."))
    audits = [audit(f"a{n}", correct_contains=[f"drawer {n}."], correct_matches=[f"thing {n}\\b"]) for n in range(600)]
    known = mapped(
        *(placed(f"a{n}", f"thing {n}\\b", ("AGENTS.md", 2 * n + 1, "always"), pattern=True) for n in range(600)),
        always=("AGENTS.md",),
    )
    began = time.process_time()
    touches = touched([change], subjects(audits, before=known, after=known))
    assert time.process_time() - began < 0.5
    assert len(touches) == 600
    assert touches[0].audit_id == "a200"
