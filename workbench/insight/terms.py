"""Under which conditions two sides were asked, and where these differ: beside it, every other difference pales."""

import posixpath
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from workbench.runs.records import BoxRecord, Manifest

NOTHING = "none"


@dataclass(frozen=True, slots=True)
class Difference:
    """One condition that is not the same on both sides."""

    name: str
    a: str
    b: str


def differences(a: Sequence[Manifest], b: Sequence[Manifest]) -> tuple[Difference, ...]:
    """What differs between the runs of two sides; a side of several runs tells every value once.

    Boxes are told for the corpora both sides asked, each state once.
    """
    if not a or not b:
        return ()
    pairs = [(name, _values(a, name), _values(b, name)) for name in _TERMS]
    files = {file for run in a for file in run.boxes} & {file for run in b for file in run.boxes}
    boxes = dict.fromkeys((_boxes(a, file), _boxes(b, file)) for file in sorted(files))
    pairs += [("box", *states) for states in boxes]
    return tuple(Difference(name, ours, theirs) for name, ours, theirs in pairs if ours != theirs)


def box_state(box: BoxRecord) -> str:
    """`orchard at 4f2a91c08 (HEAD~3)`; where no commit holds what lay there, a piece of the files' common hash."""
    commit = box.commit[:9]
    files = f"files {box.snapshot_hash[:7]}" if box.snapshot_hash and (box.dirty or not box.commit) else ""
    edits = ", ".join(filter(None, ("uncommitted edits" if box.dirty else "", files)))
    told = ", ".join(filter(None, (box.revision if box.revision != box.commit else "", edits)))
    name = posixpath.basename(box.path) if box.name == "." and box.path else box.name
    return f"{name}{f' at {commit}' if commit else ''}{f' ({told})' if told else ''}"


_TERMS: dict[str, Callable[[Manifest], str]] = {
    "engine": lambda run: run.engine,
    "engine version": lambda run: run.engine_version,
    "model": lambda run: run.model or "its default",
    "guidance rules": lambda run: run.rules,
    "agent command": lambda run: run.command_hash[:9],
    "hidden paths": lambda run: ", ".join(run.hide),
    "timeout": lambda run: f"{run.timeout:g} s",
    "workbench": lambda run: run.workbench_version,
}


def _values(runs: Sequence[Manifest], name: str) -> str:
    return ", ".join(dict.fromkeys(_TERMS[name](run) or NOTHING for run in runs))


def _boxes(runs: Sequence[Manifest], file: str) -> str:
    return ", ".join(dict.fromkeys(box_state(run.boxes[file]) for run in runs if file in run.boxes))
