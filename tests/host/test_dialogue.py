import os
import subprocess
import sys
import textwrap
import time
from pathlib import Path
from typing import Any

import pytest

from tests.host.test_processes import gone, runs
from workbench.host import sandbox
from workbench.host.dialogue import Dialogue, Overdue, Stalled
from workbench.host.linebuffer import LINE_LIMIT

ENV = {"PATH": os.environ["PATH"]}
STUBBORN = """
import signal, sys, time
signal.signal(signal.SIGINT, signal.SIG_IGN)
signal.signal(signal.SIGTERM, signal.SIG_IGN)
print("ready", flush=True)
time.sleep(600)
"""
POLITE = """
import signal, sys
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
print("ready", flush=True)
signal.sigwait([signal.SIGINT])
print("x" * 300_000, flush=True)
sys.exit(7)
"""
ESCAPING = """
import subprocess, sys, time
child = subprocess.Popen(["sh", "-c", "trap '' INT TERM; sleep 600 & echo $!; wait"], start_new_session=True)
print(child.pid, flush=True)
time.sleep(600)
"""


def python(code: str, cwd: Path, **options: Any) -> Dialogue:
    return Dialogue.start([sys.executable, "-c", code], cwd=cwd, env=ENV, **options)


def sh(script: str, cwd: Path, **options: Any) -> Dialogue:
    return Dialogue.start(["sh", "-c", script], cwd=cwd, env=ENV, **options)


def hear(dialogue: Dialogue, seconds: float = 20.0, stall: float = 20.0) -> list[bytes]:
    return list(dialogue.lines(time.monotonic() + seconds, stall))


def first(dialogue: Dialogue) -> bytes:
    return next(dialogue.lines(time.monotonic() + 20, 20))


def test_lines_come_as_they_are_said_with_the_torn_last_one_and_the_exit_status(tmp_path: Path) -> None:
    with sh("pwd; echo; echo oops >&2; printf torn; exit 3", tmp_path) as dialogue:
        assert hear(dialogue) == [str(tmp_path.resolve()).encode(), b"torn"]
    assert (dialogue.returncode, dialogue.stderr) == (3, "oops")


def test_both_sides_talk_and_neither_waits_for_a_full_pipe(tmp_path: Path) -> None:
    large = b"y" * 1_000_000
    with sh("cat; echo done", tmp_path, talk=True) as dialogue:
        for _ in range(3):
            dialogue.say(large)
        dialogue.close_input()
        assert hear(dialogue) == [large, large, large, b"done"]
    with sh("exit 0", tmp_path, talk=True) as deaf:
        deaf.say(large)
        assert hear(deaf) == []
    assert deaf.returncode == 0


def test_silence_and_lateness_are_told_apart_and_more_may_be_heard_after_either(tmp_path: Path) -> None:
    with sh("echo one; read x; echo $x; exec sleep 600", tmp_path, talk=True) as dialogue:
        with pytest.raises(Stalled):
            hear(dialogue, stall=0.2)
        dialogue.say(b"two")
        assert first(dialogue) == b"two"
        with pytest.raises(Overdue):
            hear(dialogue, seconds=0.1)


def test_a_flood_without_a_newline_is_held_within_bounds_and_given_up(tmp_path: Path) -> None:
    with sh("exec tr '\\0' x < /dev/zero", tmp_path) as flood, pytest.raises(Stalled):
        hear(flood, stall=0.3)
    longer = f"import sys; sys.stdout.write('x' * {LINE_LIMIT + 1} + '\\nshort\\n')"
    with python(longer, tmp_path) as dialogue:
        assert hear(dialogue) == [b"short"]


def test_a_program_that_ended_is_heard_to_its_end_though_a_child_holds_or_floods_its_pipe(tmp_path: Path) -> None:
    with sh("sleep 600 & echo last", tmp_path) as dialogue:
        assert hear(dialogue) == [b"last"]
    with sh("yes & exit 5", tmp_path) as flooded:
        assert set(hear(flooded)) <= {b"y"}
    assert (dialogue.returncode, flooded.returncode) == (0, 5)


def test_a_polite_program_ends_by_sigint_and_may_say_a_lot_on_the_way(tmp_path: Path) -> None:
    with python(POLITE, tmp_path) as dialogue:
        first(dialogue)
        dialogue.interrupt()
        assert [len(line) for line in hear(dialogue)] == [300_000]
    assert dialogue.returncode == 7
    with python(POLITE, tmp_path) as unheard:
        first(unheard)
    assert unheard.returncode == 7


def test_a_stubborn_program_is_killed(tmp_path: Path) -> None:
    dialogue = python(STUBBORN, tmp_path)
    first(dialogue)
    dialogue.stop(patience=0.1)
    dialogue.stop()
    assert dialogue.returncode == -9


def test_what_left_its_group_dies_with_it(tmp_path: Path) -> None:
    with python(ESCAPING, tmp_path) as dialogue:
        pids = [int(first(dialogue)) for _ in range(2)]
        assert all(map(runs, pids))
    assert all(map(gone, pids))


def test_commands_beside_a_dialogue_leave_it_alone_and_its_orphans_end_with_it(tmp_path: Path) -> None:
    code = f"""
    import sys, time
    from pathlib import Path
    from workbench.host.dialogue import Dialogue
    from workbench.host.processes import adopt_orphans, run
    from workbench.host.trees import children
    adopt_orphans()
    script = "setsid sh -c 'setsid sleep 600 & echo $!' ; read x; echo $x"
    with Dialogue.start(["sh", "-c", script], cwd=Path("."), env={ENV!r}, talk=True) as dialogue:
        lines = dialogue.lines(time.monotonic() + 20, 20)
        orphan = int(next(lines))
        assert run(["true"], cwd=Path("."), env={ENV!r}, timeout=10).returncode == 0
        dialogue.say(b"alive")
        assert list(lines) == [b"alive"]
    assert not children(__import__("os").getpid())
    print(orphan)
    """
    program = [sys.executable, "-c", textwrap.dedent(code)]
    done = subprocess.run(program, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert gone(int(done.stdout))


@pytest.mark.skipif(not sandbox.available(), reason="no sandbox can be made here")
def test_signals_pass_by_a_sandbox_to_the_program_in_it(tmp_path: Path) -> None:
    argv = sandbox.confine([sys.executable, "-c", POLITE], writable=[])
    with Dialogue.start(argv, cwd=tmp_path, env=ENV, wrapped=True) as dialogue:
        first(dialogue)
        dialogue.interrupt()
        assert [len(line) for line in hear(dialogue)] == [300_000]
    assert dialogue.returncode == 7
