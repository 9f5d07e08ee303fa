"""What the bench says to the desktop around the terminal: the window's title, and a bell."""

from typing import Any

from textual.app import App

from workbench.runs.records import Tally
from workbench.text.sanitize import clean_line

_LONGEST = 80


def entitle(app: App[Any], text: str) -> None:
    """Give the window a title, through the driver that owns the terminal; nothing where there is none."""
    driver = app._driver
    if driver is not None and not app.is_headless:
        # Everything that could end the title early, or begin something else, has been made visible.
        driver.write(f"\x1b]2;{clean_line(text, _LONGEST)}\x07")


def remember_title(app: App[Any]) -> None:
    """Let the terminal keep the title it has."""
    _write(app, "\x1b[22;2t")


def restore_title(app: App[Any]) -> None:
    """Give the window the title it had."""
    _write(app, "\x1b[23;2t")


def fall_silent(app: App[Any]) -> None:
    """Say nothing more to a terminal that has gone: what nobody takes would hold up whoever says it."""
    if app._driver is not None:
        app._driver.write = _nothing  # type: ignore[method-assign]


def told(project: str, tally: Tally, *, running: bool) -> str:
    """`orchard: 7/24` while it runs, `orchard: 5 passed, 1 failed` when it is over."""
    if running:
        return f"{project}: {tally.finished}/{tally.planned} – Workbench"
    counts = ((tally.passed, "passed"), (tally.failed, "failed"), (tally.unmeasured, "unmeasured"))
    return f"{project}: {', '.join(f'{number} {word}' for number, word in counts if number) or 'done'} – Workbench"


def _write(app: App[Any], text: str) -> None:
    if app._driver is not None and not app.is_headless:
        app._driver.write(text)


def _nothing(data: str) -> None:
    """Where words go that no terminal takes."""
