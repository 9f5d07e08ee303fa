"""Whom to ask from here on: every engine with what it has and what it lacks, and its rehearsal."""

import asyncio
from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from workbench.desk.records import DeskError
from workbench.engines.protocol import Readiness
from workbench.engines.registry import REHEARSED, names, rehearsals
from workbench.tui.board import Choice
from workbench.tui.commands import Command, bindings
from workbench.tui.transcript.words import clip, shown
from workbench.tui.widgets.hanging import Hanging, Line
from workbench.tui.workers import latest

if TYPE_CHECKING:
    from workbench.desk.desk import Desk

_READER = "reader"
_LABEL = 13
_NAME, _VERSION, _TOLD = 15, 11, 38


class EnginesScreen(ModalScreen[Choice | None]):
    """Answers what was chosen, for this session; None when nothing was."""

    KEYS: ClassVar[tuple[Command, ...]] = (
        Command("m", "model", "model", "Name a model for the engine under the cursor"),
        Command("ctrl+r", "look", "look again", "Look again what is installed and which keys are set"),
        Command("escape,q,E", "close", "close", "Back; whom is asked stays as it is"),
    )
    BINDINGS: ClassVar[list[BindingType]] = bindings(KEYS)

    def __init__(self, desk: "Desk", chosen: Choice) -> None:
        super().__init__()
        self._desk, self._chosen = desk, chosen
        self._found: tuple[Readiness, ...] = ()
        self._waiting = Static(id="waiting")
        self._list = OptionList(id="engines", compact=True, markup=False)
        self._detail = Hanging()
        self._known = VerticalScroll(self._detail, id="detail", can_focus=False)
        self._model = Input(chosen.model, placeholder="its default", id="model", compact=True)

    def compose(self) -> ComposeResult:
        """The engines, what is known of the one under the cursor, its model."""
        with Vertical(id="dialog", classes="-wide") as dialog:
            dialog.border_title = "Ask whom"
            dialog.border_subtitle = "enter chooses · m names a model · esc closes"
            yield self._waiting
            yield self._list
            with Vertical(id="model-row"):
                yield Static(Content.styled("model", "$dim"))
                yield self._model
            yield self._known

    def on_mount(self) -> None:
        """Look at every engine; that starts their programs, so it takes a moment."""
        self._list.focus()
        self.action_look()

    def action_look(self) -> None:
        """Look again."""
        latest(self, self._look, "look")

    async def _look(self) -> None:
        self._waiting.update(Content.styled("looking at programs and keys …", "$dim"))
        self._waiting.display, self._list.display = True, False
        self._desk.engines.forget()
        wanted = (*names(), *rehearsals())
        try:
            self._found = await asyncio.to_thread(self._desk.engines.readiness, wanted)
        except DeskError as error:
            self._waiting.update(Content.assemble(("✗ ", "$error"), shown(str(error))))
            return
        self._list.clear_options()
        self._list.add_option(Option(Content("  as each audit, its corpus or its box says"), id=""))
        for one in self._found:
            self._list.add_option(Option(_line(one), id=one.engine))
        self._waiting.display, self._list.display = False, True
        self._list.highlighted = self._list.get_option_index(self._chosen.engine)
        self._list.focus()

    @on(OptionList.OptionHighlighted)
    def _marked(self, event: OptionList.OptionHighlighted) -> None:
        one = self._of(event.option_id)
        self._known.display = one is not None
        self._detail.lay(_details(one) if one else ())

    @on(OptionList.OptionSelected)
    def _selected(self, event: OptionList.OptionSelected) -> None:
        self._choose(event.option_id)

    @on(Input.Submitted)
    def _named(self) -> None:
        option = self._list.highlighted
        self._choose(self._list.get_option_at_index(option).id if option is not None else "")

    def _choose(self, engine: str | None) -> None:
        """Take an engine that can be asked; of another one its details say why not."""
        one = self._of(engine)
        if one is None or one.ready:
            self.dismiss(Choice(engine or "", self._model.value.strip() if _takes_model(engine or "") else ""))
        else:
            self.notify(shown(f"{one.engine} cannot be asked: {one.problems[0]}"), severity="warning", markup=False)

    def _of(self, engine: str | None) -> Readiness | None:
        return next((one for one in self._found if one.engine == engine), None)

    def action_model(self) -> None:
        """Type the name of a model."""
        self._model.focus()

    def action_close(self) -> None:
        """From the model back to the list, from there to the bench."""
        if self.focused is self._model:
            self._list.focus()
        else:
            self.dismiss(None)


def _takes_model(engine: str) -> bool:
    return engine != _READER and REHEARSED not in engine


def _line(one: Readiness) -> Content:
    """An engine in a line: whether it is ready, and what it takes, or lacks."""
    sign = ("✓ ", "$success") if one.ready else ("– ", "$dim")
    return Content.assemble(
        sign,
        (f"{shown(one.engine):<{_NAME}}", "bold" if one.ready else ""),
        (f"{clip(shown(one.version), _VERSION - 1):<{_VERSION}}", "$dim"),
        (clip(shown(_price(one)), _TOLD), "" if one.ready else "$dim"),
    )


def _price(one: Readiness) -> str:
    """What asking takes; of an engine that is not ready, the gist of what it lacks."""
    if not one.ready:
        return one.problems[0].partition(":")[0]
    if REHEARSED in one.engine:
        return "free: the reader in its model's place"
    return "free" if one.engine == _READER else f"costs money, by {one.credential}"


def _details(one: Readiness) -> Iterator[Line]:
    for problem in one.problems:
        yield Content.styled(f"{'✗ missing':<{_LABEL}}", "$error"), Content(shown(problem))
    told = (("program", one.program), ("credential", one.credential), ("confined by", one.confinement))
    for label, text in (*told, *(("note", note) for note in one.notes)):
        if text:
            yield Content.styled(f"{label:<{_LABEL}}", "$dim"), Content(shown(text))
