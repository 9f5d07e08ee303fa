"""How a watch is told: lines in a pipe; on a terminal the same lines with a last one that is alive, and a question."""

import asyncio
import contextlib
import os
import sys
import termios
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import TYPE_CHECKING

from workbench.cli.output import console, emit
from workbench.cli.watch_json import document
from workbench.cli.watch_words import line
from workbench.desk.watching.records import Asking, Edited, Hear, Wants, WatchEvent
from workbench.runs.identity import stamp
from workbench.text.amounts import many

if TYPE_CHECKING:
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    from workbench.desk.watching.watch import Watch


@contextlib.contextmanager
def telling(watch: "Watch", deaf: Callable[[], None], *, levels: bool, as_json: bool) -> Iterator[Hear]:
    """A listener that tells what it hears for as long as the context lasts; `deaf` is called when nobody reads it."""
    if as_json:
        yield _careful(lambda event: emit(document(event, stamp(), levels=levels)), deaf)
        return
    if not sys.stdout.isatty():

        def tell(event: WatchEvent) -> None:
            sys.stdout.write(f"{line(event, _now(), levels=levels).plain}\n")
            sys.stdout.flush()

        yield _careful(_once(tell), deaf)
        return
    from rich.live import Live

    out = console()
    with Live(console=out, auto_refresh=False, transient=True) as live, _Terminal(watch, out, live, levels) as terminal:
        yield _careful(_once(terminal.tell), deaf)


def _once(tell: Hear) -> Hear:
    """Tell an edit again only where it touches more audits than were told: a line has room for one reason."""
    touched: dict[int, frozenset[str]] = {}

    def hear(event: WatchEvent) -> None:
        """Pass an event on, unless it tells of an edit what was told."""
        if isinstance(event, Edited):
            known = touched.get(event.edit.number)
            touched[event.edit.number] = now = frozenset(touch.audit_id for touch in event.edit.touches)
            if known is not None and now <= known:
                return
        tell(event)

    return hear


def _careful(tell: Hear, deaf: Callable[[], None]) -> Hear:
    """Tell until that fails, as it does when the reader of a pipe has gone."""

    def hear(event: WatchEvent) -> None:
        """Pass an event on; `deaf` is called where nobody takes it any more."""
        try:
            tell(event)
        except OSError:
            deaf()

    return hear


class _Terminal:
    """Lines above, the state of things below; reads a yes or no where one is wanted."""

    def __init__(self, watch: "Watch", out: "Console", live: "Live", levels: bool) -> None:
        self._watch, self._out, self._live, self._levels = watch, out, live, levels
        self._reading = False

    def __enter__(self) -> "_Terminal":
        self._show()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop_reading()

    def tell(self, event: WatchEvent) -> None:
        """Print an event's line and bring the last one up to date."""
        self._out.print(line(event, _now(), levels=self._levels))
        if isinstance(event, Asking):
            event.live.subscribe(lambda _: self._show())
        if isinstance(event, Wants) and not self._reading and sys.stdin.isatty():
            termios.tcflush(sys.stdin, termios.TCIFLUSH)  # what was typed before the question answers nothing
            asyncio.get_running_loop().add_reader(sys.stdin.fileno(), self._read)
            self._reading = True
        self._show()

    def _show(self) -> None:
        self._live.update(self._state(), refresh=True)

    def _state(self) -> "Text":
        from rich.text import Text

        watch = self._watch
        if watch.wants is not None:
            # First, as this line is cut where the terminal ends; the whole offer stands in the line above.
            return Text(f"ask? y, or n, and Enter — {watch.wants.offer}", "bold yellow")
        asking = sum(live.tally.planned - live.tally.finished for live in watch.live)
        told = [f"asking {many(asking, 'audit')}"] if asking else []
        told += [f"{len(watch.waiting)} waiting"] if watch.waiting else []
        told += [f"{file} is broken" for file in watch.broken]
        told += [f"{folder} is gone" for folder in watch.lost]
        return Text(
            f"watching  {'  '.join(told)}  Ctrl-C ends it" if watch.watched else "looking at everything once …", "dim"
        )

    def _read(self) -> None:
        said = os.read(sys.stdin.fileno(), 1024).decode("utf-8", "replace").strip().lower()
        if self._watch.wants is not None:
            self._watch.agree(said in ("y", "yes"))
        self._stop_reading()
        self._show()

    def _stop_reading(self) -> None:
        if self._reading:
            asyncio.get_running_loop().remove_reader(sys.stdin.fileno())
            self._reading = False


def _now() -> str:
    return f"{datetime.now():%H:%M:%S}"
