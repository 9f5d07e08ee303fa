"""The human's form: blank until the human writes it, saved as it is entered."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.timer import Timer
from textual.widgets import Input, Static

from workbench.desk.records import TrialView
from workbench.grading.records import Assessment, HumanVerdict
from workbench.tui.commands import Command, bindings
from workbench.tui.looks import level_key, level_words
from workbench.tui.transcript.words import clip, shown
from workbench.tui.widgets.form_fields import FormFields, choices
from workbench.tui.widgets.hanging import Hanging, Line

_NOTE_DELAY = 0.6
"""Seconds without typing after which a note is saved; leaving the field saves it at once."""


@dataclass(frozen=True, slots=True)
class Filled:
    """What the form holds for one trial; all empty is blank."""

    run_id: str = ""
    trial: str = ""
    level: str = ""
    verdict: HumanVerdict | str = ""
    cause: str = ""
    note: str = ""

    @property
    def blank(self) -> bool:
        """Whether nothing was filled in."""
        return not (self.level or self.verdict or self.cause or self.note)


class NoteInput(Input):
    """The note, one line of any length."""

    KEYS_TITLE = "The note"
    KEYS: ClassVar[tuple[Command, ...]] = (
        Command("enter,escape", "done", "done", "Save the note and go back to where you came from", bar=True),
        Command("up", "fields", "cause", "Go up to the cause", bar=True),
    )
    TYPING = True
    BINDINGS: ClassVar[list[BindingType]] = bindings(KEYS)

    class Done(Message):
        """The human is done with the note."""

    class Up(Message):
        """The human goes up to the fields."""

    def action_done(self) -> None:
        """Leave the form."""
        self.post_message(self.Done())

    def action_fields(self) -> None:
        """Back up to the cause."""
        self.post_message(self.Up())


class AssessmentForm(Vertical):
    """Level, verdict, cause and note of one trial, by one grader. Posts `Saved` at every change."""

    BORDER_TITLE = "Assessment"

    @dataclass
    class Saved(Message):
        """The human changed something: keep it."""

        filled: Filled

    @dataclass
    class Left(Message):
        """The human is done here."""

    def __init__(self) -> None:
        super().__init__(id="assessment")
        self.fields = FormFields()
        self.note = NoteInput(placeholder="·", compact=True, id="note", select_on_focus=False)
        self._choices = Static(id="choices", markup=False)
        self._told = Hanging("afterwards")
        self.filled = Filled()
        self._grader = ""
        self._timer: Timer | None = None

    def compose(self) -> ComposeResult:
        """Three fields, the note, what may be chosen, and what is told only afterwards."""
        yield self.fields
        with Horizontal(id="note-row"):
            yield Static("  note     ", id="note-label", markup=False)
            yield self.note
        yield self._choices
        yield self._told

    def show(self, run_id: str, trial: str, mine: Assessment | None, grader: str) -> None:
        """Show the grader's own assessment of a finished trial; an empty `trial` closes the form.

        The same trial shown again leaves everything as the human has it: what was entered may still be being saved.
        """
        if (self.filled.run_id, self.filled.trial, self._grader) != (run_id, trial, grader):
            self.flush()
            self.filled, self._grader = _filled(run_id, trial, mine), grader
            with self.note.prevent(Input.Changed):
                self.note.value = shown(self.filled.note).replace("\n", " ")
        self.disabled = not trial
        self._draw()

    def tell(self, observed: Sequence[Line]) -> None:
        """Show what is only told once the human has saved a level."""
        self._told.lay(observed)
        self._told.display = bool(observed)

    def forget(self) -> None:
        """Hold nothing, so that what is shown next is what is on disk; what is pending is saved first."""
        self.flush()
        self.filled = Filled()

    def enter(self) -> None:
        """Put the human into the form."""
        self.fields.enter("level")

    def leave(self) -> None:
        """Save what is pending and let the screen move on."""
        self.flush()
        self.post_message(self.Left())

    def flush(self) -> None:
        """Save a note that was typed and not saved yet."""
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
            self._save()

    # What the human does

    @on(FormFields.Picked)
    def _picked(self, event: FormFields.Picked) -> None:
        event.stop()
        self._pick(event.field, event.value)

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Pressing on a choice picks it."""
        field, _, value = str(event.style.meta.get("pick", "")).partition(":")
        if field:
            self._pick(field, value)

    def _pick(self, field: str, value: str) -> None:
        if self.disabled or getattr(self.filled, field) == value:
            return
        self.filled = replace(self.filled, **{field: value})
        self._save()

    @on(FormFields.Moved)
    def _moved(self, event: FormFields.Moved) -> None:
        event.stop()
        if event.field == "note":
            self.note.focus()
        self._draw()

    @on(FormFields.Done)
    @on(NoteInput.Done)
    def _done(self, event: Message) -> None:
        event.stop()
        self.leave()

    @on(NoteInput.Up)
    def _up(self, event: NoteInput.Up) -> None:
        event.stop()
        self.fields.enter("cause")

    @on(Input.Changed, "#note")
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        self.filled = replace(self.filled, note=event.value.strip())
        if self._timer is not None:
            self._timer.stop()
        self._timer = self.set_timer(_NOTE_DELAY, self.flush)

    def on_descendant_blur(self) -> None:
        """Leaving a field saves."""
        self.flush()
        self.call_after_refresh(self._draw)

    def on_descendant_focus(self) -> None:
        """Show the choices of the field one is in."""
        self.call_after_refresh(self._draw)

    def _save(self) -> None:
        self.post_message(self.Saved(self.filled))
        self._draw()

    # Drawing

    def _draw(self) -> None:
        field = self.fields.field
        self.fields.filled = (self.filled.level, str(self.filled.verdict), self.filled.cause)
        self._choices.update(choices(field, getattr(self.filled, field), self.content_size.width))
        self._choices.display = self.fields.has_focus
        if not self.filled.trial:
            self.border_subtitle = Content("once a trial is over")
        elif self.filled.blank:
            self.border_subtitle = Content(f"yours to fill · {shown(self._grader)}")
        else:
            self.border_subtitle = Content(f"saved · {shown(self._grader)}")


def _filled(run_id: str, trial: str, mine: Assessment | None) -> Filled:
    if mine is None:
        return Filled(run_id, trial)
    return Filled(run_id, trial, mine.level, mine.verdict, mine.cause, mine.note)


def afterwards(view: TrialView, grader: str, *, early: bool) -> list[Line]:
    """What is told only once the grader has saved a level: what the acts say, and what others said."""
    if view.summary is None:
        return []
    mine = own(view.summary.assessments, grader)
    if not early and (mine is None or not mine.level):
        return [(Content("  "), Content.styled("observed level: after you grade", "italic $dim"))]
    level = level_words(shown(view.observed_level)) or "cannot be told"
    number = level_key(view.observed_level)
    words = Content.assemble((f"{number}  " if number else "", "bold"), level)
    lines = [(Content.styled("  observed ", "$dim"), words)]
    if view.observed_note:
        lines.append((Content(" " * 11), Content.styled(shown(view.observed_note), "$dim")))
    for other in view.summary.assessments:
        if other.grader != grader and not other.blank:
            said = f"{level_key(other.level)}  {level_words(shown(other.level))} {other.verdict} {shown(other.cause)}"
            name = Content.styled(f"  {clip(shown(other.grader), 24)}: ", "$dim")
            lines.append((name, Content.styled(" ".join(said.split()), "$dim")))
    return lines


def own(assessments: tuple[Assessment, ...], grader: str) -> Assessment | None:
    """The grader's own assessment."""
    return next((a for a in assessments if a.grader == grader), None)
