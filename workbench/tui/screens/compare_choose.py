"""Choosing one side of a comparison: the working tree, a commit that touched guidance, a run, or a typed revision."""

import asyncio
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, OptionList
from textual.widgets.option_list import Option

from workbench.desk.archive import RunLine
from workbench.desk.comparing.choosing import Revision
from workbench.desk.records import DeskError
from workbench.insight.terms import box_state
from workbench.tui.archive.lines import counts, moment, run_by
from workbench.tui.commands import Command, bindings
from workbench.tui.transcript.words import clip, shown
from workbench.tui.workers import latest

if TYPE_CHECKING:
    from workbench.desk.desk import Desk

WORKTREE, _HERE = "worktree", "."
_COMMITS = 12
"""Commits that are listed while nothing is typed."""
_RELATIVE = re.compile(r"(?:HEAD|@|\S+[~^]\d*)+")
"""What nobody types to search for."""


class SideInput(Input):
    """Filters the list; what is typed may be meant as it stands, too, as a revision or a run."""

    TYPING = True
    KEYS: ClassVar[tuple[Command, ...]] = (Command("down", "screen.down", "list", "Go to the list", bar=True),)
    BINDINGS: ClassVar[list[BindingType]] = bindings(KEYS)


class ChooseSideScreen(ModalScreen[str]):
    """Answers the name of the side; empty when nothing was chosen."""

    KEYS: ClassVar[tuple[Command, ...]] = (Command("escape", "close", "close", "Back; the side stays as it is"),)
    BINDINGS: ClassVar[list[BindingType]] = bindings(KEYS)

    def __init__(self, desk: "Desk", side: str, chosen: str, terms: Sequence[str] = ()) -> None:
        super().__init__()
        self._desk, self._side, self._chosen, self._terms = desk, side, chosen, tuple(terms)
        self._typed = SideInput(placeholder="filter, or type a revision such as HEAD~3", id="side-typed", compact=True)
        self._list = OptionList(id="sides", compact=True, markup=False)
        self._runs: tuple[RunLine, ...] = ()
        self._revisions: tuple[Revision, ...] = ()

    def compose(self) -> ComposeResult:
        """What is typed, what there is."""
        with Vertical(id="dialog", classes="-wide") as dialog:
            dialog.border_title = Content(f"Compare: side {self._side}")
            dialog.border_subtitle = "enter chooses · esc closes"
            yield self._typed
            yield self._list

    def on_mount(self) -> None:
        """Look what there is."""
        self._list.add_option(Option(Content.styled("looking at runs and commits …", "$dim"), disabled=True))
        latest(self, self._load, "sides")

    async def _load(self) -> None:
        try:
            self._runs = await asyncio.to_thread(self._desk.archive.lines)
            self._revisions = await asyncio.to_thread(self._desk.comparing.revisions, self._terms)
        except DeskError as error:
            self.notify(shown(str(error)), severity="error", markup=False)
        self._fill()

    def on_resize(self) -> None:
        """Fit the lines again."""
        self.call_after_refresh(self._fill)

    @on(Input.Changed)
    def _fill(self) -> None:
        """What is typed as it stands, and the lines that hold it; the mark on what is likely meant."""
        typed, width = self._typed.value.strip(), max(30, self._list.scrollable_content_region.width)
        named = typed not in ("", _HERE)
        self._list.clear_options()
        groups = (
            ("As it is typed", [(typed, Content(f"the revision or run {clip(shown(typed), 60)}"))] if named else []),
            ("Boxes as they lie there", _holding(typed, [(WORKTREE, Content("working tree .").stylize("$dim", 13))])),
            ("Commits that touched guidance", _holding(typed, self._commits(width, every=bool(typed)))),
            ("Runs", [entry for entry in _holding(typed, self._stored(width)) if entry[0] != typed]),
        )
        for head, entries in groups:
            if entries:
                blank = Content("\n") if self._list.option_count else Content("")
                self._list.add_option(Option(blank + Content.styled(head, "$dim"), disabled=True))
                self._list.add_options(Option(line, id=name) for name, line in entries)
        names = [option.id for option in self._list.options if option.id]
        if not names:
            return
        self._list.highlighted = self._list.get_option_index(self._meant(names, typed))

    def _meant(self, names: list[str], typed: str) -> str:
        if typed == _HERE or self._literal(typed):
            return names[0]
        found = (names[1:] if typed else names) or names
        return self._chosen if self._chosen in found else found[0]

    def _literal(self, typed: str) -> bool:
        """Whether it is a revision by its looks, or because a run was asked of it by that name."""
        states = (box_state(box) for line in self._runs for box in line.summary.manifest.boxes.values())
        return bool(_RELATIVE.fullmatch(typed)) or any(f"({typed})" in state for state in states)

    def _commits(self, width: int, *, every: bool) -> list[tuple[str, Content]]:
        listed = self._revisions if every else self._revisions[:_COMMITS]
        return [
            (
                f"rev:{one.commit}",
                Content.assemble(
                    (f"{one.commit:<10}", "$secondary"),
                    (f"{one.date}  ", "$dim"),
                    clip(shown(one.subject), max(8, width - 24)),
                ),
            )
            for one in listed
        ]

    def _stored(self, width: int) -> list[tuple[str, Content]]:
        done = [line for line in self._runs if line.summary.tally.finished]
        who = max((len(run_by(line)) for line in done), default=0)
        counted = max((counts(line).cell_length for line in done), default=0)
        return [(line.summary.run_id, _run_line(line, who, counted, width)) for line in done]

    @on(Input.Submitted)
    def _submitted(self) -> None:
        index = self._list.highlighted
        name = self._list.get_option_at_index(index).id if index is not None else None
        self.dismiss(name or self._typed.value.strip())

    @on(OptionList.OptionSelected)
    def _selected(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(event.option_id or "")

    def action_down(self) -> None:
        """From what is typed to the list."""
        self._list.focus()
        self._list.action_cursor_down()

    def action_close(self) -> None:
        """Nothing was chosen."""
        self.dismiss("")


def _holding(typed: str, entries: list[tuple[str, Content]]) -> list[tuple[str, Content]]:
    """The entries whose name or line holds what is typed, whatever its case."""
    return [entry for entry in entries if typed.casefold() in f"{entry[0]} {entry[1].plain}".casefold()]


def _run_line(line: RunLine, who: int, counted: int, width: int) -> Content:
    """When, whom, how it came out, and of what: the boxes as they were, what was hidden, the selection."""
    manifest = line.summary.manifest
    boxes = ", ".join(dict.fromkeys(box_state(box) for box in manifest.boxes.values()))
    hidden = f"hidden {', '.join(manifest.hide)}" if manifest.hide else ""
    told = shown(" · ".join(filter(None, (boxes, hidden, manifest.selection))))
    left = Content.assemble(
        (f"{moment(manifest.started_at)[5:]}  ", "$dim"), (f"{run_by(line):<{who}}  ", "$secondary")
    )
    left = left + counts(line)
    left = left + " " * max(0, 13 + who + 2 + counted + 2 - left.cell_length)
    return left + Content.styled(clip(told, max(0, width - left.cell_length)), "$dim")
