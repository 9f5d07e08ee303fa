"""Text wrapped to rows: nothing is lost, nothing is too wide."""

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from workbench.tui.transcript.words import Words, clip, shown

NARROW = st.sampled_from([1, 2, 7, 20, 80])
TEXT = st.text(alphabet=st.sampled_from("ab cd  \n\t漢字é́😀-") | st.characters(codec="utf-8"), max_size=200).map(shown)


@given(TEXT, NARROW)
def test_rows_and_joints_are_the_text(text: str, width: int) -> None:
    words = Words(text)
    rows = range(words.layout(width))
    spans = [words.span(row) for row in rows]
    pieces = [text[start:end] + (words.joint(row) if row + 1 in rows else "") for row, (start, end) in enumerate(spans)]
    assert "".join(pieces) == text


@given(TEXT, st.integers(2, 40))
def test_no_row_is_wider_than_asked(text: str, width: int) -> None:
    words = Words(text)
    for row in range(words.layout(width)):
        start, end = words.span(row)
        assert cell_len(text[start:end]) <= width


@given(TEXT.filter(bool), NARROW, st.data())
def test_an_offset_is_found_in_its_row(text: str, width: int, data: st.DataObject) -> None:
    words = Words(text)
    words.layout(width)
    offset = data.draw(st.integers(0, len(text) - 1))
    row = words.row_at(offset)
    assert words.span(row)[0] <= offset
    assert row + 1 == words.layout(width) or offset < words.span(row + 1)[0]


@given(st.text(max_size=60), st.integers(0, 60))
def test_what_is_shown_of_a_prefix_is_a_prefix(text: str, cut: int) -> None:
    assert shown(text).startswith(shown(text[:cut]).removesuffix("\n"))
    assert len(shown(text[:cut])) <= len(shown(text)) + 1


@given(TEXT.map(lambda text: text.replace("\n", " ")), st.integers(0, 30))
def test_a_clipped_line_fits(text: str, width: int) -> None:
    assert cell_len(clip(text, width)) <= width


def test_words_stay_whole_and_indentation_gains_no_empty_row() -> None:
    words = Words("one two three\n    " + "x" * 12)
    rows = [words.text[slice(*words.span(row))] for row in range(words.layout(9))]
    assert rows == ["one two", "three", "    xxxxx", "xxxxxxx"]
