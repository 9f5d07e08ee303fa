"""Boxes that are nothing but texts, by layer."""

from pathlib import Path

from workbench.boxes.snapshot import Snapshot
from workbench.guidance.layers import layers
from workbench.guidance.records import FileLayer, Layers
from workbench.guidance.snapshot_tree import SnapshotTree


def lay(files: dict[str, str], rules: str = "claude", cwd: str = ".", extra: tuple[str, ...] = ()) -> Layers:
    """The layers of a box that is nothing but these texts."""
    return layers(SnapshotTree(Snapshot(Path("/nowhere"), ()), files), cwd, rules, extra)


def told(found: Layers, *names: str) -> dict[str, tuple[str, str]]:
    """Path → layer and way, of the files in some layers."""
    return {file.path: (file.layer, file.via) for file in found.files if file.layer in names}


def faults(found: Layers) -> list[tuple[str, str, int, str]]:
    """Kind, file, line and target of each."""
    return [(fault.fault, fault.path, fault.line, fault.target) for fault in found.faults]


def of(found: Layers, path: str) -> FileLayer:
    """One file's layer."""
    return next(file for file in found.files if file.path == path)
