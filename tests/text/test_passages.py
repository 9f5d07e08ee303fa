"""Cutting documents into passages, and ranking these for a question."""

from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.text.passages import Index, Passage, split
from workbench.text.words import content_words

GUIDE = """\
---
title: Beekeeping
---
# Hives

Bees fly from
March on.

## Tools

Wear these when opening a hive:

- gloves, long ones
- a veil,
  closed at the neck

Light the smoker with:

```sh
smoke --cold

smoke --hot
```

| Month | Task |
|---|---|
| April | add a super |
| July | take honey |

Done.
"""


def found(text: str = GUIDE) -> list[tuple[int, int, str, str, str]]:
    return [(p.line, p.end_line, p.kind, p.heading, p.lead) for p in split("bees.md", text)]


def test_a_document_is_cut_where_its_thoughts_end() -> None:
    tools = "Hives › Tools"
    assert found() == [
        (2, 2, "header", "", ""),
        (6, 7, "prose", "Hives", ""),
        (13, 13, "item", tools, "Wear these when opening a hive:"),
        (14, 15, "item", tools, "Wear these when opening a hive:"),
        (17, 23, "code", tools, ""),
        (27, 27, "row", tools, "| Month | Task |"),
        (28, 28, "row", tools, "| Month | Task |"),
        (30, 30, "prose", tools, ""),
    ]


def test_a_nested_list_and_code_after_an_item_stay_with_what_announces_them() -> None:
    text = "1. Pack:\n   - a\n   - b\n   - c\n2. Ship it like this:\n\n```\nship\n```\n"
    assert [(p.line, p.end_line, p.lead) for p in split("x.md", text)] == [
        (1, 1, ""),
        (2, 2, "1. Pack:"),
        (3, 3, "1. Pack:"),
        (4, 4, "1. Pack:"),
        (5, 9, ""),
    ]


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            [
                "# A",
                "## B",
                "- item",
                "  - sub",
                "1. one",
                "text:",
                "text",
                "```",
                "~~~",
                "---",
                "| a |",
                "|--|",
                "",
                " ",
                "\t",
            ]
        )
        | st.text(max_size=12),
        max_size=25,
    ).map("\n".join)
)
def test_any_text_is_cut_into_lines_that_are_really_there(text: str) -> None:
    lines = text.split("\n")
    end = 0
    for passage in split("any.md", text):
        assert end < passage.line <= passage.end_line <= len(lines)
        assert passage.text == "\n".join(lines[passage.line - 1 : passage.end_line])
        end = passage.end_line


def test_a_question_finds_the_passage_that_says_it_in_other_forms() -> None:
    index = Index(split("bees.md", GUIDE))
    [best, *_] = index.rank(content_words("In which month is the honey taken?"))
    assert best.passage.line == 28
    assert best.words == {"month", "honey"}
    assert best.own == {"honey"}


def test_what_a_question_only_asks_with_finds_nothing() -> None:
    assert Index(split("bees.md", GUIDE)).rank(content_words("What should I do when this is there, and where?")) == []


@settings(max_examples=100, deadline=None)
@given(st.text(alphabet=st.sampled_from("abc \"*()^-+:{}'.AND OR NOT NEAR") | st.characters(), max_size=40))
def test_no_question_is_search_syntax(question: str) -> None:
    ranked = Index([Passage("x.md", 1, 1, "", "abc AND NOT near")]).rank(content_words(question))
    assert all(r.passage.path == "x.md" for r in ranked)
