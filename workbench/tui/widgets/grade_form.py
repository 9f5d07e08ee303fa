"""The form of grading mode: level, verdict, cause and note at one key each, kept until Enter saves them."""

from dataclasses import dataclass, replace
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget
from textual.widgets import Input, Static

from workbench.grading.levels import NOTE_WANTED
from workbench.grading.records import CAUSES
from workbench.tui.commands import Command, bindings
from workbench.tui.looks import level_key, level_words
from workbench.tui.transcript.words import shown
from workbench.tui.widgets.assessment import Filled
from workbench.tui.widgets.form_fields import LETTERS, VERDICT_LOOKS, choices

_LABEL = 11


class GradeNote(Input):
    """The note, one line of any length."""

    KEYS_TITLE = "The note"
    KEYS: ClassVar[tuple[Command, ...]] = (
        Command("enter", "save", "save and next", "Save the assessment and go to the next trial", bar=True),
        Command("escape", "back", "done", "Back to the other keys; nothing is lost", bar=True),
    )
    TYPING = True
    BINDINGS: ClassVar[list[BindingType]] = bindings(KEYS)

    class Save(Message):
        """The human is done with the whole assessment."""

    class Back(Message):
        """The human is done with the note."""

    def action_save(self) -> None:
        """Save all."""
        self.post_message(self.Save())

    def action_back(self) -> None:
        """Leave the note."""
        self.post_message(self.Back())


class GradeChoices(Widget, can_focus=True):
    """The nine levels; or, while it has the focus, the causes, one letter each."""

    KEYS_TITLE = "The cause"
    KEYS: ClassVar[tuple[Command, ...]] = (
        Command("a–k", "", "choose", "The cause with that letter", bar=True),
        Command("backspace", "", "none", "No cause", bar=True),
        Command("esc", "", "back", "Leave the cause as it is", bar=True),
    )
    TYPING = True
    ALLOW_SELECT = False

    @dataclass
    class Chosen(Message):
        """A choice was made in a field; `left` when the human is done with it unchanged."""

        field: str
        value: str
        left: bool = False

    filled: reactive[Filled] = reactive(Filled, layout=True)

    def on_key(self, event: events.Key) -> None:
        """Letters choose; anything else but the keys of the app ends the choosing."""
        character = event.character or ""
        if character and character in LETTERS:
            self.post_message(self.Chosen("cause", CAUSES[LETTERS.index(character)]))
        elif event.key in ("backspace", "delete"):
            self.post_message(self.Chosen("cause", ""))
        elif event.key in ("escape", "enter"):
            self.post_message(self.Chosen("cause", self.filled.cause, left=True))
        else:
            return
        event.stop()
        event.prevent_default()

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Pressing on a choice makes it."""
        field, _, value = str(event.style.meta.get("pick", "")).partition(":")
        if field:
            event.stop()
            self.post_message(self.Chosen(field, value))

    def render(self) -> Content:
        """What can be chosen now."""
        if self.has_focus:
            return choices("cause", self.filled.cause, self.size.width)
        return choices("level", self.filled.level, self.size.width)


class GradeForm(Vertical):
    """Posts `Changed` at every entry, `Save` on Enter in the note, `Back` when the human leaves a field."""

    @dataclass
    class Changed(Message):
        """The human entered something."""

        filled: Filled

    class Save(Message):
        """Save, and go on."""

    class Back(Message):
        """The focus may go back to the page."""

    def __init__(self) -> None:
        super().__init__(id="grade-form")
        self.filled = Filled()
        self._locked = False
        self.note = GradeNote(placeholder="·  n", compact=True, id="grade-note", select_on_focus=False)
        self.choices = GradeChoices(id="grade-choices")
        self._fields = Static(id="grade-fields", markup=False)
        self._line = Static(id="grade-line", markup=False)
        self.border_title = "Assessment"

    def compose(self) -> ComposeResult:
        """The fields, and the line below them."""
        yield self._fields
        with Horizontal(id="grade-note-row"):
            yield Static(f"{'note':<{_LABEL}}", id="grade-note-label", markup=False)
            yield self.note
        yield self._line
        yield self.choices

    def show(self, filled: Filled) -> None:
        """Show what is entered of a trial; with an empty trial, a form for nothing."""
        self.filled = filled
        value = shown(filled.note).replace("\n", " ")
        if self.note.value.strip() != value:
            with self.note.prevent(Input.Changed):
                self.note.value = value
        self.disabled = not filled.trial
        self._draw()

    def tell(self, grader: str, *, saved: bool, changed: bool, locked: bool) -> None:
        """Say how things stand with what is entered."""
        self._locked = locked
        state = "not saved yet" if changed else "locked" if locked else "saved" if saved else "yours to fill"
        style = "$attention" if changed else "$dim"
        self.border_subtitle = Content.styled(f"{state} · {shown(grader)}" if self.filled.trial else "", style)

    def say(self, line: Content | str) -> None:
        """Tell something in the form's own line, until the next entry."""
        self._line.update(line if isinstance(line, Content) else Content.styled(shown(line), "$dim"))

    def refuse(self, why: str) -> None:
        """Say why something was not done."""
        self._line.update(Content.assemble(("! ", "bold $attention"), (shown(why), "$attention")))

    def enter(self, field: str, value: str) -> None:
        """Put a value into a field; the same value again takes it out, so that a slip is one key to undo."""
        if self._locked and field != "cause":
            self.refuse("locked: it was given before the checks showed; cause and note stay open")
            return
        kept = "" if getattr(self.filled, field) == value else value
        self._keep(replace(self.filled, **{field: kept}))

    def _keep(self, filled: Filled) -> None:
        self.filled = filled
        self._line.update("")
        self._draw()
        self.post_message(self.Changed(filled))

    @on(Input.Changed, "#grade-note")
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        self._keep(replace(self.filled, note=event.value.strip()))

    @on(GradeChoices.Chosen)
    def _chosen(self, event: GradeChoices.Chosen) -> None:
        event.stop()
        if not event.left and getattr(self.filled, event.field) != event.value:
            self.enter(event.field, event.value)
        self.post_message(self.Back())

    @on(GradeNote.Save)
    def _save(self, event: GradeNote.Save) -> None:
        event.stop()
        self.post_message(self.Save())

    @on(GradeNote.Back)
    def _back(self, event: GradeNote.Back) -> None:
        event.stop()
        self.post_message(self.Back())

    def on_descendant_focus(self) -> None:
        """The causes show while they are chosen from."""
        self.choices.refresh(layout=True)

    def on_descendant_blur(self) -> None:
        """The levels show again."""
        self.choices.refresh(layout=True)

    def _draw(self) -> None:
        filled = self.filled
        self.choices.filled = filled
        wanted = filled.level in NOTE_WANTED and not filled.note
        self.note.placeholder = "wanted for this level: what happened?" if wanted else "·  n"
        level = Content.assemble((level_key(filled.level), "bold $attention"), f"  {level_words(filled.level)}")
        look = VERDICT_LOOKS.get(str(filled.verdict))
        verdict = Content.assemble(look.content, f"  {filled.verdict}") if look else _blank("p pass  f fail  u unsure")
        cause = Content(filled.cause) if filled.cause else _blank("c")
        lines = (
            _label("level") + (level if filled.level else _blank("1–9")),
            _label("verdict") + verdict,
            _label("cause") + cause,
        )
        self._fields.update(Content("\n").join(lines))


def _label(name: str) -> Content:
    return Content.styled(f"{name:<{_LABEL}}", "$dim")


def _blank(keys: str) -> Content:
    return Content.styled(f"·  {keys}", "$dim")
