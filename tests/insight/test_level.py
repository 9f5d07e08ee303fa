"""The level that acts show, and the note on what it rests on."""

from typing import Any

import pytest

from tests.traces.making import Call, bash, grep, make, read
from workbench.insight.level import admits, observe
from workbench.traces.records import LoadedFile

GUIDE = LoadedFile(path="AGENTS.md", layer="always", text="Eggs: see `docs/eggs.md`. The index is ./docs/index.md.")
RULE = LoadedFile(path=".claude/rules/hens.md", layer="conditional", via="hens/**", text="Seven hens.")
INDEX = "# Index\n- [hens](hens.md)\n- src/coop.py\n"


@pytest.mark.parametrize(
    ("steps", "level", "note"),
    [
        (["In the barn."], "knows_directly", "without reading"),
        ([Call("Write", {"file_path": "a.card"}), "Done."], "knows_directly", "without reading"),
        ([bash("date"), "Monday."], "knows_directly", "it ran date"),
        ([read("docs/eggs.md"), "Barn."], "knows_about", "docs/eggs.md"),
        ([bash("cat docs/eggs.md | grep barn"), "Barn."], "knows_about", "docs/eggs.md"),
        ([bash("grep -n barn docs/eggs.md"), "Barn."], "knows_about", "docs/eggs.md"),
        ([read("docs/index.md", INDEX), read("docs/hens.md"), "Seven."], "knows_about", "docs/index.md, docs/hens.md"),
        ([read("docs/index.md", INDEX), read("src/coop.py"), "Seven."], "knows_about", "src/coop.py"),
        ([[read("docs/index.md", INDEX), read("docs/hens.md")], "Seven."], "", "docs/hens.md, which nothing"),
        ([read("docs/hens.md"), "Seven."], "", "docs/hens.md, which nothing"),
        ([read("docs/eggs.md.bak"), "Barn."], "", "which nothing"),
        ([read("docs/eggs.md", error=True), "Barn."], "", "saw nothing"),
        ([read("hens/a.card", loads="hens/AGENTS.md"), "Seven."], "", "hens/a.card"),
        ([Call("Skill", {"skill": "hens"}), "Seven."], "knows_about", ".claude/skills/hens/SKILL.md"),
        ([grep("eggs"), read("docs/eggs.md"), "Barn."], "discoverable", "eggs"),
        ([bash("ls docs"), "Barn."], "discoverable", "docs"),
        ([bash("bbx search eggs"), "Barn."], "discoverable", "bbx search eggs"),
        ([Call("WebSearch", {"query": "eggs"}), grep("eggs"), "Barn."], "researchable", "eggs"),
        ([grep("eggs"), "I don't know where they go."], "knows_it_does_not_know", "does not know"),
        ([grep("eggs"), read("docs/eggs.md")], "", "said nothing"),
    ],
)
def test_what_was_done_shows_the_level(steps: list[Any], level: str, note: str) -> None:
    observed = observe(make(*steps, guidance=(GUIDE,)))
    assert observed.level == level
    assert note in observed.note


def test_a_path_in_the_question_is_named() -> None:
    trace = make(read("docs/eggs.md"), "Barn.", prompt="What does docs/eggs.md say?")
    assert observe(trace).level == "knows_about"


def test_what_came_with_a_read_that_was_asked_for_is_known_in_context() -> None:
    asked = read("hens/a.card")
    asked.guidance = (RULE,)
    observed = observe(make(asked, "Seven.", prompt="Read hens/a.card. How many hens are there?"))
    assert (observed.level, RULE.path in observed.note) == ("knows_directly", True)


def test_a_path_counts_as_named_from_the_folder_of_the_text_that_names_it() -> None:
    nested = LoadedFile(path="docs/AGENTS.md", layer="always", text="See eggs.md and ../src/coop.py.")
    assert observe(make(read("docs/eggs.md"), read("src/coop.py"), "Barn.", guidance=(nested,))).level == "knows_about"
    assert observe(make(read("eggs.md"), "Barn.", guidance=(GUIDE,))).level == ""


def test_guidance_that_came_with_a_result_can_be_followed_afterwards() -> None:
    first = read("docs/eggs.md")
    first.guidance = (LoadedFile(path="docs/CLAUDE.md", layer="conditional", text="Also hens.md."),)
    assert observe(make(first, read("docs/hens.md"), "Barn.", guidance=(GUIDE,))).level == "knows_about"


def test_a_conditional_layer_is_told_beside_knowing_directly() -> None:
    observed = observe(make("Seven.", guidance=(GUIDE, RULE)))
    assert observed.level == "knows_directly"
    assert ".claude/rules/hens.md" in observed.note


def test_answering_without_the_expected_reading_is_said() -> None:
    observed = observe(make("Barn.", guidance=(GUIDE,)), "knows_about")
    assert (observed.level, "expected to look up" in observed.note) == ("knows_directly", True)


@pytest.mark.parametrize(
    ("reply", "admitted"),
    [
        ("I don't know. The guidance does not say it.", True),
        ("I don’t know.", True),
        ("I couldn't find anything on this.", True),
        ("I was unable to locate it, sorry.", True),
        ("Sadly, I have no information about the press.", True),
        ("I don't have access to that.", True),
        ("In the barn.", False),
        ("You don't need to know where: use the barn.", False),
        ("The hens do not know.", False),
        ("I don't know of any better place than the barn.", False),
        ("If you don't find it there, ask.", False),
        ("I couldn't find a page on it, but AGENTS.md says the barn.", False),
        ("I couldn't find it in the index. " + "It is in the barn, though. " * 20, False),
        ("I don't know where it is. " + "The index names neither barn nor shed. " * 20, True),
        ("It is in the barn. " + "Mind the step. " * 20 + "I could not find a second place.", False),
    ],
)
def test_admitting_not_to_know(reply: str, admitted: bool) -> None:
    assert admits(reply) is admitted
