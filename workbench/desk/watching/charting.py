"""The map beside a watch: where answers stood before an edit, and where they stand after it."""

import asyncio
import logging
from dataclasses import dataclass
from pathlib import Path

from workbench.desk.records import DeskError
from workbench.desk.watching.corpora import News
from workbench.desk.watching.hands import Hands
from workbench.desk.watching.records import WatchRequest
from workbench.desk.watching.scene import Scene
from workbench.desk.watching.sight import Sight
from workbench.guidance.records import KnowledgeMap
from workbench.insight.impact import FileChange

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Maps:
    """Where answers stood before something changed, and where they stand since."""

    before: KnowledgeMap | None
    after: "asyncio.Task[KnowledgeMap | None]"

    def both(self) -> tuple[KnowledgeMap | None, KnowledgeMap | None]:
        """Both as far as they are there by now; without the later one the earlier tells of no change."""
        after = self.after.result() if self.after.done() and not self.after.cancelled() else None
        return self.before, after


class Chart:
    """Reads the map again when it is told to; nothing waits for it longer than it wants to."""

    def __init__(self, hands: Hands, scene: Scene, request: WatchRequest) -> None:
        self._hands, self._scene, self._engine = hands, scene, request.engine
        self._latest: asyncio.Task[KnowledgeMap | None] | None = None

    @property
    def known(self) -> KnowledgeMap | None:
        """The map as it was read last; None where that is under way, or came to nothing."""
        task = self._latest
        return task.result() if task is not None and task.done() and not task.cancelled() else None

    def read(self, sights: dict[Path, Sight]) -> "asyncio.Task[KnowledgeMap | None]":
        """Read the map as things lie now; the files on it are what is watched from then on."""
        self._latest = asyncio.create_task(self._read(sights), name="watch: map")
        return self._latest

    async def close(self) -> None:
        """Wait for no map any more."""
        if self._latest is not None:
            self._latest.cancel()
            await asyncio.gather(self._latest, return_exceptions=True)

    async def _read(self, sights: dict[Path, Sight]) -> KnowledgeMap | None:
        if not self._scene.asked:
            return None
        try:
            known = await self._hands.maps.read(tuple(self._scene.asked), engine=self._engine)
        except DeskError as error:
            _log.info("no map beside the watch: %s", error)
            return None
        await asyncio.to_thread(_heed, known, sights)
        return known


def _heed(known: KnowledgeMap, sights: dict[Path, Sight]) -> None:
    for box in known.boxes:
        if sight := sights.get(Path(box.root)):
            sight.take_in(one.file.path for one in box.files)


@dataclass(frozen=True, slots=True)
class Change:
    """What changed in one box, or of the corpora, at one moment."""

    at: str
    box: Path | None
    files: tuple[FileChange, ...]
    news: News
    maps: Maps
