"""A file is written only as it was seen, and the diff shows every byte that differs."""

import os
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.host.files import sha256
from workbench.records.store import Moved, diff_unified, write


def test_a_file_that_moved_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "k.yaml"
    file.write_bytes(b"theirs\n")
    with pytest.raises(Moved, match=r"k\.yaml was changed .* [Rr]eload and draft again"):
        write(file, sha256(b"seen\n"), b"ours\n")
    assert file.read_bytes() == b"theirs\n"
    file.unlink()
    with pytest.raises(Moved, match="is gone"):
        write(file, sha256(b"seen\n"), b"ours\n")
    assert list(tmp_path.iterdir()) == []


def test_bytes_mode_and_link_stay(tmp_path: Path) -> None:
    file, link = tmp_path / "k.yaml", tmp_path / "link.yaml"
    old, new = b"\xef\xbb\xbfa: 1\r\n\tb", b"\xef\xbb\xbfa: 1\r\n# s\r\n\tb"
    file.write_bytes(old)
    file.chmod(0o640)
    link.symlink_to(file)
    write(link, sha256(old), new)
    assert file.read_bytes() == new
    assert file.stat().st_mode & 0o7777 == 0o640
    assert link.is_symlink()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["k.yaml", "link.yaml"]


def _append(path: Path, line: bytes, times: int, done: Connection) -> None:
    wins = 0
    while wins < times:
        data = path.read_bytes()
        try:
            write(path, sha256(data), data + line)
        except Moved:
            continue
        wins += 1
    done.send(wins)


def test_two_instances_lose_nothing(tmp_path: Path) -> None:
    file = tmp_path / "k.yaml"
    file.write_bytes(b"")
    context = get_context("fork")
    ends = [context.Pipe(duplex=False) for _ in range(3)]
    workers = [
        context.Process(target=_append, args=(file, b"%d\n" % number, 10, end[1])) for number, end in enumerate(ends)
    ]
    for worker in workers:
        worker.start()
    assert [end[0].recv() for end in ends] == [10, 10, 10]
    for worker in workers:
        worker.join()
    assert sorted(file.read_bytes().split()) == sorted([b"0", b"1", b"2"] * 10)
    assert os.listdir(tmp_path) == ["k.yaml"]


def test_the_diff_shows_line_ends_and_what_is_at_the_end_of_a_file() -> None:
    assert diff_unified(b"a\nb\r\n-- c", b"a\n# s\r\nb\r\n-- c\n", "k.yaml").split("\n") == [
        "--- a/k.yaml",
        "+++ b/k.yaml",
        "@@ -1,3 +1,4 @@",
        " a",
        "+# s␍",
        " b␍",
        "--- c",
        "\\ No newline at end of file",
        "+-- c",
    ]
    assert diff_unified(b"same\n", b"same\n", "k.yaml") == ""


def test_the_diff_cannot_steer_a_terminal() -> None:
    shown = diff_unified(b"", b"a\x1b[2J\xff\n", "k\x1b.yaml")
    assert "\x1b" not in shown
    assert shown.split("\n")[-1] == "+a␛[2J�"


_LINES = st.lists(st.sampled_from([b"a", b"b\r", b"", b"# Status", b"-- x", b"+y"]), max_size=8).map(b"\n".join)


@given(old=_LINES, new=_LINES)
def test_both_sides_can_be_read_back_from_the_diff(old: bytes, new: bytes) -> None:
    lines = diff_unified(old, new, "k").split("\n")
    assert (lines == [""]) is (old == new)
    for data, kept in ((old, " -"), (new, " +")):
        found = []
        for number, line in enumerate(lines):
            if number >= 2 and line[:1] in kept and line[:1]:
                torn = lines[number + 1 : number + 2] == ["\\ No newline at end of file"]
                found.append(line[1:].replace("␍", "\r") + ("" if torn else "\n"))
        if old != new and len(data.split(b"\n")) <= 3:  # so short that all of it is context
            assert "".join(found).encode() == data
