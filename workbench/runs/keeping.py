"""What a campaign writes down and tells: manifest, journal, tally, events; the disk first, then the subscribers."""

import asyncio
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from workbench import __version__
from workbench.host.files import write_atomic
from workbench.runs.coalesce import Coalescer
from workbench.runs.contents import add
from workbench.runs.folder import MANIFEST
from workbench.runs.identity import stamp
from workbench.runs.journal import Entry, Journal
from workbench.runs.records import BoxContents, BoxRecord, Manifest, RunResumed, Tally, TrialFinished, TrialStarted


class Keeper:
    """Keeps one run while it runs. `stop`, once set, is called when the disk does not take it any more."""

    def __init__(
        self,
        folder: Path,
        record: Manifest,
        *,
        earlier: Iterable[TrialFinished] = (),
        paid: Iterable[TrialFinished] = (),
        resumed: bool = False,
    ) -> None:
        """`earlier` trials stand as they are; those in `paid` are asked again, and only their cost counts."""
        self.folder, self.manifest = folder, record
        self.tally = Tally(planned=len(record.trials))
        for finished in earlier:
            self.tally = self.tally.plus(finished)
        for finished in paid:
            self.tally = self.tally.spent(finished)
        self.error = ""
        """Why the run had to stop; empty while all is well."""
        self.events = Coalescer()
        self.journal = Journal(folder)
        self.stop: Callable[[], None] = lambda: None
        self._resumed, self._told = resumed, False

    async def keep(self, entry: Entry) -> bool:
        """Journal an entry and tell it; False when it is not kept."""
        if self.error:
            return False
        try:
            await asyncio.to_thread(self.journal.append, entry)
        except OSError as error:
            self._fail(self.journal.path, error)
            return False
        if isinstance(entry, TrialFinished):
            self.tally = self.tally.plus(entry)
        if isinstance(entry, TrialStarted | TrialFinished):
            self.events.add(entry)
        if isinstance(entry, TrialFinished) and not self._told:
            self._told = True
            self.events.flush()  # the first verdict waits for no batch: it is what everybody looks for
        return True

    async def know(
        self,
        boxes: dict[str, BoxRecord],
        engine_version: str,
        corpora: dict[str, str],
        contents: Mapping[str, BoxContents],
    ) -> None:
        """Keep the state of boxes, engine and corpora: in the manifest, or as an entry of a run that was resumed."""
        await asyncio.to_thread(add, self.folder, contents)
        if self._resumed:
            entry = RunResumed(at=stamp(), workbench_version=__version__, engine_version=engine_version)
            await self.keep(entry.model_copy(update={"boxes": boxes, "corpus_hashes": corpora}))
            return
        known = {**self.manifest.boxes, **boxes}
        self.manifest = self.manifest.model_copy(update={"boxes": known, "engine_version": engine_version})
        try:
            await asyncio.to_thread(write_manifest, self.folder, self.manifest)
        except OSError as error:
            self._fail(self.folder / MANIFEST, error)

    def _fail(self, path: Path, error: OSError) -> None:
        if not self.error:
            self.error = (
                f"{path} cannot be written: {error.strerror}; what is finished is kept, "
                f"so mend that and go on with `workbench run --resume {self.folder.name}`"
            )
            self.stop()


def write_manifest(folder: Path, record: Manifest) -> None:
    """Write `run.json` in one step; raises OSError."""
    write_atomic(folder / MANIFEST, record.model_dump_json(indent=1).encode())
