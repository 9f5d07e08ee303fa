"""The three fields of the assessment that are chosen, not typed: level, verdict, cause."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from textual import events
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.style import Style
from textual.widget import Widget

from workbench.checks.records import Outcome
from workbench.corpus.records import LEVELS
from workbench.grading.records import CAUSES
from workbench.tui.commands import Command
from workbench.tui.looks import OUTCOMES, UNSURE, Look, level_key, level_words

Field = Literal["level", "verdict", "cause"]
FIELDS: tuple[Field, ...] = ("level", "verdict", "cause")
VERDICTS = {"p": "pass", "f": "fail", "u": "unsure"}
VERDICT_LOOKS: dict[str, Look] = {
    "pass": OUTCOMES[Outcome.PASSED],
    "fail": OUTCOMES[Outcome.FAILED],
    "unsure": UNSURE,
}
_COLUMN = 32
LETTERS = "abcdeghijk"
"""Keys of the causes, in their order; f is left to the verdict."""


class FormFields(Widget, can_focus=True):
    """Posts `Picked` when a field gets another value, `Moved` when the mark moves, `Done` on Escape."""

    KEYS_TITLE = "The assessment"
    KEYS: ClassVar[tuple[Command, ...]] = (
        Command("1–9", "", "level", "The level, wherever in the form the mark stands", bar=True),
        Command("p f u", "", "verdict", "Pass, fail, unsure, wherever the mark stands", bar=True),
        Command("c", "", "cause", "Go to the cause; there a–k choose one", bar=True),
        Command("n", "", "note", "Go to the note", bar=True),
        Command("↑ ↓", "", "field", "The field above or below"),
        Command("← →", "", "choose", "The choice before or after"),
        Command("backspace", "", "clear", "Make the field blank again"),
        Command("esc", "", "done", "Back to where you came from; all is saved", bar=True),
    )
    TYPING = True
    """Letters are taken here before the screen gets them."""
    ALLOW_SELECT = False

    @dataclass
    class Picked(Message):
        """A field's value was chosen; empty when it was cleared."""

        field: str
        value: str

    @dataclass
    class Moved(Message):
        """The mark is on this field now; `note` is the input below."""

        field: str

    @dataclass
    class Done(Message):
        """The human leaves."""

    filled: reactive[tuple[str, str, str]] = reactive(("", "", ""))
    """Level, verdict and cause as they are."""
    field: reactive[Field] = reactive[Field]("level")
    """Where the mark is."""

    def enter(self, field: Field) -> None:
        """Take the focus with the mark on a field."""
        self.field = field
        self.focus()
        self.post_message(self.Moved(field))

    def on_key(self, event: events.Key) -> None:
        """Keys that mean something here stop here; all others stay the screen's."""
        if self._handle(event.key, event.character or ""):
            event.stop()
            event.prevent_default()

    def _handle(self, key: str, character: str) -> bool:
        if self.field == "cause" and character and character in LETTERS:
            return self._pick("cause", CAUSES[LETTERS.index(character)])
        if character and character in "123456789":
            return self._pick("level", LEVELS[int(character) - 1])
        if character in VERDICTS:
            return self._pick("verdict", VERDICTS[character])
        match key:
            case "escape":
                return self.post_message(self.Done())
            case "backspace" | "delete":
                return self._pick(self.field, "")
            case "left" | "right":
                return self._cycle(1 if key == "right" else -1)
            case "up" | "down" | "enter":
                return self._move(-1 if key == "up" else 1)
            case "c":
                return self._go("cause")
            case "n":
                return self.post_message(self.Moved("note"))
        return False

    def _pick(self, field: Field, value: str) -> bool:
        self.field = field
        return self.post_message(self.Picked(field, value))

    def _cycle(self, step: int) -> bool:
        options = ("", *_options(self.field))
        here = options.index(self._value(self.field)) if self._value(self.field) in options else 0
        return self._pick(self.field, options[(here + step) % len(options)])

    def _move(self, step: int) -> bool:
        index = FIELDS.index(self.field) + step
        if index == len(FIELDS):
            return self.post_message(self.Moved("note"))
        return self._go(FIELDS[max(0, index)])

    def _go(self, field: Field) -> bool:
        self.field = field
        return self.post_message(self.Moved(field))

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Pressing on a line puts the mark there; by the time of the click, the choices may have moved the form."""
        if 0 <= event.y < len(FIELDS):
            self._go(FIELDS[event.y])

    def _value(self, field: Field) -> str:
        return self.filled[FIELDS.index(field)]

    def render(self) -> Content:
        """One line a field: its mark, its name, its value, and dim at the right what it takes."""
        return Content("\n").join(self._line(field) for field in FIELDS)

    def _line(self, field: Field) -> Content:
        marked = self.has_focus and field == self.field
        value = self._value(field)
        left = Content.assemble(
            ("› " if marked else "  ", "bold $attention"),
            (f"{field:<9}", "bold $attention" if marked else "$dim"),
            _shown(field, value) if value else Content.styled("·", "$dim"),
        )
        right = Content("") if self.is_disabled else _hint(field, value)
        room = self.content_size.width - left.cell_length
        if room > right.cell_length:
            return left + " " * (room - right.cell_length) + right
        return left.truncate(self.content_size.width, ellipsis=True)  # a line more would push the last field out


def _shown(field: Field, value: str) -> Content:
    if field == "level":
        return Content.assemble((level_key(value), "bold"), f"  {level_words(value)}")
    if field == "verdict":
        return Content.assemble(VERDICT_LOOKS[value].content, f" {value}")
    return Content(value)


def _hint(field: Field, value: str) -> Content:
    if value:
        return Content("")
    if field == "level":
        return Content.styled("1–9", "$dim")
    if field == "verdict":
        words = (_choice("verdict", word, word) for word in VERDICTS.values())
        return Content("  ").join(words).stylize("$dim")
    return Content("")


def choices(field: Field, value: str, width: int) -> Content:
    """What a field may hold, each with its key, the chosen one marked; in two columns where there is room."""
    keys = {"level": "123456789", "verdict": "pfu", "cause": LETTERS}[field]
    lines = []
    for key, option in zip(keys, _options(field), strict=True):
        words = Content.styled(level_words(option), "bold" if option == value else "")
        mark = "›" if option == value else " "
        line = Content.assemble((f"{mark} ", "$attention"), (key, "bold $attention"), "  ", words)
        lines.append(line.stylize(Style.from_meta({"pick": f"{field}:{option}"})))
    if width < 2 * _COLUMN:
        return Content("\n").join(lines)
    half = (len(lines) + 1) // 2
    pairs = zip(lines[:half], [*lines[half:], Content("")][:half], strict=True)
    return Content("\n").join(left.pad_right(_COLUMN - left.cell_length) + right for left, right in pairs)


def _options(field: Field) -> tuple[str, ...]:
    return {"level": LEVELS, "verdict": tuple(VERDICTS.values()), "cause": CAUSES}[field]


def _choice(field: Field, value: str, words: str) -> Content:
    return Content.styled(words, Style.from_meta({"pick": f"{field}:{value}"}))
