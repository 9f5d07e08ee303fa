"""What the list of runs shows, kept in one file beside the runs; it may be deleted at any time."""

import contextlib
import os
from collections.abc import Callable, Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from workbench.host.files import write_atomic
from workbench.runs.folder import MANIFEST, is_live
from workbench.runs.journal import FILE as JOURNAL
from workbench.runs.records import Tally

FILE = ".index.json"
_VERSION = 2


class Digest(BaseModel):
    """The little of a run that a list needs."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    started_at: str = ""
    engine: str = ""
    model: str = ""
    tally: Tally = Tally()
    damaged: str = ""
    """Why the run cannot be opened; empty when it can."""


class _Entry(BaseModel):
    signature: str
    digest: Digest


class _File(BaseModel):
    version: int = _VERSION
    runs: dict[str, _Entry] = {}


class Index:
    """Digests of runs by folder name, each good as long as manifest and journal have the same size and time."""

    def __init__(self, reports: Path) -> None:
        self._path = reports / FILE
        self._known: dict[str, _Entry] | None = None

    def digests(self, folders: Sequence[Path], compute: Callable[[Path], Digest]) -> dict[Path, Digest]:
        """The digest of every folder, computed where the known one is out of date."""
        known = self._known if self._known is not None else self._read()
        found: dict[str, _Entry] = {}
        stale = False
        for folder in folders:
            signature, entry = _signature(folder), known.get(folder.name)
            if entry is None or entry.signature != signature:
                entry = _Entry(signature=signature, digest=compute(folder))
                # A run that is going on will be out of date again at once.
                stale = stale or not is_live(folder)
            found[folder.name] = entry
        if stale or known.keys() - found.keys():
            self._write(found)
        self._known = found
        return {folder: found[folder.name].digest for folder in folders}

    def _read(self) -> dict[str, _Entry]:
        try:
            file = _File.model_validate_json(self._path.read_bytes())
        except (OSError, ValidationError):
            return {}
        return file.runs if file.version == _VERSION else {}

    def _write(self, entries: dict[str, _Entry]) -> None:
        # A reports folder that cannot be written is still worth listing.
        with contextlib.suppress(OSError):
            write_atomic(self._path, _File(runs=entries).model_dump_json().encode())


def _signature(folder: Path) -> str:
    parts = []
    for name in (MANIFEST, JOURNAL):
        try:
            stat = os.stat(folder / name)
            parts.append(f"{stat.st_size}.{stat.st_mtime_ns}")
        except OSError:
            parts.append("-")
    return "/".join(parts)
