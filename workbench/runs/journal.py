"""The append-only record of a run: what was started, finished and regraded, in the order it happened."""

import functools
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from workbench.host import lines
from workbench.runs.records import JournalLine, RunResumed, TrialFinished, TrialRegraded, TrialStarted

FILE = "journal.jsonl"

Entry = TrialStarted | TrialFinished | TrialRegraded | RunResumed


class Journal:
    """The journal of one run; any number of processes may append to it and read it at the same time."""

    def __init__(self, run_folder: Path) -> None:
        self.path = run_folder / FILE

    def append(self, entry: Entry) -> None:
        """Write one line; what is more than a start is on the disk when this returns. Raises OSError."""
        lines.append(self.path, entry.model_dump_json().encode(), sync=not isinstance(entry, TrialStarted))

    def read(self) -> tuple[Entry, ...]:
        """Every entry, oldest first; lines torn by a kill, and kinds of other versions, are left out."""
        found = []
        for line in lines.read(self.path):
            try:
                found.append(_entries().validate_json(line))
            except ValidationError:
                continue
        return tuple(found)


@functools.cache
def _entries() -> TypeAdapter[Entry]:
    return TypeAdapter(JournalLine)
