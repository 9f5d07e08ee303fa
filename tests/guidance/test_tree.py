"""Guidance is read out of a box that changes meanwhile."""

import os
from pathlib import Path

from workbench.boxes.snapshot import take
from workbench.guidance.snapshot_tree import SnapshotTree


def test_guidance_that_becomes_a_pipe_after_it_was_listed_is_not_waited_for(tmp_path: Path) -> None:
    (tmp_path / "AGENTS.md").write_text("A text of its own, read nowhere else.", encoding="utf-8")
    tree = SnapshotTree(take(tmp_path))
    (tmp_path / "AGENTS.md").unlink()
    os.mkfifo(tmp_path / "AGENTS.md")
    assert tree.text("AGENTS.md") is None
