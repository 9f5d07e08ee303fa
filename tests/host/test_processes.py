import contextlib
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from workbench.host.processes import Completed, run

ENV = {"PATH": os.environ["PATH"]}


def sh(script: str, cwd: Path, **options: object) -> Completed:
    defaults: dict[str, object] = {"env": ENV, "timeout": 20.0}
    return run(["sh", "-c", script], cwd=cwd, **{**defaults, **options})  # type: ignore[arg-type]


def gone(pid: int) -> bool:
    """Whether a process is no more, or only a zombie; given a moment to become so."""
    return soon(lambda: not runs(pid))


def runs(pid: int) -> bool:
    """Whether a process is there and no zombie."""
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


def soon(holds: Callable[[], bool], seconds: float = 5.0) -> bool:
    """Whether something comes true before some seconds are over."""
    deadline = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > deadline:
            return False
        threading.Event().wait(0.005)
    return True


def test_a_command_gets_its_folder_input_and_environment_and_nothing_else(tmp_path: Path) -> None:
    done = sh(
        "pwd; cat; echo to stderr >&2; env | grep -v ^PWD= | grep -v ^_= | grep -v ^SHLVL=; exit 3",
        tmp_path,
        stdin=b"in\n",
    )
    assert done.text == f"{tmp_path.resolve()}\nin\nto stderr\nPATH={ENV['PATH']}\n"
    assert (done.returncode, done.timed_out, done.truncated) == (3, False, False)


def test_input_larger_than_a_pipe_reaches_a_command_that_answers_as_it_reads(tmp_path: Path) -> None:
    data = os.urandom(3_000_000)
    done = run(["cat"], cwd=tmp_path, env=ENV, stdin=data, timeout=20, output_limit=len(data))
    assert done.output == data
    assert sh("exec true", tmp_path, stdin=data).returncode == 0  # and one that does not read it is no trouble


def test_output_past_the_limit_is_dropped_while_the_command_goes_on(tmp_path: Path) -> None:
    done = sh("yes | head -c 5000000; touch finished", tmp_path, output_limit=10)
    assert (done.output, done.truncated, done.returncode) == (b"y\n" * 5, True, 0)
    assert (tmp_path / "finished").exists()


def test_what_cannot_start_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        run(["no-such-program-here"], cwd=tmp_path, env=ENV, timeout=1)
    with pytest.raises(OSError, match="absent"):
        run(["true"], cwd=tmp_path / "absent", env=ENV, timeout=1)


def test_a_command_out_of_time_dies_with_its_children_and_keeps_its_words(tmp_path: Path) -> None:
    done = sh("echo $$; sleep 600 & echo $!; trap '' TERM INT; wait", tmp_path, timeout=0.3)
    assert done.timed_out
    assert done.returncode == -signal.SIGKILL
    assert done.seconds < 5
    assert all(gone(int(pid)) for pid in done.text.split())


def test_a_background_child_neither_keeps_us_nor_survives(tmp_path: Path) -> None:
    begun = time.monotonic()
    done = sh("sleep 600 & echo $!", tmp_path)
    assert gone(int(done.text))
    done = sh("yes & yes & yes & yes & echo ended >&2", tmp_path)
    assert done.returncode == 0
    assert not done.timed_out
    done = sh("exec >&- 2>&-; sleep 0.1; exit 7", tmp_path)
    assert done.returncode == 7
    assert time.monotonic() - begun < 10


_ADOPTING = """
import os, sys, threading
from pathlib import Path
from workbench.host.processes import adopt_orphans, run
adopt_orphans()
"""


def python(code: str, cwd: Path) -> str:
    """Run code in a process of its own that adopts orphans; what it printed."""
    program = _ADOPTING + textwrap.dedent(code)
    done = subprocess.run([sys.executable, "-c", program], cwd=cwd, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_daemon_that_left_its_group_is_found_and_killed(tmp_path: Path) -> None:
    out = python(
        """
        daemon = "setsid sh -c 'setsid sleep 600 & echo $!; sleep 600' & sleep 0.2; exit 0"
        print(run(["sh", "-c", daemon], cwd=Path("."), env=dict(os.environ), timeout=20).text)
        """,
        tmp_path,
    )
    assert gone(int(out))


def test_one_commands_end_leaves_a_later_one_alone(tmp_path: Path) -> None:
    out = python(
        """
        def started(script):
            return run(["sh", "-c", script], cwd=Path("."), env=dict(os.environ), timeout=20)
        def early():
            started("touch early; while ! test -e later; do sleep 0.01; done")
            Path("over").touch()
        thread = threading.Thread(target=early)
        thread.start()
        while not Path("early").exists():
            pass
        done = started("touch later; while ! test -e over; do sleep 0.01; done; echo whole")
        thread.join()
        print(done.returncode, done.text.strip())
        """,
        tmp_path,
    )
    assert out == "0 whole\n"


def test_a_process_that_adopts_nobody_keeps_its_other_children(tmp_path: Path) -> None:
    with subprocess.Popen(["sleep", "600"], cwd=tmp_path) as other:
        sh("true", tmp_path)
        assert other.poll() is None
        other.kill()


def test_a_command_dies_with_whoever_started_it(tmp_path: Path) -> None:
    code = """
        script = "echo $$ > pid.tmp; mv pid.tmp pid; sleep 600"
        run(["sh", "-c", script], cwd=Path("."), env=dict(os.environ), timeout=600)
    """
    with subprocess.Popen([sys.executable, "-c", _ADOPTING + textwrap.dedent(code)], cwd=tmp_path) as owner:
        assert soon((tmp_path / "pid").exists)
        owner.kill()
    assert gone(int((tmp_path / "pid").read_text()))
