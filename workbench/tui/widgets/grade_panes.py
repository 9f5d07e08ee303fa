"""The panes of grading mode: the trial to be read, and beside the form what may be told of its verdicts."""

from collections.abc import Sequence

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from workbench.desk.grading import own
from workbench.desk.records import TrialView
from workbench.traces.acts import Act
from workbench.tui.looks import OUTCOMES
from workbench.tui.transcript.words import shown
from workbench.tui.widgets.assessment import afterwards
from workbench.tui.widgets.grade_words import checks_page, expected_line, trial_page, verdicts_line
from workbench.tui.widgets.hanging import hang

_HIDDEN = "hidden, with engine and model, until you have saved a level and a verdict"


class GradePage(VerticalScroll):
    """Question, answer and acts of one trial."""

    def __init__(self) -> None:
        super().__init__(id="grade-page")
        self._text = Static(id="grade-text", markup=False)
        self._told: tuple[TrialView, Sequence[Act]] = (TrialView(None, None, None), ())
        self._empty = ""

    def compose(self) -> ComposeResult:
        """One text that scrolls."""
        yield self._text

    def show(self, view: TrialView, acts: Sequence[Act], *, hidden: bool, empty: str) -> None:
        """Show a trial, or why there is none."""
        self._told, self._empty = (view, acts), empty
        self.border_title, self.border_subtitle = _title(view), Content("") if hidden else _asked(view)
        self._draw()

    def on_resize(self) -> None:
        """Wrap again."""
        self._draw()

    def _draw(self) -> None:
        if self._empty:
            self._text.update(Content(shown(self._empty)))
        elif self._told[0].summary is not None:
            self._text.update(trial_page(*self._told, self.scrollable_content_region.width))


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


class GradeAside(VerticalScroll, can_focus=False):
    """What the checks say; after the human has spoken, also what was expected and observed, and what others said."""

    def __init__(self) -> None:
        super().__init__(id="grade-aside")
        self.border_title = "Checks"
        self._text = Static(id="grade-told", markup=False)
        self._shown: tuple[TrialView, str, bool, bool] = (TrialView(None, None, None), "", True, False)

    def compose(self) -> ComposeResult:
        """One text that scrolls."""
        yield self._text

    def show(self, view: TrialView, grader: str, *, hidden: bool, early: bool) -> None:
        """Show what may be told of a trial."""
        self._shown = (view, grader, hidden, early)
        self._draw()

    def on_resize(self) -> None:
        """Wrap again."""
        self._draw()

    def _draw(self) -> None:
        view, grader, hidden, early = self._shown
        width = self.scrollable_content_region.width
        if view.summary is None:
            self.border_subtitle = ""
            self._text.update("")
            return
        if hidden:
            self.border_subtitle = ""
            self._text.update(Content.styled(_HIDDEN, "$dim"))
            return
        look = OUTCOMES[view.summary.verdict.outcome]
        self.border_subtitle = look.content + f" {view.summary.verdict.outcome}"
        parts, mine = [checks_page(view, width)], own(view.summary.assessments, grader)
        if mine is not None or early:
            told = [verdicts_line(mine, view)] if mine is not None and mine.verdict else []
            told.append(expected_line(view))
            told += [hang(lead, words, width) for lead, words in afterwards(view, grader, early=early)]
            parts.append(Content("\n").join(told))
        self._text.update(Content("\n\n").join(parts))
