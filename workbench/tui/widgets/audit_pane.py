"""The left pane: the filter over the list of audits."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.suggester import Suggester
from textual.widgets import Input, Static

from workbench.corpus.completion import complete, completed
from workbench.corpus.records import Audit
from workbench.tui.commands import Command, bindings
from workbench.tui.transcript.words import shown
from workbench.tui.widgets.audit_tree import AuditTree


class FilterInput(Input):
    """Where a selection is typed, in the language the command line takes."""

    KEYS_TITLE = "The filter"
    KEYS: ClassVar[tuple[Command, ...]] = (
        Command("enter", "leave", "list", "Go to the list", bar=True),
        Command("→", "", "complete", "Take what is offered behind the cursor", bar=True),
        Command("escape", "clear", "clear", "Clear the filter, then go to the list", bar=True),
    )
    TYPING = True
    BINDINGS: ClassVar[list[BindingType]] = bindings(KEYS)

    class Left(Message):
        """The human is done typing."""

    def action_leave(self) -> None:
        """Go to the list."""
        self.post_message(self.Left())

    def action_clear(self) -> None:
        """Clear what was typed; when there is nothing, go to the list."""
        if self.value:
            self.value = ""
        else:
            self.action_leave()


class _Completion(Suggester):
    """Offers, dim behind the cursor, what the word being typed can become."""

    def __init__(self) -> None:
        super().__init__(use_cache=False, case_sensitive=True)
        self.audits: tuple[Audit, ...] = ()

    async def get_suggestion(self, value: str) -> str | None:
        """The first way to go on with the last word; nothing while it is empty."""
        options = complete(value, self.audits) if value and not value.endswith(" ") else ()
        return completed(value, options[0]) if options else None


class AuditPane(Vertical):
    """Posts `Filtered` as the human types; shows what is wrong with a filter right under it."""

    BORDER_TITLE = "Audits"

    @dataclass
    class Filtered(Message):
        """The filter is now this text."""

        text: str

    def __init__(self) -> None:
        super().__init__(id="audits")
        self._completion = _Completion()
        self.filter = FilterInput(
            placeholder="/ filter", compact=True, id="filter", select_on_focus=False, suggester=self._completion
        )
        self.rows = AuditTree()
        self._hint = Static(id="filter-hint", markup=False)
        self._complaint = Static(id="filter-error", markup=False)
        self._told = (0, 0, 0)

    def compose(self) -> ComposeResult:
        """The filter, what can be typed there, its complaint, the list."""
        yield self.filter
        yield self._hint
        yield self._complaint
        yield self.rows

    @on(Input.Changed, "#filter")
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        self._offer()
        self.post_message(self.Filtered(event.value))

    def on_descendant_focus(self) -> None:
        """In the filter, say what can be typed."""
        self._offer()

    def on_descendant_blur(self) -> None:
        """Elsewhere it would only take room."""
        self._hint.display = False

    def _offer(self) -> None:
        options = complete(self.filter.value, self._completion.audits) if self.filter.has_focus else ()
        words = "  ".join(shown(option) for option in (options if self.filter.value else ("word", *options, "-not")))
        self._hint.update(Content.styled(words, "$dim"))
        self._hint.display = bool(options)

    def learn(self, audits: Iterable[Audit]) -> None:
        """What there is to select: tags, sections and files are offered from it."""
        self._completion.audits = tuple(audits)

    @on(FilterInput.Left)
    def _left(self, event: FilterInput.Left) -> None:
        event.stop()
        self.rows.focus()

    def complain(self, text: str) -> None:
        """Show why the list lacks audits: the filter, or a corpus; empty text when all is well."""
        self._complaint.update(Content(shown(text)))
        self._complaint.display = bool(text)

    def tell(self, audits: int, total: int, problems: int) -> None:
        """Say in the border how many audits show, and how many problems the corpora have."""
        self._told = audits, total, problems
        self.count()

    def count(self) -> None:
        """Say it again, with how many are marked."""
        audits, total, problems = self._told
        marked = f"{len(self.rows.marked)} marked · " if self.rows.marked else ""
        every = f"{total or 'no'} audit{'' if total == 1 else 's'}"
        number = f"{audits} of {total}" if audits != total else every
        wrong = f" {problems} problem{'' if problems == 1 else 's'}" if problems else ""
        key = " · !" if problems else ""
        self.border_subtitle = Content.assemble(
            (marked, "$attention"), number, (key, "bold $attention"), (wrong, "$warning")
        )
