"""What the boxes of a run held, kept beside its manifest, so that it can be told later what has changed since."""

import contextlib
from collections.abc import Mapping
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from workbench.host.files import write_atomic
from workbench.runs.records import BoxContents, BoxRecord

FILE = "contents.json"

_Kept = TypeAdapter(dict[str, BoxContents])


def add(folder: Path, contents: Mapping[str, BoxContents]) -> None:
    """Keep contents under the names `state_of` gives their boxes, beside what is kept already.

    Nothing of the run hangs on it, so a disk that does not take it is no error.
    """
    with contextlib.suppress(OSError):
        write_atomic(folder / FILE, _Kept.dump_json({**read(folder), **contents}))


def read(folder: Path) -> dict[str, BoxContents]:
    """What is kept with a run; empty for one that keeps nothing, as runs of earlier versions do."""
    try:
        return _Kept.validate_json((folder / FILE).read_bytes())
    except (OSError, ValidationError):
        return {}


def state_of(box: BoxRecord) -> str:
    """The name of the state a box was in, as some engine's agents see it."""
    return f"{box.snapshot_hash}/{box.guidance_hash}"
