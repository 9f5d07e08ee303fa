"""What the app does out of sight: faults written down, screens fetched ahead, the place looked up."""

from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING

from workbench.desk.preferences import note_fault
from workbench.desk.records import NothingMatches
from workbench.text.sanitize import clean_line
from workbench.tui import screens
from workbench.tui.board import Place

if TYPE_CHECKING:
    from workbench.desk.desk import Desk


def fault(error: BaseException) -> str:
    """An unexpected error in one line, and where the whole of it was written."""
    where = note_fault(error)
    said = clean_line(str(error))
    return f"{type(error).__name__}{f': {said}' if said else ''}{f'; the details are in {where}' if where else ''}"


def advised(error: Exception) -> str:
    """An expected error with what to do about it here: a screen's selection is the filter of the bench."""
    return f"{error.told}; change it on the bench with /" if isinstance(error, NothingMatches) else str(error)


def fetch_screens() -> None:
    """Fetch every screen, so that each opens at once."""
    for module in iter_modules(screens.__path__):
        import_module(f"{screens.__name__}.{module.name}")


def place_of(desk: "Desk") -> Place:
    """Where one is: project, branch, changed paths, engine, grader; asks git, so not on the loop."""
    branch, dirty = desk.project.state()
    settings = desk.project.settings
    return Place(desk.project.name, branch, dirty, settings.engine or "reader", settings.model, desk.grader)
