"""The panes of grading mode: the trial to be read, and beside the form what may be told of its verdicts."""

from collections.abc import Sequence
from dataclasses import dataclass

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from workbench.desk.records import TrialView
from workbench.traces.acts import Act
from workbench.tui.looks import OUTCOMES
from workbench.tui.transcript.words import shown
from workbench.tui.widgets.grade_words import LABEL, TEXT, judged, trial_page
from workbench.tui.widgets.hanging import hang

_NO_TRIAL = TrialView(None, None, None)


@dataclass(frozen=True, slots=True)
class Told:
    """A trial, and how much of it may be told to whom."""

    view: TrialView = _NO_TRIAL
    acts: Sequence[Act] = ()
    grader: str = ""
    hidden: bool = True
    """Whether the checks' verdicts, the engine and the model must not be seen."""
    early: bool = False
    """Whether the observed level may be seen before the grader saved one."""
    empty: str = ""
    """Why there is no trial to show."""

    def judged(self, width: int) -> Content:
        """What may be told of the verdicts."""
        return judged(self.view, self.grader, hidden=self.hidden, early=self.early, width=width)


class GradePage(VerticalScroll):
    """Question, answer and acts of one trial; on a narrow terminal also what the other pane would hold."""

    def __init__(self) -> None:
        super().__init__(id="grade-page")
        self._text = Static(id="grade-text", markup=False)
        self._told = Told()

    def compose(self) -> ComposeResult:
        """One text that scrolls."""
        yield self._text

    def show(self, told: Told) -> None:
        """Show a trial, or why there is none."""
        self._told = told
        self.border_title = _title(told.view)
        self.border_subtitle = Content("") if told.hidden else _asked(told.view)
        self._draw()

    def on_resize(self) -> None:
        """Wrap again."""
        self._draw()

    def _draw(self) -> None:
        told, width = self._told, self.scrollable_content_region.width
        if told.empty:
            self._text.update(Content(shown(told.empty)))
        elif told.view.summary is not None:
            page = trial_page(told.view, told.acts, width)
            if self.screen.has_class("-narrow"):
                lead = Content.styled(f"{'checks':<{LABEL}}", "$dim")
                page = page + "\n\n" + hang(lead, told.judged(min(width, TEXT) - LABEL), width)
            self._text.update(page)


class GradeAside(VerticalScroll, can_focus=False):
    """What the checks say; after the human has spoken, also what was expected and observed, and what others said."""

    def __init__(self) -> None:
        super().__init__(id="grade-aside")
        self.border_title = "Checks"
        self._text = Static(id="grade-told", markup=False)
        self._told = Told()

    def compose(self) -> ComposeResult:
        """One text that scrolls."""
        yield self._text

    def show(self, told: Told) -> None:
        """Show what may be told of a trial."""
        self._told = told
        self.border_subtitle = Content("")
        if told.view.summary is not None and not told.hidden:
            outcome = told.view.summary.verdict.outcome
            self.border_subtitle = OUTCOMES[outcome].content + f" {outcome}"
        self._draw()

    def on_resize(self) -> None:
        """Wrap again."""
        self._draw()

    def _draw(self) -> None:
        self._text.update(self._told.judged(self.scrollable_content_region.width))


def _title(view: TrialView) -> Content:
    """The audit and its section; a variant's name could tell the model, so it stays out."""
    if view.summary is None:
        return Content("")
    trial = view.summary.trial
    repetition = f" #{trial.repetition}" if trial.repetition > 1 else ""
    section = f" · {shown(trial.section)}" if trial.section else ""
    return Content.assemble((f"{shown(trial.audit_id)}{repetition}", "bold"), (section, "$dim"))


def _asked(view: TrialView) -> Content:
    """`reader · 3 turns · 6.2 s`."""
    if view.summary is None:
        return Content("")
    done = view.summary.finished
    who = " ".join(
        shown(part) for part in (view.summary.engine, view.summary.model, view.summary.trial.variant) if part
    )
    turns = f"{done.turns} turn{'' if done.turns == 1 else 's'}"
    return Content(" · ".join((who, turns, f"{done.duration_ms / 1000:.1f} s")))
