"""What a watch does between start and stop: it sees what changed, and has those asked whom that touches."""

import asyncio
import logging
from collections.abc import Callable, Coroutine, Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from workbench.desk.records import TrialSummary
from workbench.desk.watching.board import Board, told
from workbench.desk.watching.charting import Change, Chart, Maps
from workbench.desk.watching.corpora import Corpora, News
from workbench.desk.watching.eyes import Eyes
from workbench.desk.watching.hands import Hands
from workbench.desk.watching.lacking import lacking
from workbench.desk.watching.lane import Lane, Wish
from workbench.desk.watching.records import (
    CorpusBroken,
    CorpusMended,
    Edit,
    Edited,
    Flipped,
    FlipRow,
    Ready,
    Settled,
    Watched,
    WatchRequest,
    Withheld,
)
from workbench.desk.watching.scene import Scene, Who
from workbench.desk.watching.session import Session
from workbench.runs.identity import stamp

_log = logging.getLogger(__name__)


def _report(error: BaseException) -> None:
    _log.error("the watch cannot go on", exc_info=error)


class Minding:
    """The inside of a watch; `Watch` is its face. All methods belong to the event loop it was started on."""

    def __init__(self, hands: Hands, request: WatchRequest) -> None:
        """DeskError when the selection means nothing, or nothing of it can be asked. Blocks while it looks."""
        self.request = request
        self.watched: Watched | None = None
        """What is looked after; None until everything was seen once, which `Ready` tells."""
        self.reread: Callable[[], None] = lambda: None
        """Called when corpora were read again, also where that touches nothing: a list that shows them wants to."""
        self.failed: Callable[[BaseException], None] = _report
        """Called when the watch cannot go on, and why: it watches no more then, whatever it seems to."""
        self._hands = hands
        self._scene = Scene(hands, request)
        self._corpora = Corpora(hands.project, hands.library)
        self._session = Session(hands, request)
        self._eyes = Eyes(self._scene, self._corpora, hands.project.root, hands.project.reports)
        self._chart = Chart(hands, self._scene, request)
        self._board = Board()
        self._lanes: dict[Who, Lane] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._pending = 0
        self._owed: set[str] = set()
        """Audits without a verdict on things as they were at the start: an older one is nothing to compare with."""
        self._asked = 0
        self._stirred = self._busy = False

    # Seeing

    async def _watch(self) -> None:
        await self._open()
        owed = await lacking(self._hands, self._free())
        if not self._eyes.restless:  # else they may lack a verdict on nothing but that very edit
            self._owed |= {*owed}
        self._want(map(Wish, owed))
        while True:
            self._settle()
            await self._eyes.settled()
            self._busy = True
            try:
                await self._look()
            except Exception as error:
                self._trouble(error)
            finally:
                self._busy = False

    def _trouble(self, error: Exception) -> None:
        """Tell of what should not happen, and go on."""
        _log.error("a change could not be looked into", exc_info=error)
        self._session.tell(Withheld((), f"a change could not be looked into: {error or type(error).__name__}"))

    async def _open(self) -> None:
        await self._eyes.open()
        self._chart.read(self._eyes.sights)
        await asyncio.to_thread(self._heed_what_is_read)
        self._ready()

    def _heed_what_is_read(self) -> None:
        """Watch what the last trials read, guidance or not. Blocks."""
        for name, opened in self._hands.changes.opened(tuple(self._scene.asked)).items():
            self._eyes.sights[self._scene.asked[name].question.box].take_in(opened.read)

    def _ready(self) -> None:
        files = sum(sight.count for sight in self._eyes.sights.values()) + self._corpora.count
        engines = ", ".join(dict.fromkeys(" ".join(filter(None, (w.engine, w.model))) for w in self._whos()))
        self.watched = Watched(self._eyes.folders, files, len(self._scene.asked), engines)
        self._stirred = True
        self._session.tell(Ready(self.watched))
        for why in dict.fromkeys(self._scene.left_out.values()):
            names = tuple(name for name, told in self._scene.left_out.items() if told == why)
            self._session.tell(Withheld(names, why))

    async def _look(self) -> None:
        """Find out what differs and whom it touches; have those asked."""
        dirty, corpora = self._eyes.take()
        at = stamp()
        news = await asyncio.to_thread(self._corpora.look) if corpora else News({})
        await self._heed(news)
        changed = await asyncio.to_thread(self._eyes.look, dirty)
        if not (changed or news.edits):
            return
        maps = Maps(self._chart.known, self._chart.read(self._eyes.sights))
        boxes: Iterable[Path | None] = changed or (None,)
        for number, box in enumerate(boxes):
            files = changed.get(box, ()) if box else ()
            await self._edit(Change(at, box, files, news if not number else News({}), maps))

    async def _heed(self, news: News) -> None:
        """Take in what became of the corpora."""
        for file, problem in news.broken:
            self._session.tell(CorpusBroken(file, problem))
        for file in news.mended:
            self._session.tell(CorpusMended(file))
        if not news.changed:
            return
        self.reread()
        before = set(self._scene.asked)
        await asyncio.to_thread(self._scene.refresh, news.edits)
        gone = before - set(self._scene.asked)
        for lane in self._lanes.values():
            lane.forget(gone)
        if await asyncio.to_thread(lambda: self._eyes.stale):
            await self._eyes.open()
            self._ready()

    async def _edit(self, change: Change) -> None:
        """Have those asked at once of whom texts and earlier trials tell; the map, which takes longer, may add some."""
        number = len(self._board.edits) + 1
        before = await asyncio.to_thread(self._before, change.at)
        mapped = change.maps.after.done()
        edit = await self._told_of(change, number)
        if not (edit.touches or mapped):
            await asyncio.wait({change.maps.after})
            edit, mapped = await self._told_of(change, number), True
        if edit.files or edit.touches:
            self._put(edit, before)
            if not mapped:
                self._pending += 1
                self._do(self._add_to(edit, change, before))

    async def _add_to(self, edit: Edit, change: Change, before: Mapping[str, TrialSummary]) -> None:
        """Tell an edit again once the map is there, if that adds to it."""
        try:
            await asyncio.wait({change.maps.after})
            told = await self._told_of(change, edit.number)
            # Whom a later edit touches is asked about that one.
            later = {row.audit_id for row in self._board.rows if row.edit.number > edit.number}
            known = {touch.audit_id for touch in edit.touches}
            touches = tuple(one for one in told.touches if one.audit_id in known or one.audit_id not in later)
            if touches != edit.touches:
                self._put(replace(told, touches=touches), before)
        finally:
            self._pending -= 1
        self._settle()

    async def _told_of(self, change: Change, number: int) -> Edit:
        """An edit with whom it touches, as far as that is known by now."""
        maps = change.maps.both()
        scene, news, box = self._scene, change.news, change.box
        touches = await asyncio.to_thread(scene.touches, box, change.files, news.edits, maps)
        name = self._eyes.sights[box].name if box in self._eyes.sights else ""
        return Edit(number, change.at, name, change.files, news.files, touches)

    def _put(self, edit: Edit, before: Mapping[str, TrialSummary]) -> None:
        rows = self._board.add(edit, before)
        self._stirred = True
        self._session.tell(Edited(edit))
        self._want(Wish(row.audit_id, row) for row in rows if row.audit_id in self._scene.asked)

    def _before(self, moment: str) -> Mapping[str, TrialSummary]:
        """The last trial of each watched audit by whom it is asked now, but for those that were out of date. Blocks."""
        found: dict[str, TrialSummary] = {}
        for who in self._whos():
            known = self._hands.history.before(moment, (who.engine, who.model))
            mine = (name for name, one in self._scene.asked.items() if one.who == who and name not in self._owed)
            found |= {name: known[name][-1] for name in mine if known.get(name)}
        return found

    # Asking

    def _whos(self) -> tuple[Who, ...]:
        return tuple(dict.fromkeys(one.who for one in self._scene.asked.values()))

    def _free(self) -> dict[str, Who]:
        return {name: one.who for name, one in self._scene.asked.items() if one.who.free}

    def _want(self, wishes: Iterable[Wish]) -> None:
        by_lane: dict[Lane, list[Wish]] = {}
        for wish in wishes:
            by_lane.setdefault(self._lane(wish.audit_id), []).append(wish)
        for lane, mine in by_lane.items():
            lane.want(mine)

    def _lane(self, audit_id: str) -> Lane:
        who = self._scene.asked[audit_id].who
        if who not in self._lanes:
            self._lanes[who] = lane = Lane(who, self._session)
            self._do(lane.run())
        return self._lanes[who]

    def _judge(self, row: FlipRow | None, summary: TrialSummary) -> None:
        self._asked += 1
        self._stirred = True
        self._owed.discard(summary.trial.audit_id)
        if row is not None:
            self._pending += 1
            self._do(self._tell(row, summary))

    async def _tell(self, row: FlipRow, summary: TrialSummary) -> None:
        try:
            asked = self._scene.asked.get(row.audit_id)
            expected = asked.question.audit.expected_level if asked else ""
            done = await asyncio.to_thread(told, row, summary, self._hands.history, expected)
            if self._board.put(row, done):
                self._session.tell(Flipped(done))
        finally:
            self._pending -= 1
        self._settle()

    def _moved(self) -> None:
        self._session.moved_at = asyncio.get_running_loop().time()

    def _settle(self) -> None:
        """Say that all is quiet, once it is."""
        quiet = not (self._busy or self._pending or self._eyes.restless)
        if self._stirred and quiet and all(lane.resting for lane in self._lanes.values()):
            self._stirred = False
            self._session.tell(Settled(len(self._board.edits), self._asked))

    def _do(self, work: Coroutine[object, object, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            self.failed(error)
