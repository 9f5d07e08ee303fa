"""Templates outlive the runs of a reserve: a later run in the box writes what changed, and none leaves anything."""

import os
import subprocess
import sys
from pathlib import Path

from tests.runs.conftest import question
from workbench.boxes.disposal import sweep
from workbench.boxes.workspace import workspaces_base
from workbench.runs.campaign import start
from workbench.runs.plan import plan
from workbench.runs.reserve import Reserve
from workbench.runs.shelf import Shelf
from workbench.runs.store import load
from workbench.traces.reasons import Reason

ROOT = Path(__file__).parents[2]
KEEPER = """
import sys, time
from pathlib import Path
from workbench.boxes.snapshot import take
from workbench.boxes.workspace import Template, renew_template
from workbench.runs.shelf import Shelf

shelf, box = Shelf(), Path(sys.argv[1])
folder = shelf.place()
renew_template(take(box), folder)
Template.load(folder).copy("one").remove()
shelf.keep(box, folder)
print("ready", flush=True)
time.sleep(600)
"""


def folders() -> list[Path]:
    return sorted(Path(os.environ["TMPDIR"]).glob("boxes-*/*/template-*"))


def written(file: Path) -> tuple[int, int]:
    return file.stat().st_ino, file.stat().st_ctime_ns


async def asked(project: Path, box: Path, reserve: Reserve) -> str:
    """The reader's answer; why there is none, where there is none."""
    one = question("a0", "Where do the ladders lean?", box, correct_contains=["lean"])
    campaign = start(plan([one], reports=project / "reports", project=project, engine="reader"), reserve)
    await campaign.wait()
    run = load(campaign.folder)
    trace = run.trace("a0") if run.finished["a0"].trace else None
    return trace.reply if trace else str(run.finished["a0"].verdict.reason)


async def test_a_later_run_writes_what_changed_and_is_told_of_it(project: Path, box: Path, reserve: Reserve) -> None:
    assert "green shed" in await asked(project, box, reserve)
    (folder,) = folders()
    (spare,) = (folder / "copies").glob("*/box")
    same = [folder / "tree" / "notes.md", spare / "notes.md"]
    before = [written(file) for file in same]
    (box / "AGENTS.md").write_text("# Orchard\n\nLadders lean in the red barn.\n", encoding="utf-8")
    assert "red barn" in await asked(project, box, reserve)
    assert folders() == [folder]
    (spare,) = (folder / "copies").glob("*/box")
    assert [written(folder / "tree" / "notes.md"), written(spare / "notes.md")] == before
    await reserve.close()
    assert not list(Path(os.environ["TMPDIR"]).glob("boxes-*/*"))


async def test_no_trial_works_where_one_of_an_earlier_run_did(project: Path, box: Path, reserve: Reserve) -> None:
    for _ in range(2):
        await asked(project, box, reserve)
    traces = [load(folder).trace("a0") for folder in (project / "reports").iterdir() if folder.is_dir()]
    assert len({trace.meta.workspace for trace in traces}) == 2


async def test_what_could_not_be_brought_up_to_date_is_not_kept(project: Path, box: Path, reserve: Reserve) -> None:
    assert "green shed" in await asked(project, box, reserve)
    (folder,) = folders()
    away = box.rename(box.with_name("away"))
    assert await asked(project, box, reserve) == str(Reason.MISSING)
    assert not folders()
    away.rename(box)
    assert "green shed" in await asked(project, box, reserve)
    assert folders() != [folder]


async def test_a_killed_keeper_leaves_nothing_that_is_not_swept(box: Path) -> None:
    keeper = subprocess.Popen([sys.executable, "-c", KEEPER, box], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert keeper.stdout is not None
    assert keeper.stdout.readline() == "ready\n"
    assert len(folders()) == 1
    assert sweep(workspaces_base()) == 0
    keeper.kill()
    keeper.wait()
    keeper.stdout.close()
    assert sweep(workspaces_base()) == 1
    assert not list(Path(os.environ["TMPDIR"]).glob("boxes-*/*"))


def test_a_shelf_gives_each_box_its_own_and_keeps_no_more_than_a_few(tmp_path: Path) -> None:
    shelf = Shelf()
    box, other = tmp_path / "box", tmp_path / "other"
    places = [shelf.place() for _ in range(9)]
    assert [shelf.keep(box, place) for place in places] == [None] * 8 + [places[0]]
    assert shelf.take(other) is None
    assert [shelf.take(box) for _ in range(9)] == [*places[1:], None]
    shelf.remove()
