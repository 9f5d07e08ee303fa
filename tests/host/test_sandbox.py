import os
from pathlib import Path

import pytest

from workbench.host import sandbox
from workbench.host.processes import Completed, run
from workbench.host.trees import children

pytestmark = pytest.mark.skipif(not sandbox.available(), reason="no sandbox can be made here")


def confined(script: str, cwd: Path, writable: list[Path], hidden: list[Path]) -> Completed:
    argv = sandbox.confine(["sh", "-c", script], writable=writable, hidden=hidden)
    return run(argv, cwd=cwd, env={"PATH": os.environ["PATH"]}, timeout=20)


def own_children() -> list[str]:
    return [str(pid) for pid in children(os.getpid())]


def test_writing_works_in_the_open_folders_only(tmp_path: Path) -> None:
    inside, outside = tmp_path / "in", tmp_path / "out"
    inside.mkdir()
    outside.mkdir()
    done = confined(f"echo a > here && cat here; echo b > {outside}/there", inside, [inside], [])
    assert done.text.startswith("a\n")
    assert done.returncode != 0
    assert (list(inside.iterdir()), list(outside.iterdir())) == ([inside / "here"], [])


def test_hidden_places_are_shut_also_through_a_link_and_deeper_ones_stay_open(tmp_path: Path) -> None:
    key, folder = tmp_path / "key.yaml", tmp_path / "keys"
    work = folder / "deep" / "work"
    work.mkdir(parents=True)
    key.write_text("the answer")
    (folder / "other").write_text("the answer")
    (tmp_path / "link").symlink_to(key)
    hidden = [tmp_path / "link", folder, tmp_path / "absent"]
    done = confined(
        f"cat {key} {tmp_path}/link {folder}/other; cd /; ls {folder}; touch {work}/w", work, [work], hidden
    )
    assert "the answer" not in done.text
    assert done.text.endswith("deep\n")
    assert (work / "w").exists()
    assert key.read_text() == "the answer"


def test_other_processes_are_out_of_sight_and_its_own_end_with_it(tmp_path: Path) -> None:
    done = confined("ls /proc | grep -c '^[0-9]'; setsid sleep 600 &", tmp_path, [], [])
    assert done.returncode == 0
    assert int(done.text) < 6
    assert not any(b"sleep\x00600" in (Path("/proc") / pid / "cmdline").read_bytes() for pid in own_children())


def test_a_program_that_is_no_sandbox_is_none(tmp_path: Path) -> None:
    assert sandbox.available().startswith("bubblewrap")
    assert sandbox.available("/bin/false") == ""
    assert sandbox.available(str(tmp_path / "absent")) == ""
