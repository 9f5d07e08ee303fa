"""Where answers stand: what checks compare, layer by layer, and what is said of it."""

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.guidance.conftest import Plant
from workbench.boxes.snapshot import take
from workbench.corpus.records import Audit
from workbench.guidance.ground import Viewpoint
from workbench.guidance.mapping import Mapper
from workbench.guidance.records import BoxMap, Placement
from workbench.guidance.wanted import wanted
from workbench.text.patterns import search_all

BOX = {
    "AGENTS.md": """\
# The shed

The ladder is at the north
wall. The shears are oiled on FRIDAY.

Bees: `docs/bees.md`.
""",
    "docs/bees.md": "# Bees\n\nThere are seven hives behind the shed.\n",
    "docs/frost.md": "# Frost\n\nCandles are lit at two degrees below zero.\n",
    "src/pump.py": "PRESSURE = 'four bar'\n",
}


def audit(level: str = "knows_directly", prompt: str = "What of it?", fixture: Any = None, **checks: Any) -> Audit:
    return Audit(id="a", prompt=prompt, expected_level=level, checks=checks, fixture=fixture or {}, file="k.yaml")


def mapped(root: Path, *audits: Audit, rules: str = "codex", cwd: str = ".") -> BoxMap:
    return Mapper().map("shed", take(root), Viewpoint(rules, cwd), audits)


def placed(plant: Plant, one: Audit, files: Mapping[str, str] | None = None, rules: str = "codex") -> Placement:
    return mapped(plant({**BOX, **(files or {})}), one, rules=rules).placements[0]


def test_every_literal_is_a_choice_of_its_own_and_the_list_of_any_is_one() -> None:
    found = wanted(audit(correct_contains=["a1", "", "b1"], correct_contains_any=["c1", "d1"], correct_matches=["e1+"]))
    assert [(one.text, one.pattern, one.choice) for one in found] == [
        ("a1", False, 0),
        ("b1", False, 2),
        ("c1", False, 3),
        ("d1", False, 3),
        ("e1+", True, 4),
    ]
    assert wanted(audit(correct_matches=["(unclosed"], should_read=["docs/"])) == ()


@pytest.mark.parametrize(
    ("level", "literal", "taught", "told"),
    [
        ("knows_directly", "oiled on Friday", "as_expected", "taught where expected: AGENTS.md:4"),
        (
            "knows_directly",
            "seven hives",
            "deeper",
            "taught deeper than expected: docs/bees.md:3, named in AGENTS.md:6",
        ),
        ("knows_about", "seven hives", "as_expected", "taught where expected: docs/bees.md:3, named in AGENTS.md:6"),
        ("discoverable", "two degrees", "as_expected", "taught where expected: docs/frost.md:3"),
        ("discoverable", "seven hives", "nearer", "taught nearer than expected: docs/bees.md:3, named in AGENTS.md:6"),
        ("knows_about", "four bar", "deeper", "outside the guidance, deducible at best: src/pump.py:1"),
        ("deducible", "four bar", "as_expected", "taught where expected: src/pump.py:1"),
        ("does_not_know", "twelve geese", "as_expected", "stands nowhere, as expected"),
        ("knows_it_does_not_know", "twelve geese", "as_expected", "stands nowhere, as expected"),
        ("knows_it_does_not_know", "oiled on Friday", "as_expected", "taught where expected: AGENTS.md:4"),
        ("improvised", "seven hives", "nearer", "taught nearer than expected: docs/bees.md:3, named in AGENTS.md:6"),
        ("knows_about", "twelve geese", "nowhere", "stands nowhere: researchable at best"),
        ("of_my_own", "seven hives", "unplaced", "stands in docs/bees.md:3, named in AGENTS.md:6"),
    ],
)
def test_the_place_is_compared_with_the_level(plant: Plant, level: str, literal: str, taught: str, told: str) -> None:
    placement = placed(plant, audit(level, correct_contains=[literal]))
    assert (placement.taught, placement.told) == (taught, told)


def test_the_farthest_choice_decides_and_of_alternatives_the_nearest(plant: Plant) -> None:
    both = placed(plant, audit(correct_contains=["ladder", "seven hives"]))
    assert (both.layer, both.place and both.place.path) == ("referenced", "docs/bees.md")
    either = placed(plant, audit(correct_contains_any=["seven hives", "shears"]))
    assert (either.layer, either.taught) == ("always", "as_expected")
    half = placed(plant, audit(correct_contains=["ladder", "twelve geese"]))
    assert (half.layer, half.place, half.taught) == ("absent", None, "nowhere")
    assert half.told == "`twelve geese` stands nowhere (1 of 2): researchable at best"
    assert half.wanted[0].places[0].layer == "always"


def test_nowhere_is_said_of_what_was_searched_alone(plant: Plant) -> None:
    """A file is read up to a limit: what stands past it may be there all the same."""
    long = {"data/trees.csv": "row\n" * 70_000 + "twelve geese\n"}
    for level, told in (
        ("knows_about", "stands nowhere that was searched: researchable at best"),
        ("does_not_know", "stands nowhere that was searched, as expected"),
    ):
        assert placed(plant, audit(level, correct_contains=["twelve geese"]), long).told == told
    assert placed(plant, audit(correct_contains=["oiled on Friday"]), long).told == "taught where expected: AGENTS.md:4"


SKILL = "---\nname: press\ndescription: >\n  Run the press\n  on a Saturday.\n---\nWash the sacks first.\n"


@pytest.mark.parametrize(
    ("path", "cwd", "literal", "told"),
    [
        ("S/press", ".", "Saturday", "taught where expected: S/press/SKILL.md:5, description of skill press"),
        ("S/press", "docs", "Saturday", "taught where expected: S/press/SKILL.md:5, description of skill press"),
        ("S/press", ".", "sacks", "taught deeper than expected: S/press/SKILL.md:7, skill press"),
        ("docs/S/press", ".", "Saturday", "taught deeper than expected: docs/S/press/SKILL.md:5, skill press"),
    ],
)
def test_what_a_skill_is_for_is_known_before_it_is_opened(
    plant: Plant, path: str, cwd: str, literal: str, told: str
) -> None:
    path, told = (text.replace("S/", ".claude/skills/") for text in (path, told))
    root = plant({**BOX, "CLAUDE.md": "@AGENTS.md\n", f"{path}/SKILL.md": SKILL})
    found = mapped(root, audit(correct_contains=[literal]), rules="claude", cwd=cwd).placements[0]
    assert found.told == told
    bare = plant({**BOX, ".agents/skills/oil/SKILL.md": "---\nname: oil\n---\n\n# Oil\n\nUse a rag.\n"})
    first, then = mapped(bare, audit(correct_contains=["Oil"]), audit(correct_contains=["rag"])).placements
    assert [place.layer for place in first.wanted[0].places if "skills" in place.path] == ["always", "conditional"]
    assert then.layer == "conditional"


def test_a_place_quotes_its_line_and_marks_what_was_found(plant: Plant) -> None:
    long = "word " * 60 + "the Gate stands open " + "word " * 60
    placement = placed(plant, audit(correct_contains=["gate stands"]), {"docs/frost.md": f"\n{long}\nGate stands\n"})
    one, two = placement.wanted[0].places
    assert (one.line, two.line, placement.wanted[0].count) == (2, 3, 2)
    assert one.quote[one.start : one.end] == "Gate stands"
    assert len(one.quote) <= 160


def test_words_over_a_line_break_are_near_and_not_there(plant: Plant) -> None:
    placement = placed(plant, audit(correct_contains=["the north wall"]))
    assert placement.taught == "nowhere"
    (near,) = placement.wanted[0].near
    assert (near.path, near.line, near.near) == ("AGENTS.md", 3, "but over a line break or with other blanks")
    assert placement.told.endswith("but over a line break or with other blanks: AGENTS.md:3")


def test_the_nearest_passage_is_shown_as_such_only_where_enough_is_shared(plant: Plant) -> None:
    close = placed(plant, audit(correct_contains=["hives stand behind sheds, seven"]))
    assert [(near.path, near.line, near.near) for near in close.wanted[0].near] == [
        ("docs/bees.md", 3, "about the same")
    ]
    pattern = placed(plant, audit(correct_matches=[r"(?!no )hives?\b.{0,9}\bseven|7 (?:€|hives)"]))
    assert [near.line for near in pattern.wanted[0].near] == [3]
    assert placed(plant, audit(correct_contains=["hives of brass and copper wire"])).wanted[0].near == ()


def test_patterns_are_searched_as_javascript_within_a_paragraph(plant: Plant) -> None:
    assert placed(plant, audit(correct_matches=[r"ladder\b[\s\S]*\bwall"])).told.endswith("AGENTS.md:3")
    assert placed(plant, audit("knows_about", correct_matches=[r"\bse(?:ven|pt)\s+HIVES\b"])).taught == "as_expected"
    apart = placed(plant, audit(correct_matches=[r"ladder[\s\S]*Bees"]))
    assert apart.taught == "nowhere"


def test_a_pattern_that_runs_away_says_so_and_holds_up_nobody_else(plant: Plant) -> None:
    runaway = audit(correct_matches=[r"(a|aa)+$"])
    found = placed(plant, runaway, {"docs/frost.md": "a" * 4000 + "b\n"})
    assert found.taught == "unplaced"
    assert found.told.startswith("cannot tell where it stands: the pattern was still running")
    assert found.wanted[0].unsearched


def test_what_the_question_says_already_is_told(plant: Plant) -> None:
    given = placed(
        plant, audit(prompt="Is it SEVEN hives?", correct_contains=["seven hives"], correct_matches=["hives?"])
    )
    assert given.in_prompt
    assert given.told.endswith("; also in the prompt")
    half = placed(plant, audit(prompt="Seven?", correct_contains=["seven", "hives"]))
    assert not half.in_prompt
    assert [one.in_prompt for one in half.wanted] == [True, False]


def test_what_is_cut_off_does_not_load(plant: Plant) -> None:
    filler = "Something else is told here.\n" * 1500
    cut = placed(plant, audit(correct_contains=["twelve geese"]), {"AGENTS.md": f"{filler}There are twelve geese.\n"})
    assert cut.layer == "present"
    assert cut.place is not None
    assert cut.place.via.startswith("past line ")
    header = {"CLAUDE.md": "---\nowner: the keeper\n---\nHello.\n\n<!-- twelve geese -->\n\nSix hens.\n"}
    for literal, layer in (("the keeper", "present"), ("twelve geese", "present"), ("six hens", "always")):
        assert placed(plant, audit(correct_contains=[literal]), header, rules="claude").layer == layer


def test_an_audits_own_files_are_part_of_its_box_and_of_no_other(plant: Plant) -> None:
    staged = audit(correct_contains=["twelve geese"], fixture={"docs/geese.md": "twelve geese\n"})
    told = audit(correct_contains=["twelve geese"], fixture={"AGENTS.md": "There are twelve geese.\n"})
    other = audit(correct_contains=["twelve geese"])
    audits = [one.model_copy(update={"id": name}) for one, name in ((staged, "s"), (told, "t"), (other, "o"))]
    s, t, o = mapped(plant(BOX), *audits).placements
    assert s.place is not None
    assert (s.layer, s.place.path, s.place.via) == ("present", "docs/geese.md", "staged by the audit")
    assert (t.layer, t.taught) == ("always", "as_expected")
    assert o.layer == "absent"


def test_passages_nobody_asks_about_are_those_that_load_or_are_named(plant: Plant) -> None:
    known = mapped(plant(BOX), audit(correct_contains=["seven hives"]), audit(correct_contains=["the north wall"]))
    assert [(one.path, one.line) for one in known.unasked] == []
    known = mapped(plant({**BOX, "docs/bees.md": BOX["docs/bees.md"] + "\nSee.\n"}), audit(correct_contains=["geese"]))
    assert [(one.path, one.line, one.end_line, one.heading) for one in known.unasked] == [
        ("AGENTS.md", 3, 4, "The shed"),
        ("docs/bees.md", 3, 3, "Bees"),
    ]


def test_files_are_told_with_their_weight_and_the_audits_they_answer(plant: Plant) -> None:
    audits = [audit(correct_contains=[text]).model_copy(update={"id": text}) for text in ("seven", "hives", "four bar")]
    known = mapped(plant({**BOX, "src/other.py": "x = 1\n"}), *audits)
    told = {one.file.path: (one.file.layer, one.audits) for one in known.files}
    assert told == {
        "AGENTS.md": ("always", 0),
        "docs/bees.md": ("referenced", 2),
        "docs/frost.md": ("present", 0),
        "src/pump.py": ("outside", 1),
    }
    assert known.weight("always") == len(BOX["AGENTS.md"])


def test_bytes_that_are_no_text_hold_no_answer(plant: Plant) -> None:
    assert placed(plant, audit(correct_contains=["four geese"]), {"pump.bin": "\0\1 four geese"}).layer == "absent"


@pytest.mark.parametrize(
    ("begin", "middle", "end"), [("", "a", ""), ("", " ", ""), ("", "`", ""), ("north", "\n", "wall"), ("", "*_", "")]
)
def test_no_text_takes_long(plant: Plant, begin: str, middle: str, end: str) -> None:
    asked = audit(correct_contains=["north wall", "aab"], correct_matches=[r"north\s+wall", r"\d{4}-\d\d"])
    text = f"{begin}{middle * 100_000}{end}\n\nThe end.\n"
    begun = time.process_time()
    placed(plant, asked, {"AGENTS.md": text}, rules="claude")
    assert time.process_time() - begun < 5


def test_patterns_for_which_there_was_no_time_say_so_and_are_searched_the_next_time(
    plant: Plant, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, taken = audit(correct_matches=[r"seven\s+hives"]), take(plant(BOX))
    mapper, view = Mapper(), Viewpoint("codex")
    monkeypatch.setattr("workbench.guidance.finder.PATTERNS_SECONDS", -1.0)
    (late,) = mapper.map("shed", taken, view, [asked]).placements
    assert late.told.startswith("cannot tell where it stands: all patterns together took longer than")
    monkeypatch.undo()
    (found,) = mapper.map("shed", taken, view, [asked]).placements
    assert found.layer == "referenced"
    assert not found.wanted[0].unsearched


def test_what_was_not_searched_may_stand_nearer_than_what_was_found(plant: Plant) -> None:
    box = plant({**BOX, "docs/frost.md": "Lit at aab.\n"})
    slow, mapper, view = audit(correct_matches=["(a+)+b"]), Mapper(), Viewpoint("codex")
    assert mapper.map("shed", take(box), view, [slow]).placements[0].told.startswith("taught deeper than expected")
    (box / "AGENTS.md").write_text(f"{'a' * 40}!\nb\n", encoding="utf-8")
    found = mapper.map("shed", take(box), view, [slow]).placements[0]
    assert found.wanted[0].places[0].path == "docs/frost.md"
    assert (found.taught, found.place, found.layer) == ("unplaced", None, "absent")
    assert found.told.startswith("cannot tell where it stands")


def test_a_pattern_that_nobody_wants_any_more_takes_no_time(plant: Plant, monkeypatch: pytest.MonkeyPatch) -> None:
    def search(pattern: str, *rest: Any) -> Any:
        searched.append(pattern)
        return search_all(pattern, *rest)

    searched: list[str] = []
    monkeypatch.setattr("workbench.guidance.finder.search_all", search)
    box, mapper, view = plant(BOX), Mapper(), Viewpoint("codex")
    for pattern in ("(o+)+d", "sev(en)+"):
        searched.clear()
        (box / "AGENTS.md").write_text(f"{pattern}, food, seven\n", encoding="utf-8")
        mapper.map("shed", take(box), view, [audit(correct_matches=[pattern])])
        assert set(searched) == {pattern}
