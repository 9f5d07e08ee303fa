import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from workbench.boxes.base import workspaces_base
from workbench.boxes.disposal import passing_folder, sweep

_OWNER = """
import pathlib, subprocess, sys
from workbench.boxes.snapshot import take
from workbench.boxes.workspace import build_template
box, folder = map(pathlib.Path, sys.argv[1:])
workspace = build_template(take(box), folder).copy("trial")
child = subprocess.Popen(["sleep", "600"], cwd=workspace.root / "docs", start_new_session=True)
print(child.pid, flush=True)
sys.stdin.read()
"""


def _owner(box: Path, folder: Path) -> tuple[subprocess.Popen[str], int]:
    """A process with a template, a workspace and a child working in it."""
    process = subprocess.Popen(
        [sys.executable, "-c", _OWNER, box, folder], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout
    return process, int(process.stdout.readline())


def _alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().split()[2] != "Z"
    except OSError:
        return False


def test_a_sweep_clears_the_dead_and_leaves_the_living(box: Path, base: Path) -> None:
    living, living_child = _owner(box, base / "run-1" / "box")
    killed, orphan = _owner(box, base / "run-2" / "box")
    try:
        (base / "run-2" / "box" / "copies" / "shut").mkdir(mode=0)
        assert sweep(base) == 0
        killed.kill()
        killed.wait()
        assert _alive(orphan)
        assert sweep(base) == 1
        assert not _alive(orphan)
        assert not (base / "run-2").exists()
        assert _alive(living_child)
        assert (base / "run-1" / "box" / "copies").is_dir()
    finally:
        for process in (living, killed):
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout):
                assert pipe
                pipe.close()
        if _alive(living_child):
            os.kill(living_child, signal.SIGKILL)
    assert sweep(base) == 1
    assert list(base.iterdir()) == []


def test_a_sweep_of_nothing_is_nothing(tmp_path: Path) -> None:
    assert sweep(tmp_path / "absent") == 0


_READER = """
import sys
from workbench.boxes.disposal import passing_folder
with passing_folder() as folder:
    folder.mkdir()
    (folder / "AGENTS.md").write_text("Seven hives.")
    print(folder, flush=True)
    sys.stdin.read()
"""


def test_files_that_are_needed_for_a_while_are_gone_then_and_after_a_kill_with_the_next_sweep(
    base: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(base))
    with passing_folder() as folder:
        folder.mkdir()
        (folder / "AGENTS.md").write_text("Seven hives.")
        assert sweep(workspaces_base()) == 0
        assert (folder / "AGENTS.md").is_file()
    assert not folder.parent.exists()
    process = subprocess.Popen(
        [sys.executable, "-c", _READER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout
    left = Path(process.stdout.readline().strip())
    process.kill()
    process.wait()
    assert (left / "AGENTS.md").is_file()
    assert sweep(workspaces_base()) == 1
    assert not left.parent.exists()
