"""The watch this bench keeps, whatever screen is open: begun, heard, agreed to, stopped."""

import asyncio
from collections.abc import Callable
from functools import partial
from itertools import groupby
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from textual.notifications import SeverityLevel

from workbench.desk.records import DeskError
from workbench.desk.watching.records import (
    Asking,
    CorpusBroken,
    Edit,
    Edited,
    Settled,
    Wants,
    Watched,
    WatchEvent,
    WatchRequest,
    Withheld,
)
from workbench.text.sanitize import clean_line
from workbench.tui.backstage import advised, fault
from workbench.tui.board import Choice, News
from workbench.tui.flips import LOOKS, Flip, counts, flips
from workbench.tui.saying import Sayings
from workbench.tui.workers import latest

if TYPE_CHECKING:
    from workbench.desk.watching.watch import Watch
    from workbench.tui.app import WorkbenchApp
    from workbench.tui.screens.watch import WatchScreen
    from workbench.tui.widgets.flip_diff import Hunks

MOST = 50
"""Edits that are shown."""
_TOLD = ("broken", "fixed", "moved")


class Watching:
    """Owns the desk's watch and what only its events tell; screens read it and are told when something changed."""

    def __init__(self, app: "WorkbenchApp") -> None:
        self._app = app
        self.watch: Watch | None = None
        """The watch, also after it was stopped: its board stays."""
        self.on = False
        """Whether it watches, or is about to."""
        self.trouble = ""
        """Why it could not begin."""
        self.filter = ""
        """The selection it was begun with."""
        self.withheld: dict[str, str] = {}
        """Audit → why it is not asked."""
        self.wants: Wants | None = None
        """What asking costs, once that was told and until somebody says yes to it."""
        self.asked = False
        """Whether the human was asked about the money already."""
        self.baseline: frozenset[str] = frozenset()
        """Audits that are asked to have something to compare with."""
        self.forecast = ""
        """What the run that goes on was said to cost; empty where it costs nothing."""
        self.hunks: dict[int, tuple[Hunks, ...]] = {}
        """Number of an edit → what it changed, once that was worked out."""
        self.sayings = Sayings()
        self._agreed: Choice | None = None
        """Whom asking was said yes to in this session."""
        self._summed = 0
        """The edit whose outcome was told last."""
        self._quiet: Callable[[], None] = lambda: None
        self._ending = asyncio.Lock()

    def begin(self, terms: str) -> None:
        """Watch what a filter leaves, with whom the session asks; `trouble` says so when that means nothing."""
        self.watch, self.filter, self.on, self.trouble = None, terms, True, ""
        self.withheld, self.wants, self.asked, self.baseline, self.hunks = {}, None, False, frozenset(), {}
        self.forecast, self._summed = "", 0
        choice = self._app.board.choice
        request = WatchRequest((terms,) if terms else (), choice.engine, choice.model, agreed=self._agreed == choice)
        latest(self._app, partial(self._begin, request), "watch-begins")
        self._tell()

    async def _begin(self, request: WatchRequest) -> None:
        try:
            watch = await asyncio.to_thread(self._app.desk.watch, request)
        except (DeskError, OSError) as error:
            self.trouble, self.on = advised(error), False
        except Exception:
            # Whatever went wrong, nothing may say that it watches when nothing does.
            self.on = False
            raise
        else:
            if self.on:
                self._follow(watch)
        finally:
            self._tell()

    def _follow(self, watch: "Watch") -> None:
        """Start a watch and hear it, as long as no other has come in its place: one that ends may still have news."""
        self.watch = watch
        self._quiet = watch.subscribe(lambda event: self._heard(event) if watch is self.watch else None)
        watch.reread = self._refill
        watch.failed = lambda error: self._failed(error) if watch is self.watch else None
        watch.start()

    async def end(self) -> None:
        """Stop watching and wait until what it asked has ended, also when it ends already; what is finished stays."""
        async with self._ending:
            if not self.on:
                return
            self.on = False
            watch, quiet = self.watch, self._quiet
            self._tell()
            if watch is not None:
                await watch.stop()
                quiet()
                self._tell()

    def agree(self, told: Wants, yes: bool | None) -> None:
        """Answer what asking costs, as it was `told`; a no can be taken back."""
        if yes and self.wants is not None and _who(self.wants) != _who(told):
            self.asked = False  # somebody else wants to be paid since the question was put
            self._tell()
        elif self.watch is not None and self.on:
            self.asked = True
            self.watch.agree(bool(yes))
            if yes:
                request = self.watch.request
                self.wants, self._agreed = None, Choice(request.engine, request.model)
            self._tell()

    def stop_asking(self) -> None:
        """Stop what the watch asks now; it goes on watching."""
        for live in self.watch.live if self.watch is not None else ():
            live.cancel()

    def overhear(self, news: News) -> None:
        """News of any live run."""
        self.sayings.hear(news)
        for screen in self._screens():
            screen.hear(news)

    # What there is to show

    @property
    def watched(self) -> Watched | None:
        """What is looked after, once that is known."""
        return self.watch.watched if self.watch is not None else None

    def board(self) -> list[tuple[Edit, list[Flip]]]:
        """The edits, latest first, each with its rows as they stand."""
        if self.watch is None:
            return []
        rows = {number: list(of) for number, of in groupby(self.watch.rows, key=lambda row: row.edit.number)}
        running = self._app.board.running
        return [(edit, flips(rows.get(edit.number, ()), running, self.withheld)) for edit in self.watch.edits[:MOST]]

    def _failed(self, error: BaseException) -> None:
        """The watch cannot go on: say so, and stop what is left of it."""
        told = str(error) if isinstance(error, DeskError | OSError) else f"unexpected {fault(error)}"
        self.trouble = f"the watch had to stop: {told}"
        self._app.complain(f"Not watching any more: {told}")
        self._app.run_worker(self.end(), group="watch")

    # What the watch tells

    def _heard(self, event: WatchEvent) -> None:
        app = self._app
        match event:
            case Edited(edit):
                app.run_worker(self._compare(edit), group="watch")
                app.look_around()
            case Asking():
                self.withheld = {name: why for name, why in self.withheld.items() if name not in event.audit_ids}
                self.baseline = frozenset(event.audit_ids) if event.baseline else frozenset()
                self.forecast = f"{event.offer.engine}: {event.offer.forecast}" if event.offer else ""
                app.runs.adopt(event.live, event.audit_ids)
            case Withheld():
                self.withheld |= dict.fromkeys(event.audit_ids, event.why)
            case Wants():
                self.wants = event
                self._away("Asking costs money: w, then y, says yes or no", "warning")
            case CorpusBroken():
                at = f"{event.file}:{event.problem.position.line}"
                self._away(f"{at}: {event.problem.message}. Its last good state holds", "warning")
            case Settled():
                self.baseline, self.forecast = frozenset(), ""
                self._sum_up()
                app.look_around()
        self._tell()

    async def _compare(self, edit: Edit) -> None:
        """Work out what an edit changed, for the eye."""
        from workbench.tui.widgets.flip_diff import hunks

        self.hunks[edit.number] = await asyncio.to_thread(lambda: tuple(map(hunks, edit.files)))
        self.hunks.pop(edit.number - MOST, None)
        self._tell()

    def _refill(self) -> None:
        if self._app.bench is not None:
            self._app.bench.listing.refill()

    def _sum_up(self) -> None:
        """Once all is quiet, say what the latest edit did to whoever looks elsewhere."""
        edit, rows = next(iter(self.board()), (None, []))
        if edit is None or edit.number == self._summed:
            return
        self._summed, told = edit.number, counts(rows)
        words = [f"{LOOKS[state].glyph} {told[state]} {state}" for state in _TOLD if state in told]
        if words:
            self._away(f"{edited(edit)}: {'  '.join(words)}. w shows them", "information")

    def _away(self, text: str, severity: SeverityLevel) -> None:
        """Tell something to a human who does not look at the board."""
        from workbench.tui.screens.watch import WatchScreen

        if not isinstance(self._app.screen, WatchScreen):
            self._app.notify(clean_line(text, 300), severity=severity, timeout=8, markup=False)

    def _tell(self) -> None:
        self._app.board.watching = self._at()
        self._app.refresh_headers()
        for screen in self._screens():
            screen.renew()

    def _screens(self) -> "list[WatchScreen]":
        """The board, where it is open."""
        from workbench.tui.screens.watch import WatchScreen

        return [screen for screen in self._app.screen_stack if isinstance(screen, WatchScreen)]

    def _at(self) -> str:
        """What the header says."""
        watch = self.watch
        if not self.on:
            return ""
        if watch is None:
            return "watching"
        if self.wants is not None and not self.asked:
            return "watching · asks for a yes"
        if watch.broken:
            return f"watching · {PurePosixPath(next(iter(watch.broken))).name} is broken"
        if watch.edits and (watch.live or watch.waiting) and not self.baseline:
            return f"watching · {edited(watch.edits[0])}"
        return "watching"


def _who(wants: Wants) -> tuple[str, str]:
    return wants.offer.engine, wants.offer.model


def edited(edit: Edit) -> str:
    """What an edit changed, in a word: its first file, and how many more there are."""
    names = [PurePosixPath(path).name for path in (*(file.path for file in edit.files), *edit.corpora)]
    more = f" +{len(names) - 1}" if len(names) > 1 else ""
    return f"{names[0]}{more}" if names else ""
