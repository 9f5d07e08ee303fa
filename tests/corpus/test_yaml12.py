"""YAML means what version 1.2 says it means."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.corpus.comments import find_comments
from workbench.corpus.outline import outline
from workbench.corpus.yaml12 import YamlError, compose, construct, duplicate_keys, load


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("017", 17),
        ("0o17", 15),
        ("0x1F", 31),
        ("-7", -7),
        ("1e3", 1000.0),
        (".5", 0.5),
        ("-.INF", -math.inf),
        ("true", True),
        ("FALSE", False),
        ("~", None),
        ("Null", None),
        ("", None),
        ("!!str 017", "017"),
        ('!!int "17"', 17),
        ('"true"', "true"),
        *((text, text) for text in ("yes", "No", "on", "OFF", "y", "tRue", "2026-08-22", "1:30", "1_000", "0b11")),
        *((text, text) for text in ("0o8", "0x", "1e", "+.nan", "<<", "=", "2026-08-22T10:00:00Z")),
    ],
)
def test_plain_scalars(text: str, value: object) -> None:
    assert load(f"k: {text}") == {"k": value}
    assert type(load(f"k: {text}")["k"]) is type(value)


def test_merge_keys_are_ordinary_and_a_mark_at_the_start_is_none() -> None:
    assert load("\ufeffa: &a {x: 1}\nb: {<<: *a}") == {"a": {"x": 1}, "b": {"<<": {"x": 1}}}
    assert load("# only a comment") is None


def test_duplicate_keys_are_equal_values_not_equal_spellings() -> None:
    node = compose("{1: a, 0x1: b, '1': c, x: {yes: 1, 'yes': 2, no: 3}}")
    assert node is not None
    assert sorted(str(key) for key, _ in duplicate_keys(node)) == ["1", "yes"]


@pytest.mark.parametrize(
    ("text", "line", "column", "advice"),
    [
        ("a:\n\tb: 1", 2, 1, "spaces"),
        ("é: x\nb: c: d", 2, 5, "quote"),
        ('a: "\\d"', 1, 5, "double the backslash"),
        ("a: *.md", 1, 5, "quote"),
        ("a: *none", 1, 4, "quote"),
        ("a: @x", 1, 4, "quote"),
        ("a: 'it's'", 1, 8, "''"),
        ("a: 1\n---\nb: 2", 2, 1, "---"),
        ("- a: 1\n   b: 2", 2, 5, "indentation"),
        ("a: !thing x", 1, 4, "remove"),
        ("a: " + "9" * 5000, 1, 4, "quote"),
        ("&a [*a]", 1, 1, "write it out"),
    ],
)
def test_an_error_says_where_and_what_to_do(text: str, line: int, column: int, advice: str) -> None:
    with pytest.raises(YamlError) as raised:
        load(text)
    assert (raised.value.line, raised.value.column) == (line, column)
    assert advice in raised.value.fix
    assert "\n" not in str(raised.value)


VALUES = st.sampled_from(
    ["tests:", "- id: a", "-", "- &x", "- |", "- >2", "n: |", "n: >-", "n: |+", 'n: "x', 'y"', "n: 'q"]
)
PIECES = st.sampled_from(
    [
        "q'",
        "text",
        "# === T ===",
        "# c",
        "#",
        "",
        "  ",
        "f: [a,",
        "b]",
        "f:",
        "a.md: |1",
        "a.md: &k |",
        "!!str",
        "&a",
        "a # b",
    ]
)
SOUP = st.lists(st.tuples(st.sampled_from([0, 0, 1, 2, 2, 3, 4, 6]), VALUES | PIECES), min_size=1, max_size=10)
BREAKS = st.sampled_from(["\n", "\n", "\n", "\r\n", "\r", "\x85", "\u2028"])


@given(SOUP, BREAKS)
def test_a_comment_is_what_can_change_without_changing_a_value(pieces: list[tuple[int, str]], line_break: str) -> None:
    text = line_break.join(" " * indent + piece for indent, piece in pieces)
    try:
        shape = outline(text)
        value = construct(shape.root) if shape.root is not None else None
    except YamlError:
        return
    comments = {comment.line for comment in find_comments(shape.lines, shape.root)}
    for number in range(len(shape.lines)):
        if shape.lines[number].lstrip().startswith("#"):
            end = shape.lines.end(number)
            try:
                same = load(f"{text[:end]}more{text[end:]}") == value
            except YamlError:
                same = False
            assert same == (number in comments)
