"""A Textual app that does nothing, to measure others against."""

from textual.app import App, ComposeResult
from textual.widgets import Static


class Empty(App[None]):
    """One line of text."""

    def compose(self) -> ComposeResult:
        """The line."""
        yield Static("empty but ready")


if __name__ == "__main__":
    Empty().run()
