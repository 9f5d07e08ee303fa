"""What is wrong in a load chain: each fault at its file and line."""

from collections.abc import Sequence

from workbench.guidance.chain import Chain
from workbench.guidance.following import Text
from workbench.guidance.records import ChainFault
from workbench.guidance.snapshot_tree import SnapshotTree


def faults(tree: SnapshotTree, chain: Chain, texts: Sequence[Text]) -> tuple[ChainFault, ...]:
    return ()


def cut_after(kept: str, whole: str) -> int:
    """The last line that is whole in the first part of a text; 0 when nothing is missing."""
    return 0
