"""The durable record: a drafted status, edited by the human, seen as an exact diff, written, committed, undone."""

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.screen import Screen
from textual.timer import Timer
from textual.widgets import OptionList, Static, TextArea
from textual.widgets.option_list import Option

from workbench.desk.records import CommitResult, DeskError, SectionRows, StatusEdit
from workbench.tui.commands import Command, bindings
from workbench.tui.drafts import Drafts
from workbench.tui.screens.confirm import ConfirmScreen
from workbench.tui.transcript.words import shown
from workbench.tui.widgets.diff import added, diff_content
from workbench.tui.widgets.keybar import KeyBar

if TYPE_CHECKING:
    from workbench.desk.desk import Desk
    from workbench.tui.app import WorkbenchApp

_REDRAW = 0.25
"""Seconds without typing after which the diff follows the text."""


class DraftArea(TextArea):
    """The prose of the status; Escape goes back to the list."""

    KEYS_TITLE = "The draft"
    KEYS: ClassVar[tuple[Command, ...]] = (Command("escape", "leave", "list", "Back to the sections"),)
    BINDINGS: ClassVar[list[BindingType]] = bindings(KEYS)

    def action_leave(self) -> None:
        """Back to the list."""
        self.screen.query_one("#sections").focus()


class StatusScreen(Screen[None]):
    """Sections and their statuses on the left; the draft and what it would change on the right."""

    KEYS: ClassVar[tuple[Command, ...]] = (
        Command("e", "edit", "edit", "Edit the draft", bar=True),
        Command("w,ctrl+s", "write", "write", "Write the lines of the diff into the corpus", bar=True),
        Command("c", "commit", "commit", "Commit exactly the written lines", bar=True),
        Command("u", "undo", "undo", "Take back what was written or committed last", bar=True),
        Command("a", "scope", "one audit", "The status of the chosen audit only, or of the whole section", bar=True),
        Command("escape,q", "close", "back", "Back to the bench", bar=True),
    )
    BINDINGS: ClassVar[list[BindingType]] = bindings(KEYS)
    HORIZONTAL_BREAKPOINTS: ClassVar[list[tuple[int, str]]] = [(0, "-narrow"), (110, "-wide")]
    AUTO_FOCUS = "#sections"

    app: "WorkbenchApp"

    def __init__(self, desk: "Desk", drafts: Drafts, section: SectionRows, audit_id: str) -> None:
        super().__init__()
        self.desk, self.drafts = desk, drafts
        self._section, self._audit_id = section, audit_id
        self._one = False
        self._sections: tuple[SectionRows, ...] = ()
        self._edit: StatusEdit | None = None
        self._busy = False
        self._timer: Timer | None = None

    def compose(self) -> ComposeResult:
        """Left the sections and what was said before; right the draft, the diff, the outcome."""
        with Horizontal(id="status-panes"):
            with Vertical(id="status-left"):
                yield OptionList(id="sections", markup=False, compact=True)
                with VerticalScroll(id="history"):
                    yield Static(id="prose")
            with Vertical(id="status-right"):
                yield DraftArea(id="draft", soft_wrap=True, show_line_numbers=False)
                with VerticalScroll(id="diff"):
                    yield Static(id="diff-lines")
                with VerticalScroll(id="outcome"):
                    yield Static(id="outcome-lines")
        yield KeyBar(self.KEYS)

    def on_mount(self) -> None:
        """Titles, then the sections."""
        for name, title in (("sections", "Sections"), ("history", "Statuses so far"), ("diff", "Diff")):
            self.query_one(f"#{name}").border_title = title
        self._show_outcome(Content(""))
        self._blank()
        self.run_worker(self._load(), group="sections", exclusive=True)

    # Sections

    async def _load(self) -> None:
        self._sections = await asyncio.to_thread(self.desk.sections, "")
        listing = self.query_one("#sections", OptionList)
        with self.prevent(OptionList.OptionHighlighted):
            listing.clear_options()
            listing.add_options(Option(_section_line(section)) for section in self._sections)
        wanted = (self._section.file, self._section.section.title)
        names = [(section.file, section.section.title) for section in self._sections]
        index = names.index(wanted) if wanted in names else 0
        listing.highlighted = None
        listing.highlighted = index if self._sections else None

    @on(OptionList.OptionHighlighted, "#sections")
    def _chosen(self, event: OptionList.OptionHighlighted) -> None:
        section = self._sections[event.option_index]
        if section.section.title != self._section.section.title or section.file != self._section.file:
            self._one = False
        self._section = section
        self._draft()

    @property
    def _scope(self) -> str:
        return self._audit_id if self._one else ""

    def _draft(self) -> None:
        """Show what this sitting holds for the section, else a fresh draft."""
        self.query_one("#prose", Static).update(_statuses(self._section))
        kept = self.drafts.get(self._section, self._scope)
        if kept is not None:
            self._show(kept)
        else:
            self.run_worker(self._fetch(self._section, self._scope), group="draft", exclusive=True)

    async def _fetch(self, section: SectionRows, audit_id: str) -> None:
        try:
            edit = await asyncio.to_thread(self.desk.draft, section.file, section.section.title, audit_id=audit_id)
        except DeskError as error:
            self._blank()
            self.query_one("#diff-lines", Static).update(Content.styled(shown(str(error)), "$dim"))
            return
        self._show(edit)

    # The draft

    def _blank(self) -> None:
        self._edit = None
        area = self.query_one(DraftArea)
        with area.prevent(TextArea.Changed):
            area.text = ""
        area.read_only = True
        area.border_title, area.border_subtitle = "Draft", ""
        self.query_one("#diff-lines", Static).update("")
        self.refresh_bindings()

    def _show(self, edit: StatusEdit) -> None:
        """Show an edit; the text area keeps the human's cursor when the text is the same."""
        self._edit = edit
        area = self.query_one(DraftArea)
        if area.text != edit.text:
            with area.prevent(TextArea.Changed):
                area.text = edit.text
        area.read_only = edit.written
        area.border_title = Content.assemble("Draft  ", (shown(edit.audit_id or edit.section), "bold $foreground"))
        state = f"committed {edit.commit[:9]}" if edit.commit else "written · c commits" if edit.written else "not written"
        area.border_subtitle = Content(f"{shown(edit.heading)} · {state}")
        self.query_one("#diff-lines", Static).update(diff_content(edit.diff))
        diff = self.query_one("#diff")
        diff.border_subtitle = Content(shown(edit.file) if edit.tracked else f"{shown(edit.file)} · not tracked by git")
        self.refresh_bindings()

    @on(TextArea.Changed, "#draft")
    def _typed(self) -> None:
        if self._timer is not None:
            self._timer.stop()
        self._timer = self.set_timer(_REDRAW, self._redraw)

    def _redraw(self) -> None:
        if self._edit is not None and not self._edit.written:
            self.run_worker(self._redraft(self._edit), group="redraft", exclusive=True)

    async def _redraft(self, edit: StatusEdit) -> None:
        try:
            edit = await asyncio.to_thread(self.desk.redraft, edit, self.query_one(DraftArea).text)
        except DeskError as error:
            self._refuse(str(error))
            return
        self.drafts.keep(edit)
        self._show_diff(edit)

    def _show_diff(self, edit: StatusEdit) -> None:
        if self._edit is not None and (edit.file, edit.section, edit.audit_id) == (
            self._edit.file,
            self._edit.section,
            self._edit.audit_id,
        ):
            self._edit = edit
            self.query_one("#diff-lines", Static).update(diff_content(edit.diff))

    # Keys

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Only what can be done with the edit as it is."""
        edit = self._edit
        match action:
            case "edit" | "write":
                return edit is not None and not edit.written
            case "commit":
                return edit is not None and edit.written and not edit.commit
            case "scope":
                return any(row.audit.id == self._audit_id for row in self._section.rows)
        return True

    def action_edit(self) -> None:
        """Into the draft."""
        self.query_one(DraftArea).focus()

    def action_scope(self) -> None:
        """One audit, or the section."""
        self._one = not self._one
        self._draft()

    def action_write(self) -> None:
        """Write what the diff shows."""
        if self._edit is not None and not self._busy:
            self.run_worker(self._write(self._edit), group="write")

    async def _write(self, edit: StatusEdit) -> None:
        if self.query_one(DraftArea).text != edit.text:
            # What is written must have been seen: first the diff of the latest words, then another press.
            await self._redraft(edit)
            self._show_outcome(Content.styled("The diff has changed with your text: look, then w writes it.", "$attention"))
            return
        self._busy = True
        try:
            written = await asyncio.to_thread(self.desk.write, edit)
        except (DeskError, OSError) as error:
            self._refuse(str(error))
            return
        finally:
            self._busy = False
        self.drafts.keep(written)
        self._show(written)
        self.query_one("#sections").focus()
        self._show_outcome(Content.assemble(("✓ ", "$success"), "written; c commits it, u takes it back"))
        await self._load()

    def action_commit(self) -> None:
        """Commit the written lines; an untracked corpus is shown whole first."""
        if self._edit is None or self._busy:
            return
        if self._edit.tracked:
            self.run_worker(self._commit(self._edit, whole=False), group="write")
        else:
            self.run_worker(self._ask_whole(self._edit), group="write")

    async def _ask_whole(self, edit: StatusEdit) -> None:
        path = self.desk.project.root / edit.file
        text = await asyncio.to_thread(path.read_text, "utf-8", "replace")
        question = f"git does not track {edit.file}. A commit adds the whole file, as it stands here:"
        screen = ConfirmScreen("Commit the whole file", question, yes="commit the whole file", detail=added(text))
        if await self.app.push_screen_wait(screen):
            await self._commit(edit, whole=True)

    async def _commit(self, edit: StatusEdit, *, whole: bool) -> None:
        self._busy = True
        self._show_outcome(Content.styled("committing; hooks may take a while", "$dim"))
        try:
            result = await asyncio.to_thread(self.desk.commit, edit, whole_file=whole)
        except (DeskError, OSError) as error:
            self._refuse(str(error))
            return
        finally:
            self._busy = False
        if not result.refused:
            edit = replace(edit, commit=result.commit)
            self.drafts.keep(edit)
            self._show(edit)
        self._show_outcome(_result(result, f"committed {result.commit[:9]}; u takes it back with another commit"))

    def action_undo(self) -> None:
        """Take back what was written or committed last."""
        if not self._busy:
            self.run_worker(self._undo(), group="write")

    async def _undo(self) -> None:
        self._busy = True
        try:
            result = await asyncio.to_thread(self.desk.undo)
        except (DeskError, OSError) as error:
            self._refuse(str(error))
            return
        finally:
            self._busy = False
        if not result.refused:
            self.drafts.undone()
        done = f"taken back by commit {result.commit[:9]}" if result.commit else "taken back"
        self._show_outcome(_result(result, done))
        await self._load()

    def action_close(self) -> None:
        """Back to the bench."""
        self.dismiss()

    # The outcome

    def _refuse(self, text: str) -> None:
        self._show_outcome(Content.assemble(("✗ ", "$error"), shown(text)))

    def _show_outcome(self, content: Content) -> None:
        self.query_one("#outcome-lines", Static).update(content)
        self.query_one("#outcome").display = bool(content.plain)


def _result(result: CommitResult, done: str) -> Content:
    """What became of a commit, with what git and the hooks said."""
    said = shown(result.output).strip()
    output = Content.styled(f"\n{said}" if said else "", "$dim")
    if result.refused:
        return Content.assemble(("✗ ", "$error"), shown(result.refused), output)
    return Content.assemble(("✓ ", "$success"), done, output)


def _section_line(section: SectionRows) -> Content:
    title = shown(section.section.title) or shown(section.file)
    status = section.status
    return Content.assemble(title, (f"  {status.date}" if status else "  no status", "$dim"))


def _statuses(section: SectionRows) -> Content:
    """Every status the corpus holds for the section, as text, newest first."""
    if not section.section.statuses:
        return Content.styled("none yet", "$dim")
    parts = []
    for status in sorted(section.section.statuses, key=lambda s: (s.date, -s.line), reverse=True):
        qualifier = f"  {shown(status.qualifier)}" if status.qualifier else ""
        head = Content.assemble((status.date, "bold"), (qualifier, "$secondary"), (f"  line {status.line}", "$dim"))
        parts.append(head + "\n" + shown(status.text))
    return Content("\n\n").join(parts)
