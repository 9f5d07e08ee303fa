"""What the bench shows of one audit: its transcript, its checks, the form; live while it runs."""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from workbench.desk.records import AuditRow, DeskError, SectionRows, TrialSummary, TrialView
from workbench.grading.records import Assessment
from workbench.traces.acts import Act, classify
from workbench.traces.events import TraceEvent
from workbench.traces.records import Trace
from workbench.tui.board import News
from workbench.tui.looks import advice
from workbench.tui.transcript.layout import Layout
from workbench.tui.transcript.story import Story
from workbench.tui.transcript.words import shown
from workbench.tui.widgets.assessment import afterwards, own
from workbench.tui.workers import latest, quiet_collector

if TYPE_CHECKING:
    from workbench.tui.screens.bench import BenchScreen


_PAUSE = 0.04
"""Seconds the cursor must rest on an audit before its trial is read: passing by costs nothing."""


class Showing:
    """One audit at a time. Loads happen off the loop; events that arrive meanwhile are kept and told afterwards."""

    def __init__(self, screen: "BenchScreen") -> None:
        self._screen, self._desk, self._board = screen, screen.desk, screen.board
        self._audit_id = ""
        self._view = TrialView(None, None, None)
        self._waiting: list[TraceEvent] | None = None
        """Events of the shown trial that came while it was being loaded."""
        self._row: AuditRow | None = None
        """The shown audit as the list told it last, until it was compared with what is shown."""
        self._since = 0.0

    @property
    def finished(self) -> bool:
        """Whether the shown trial is over and can be graded."""
        return self._view.summary is not None and self._audit_id not in self._board.running

    @property
    def summary(self) -> TrialSummary | None:
        """The shown trial, once it is over."""
        return self._view.summary if self.finished else None

    @property
    def run_id(self) -> str:
        """The run of the shown trial."""
        return self._view.summary.run_id if self._view.summary else ""

    # Loading

    def show(self, row: AuditRow) -> None:
        """Show an audit's last trial, or the one that runs."""
        self._screen.checks.age(row.stale)
        if row.audit.id != self._audit_id:
            self._audit_id = row.audit.id
            self._load(row.audit.id, _PAUSE)

    def _load(self, audit_id: str, pause: float = 0.0) -> None:
        self._waiting = []
        latest(self._screen, partial(self._fetch, audit_id, pause), "trial")

    async def _fetch(self, audit_id: str, pause: float) -> None:
        await asyncio.sleep(pause)
        run_id, running = self._board.run_of(audit_id), audit_id in self._board.running
        named = audit_id, run_id, audit_id if run_id else ""
        rows = self._screen.transcript.rows
        try:
            tail = None if running else await asyncio.to_thread(self._desk.trial_tail, *named)
            if tail is not None:
                told = await asyncio.to_thread(_laid, _ending(tail), rows)
                self._screen.transcript.show(told, title=shown(audit_id), follow=True)
            with quiet_collector():
                view = await asyncio.to_thread(self._desk.trial, *named)
                story, acts = await asyncio.to_thread(_story, view, running=running)
                told = await asyncio.to_thread(_laid, story, rows)
        except DeskError as error:
            self.refuse(str(error))
            return
        for event in self._waiting or ():
            told.relay(story.apply(event))
        if running and self._board.draft(audit_id) and not story.writing:
            told.relay(story.add_delta(self._board.draft(audit_id)))
        self._waiting = None
        self._view = view
        self._draw(told, acts, follow=running or tail is not None)
        self._catch_up()

    def _draw(self, told: Layout, acts: Sequence[Act], *, follow: bool) -> None:
        transcript = self._screen.transcript
        transcript.live = self._audit_id in self._board.running
        transcript.summary = self._summary(told.story)
        transcript.show(told, title=shown(self._audit_id), follow=follow)
        self._screen.checks.show(self._view, acts)
        self.draw_form()
        self._screen.refresh_bindings()

    def draw_form(self) -> None:
        """The grader's own assessment, and what may be told beside it."""
        form = self._screen.form
        summary = self._view.summary if self.finished else None
        grader = self._board.place.grader
        mine = own(summary.assessments, grader) if summary else None
        form.show(summary.run_id if summary else "", summary.trial.key if summary else "", mine, grader)
        form.tell(afterwards(self._view, grader, early=self._desk.show_observed_early))

    def _summary(self, story: Story) -> str:
        """`reader · 3 turns · 6.2 s` for the border."""
        parts = [shown(story.meta.engine)] if story.meta else []
        if self._view.summary is not None:
            turns = self._view.summary.finished.turns
            parts.append(f"{turns} turn{'' if turns == 1 else 's'}")
            parts.append(f"{self._view.summary.finished.duration_ms / 1000:.1f} s")
        elif self._audit_id in self._board.running:
            parts.append(f"{max(0, int(time.monotonic() - self._since))} s")
        return " · ".join(parts)

    # Live

    def hear(self, news: News) -> None:
        """News of a run: grow the shown transcript, load the shown trial anew when it starts or ends."""
        shown_id = self._audit_id
        if shown_id in news.started:
            self._since = time.monotonic()
            self._load(shown_id)
        events = news.trace.get(shown_id, [])
        if events and self._waiting is not None:
            self._waiting.extend(events)
        elif events:
            self._screen.transcript.apply(events)
        if shown_id in news.finished:
            self._load(shown_id)

    def tick(self) -> None:
        """Once in a while, as long as something runs: the clock in the border."""
        if self._audit_id in self._board.running:
            transcript = self._screen.transcript
            transcript.retell(self._summary(transcript.story))

    # What the human did

    def assessed(self, run_id: str, saved: Assessment) -> None:
        """An assessment of the shown trial is on disk: what may be told beside it is told."""
        summary = self._view.summary
        if summary is None or summary.run_id != run_id or summary.trial.key != saved.trial:
            return
        rest = tuple(a for a in summary.assessments if a.grader != saved.grader)
        self._view = replace(self._view, summary=replace(summary, assessments=(*rest, saved)))
        told = afterwards(self._view, self._board.place.grader, early=self._desk.show_observed_early)
        self._screen.form.tell(told)

    def refresh_rows(self, rows: Sequence[SectionRows]) -> None:
        """The list was read again: show the trial anew when a later one is stored."""
        self._row = next((row for section in rows for row in section.rows if row.audit.id == self._audit_id), None)
        if self._row is not None:
            self._screen.checks.age(self._row.stale)
        self._catch_up()

    def _catch_up(self) -> None:
        """Load again when the list knows a later trial; while one is being loaded, that is asked when it is there."""
        row = self._row
        if row is None or self._waiting is not None or row.audit.id != self._audit_id:
            return
        self._row = None
        if self._audit_id in self._board.running:
            return
        if _name(row.last) != _name(self._view.summary) or row.audit != self._view.audit:
            self._load(self._audit_id)

    # Other things in the transcript's place

    def refuse(self, text: str) -> None:
        """Say under the question why it cannot be asked."""
        story = Story()
        if self._view.audit is not None:
            story.ask(self._view.audit.full_prompt)
        story.say(f"✗ {text}", "failed")
        self._say(story, self._audit_id)

    def nothing(self, *, filtered: bool) -> None:
        """There is no audit to show: say what to do."""
        self._audit_id, self._view = "", TrialView(None, None, None)
        story = Story()
        if filtered:
            story.say("No audit fits the filter.", "prompt")
            story.say("esc in the filter clears it.", "dim")
        elif self._desk.problems():
            story.say("No audit could be read.", "prompt")
            story.say("! lists what is wrong, with file, line and what to do; then ctrl+r reads again.", "text")
        else:
            globs = ", ".join(self._desk.project.settings.corpora)
            story.say("No audits yet.", "prompt")
            story.say(f"Audits are read from {globs} in {self._desk.project.root}.", "text")
            story.say("`workbench init` writes a first corpus there; then ctrl+r reads it.", "text")
        self._say(story, "")
        self._screen.checks.show(self._view)
        self.draw_form()

    def _say(self, story: Story, title: str) -> None:
        self._waiting = None
        transcript = self._screen.transcript
        transcript.live, transcript.summary = False, ""
        transcript.show(story, title=shown(title), follow=False)


def _name(summary: TrialSummary | None) -> tuple[str, str]:
    return (summary.run_id, summary.finished.at) if summary is not None else ("", "")


def _laid(story: Story, like: Layout) -> Layout:
    """A story laid out as another one is."""
    return Layout(story, like.width, like.only)


def _ending(tail: Trace) -> Story:
    """The end of a long trial, while its beginning is still being read."""
    story = Story()
    story.tell(tail)
    story.say("… the beginning is being read", "dim")
    return story


def _story(view: TrialView, *, running: bool) -> tuple[Story, tuple[Act, ...]]:
    """A trial as blocks and acts, with what we add: that it was never asked, or why it has no verdict."""
    story, acts = Story(), classify(view.trace) if view.trace is not None else ()
    if view.trace is not None:
        story.tell(view.trace)
        story.classify(acts)
    elif view.audit is not None:
        story.ask(view.audit.full_prompt)
        if view.summary is not None:
            story.say("the trace of this trial cannot be read", "notice")
        elif not running:
            story.say("never asked · r asks it", "dim")
    verdict = view.summary.verdict if view.summary is not None else None
    if verdict is not None and verdict.reason is not None:
        why = str(verdict.reason).replace("_", " ")
        story.say(f"? unmeasured: {why}{f' · {verdict.detail}' if verdict.detail else ''}", "notice")
        if told := advice(verdict.reason):
            story.say(told, "dim")
    return story, acts
