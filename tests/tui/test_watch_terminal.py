"""The flip board in a terminal: a file that is saved outside flips a row, and leaving leaves nobody behind."""

import os
import time
from pathlib import Path

from tests.projects import GUIDE, make_project
from tests.terminal import begun


def test_a_bench_that_watches_shows_what_a_save_broke_and_leaves_nobody_behind(tmp_path: Path) -> None:
    root = make_project(tmp_path / "shed")
    with begun(root, tmp_path) as terminal:
        terminal.send("w")
        terminal.wait(rb"4/4")
        since = len(terminal.output)
        (root / "AGENTS.md").write_text(GUIDE.replace("north wall", "south wall"), "utf-8")
        terminal.wait("▼".encode(), since)
        terminal.wait(b"south", since)
        children = terminal.children()
        assert children, "somebody answers"
        since = len(terminal.output)
        terminal.send("\x11")
        deadline = time.monotonic() + 10
        while b"\x1b[?1049l" not in terminal.output[since:]:
            # A run that still writes its report is asked about first.
            terminal.rest(0.2)
            terminal.send("y")
            assert time.monotonic() < deadline
        while any(_lives(pid) for pid in children):
            terminal.rest(0.05)
            assert time.monotonic() < deadline, "a process is left"


def test_a_bench_whose_terminal_is_taken_away_ends_with_all_it_started(tmp_path: Path) -> None:
    root = make_project(tmp_path / "shed")
    with begun(root, tmp_path) as terminal:
        terminal.send("w")
        terminal.wait(rb"4/4")
        children = terminal.children()
        assert terminal.hang_up() == 0
        assert not any(_lives(pid) for pid in children)


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
        return b"Z (zombie)" not in Path(f"/proc/{pid}/status").read_bytes()
    except OSError:
        return False
