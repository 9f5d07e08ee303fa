"""Looking for words in the transcript: typed into its border, found as one types, stepped through."""

import asyncio
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from textual import events
from textual.content import Content

from workbench.tui.commands import Command
from workbench.tui.transcript.blocks import Row
from workbench.tui.transcript.finding import Finding, find
from workbench.tui.transcript.words import shown
from workbench.tui.workers import latest

if TYPE_CHECKING:
    from workbench.tui.widgets.transcript import Transcript

TYPING_KEYS = (
    Command("enter", "", "found", "Keep what was found; n and N step through it", bar=True),
    Command("↑ ↓", "", "step", "The place before or after", bar=True),
    Command("esc", "", "clear", "Stop looking", bar=True),
)


class Search:
    """The query as it is typed, and the places it is found in. Looking happens off the loop."""

    def __init__(self, transcript: "Transcript") -> None:
        self._transcript = transcript
        self.finding = Finding()
        self.typing = False

    @property
    def active(self) -> bool:
        """Whether something is looked for."""
        return self.typing or bool(self.finding.query)

    @property
    def told(self) -> Content:
        """For the border: what is looked for, and how often it is there."""
        caret = "▌" if self.typing else ""
        query = Content.styled(f"/{shown(self.finding.query)}{caret}", "bold $attention")
        count = f"  {self.finding.count}" if self.finding.query else ""
        return query + count

    # Keys

    def begin(self) -> None:
        """Type what to look for."""
        self.finding, self.typing = Finding(), True
        self._changed()

    def clear(self) -> None:
        """Look for nothing any more."""
        self.finding, self.typing = Finding(), False
        self._changed()

    def step(self, by: int) -> None:
        """To the next or previous place."""
        self.finding.step(by)
        self._go()

    def key(self, event: events.Key) -> bool:
        """Take a key while one types; whether it was one of ours."""
        query = self.finding.query
        match event.key:
            case "escape":
                self.clear()
            case "enter":
                self.typing = False
                self._changed()
            case "up" | "down":
                self.step(-1 if event.key == "up" else 1)
            case "backspace":
                self.look(query[:-1])
            case "ctrl+u":
                self.look("")
            case _ if event.character and event.is_printable:
                self.look(query + event.character)
            case _:
                return False
        return True

    # Looking

    def look(self, query: str) -> None:
        """Look for something else, from where one is."""
        self.finding.query = query
        if not query:
            self.finding.arrive([], 0)
            self._changed()
            return
        latest(self._transcript, self._look, "search")

    def again(self, first: int = 0) -> None:
        """The story is another from block `first` on."""
        if first and (pattern := self.finding.pattern):
            rows = self._transcript.rows
            self.finding.extend(first, find(rows.story.blocks, pattern, rows.shows, first))
        elif self.finding.query:
            latest(self._transcript, self._look, "search")

    async def _look(self) -> None:
        rows, pattern = self._transcript.rows, self.finding.pattern
        if pattern is None:
            return
        here = self.finding.place
        block = here[0] if here else rows.block_at(self._transcript.scroll_offset.y)
        self.finding.arrive(await asyncio.to_thread(find, rows.story.blocks, pattern, rows.shows), block)
        self._go()

    def _go(self) -> None:
        place = self.finding.place
        if place is not None:
            self._transcript.bring(*place)
        self._changed()

    def _changed(self) -> None:
        self._transcript.watch_follow()
        self._transcript.refresh()
        self._transcript.screen.refresh_bindings()

    # Painting

    def spans(self, row: Row, index: int) -> Iterator[tuple[int, int]]:
        """Where the words looked for stand in a row's painted text, gutter included."""
        pattern = self.finding.pattern
        if pattern is None or not row.body:
            return
        if row.start < 0:
            yield from ((match.start() + row.indent, match.end() + row.indent) for match in pattern.finditer(row.text))
            return
        body = self._transcript.story.blocks[index].body
        end = row.start + len(row.text)
        for match in _around(pattern, body.text if body else "", row.start, end, len(self.finding.query)):
            begin, stop = max(match.start(), row.start), min(match.end(), end)
            if begin < stop:
                yield begin - row.start + row.indent, stop - row.start + row.indent


def _around(pattern: re.Pattern[str], text: str, start: int, end: int, length: int) -> Iterator[re.Match[str]]:
    """Matches that reach into a span; one may have begun on the line above."""
    return pattern.finditer(text, max(0, start - length), end + length)
