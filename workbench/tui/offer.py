"""A folder that is no project yet: what setting it up would make, and a yes or a no."""

from pathlib import Path
from typing import ClassVar

from textual.app import App
from textual.content import Content
from textual.types import CSSPathType

from workbench.desk.preferences import load
from workbench.desk.scaffold import FILES, scaffold
from workbench.tui.screens.confirm import ConfirmScreen
from workbench.tui.themes import THEMES


class OfferApp(App[bool]):
    """Asks once; returns the answer."""

    CSS_PATH: ClassVar[CSSPathType | None] = [
        str(Path(__file__).with_name("styles") / name) for name in ("base.tcss", "dialogs.tcss")
    ]
    ENABLE_COMMAND_PALETTE = False

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._folder = folder
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = f"workbench-{load().theme or 'dark'}"

    def on_mount(self) -> None:
        """Ask."""
        there = [name for name in FILES if (self._folder / name).exists()]
        kept = Content.styled("  is there and stays as it is", "$dim")
        detail = [(Content(f"  {name}"), kept if name in there else Content("")) for name in FILES]
        question = (
            f"{self._folder} is not set up for audits yet, and no folder above it is. "
            "These files would be made there; nothing that exists is touched, and nothing is committed:"
        )
        self.push_screen(ConfirmScreen("Start here?", question, yes="make them and begin", detail=detail), self.exit)


def offer_setup(folder: Path) -> bool:
    """Ask whether to set a folder up, and do it on a yes; whether it was done."""
    if not OfferApp(folder).run():
        return False
    scaffold(folder)
    return True
