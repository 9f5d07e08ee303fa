"""The durable record: a drafted status, edited by the human, seen as an exact diff, written, committed, undone."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, ClassVar, TypeVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.screen import Screen

from workbench.desk.records import DeskError, SectionRows, StatusEdit
from workbench.tui.board import Board
from workbench.tui.commands import Command, bindings
from workbench.tui.drafts import Drafts, Key, Place, places
from workbench.tui.screens.confirm import ConfirmScreen
from workbench.tui.screens.several import Several
from workbench.tui.transcript.words import shown
from workbench.tui.widgets.diff import added
from workbench.tui.widgets.draft_pane import DraftArea, DraftPane
from workbench.tui.widgets.header import HeaderBar
from workbench.tui.widgets.keybar import KeyBar
from workbench.tui.widgets.section_list import SectionList
from workbench.tui.workers import latest

if TYPE_CHECKING:
    from workbench.desk.desk import Desk
    from workbench.tui.app import WorkbenchApp

_T = TypeVar("_T")


class StatusScreen(Screen[None]):
    """Sections and their statuses on the left; the draft and what it would change on the right."""

    KEYS: ClassVar[tuple[Command, ...]] = (
        Command("e", "edit", "edit", "Edit the draft", bar=True),
        Command("w,ctrl+s", "write", "write", "Write the lines of the diff into the corpus", bar=True),
        Command("c", "commit", "commit", "Commit exactly the written lines", bar=True),
        Command("u", "undo", "undo", "Take back what was written or committed last", bar=True),
        Command("space", "mark", "mark", "Mark the section: w and c then take all that are marked", bar=True),
        Command("a", "scope", "one audit", "Status of the chosen audit only, or of the section", bar=True),
        Command("escape,q", "close", "back", "Back to the bench", bar=True),
    )
    BINDINGS: ClassVar[list[BindingType]] = bindings(KEYS)
    AUTO_FOCUS = "#sections"

    app: "WorkbenchApp"

    def __init__(self, desk: "Desk", board: Board, drafts: Drafts, first: SectionRows, audit_id: str) -> None:
        super().__init__()
        self.desk, self.board, self.drafts = desk, board, drafts
        self.sections = SectionList()
        self.draft = DraftPane()
        self._first, self._audit_id = first, audit_id
        self._sections: tuple[SectionRows, ...] = ()
        self._places: tuple[Place, ...] = ()
        self._place: Place = ("", "", 0)
        self._section: SectionRows | None = None
        self._one = False
        self._edit: StatusEdit | None = None
        self._deeds = asyncio.Lock()
        self._several = Several(self)

    def compose(self) -> ComposeResult:
        """Left the sections and what was said before; right the draft, the diff, the outcome."""
        yield HeaderBar(self.board)
        with Horizontal(id="status-panes"):
            yield self.sections
            yield self.draft
        yield KeyBar(self.KEYS)

    def on_mount(self) -> None:
        """Read the sections."""
        self.draft.tell(Content(""))
        latest(self, self._load, "sections")

    # What is drafted

    async def _load(self) -> None:
        """Read the sections again, the mark staying where it is."""
        self._sections = await asyncio.to_thread(self.desk.sections)
        self._places = places(self._sections)
        first = self._first.file, self._first.section.line
        lines = [(rows.file, rows.section.line) for rows in self._sections]
        index = lines.index(first) if first in lines else 0
        self.sections.show(self._sections, self._places.index(self._place) if self._place in self._places else index)
        self._show_marks()

    @on(SectionList.Chosen)
    def _chosen(self, event: SectionList.Chosen) -> None:
        place = self._places[event.index]
        self._one = self._one and place == self._place
        self._place, self._section = place, self._sections[event.index]
        self._fetch()

    @property
    def _key(self) -> Key:
        return self._place, self._audit_id if self._one else ""

    def _fetch(self) -> None:
        """Show what this sitting holds for the section, else a fresh draft."""
        kept = self.drafts.get(self._key)
        if kept is not None:
            self._show(kept)
        elif self._section is not None:
            latest(self, partial(self._fetch_draft, self._section, self._key[1]), "draft")

    async def _fetch_draft(self, rows: SectionRows, audit_id: str) -> None:
        title, line = rows.section.title, rows.section.line
        try:
            edit = await asyncio.to_thread(
                self.desk.recorder.draft, rows.file, title, section_line=line, audit_id=audit_id
            )
        except DeskError as error:
            self._edit = None
            self.draft.blank(str(error))
            self.refresh_bindings()
            return
        self._show(edit)

    def _show(self, edit: StatusEdit) -> None:
        self._edit = edit
        self.draft.show(edit)
        self.refresh_bindings()

    @on(DraftPane.Edited)
    def _edited(self) -> None:
        if self._edit is not None and not self._edit.written:
            latest(self, partial(self._redraft, self._key, self._edit), "redraft")

    async def _redraft(self, key: Key, edit: StatusEdit) -> None:
        """The diff of the words as they are now."""
        try:
            fresh = await asyncio.to_thread(self.desk.recorder.redraft, edit, self.draft.text)
        except DeskError as error:
            self._refuse(error)
            return
        if self._edit is edit:  # else it was written, or left, meanwhile
            self.drafts.keep(key, fresh)
            self._edit = fresh
            self.draft.redraw(fresh)

    # Keys

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Only what can be done with the edit as it is."""
        edit = self._edit
        match action:
            case "write" if self._several.marked:
                return self._several.writable
            case "commit" if self._several.marked:
                return self._several.committable
            case "edit" | "write":
                return edit is not None and not edit.written
            case "commit":
                return edit is not None and edit.written and not edit.commit
            case "scope":
                rows = self._section.rows if self._section is not None else ()
                return any(row.audit.id == self._audit_id for row in rows)
        return True

    def action_edit(self) -> None:
        """Into the draft."""
        self.draft.area.focus()

    @on(DraftArea.Left)
    def _left(self) -> None:
        self.sections.listing.focus()

    def action_scope(self) -> None:
        """One audit, or the section."""
        self._one = not self._one
        self._fetch()

    def action_close(self) -> None:
        """Back to the bench."""
        self.dismiss()

    def action_write(self) -> None:
        """Write what the diff shows, or all that is marked."""
        if self._several.marked:
            self.run_worker(self._all(self._several.write), group="deeds")
        elif self._edit is not None:
            self.run_worker(self._write(self._edit), group="deeds")

    async def _write(self, edit: StatusEdit) -> None:
        if self.draft.text != edit.text:
            # What is written must have been seen: first the diff of the latest words, then another press.
            await self._redraft(self._key, edit)
            self.draft.tell(Content.styled("the diff has changed with your text: look, then w writes it", "$attention"))
            return
        key = self._key
        written = await self.do(lambda: self.desk.recorder.write(edit))
        if written is None:
            return
        self.drafts.keep(key, written)
        self._show(written)
        self.sections.listing.focus()
        self.draft.tell(Content.assemble(("✓ ", "$success"), "written; c commits it, u takes it back"))
        await self._load()

    def action_commit(self) -> None:
        """Commit the written lines; an untracked corpus is shown whole first. Of what is marked, each by itself."""
        if self._several.marked:
            self.run_worker(self._all(self._several.commit), group="deeds")
        elif self._edit is not None:
            self.run_worker(self._commit(self._edit), group="deeds")

    async def _commit(self, edit: StatusEdit) -> None:
        if not edit.tracked and not await self._may_add(edit):
            return
        key = self._key
        self.draft.tell(Content.styled("committing; hooks may take a while", "$dim"))
        result = await self.do(lambda: self.desk.recorder.commit(edit, whole_file=not edit.tracked))
        if result is None:
            return
        if not result.refused:
            committed = replace(edit, commit=result.commit)
            self.drafts.keep(key, committed)
            self._show(committed)
        self.draft.report(result, f"committed {result.commit[:9]}; u takes it back with another commit")

    async def _may_add(self, edit: StatusEdit) -> bool:
        """Ask whether a file git does not know may be committed whole, and show it."""
        path = self.desk.project.root / edit.file
        text = await self.do(lambda: path.read_text("utf-8", "replace"))
        if text is None:
            return False
        question = f"git does not track {edit.file}. A commit adds the whole file, as it stands here:"
        screen = ConfirmScreen("Commit the whole file", question, yes="commit the whole file", detail=added(text))
        answer: bool = await self.app.push_screen_wait(screen)
        return answer

    # Several at once

    def action_mark(self) -> None:
        """Mark the chosen section, or take its mark away."""
        self._several.toggle(self._place)
        self._show_marks()

    def _show_marks(self) -> None:
        self.sections.mark(self._places.index(place) for place in self._several.marked if place in self._places)
        self.refresh_bindings()

    def sections_marked(self) -> list[tuple[Place, SectionRows]]:
        """The marked sections, in file order."""
        every = zip(self._places, self._sections, strict=True)
        return [(place, rows) for place, rows in every if place in self._several.marked]

    async def _all(self, deed: Callable[[], Awaitable[None]]) -> None:
        edit = self._edit
        if edit is not None and not edit.written and self.draft.text != edit.text:
            await self._redraft(self._key, edit)
        await deed()
        await self._load()

    # Taking back

    def action_undo(self) -> None:
        """Take back what was written or committed last."""
        self.run_worker(self._undo(), group="deeds")

    async def _undo(self) -> None:
        result = await self.do(self.desk.recorder.undo)
        if result is None:
            return
        if not result.refused:
            self.drafts.undone()
        self.draft.report(result, f"taken back by commit {result.commit[:9]}" if result.commit else "taken back")
        await self._load()

    async def do(self, deed: Callable[[], _T]) -> _T | None:
        """One deed after the other, off the loop; a refusal is shown and gives None."""
        async with self._deeds:
            try:
                return await asyncio.to_thread(deed)
            except (DeskError, OSError) as error:
                self._refuse(error)
                return None
            finally:
                self.app.look_around()

    def _refuse(self, error: Exception) -> None:
        self.draft.tell(Content.assemble(("✗ ", "$error"), shown(str(error))))
