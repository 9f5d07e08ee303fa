"""The index of stored runs is a cache: one that another version made is rebuilt, not stumbled over."""

import sqlite3
from pathlib import Path

from tests.projects import make_project
from workbench.desk.desk import Desk


def test_an_index_of_another_version_is_replaced(tmp_path: Path) -> None:
    root = make_project(tmp_path / "shed")
    index = root / "reports" / ".index.sqlite"
    with sqlite3.connect(index) as old:
        old.executescript("create table runs (run_id text); create table trials (at text); pragma user_version = 1;")
    assert len(Desk.open(root).sections()) == 2
    assert len(Desk.open(root).sections()) == 2
    with sqlite3.connect(index) as new:
        assert new.execute("pragma user_version").fetchone()[0] > 1
