"""Traces survive the disk: what was written is read, a kill costs one line, secrets never get there."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.traces.making import Call, bash, make, read
from workbench.traces import store
from workbench.traces.records import Assertions, Change, Trace
from workbench.traces.store import TraceError, TraceWriter

CHANGES = (Change(path="a.card", kind="created", text="eggs"), Change(path="b.card", kind="deleted"))
TRACE = make("Let me look.", read("docs/eggs.md"), bash("ls"), "In the basket.", changes=CHANGES)


def write(path: Path, trace: Trace, redact: tuple[str, ...] = ()) -> Path:
    with TraceWriter(path, redact) as writer:
        writer.write(trace.meta)
        for record in (*trace.turns, *trace.changes):
            writer.write(record)
        if trace.assertions:
            writer.write(trace.assertions)
    return path


def test_a_trace_is_read_as_it_was_written(tmp_path: Path) -> None:
    assert store.read(write(tmp_path / "t.jsonl", TRACE)) == TRACE


@pytest.mark.parametrize("levels", [300, 900])
def test_arguments_that_nest_without_end_are_cut_where_they_could_not_be_written(levels: int, tmp_path: Path) -> None:
    nested: dict[str, object] = {}
    for _ in range(levels):
        nested = {"a": nested}
    trace = make(Call("Read", {"file_path": "docs/eggs.md", "options": nested}), "In the basket.")
    assert store.read(write(tmp_path / "t.jsonl", trace)) == trace
    assert (
        next(turn for turn in trace.turns if turn.role == "assistant").calls[0].arguments["file_path"] == "docs/eggs.md"
    )


def test_every_line_is_on_disk_before_the_next_is_written(tmp_path: Path) -> None:
    writer = TraceWriter(tmp_path / "t.jsonl")
    writer.write(TRACE.meta)
    writer.write(TRACE.turns[0])
    assert store.read(tmp_path / "t.jsonl").turns == TRACE.turns[:1]
    writer.close()
    writer.close()


def test_a_kill_at_any_byte_loses_at_most_the_line_being_written(tmp_path: Path) -> None:
    whole = write(tmp_path / "t.jsonl", TRACE).read_bytes()
    cut = tmp_path / "cut.jsonl"
    for length in range(whole.index(b"\n") + 1, len(whole), 7):
        cut.write_bytes(whole[:length])
        got = store.read(cut)
        assert got.turns == TRACE.turns[: len(got.turns)]
        assert len(got.turns) + len(got.changes) >= whole[:length].count(b"\n") - 1


def test_other_versions_records_blank_lines_and_a_mark_are_passed_over(tmp_path: Path) -> None:
    path = write(tmp_path / "t.jsonl", TRACE)
    lines = path.read_bytes().split(b"\n")
    lines[1:1] = [b"", b'{"type": "weather", "rain": true}']
    path.write_bytes(b"\xef\xbb\xbf" + b"\r\n".join(lines))
    assert store.read(path) == TRACE


@pytest.mark.parametrize(
    ("line", "text", "said"),
    [
        (1, '{"type": "turn", "role": "user", "turnIndex": 0, "content": []}', "first record must be a meta"),
        (2, '{"type": "turn", "role": "user", "turnIndex": "x", "content": []}', "turnIndex"),
        (2, "{", "one on each line"),
        (3, '{"type": "turn", "role": "user", "turnIndex": 0, "content": []}', "turnIndex 0 must be above 0"),
        (4, TRACE.meta.model_dump_json(), "a second meta record"),
    ],
)
def test_what_cannot_be_a_trace_is_told_with_its_line(tmp_path: Path, line: int, text: str, said: str) -> None:
    path = write(tmp_path / "t.jsonl", TRACE)
    lines = path.read_text().split("\n")
    lines.insert(line - 1, text)
    path.write_text("\n".join(lines))
    with pytest.raises(TraceError, match=said) as caught:
        store.read(path)
    assert (caught.value.path, caught.value.line) == (path, line)


def test_a_file_without_a_meta_record_is_no_trace(tmp_path: Path) -> None:
    (tmp_path / "t.jsonl").write_text("")
    with pytest.raises(TraceError, match="no meta record"):
        store.read(tmp_path / "t.jsonl")


def test_fixtures_are_held_to_the_letter(tmp_path: Path) -> None:
    whole = TRACE.model_copy(update={"assertions": Assertions(assertions=({"type": "x"},))})
    path = write(tmp_path / "t.jsonl", whole)
    assert store.read(path, strict=True) == whole
    gap = TRACE.model_copy(update={"turns": (TRACE.turns[0], TRACE.turns[2])})
    with pytest.raises(TraceError, match="turnIndex 2 must be 1"):
        store.read(write(path, gap), strict=True)
    with pytest.raises(TraceError, match="no assertions"):
        store.read(write(path, TRACE), strict=True)
    path.write_bytes(write(path, whole).read_bytes() + b'{"type": "weath')
    with pytest.raises(TraceError, match="one on each line"):
        store.read(path, strict=True)


def test_large_changes_lie_beside_the_trace(tmp_path: Path) -> None:
    text = "é" * (store.INLINE_LIMIT + 1)
    change = Change(path="big.txt", kind="modified", text=text)
    path = write(tmp_path / "t.jsonl", make("Done.", changes=(change,)))
    assert path.stat().st_size < 2000
    assert [blob.read_text() for blob in store.blob_folder(path).iterdir()] == [text]
    assert store.read(path).changes[0].text == text


@pytest.mark.parametrize("secret", ["hunter-2222", 'quo"te\\slash', "schlüssel-ä", "assistant", "toolCall", "content"])
def test_secrets_never_reach_the_disk(tmp_path: Path, secret: str) -> None:
    trace = make(f"It is {secret}.", bash(f"echo {secret}", f"{secret}\n"), prompt=f"What is {secret}?")
    long = Change(path="x", kind="created", text=f"{secret} " * 50_000)
    path = write(tmp_path / "t.jsonl", trace.model_copy(update={"changes": (long,)}), (secret, "", "abc"))
    got = store.read(path)
    assert [turn.turn_index for turn in got.turns] == [turn.turn_index for turn in trace.turns]
    assert secret not in got.meta.prompt
    assert secret not in str([turn.content for turn in got.turns]).replace("type='toolCall'", "")
    assert secret not in (got.changes[0].text or "")


def test_a_secret_in_the_name_of_an_argument_goes_too(tmp_path: Path) -> None:
    call = bash("x")
    call.arguments = {"token-123456": {"token-123456": ["token-123456"]}}
    path = write(tmp_path / "t.jsonl", make(call), ("token-123456",))
    assert "token-123456" not in path.read_text()
    store.read(path)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(st.characters(codec=None), max_size=40), secret=st.text(min_size=6, max_size=12))
def test_no_text_breaks_a_line(tmp_path: Path, text: str, secret: str) -> None:
    trace = make(text, bash(text, text))
    assert store.read(write(tmp_path / "t.jsonl", trace)) == trace
    store.read(write(tmp_path / "t.jsonl", trace, (secret,)))
