"""The runs this bench started: asked for, agreed to where they cost money, watched, stopped."""

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from workbench.desk.records import AskRequest, DeskError
from workbench.runs.events import RunEvent
from workbench.tui.desktop import entitle, told
from workbench.tui.workers import latest

if TYPE_CHECKING:
    from workbench.desk.asking import LiveRun
    from workbench.tui.app import WorkbenchApp


class LiveRuns:
    """Starts runs and tells the board, the bench and the desktop what becomes of them."""

    def __init__(self, app: "WorkbenchApp") -> None:
        self._app = app
        self._runs: dict[str, tuple[LiveRun, Callable[[], None]]] = {}
        self._agreed = {"reader"}
        """Engines that may be asked without a word."""

    @property
    def live(self) -> bool:
        """Whether any run goes on."""
        return bool(self._runs)

    def ask(self, audit_ids: Sequence[str], selection: str = "") -> None:
        """Start a run and watch it; DeskError when it cannot start. What is being asked already is left out.

        An engine other than the reader is looked at first, and one that costs money wants a yes, once.
        """
        app = self._app
        audit_ids = [audit_id for audit_id in audit_ids if audit_id not in app.board.asked]
        if not audit_ids:
            app.notify("Being asked already", timeout=3)
            return
        choice = app.board.choice
        request = AskRequest(tuple(audit_ids), engine=choice.engine, model=choice.model, selection=selection)
        if app.desk.engine(request) in self._agreed:
            self._begin(request)
        else:
            latest(app, partial(self._consider, request), "offer")

    def adopt(self, live: "LiveRun", audit_ids: Sequence[str]) -> None:
        """Follow a run of these audits that was started, here or by a watch."""
        app = self._app
        app.board.begin(live.run_id, live.tally, audit_ids)
        self._runs[live.run_id] = (live, live.subscribe(partial(self._heard, live.run_id)))
        app.run_worker(self._attend(live), group="runs", exit_on_error=False)
        app.refresh_headers()
        if app.bench is not None:
            app.bench.run_changed()

    def stop(self, trial: str = "") -> None:
        """Stop one trial, running or waiting, or everything."""
        asked = self._app.board.asked
        if not trial:
            for live, _ in self._runs.values():
                live.cancel()
        elif asked.get(trial) in self._runs:
            self._runs[asked[trial]][0].cancel_trial(trial)

    async def end(self) -> None:
        """Stop everything and wait until all of it is kept."""
        self.stop()
        await asyncio.gather(*(live.wait() for live, _ in self._runs.values()), return_exceptions=True)

    def leave(self) -> None:
        """Hear no more of what still runs."""
        for _, unsubscribe in self._runs.values():
            unsubscribe()

    async def _consider(self, request: AskRequest) -> None:
        """Find out what asking would come to, and ask the human where that is money."""
        from workbench.tui.money import money_question

        try:
            offer = await asyncio.to_thread(self._app.desk.offer, request)
        except (DeskError, OSError) as error:
            self._app.complain(error)
            return
        if offer.free:
            self._agree(request, offer.engine, True)
        else:
            self._app.push_screen(money_question(offer), partial(self._agree, request, offer.engine))

    def _agree(self, request: AskRequest, engine: str, yes: bool | None) -> None:
        if not yes:
            return
        self._agreed.add(engine)
        try:
            self._begin(request)
        except DeskError as error:
            self._app.complain(error)

    def _begin(self, request: AskRequest) -> None:
        self.adopt(self._app.desk.ask(request), request.audit_ids)

    def _heard(self, run_id: str, events: Sequence[RunEvent]) -> None:
        app = self._app
        news = app.board.take(run_id, events)
        if news.finished:
            self._announce()
        app.refresh_headers()
        if app.bench is not None:
            app.bench.hear(news)
        app.watching.overhear(news)

    async def _attend(self, live: "LiveRun") -> None:
        """Wait for a run's end, with its report written."""
        try:
            await live.wait()
            if live.trouble:
                raise DeskError(live.trouble)
        except (DeskError, OSError, RuntimeError) as error:
            self._app.complain(error)
        finally:
            _, unsubscribe = self._runs.pop(live.run_id)
            unsubscribe()
            self._announce(ended=True)
            self._refresh_lists()

    def _announce(self, *, ended: bool = False) -> None:
        """Tell the desktop how the runs stand; when the last one ends, aloud."""
        app = self._app
        entitle(app, told(app.desk.project.name, app.board.tally, running=self.live))
        if ended and not self.live and app.preferences.bell:
            app.bell()

    def _refresh_lists(self) -> None:
        from workbench.tui.screens.history import HistoryScreen

        app = self._app
        if app.bench is not None:
            app.bench.run_changed()
            app.bench.listing.refill()
        for screen in app.screen_stack:
            if isinstance(screen, HistoryScreen):
                screen.reload()
