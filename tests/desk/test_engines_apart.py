"""What each engine said last stands beside what was asked last."""

import asyncio
import json
import shutil
from pathlib import Path

from tests.projects import make_project
from workbench.desk.desk import Desk
from workbench.desk.records import AskRequest


def test_the_last_verdict_of_every_other_engine_is_kept(tmp_path: Path) -> None:
    root = make_project(tmp_path / "shed")
    desk = Desk.open(root)

    async def ask() -> str:
        live = desk.ask(AskRequest(("ladder-place", "oil-day")))
        await asyncio.wait_for(live.wait(), 60)
        return live.run_id

    first = asyncio.run(ask())
    earlier = root / "reports" / "2026-01-05T10-00-00-codex"
    shutil.copytree(root / "reports" / first, earlier)
    manifest = json.loads((earlier / "run.json").read_text("utf-8"))
    manifest |= {"run_id": earlier.name, "engine": "codex"}
    (earlier / "run.json").write_text(json.dumps(manifest), encoding="utf-8")
    journal = (earlier / "journal.jsonl").read_text("utf-8")
    (earlier / "journal.jsonl").write_text(journal.replace('"at":"20', '"at":"19'), encoding="utf-8")
    desk.reload()
    row = desk.sections()[0].rows[0]
    assert row.last is not None
    assert row.last.engine == "reader"
    assert [(other.engine, other.run_id) for other in row.others] == [("codex", earlier.name)]
