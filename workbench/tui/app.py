"""The bench in a terminal: the app wires the desk to its screens."""

import asyncio
import signal
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual.app import App, SystemCommand
from textual.binding import BindingType
from textual.screen import Screen
from textual.types import CSSPathType
from textual.worker import WorkerFailed

from workbench.desk.preferences import Preferences, load
from workbench.desk.records import DeskError, TrialSummary
from workbench.tui.backstage import fault, fetch_screens, place_of
from workbench.tui.board import Board
from workbench.tui.commands import APP_KEYS, bindings, choose, unknown
from workbench.tui.desktop import entitle, fall_silent, remember_title, restore_title
from workbench.tui.drafts import Drafts
from workbench.tui.grade_session import GradeSession
from workbench.tui.live_runs import LiveRuns
from workbench.tui.screens.bench import BenchScreen
from workbench.tui.screens.confirm import ConfirmScreen
from workbench.tui.screens.help import HelpScreen
from workbench.tui.screens.welcome import WelcomeScreen
from workbench.tui.themes import THEMES
from workbench.tui.transcript.words import shown
from workbench.tui.watching import Watching
from workbench.tui.widgets.assessment import Filled
from workbench.tui.workers import latest, quiet_collector

if TYPE_CHECKING:
    from workbench.desk.desk import Desk

STYLES = ("base", "bench", "status", "edit", "grade", "history", "context", "compare", "watch", "map", "dialogs")
"""The style sheets, in the order they are laid over each other."""


class WorkbenchApp(App[None]):
    """Owns what outlives a screen: the board of live runs and the saving of assessments."""

    TITLE = "Workbench"
    CSS_PATH: ClassVar[CSSPathType | None] = [
        str(Path(__file__).with_name("styles") / f"{name}.tcss") for name in STYLES
    ]
    BINDINGS: ClassVar[list[BindingType]] = bindings(APP_KEYS)
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (110, "-wide")]  # noqa: RUF012 - the base class declares no ClassVar

    def __init__(
        self, desk: "Desk", preferences: Preferences | None = None, *, grade: TrialSummary | None = None
    ) -> None:
        super().__init__()
        self.desk = desk
        self._grade_first = grade
        self.preferences = preferences or Preferences()
        self.board = Board()
        self.drafts = Drafts()
        self.grading = GradeSession()
        self.runs = LiveRuns(self)
        self.watching = Watching(self)
        self._saving = asyncio.Lock()
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = f"workbench-{self.preferences.theme or 'dark'}"
        keys, problem = choose(self.preferences.keys)
        self.set_keymap(keys)
        self._told = self.preferences.problem or (problem and f"{self.preferences.path}: {problem}")

    def on_mount(self) -> None:
        """Open the bench, and grading mode over it when it was asked for."""
        # A polite kill leaves as a human would, and gives the terminal back as it was.
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, self._leave, True)
        asyncio.get_running_loop().add_signal_handler(signal.SIGHUP, self._hang_up)
        remember_title(self)
        entitle(self, f"{self.desk.project.name} – Workbench")
        self.push_screen(BenchScreen(self.desk, self.board))
        if self._grade_first is not None:
            from workbench.tui.screens.grade import GradeScreen

            self.grading.start(self._grade_first)
            self.push_screen(GradeScreen(self.desk, self.grading, "", frozenset()))
        if self._told:
            self.complain(self._told)
        self.look_around()
        latest(self, self._arrive, "arrival")

    async def _arrive(self) -> None:
        """What can wait until the bench shows: a commit that was cut short, a first greeting, what asking needs."""
        with quiet_collector():
            said = await asyncio.to_thread(self.desk.recover)
        if said:
            self.notify(shown(said), severity="warning", timeout=15, markup=False)
        if not self.preferences.known and not await asyncio.to_thread(self.desk.runs):
            self.action_welcome()
        await asyncio.to_thread(fetch_screens)
        if wrong := unknown(self.preferences.keys):
            self.complain(f"{self.preferences.path}: {wrong}")
        await asyncio.to_thread(self.desk.warm_up)

    def action_welcome(self) -> None:
        """Tell what this is and how one starts."""
        if not isinstance(self.screen, WelcomeScreen | ConfirmScreen):
            self.push_screen(WelcomeScreen(), lambda _: self._remember())

    def _remember(self) -> None:
        latest(self, self._keep_preferences, "preferences")

    async def _keep_preferences(self) -> None:
        try:
            await asyncio.to_thread(self.preferences.keep)
        except OSError as error:
            self.complain(f"{error.filename}: the settings cannot be kept: {error.strerror}")

    def look_around(self) -> None:
        """Find out again where we are: branch, changed paths, grader."""
        latest(self, self._look_around, "place")

    def on_app_focus(self) -> None:
        """Somebody was elsewhere, and may have committed there."""
        if self.bench is not None:
            self.look_around()

    async def _look_around(self) -> None:
        self.board.place = await asyncio.to_thread(place_of, self.desk)
        self.refresh_headers()
        if self.bench is not None:
            self.bench.showing.draw_form()

    def refresh_headers(self) -> None:
        """Where we are and how the runs stand, on every open screen."""
        for screen in self.screen_stack:
            for header in screen.query("HeaderBar, GradeBar"):
                header.refresh()

    @property
    def bench(self) -> BenchScreen | None:
        """The bench, wherever it lies among the open screens."""
        return next((screen for screen in self.screen_stack if isinstance(screen, BenchScreen)), None)

    # Assessments

    def keep(self, filled: Filled) -> None:
        """Save what the human entered; saves happen in the order they were made, whatever else goes on."""
        self.run_worker(self._keep(filled), group="saves", exit_on_error=False)

    async def _keep(self, filled: Filled) -> None:
        from workbench.tui.screens.grade import GradeScreen

        async with self._saving:
            try:
                saved = await asyncio.to_thread(
                    self.desk.assess,
                    filled.run_id,
                    filled.trial,
                    level=filled.level,
                    verdict=filled.verdict,
                    cause=filled.cause,
                    note=filled.note,
                )
            except (DeskError, OSError) as error:
                self.complain(error)
                return
        for screen in self.screen_stack:
            if isinstance(screen, BenchScreen | GradeScreen):
                screen.assessed(filled.run_id, saved)

    # Everything else

    def undo(self) -> None:
        """Take back the status that was written or committed last."""
        latest(self, self._undo, "undo")

    async def _undo(self) -> None:
        try:
            result = await asyncio.to_thread(self.desk.recorder.undo)
        except (DeskError, OSError) as error:
            self.complain(error)
            return
        if result.refused:
            self.complain(result.refused)
            return
        self.drafts.undone()
        self.notify(f"Taken back by commit {result.commit[:9]}" if result.commit else "Taken back", markup=False)
        self.look_around()
        if self.bench is not None:
            self.bench.listing.refill()

    def report(self, run_id: str, form: str) -> None:
        """Write a run's report in a form and tell where."""
        latest(self, partial(self._report, run_id, form), "report")

    async def _report(self, run_id: str, form: str) -> None:
        try:
            path = await asyncio.to_thread(self.desk.reporter.export, run_id, form)
        except (DeskError, OSError) as error:
            self.complain(error)
            return
        root = self.desk.project.root
        told = path.relative_to(root) if path.is_relative_to(root) else path
        self.notify(f"Report: {shown(str(told))}", markup=False, timeout=8)

    def complain(self, error: Exception | str) -> None:
        """Tell what went wrong, and what to do, in a toast."""
        self.notify(shown(str(error)), severity="error", timeout=12, markup=False)

    def action_help(self) -> None:
        """Open the help of where one is."""
        if not isinstance(self.screen, HelpScreen | ConfirmScreen):
            self.push_screen(HelpScreen(self.screen))

    def action_toggle_theme(self) -> None:
        """Dark, light, high contrast; remembered for the next time."""
        names = [theme.name for theme in THEMES]
        self.theme = names[(names.index(self.theme) + 1) % len(names)] if self.theme in names else names[0]
        self.preferences.theme = self.theme.removeprefix("workbench-")
        self._remember()

    def _handle_exception(self, error: Exception) -> None:
        """Something unexpected: never a traceback on the terminal; work beside the screen must not take it down."""
        if not isinstance(error, WorkerFailed):
            self._exception, self._return_code = error, 1
            self._exception_event.set()
            self.exit(return_code=1, message=f"workbench: unexpected {fault(error)}")
            return
        self.complain(f"Unexpected {fault(error.error)}")

    async def action_quit(self) -> None:
        """Leave; a live run is stopped first, and what was entered and not saved is given up, on a yes."""
        if isinstance(self.screen, ConfirmScreen):
            return
        if self.runs.live:
            question = "A run is live. Stop it and leave? What is finished is kept."
            self.push_screen(ConfirmScreen("Leave the bench", question, yes="stop and leave"), self._leave)
        elif self.grading.entered:
            audits = ", ".join(key for _, key in self.grading.entered)
            question = f"Entered in grading mode and not saved: {audits}. Leave without it? g goes back there."
            self.push_screen(ConfirmScreen("Leave the bench", question, yes="leave"), self._leave)
        else:
            self._leave(True)

    def _hang_up(self) -> None:
        """The terminal has gone: leave, and keep what is finished."""
        fall_silent(self)
        self._leave(True)

    def _leave(self, yes: bool | None) -> None:
        if yes:
            latest(self, self._close, "close")

    async def _close(self) -> None:
        """Stop the producers, let saves finish, then go: nothing may arrive at widgets that are gone."""
        if self.bench is not None:
            self.bench.form.flush()
        await self.watching.end()
        await self.runs.end()
        saves = [worker for worker in self.workers if worker.group == "saves"]
        if saves:
            await self.workers.wait_for_complete(saves)
        self.runs.leave()
        for worker in self.workers:
            if worker.group == "map":
                worker.cancel()
        await self.desk.close()
        restore_title(self)
        self.exit()

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """The palette: every command of the screen that is allowed now, then the app's own."""
        told: set[str] = set()
        for command in (*getattr(screen, "KEYS", ()), *APP_KEYS):
            owner = self if command in APP_KEYS else screen
            if command.action and command.help not in told and owner.check_action(command.name, ()) is True:
                told.add(command.help)
                run = partial(self._run_command, command.action, owner)
                yield SystemCommand(command.help, f"key {command.key_label}", run)

    async def _run_command(self, action: str, owner: Screen[object] | App[None]) -> None:
        await self.run_action(action, owner)


def run_bench(desk: "Desk", grade: TrialSummary | None = None) -> None:
    """Open the bench in this terminal, grading from a trial on when one is given; return when the human leaves."""
    WorkbenchApp(desk, load(), grade=grade).run()
