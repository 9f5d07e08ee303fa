"""An invented project in memory: every verdict, two graders, a broken corpus line, a run that can be played."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from tests.tui.archive import OrchardArchive, report_part
from tests.tui.comparing import OrchardComparing
from tests.tui.contexts import OrchardContexts
from tests.tui.engines import OrchardEngines
from tests.tui.maps import OrchardMaps
from tests.tui.watches import OrchardWatch
from workbench.checks.records import CheckResult, Evidence, Outcome, Verdict
from workbench.corpus.records import Audit, Corpus, Position, Problem, Section, Status
from workbench.desk.forecast import Offer
from workbench.desk.grading import Wanted
from workbench.desk.grading import queue as waiting
from workbench.desk.project import Project, Settings
from workbench.desk.records import (
    AskRequest,
    AuditRow,
    CommitResult,
    DeskError,
    NothingMatches,
    SectionRows,
    StatusEdit,
    TrialSummary,
    TrialView,
)
from workbench.engines.protocol import Ending, Readiness
from workbench.grading.records import Assessment
from workbench.insight.agreement import Agreement, Graded, measure
from workbench.insight.staleness import Staleness
from workbench.insight.standing import Asked
from workbench.runs.events import RunEnded, RunEvent, Subscriber
from workbench.runs.records import Tally, Trial, TrialFinished, TrialStarted
from workbench.traces.events import Started, TurnAdded
from workbench.traces.reasons import Reason
from workbench.traces.records import (
    AssistantTurn,
    Change,
    LoadedFile,
    Meta,
    TextBlock,
    TokenLedger,
    ToolCall,
    ToolResultTurn,
    Trace,
    UserTurn,
)

if TYPE_CHECKING:
    from workbench.desk.desk import Desk
    from workbench.desk.editing import Considered, EntryEdit
    from workbench.desk.watching.records import WatchRequest
    from workbench.insight.trying import Answer

FILE = "audits/knowledge.yaml"
ENTRY = """\
- id: card-glob
  prompt: "If I wanted every note card there is, how would I search?"
  expected_level: knows_directly
  watch_for: "Names the glob and does not search the old folder"
  # The folder was renamed in spring.
  correct_contains: ["*.note.card"]
  correct_matches: ['\\bcards?\\b', 'note card with']
  response_not_matches: ['\\bdocs/old/']
  samples:
    right:
      - "Look for `*.note.card`, wherever it lies."
    wrong:
      - "Search docs/old/ for note cards."
    negation:
      - "Not in docs/old/: every card matches *.note.card."
  tags: [cards, search]"""
"""What the file holds of `card-glob`."""

RUN = "2026-11-28T10-15-00-reader"
ME = "Ada Kirsch"

PROMPT = "If I wanted every note card there is, how would I search?"
REPLY = (
    "You can list them with `orchard ls --kind note`, which prints every note card with its title. "
    "The kinds are described in docs/cards.md."
)


def trace() -> Trace:
    """One trial with every kind of block."""
    guidance = tuple(
        LoadedFile(path=path, layer="always", size=size)
        for path, size in (("AGENTS.md", 2140), ("CLAUDE.md", 380), ("docs/house.md", 911), ("docs/names.md", 640))
    )
    meta = Meta(engine="reader", model="", workspace="/ws", guidance=guidance, prompt=PROMPT)
    return Trace(
        meta=meta,
        turns=(
            UserTurn(turn_index=0, content=(TextBlock(text=PROMPT),)),
            AssistantTurn(
                turn_index=1,
                content=(ToolCall(id="a", name="Grep", arguments={"pattern": "note card", "path": "/ws/docs"}),),
                token_ledger=TokenLedger(input=17900, estimated=True),
            ),
            ToolResultTurn(
                turn_index=2,
                tool_use_id="a",
                duration_ms=120,
                content=(
                    TextBlock(
                        text="docs/cards.md:14: One card, one thought\ndocs/naming.md:3: Names are lower-case\n"
                        "docs/cards.md:31: A note card has no state\ndocs/old/cards.md:2: A note card is a file"
                    ),
                ),
            ),
            AssistantTurn(
                turn_index=3,
                content=(
                    ToolCall(id="b", name="Read", arguments={"file_path": "/ws/docs/cards.md"}),
                    ToolCall(id="c", name="Read", arguments={"file_path": "/ws/docs/search.md"}),
                ),
                token_ledger=TokenLedger(input=18600, estimated=True),
            ),
            ToolResultTurn(
                turn_index=4,
                tool_use_id="b",
                content=(TextBlock(text="\n".join(f"line {n} about cards" for n in range(41))),),
                guidance=(LoadedFile(path="docs/AGENTS.md", layer="conditional", via="docs/", size=240),),
            ),
            ToolResultTurn(turn_index=5, tool_use_id="c", is_error=True, content=(TextBlock(text="no such file"),)),
            AssistantTurn(
                turn_index=6, content=(TextBlock(text=REPLY),), token_ledger=TokenLedger(input=19200, estimated=True)
            ),
        ),
        changes=(Change(path="cards/list.note.card", kind="created", text="every note\ncard\n"),),
    )


def checks() -> tuple[CheckResult, ...]:
    """What the checks of that trial say."""
    at = REPLY.index("note card")
    return (
        CheckResult(
            kind="correct_matches",
            target=r"\bcards?\b",
            outcome=Outcome.PASSED,
            evidence=(Evidence(turn=6, start=at + 5, end=at + 9, quote="card"),),
        ),
        CheckResult(
            kind="correct_contains",
            target="*.note.card",
            outcome=Outcome.FAILED,
            detail="absent",
            hint="the answer stands in docs/cards.md:31",
        ),
        CheckResult(
            kind="should_not_read",
            target="docs/old/",
            outcome=Outcome.PASSED,
        ),
        CheckResult(
            kind="should_read",
            target="docs/cards.md",
            outcome=Outcome.PASSED,
            evidence=(Evidence(turn=3, quote="docs/cards.md"),),
        ),
    )


def _audit(name: str, section: str, prompt: str = PROMPT, **more: Any) -> Audit:
    return Audit(id=name, prompt=prompt, expected_level="knows_directly", file=FILE, section=section, **more)


def summary_of(
    audit: Audit, outcome: Outcome, *, reason: Reason | None = None, level: str = "", verdict: str = ""
) -> TrialSummary:
    """A finished trial of an audit, graded where a level or a verdict is given."""
    graded: tuple[Assessment, ...] = ()
    if level or verdict:
        graded = (Assessment(trial=audit.id, grader=ME, at="2026-11-28T11:00:00Z", level=level, verdict=verdict),)  # type: ignore[arg-type]
    results = checks() if outcome is Outcome.FAILED else checks()[:1] if outcome is Outcome.PASSED else ()
    detail = "10 of 10 messages used" if reason else ""
    return TrialSummary(
        run_id=RUN,
        trial=Trial(audit_id=audit.id, file=FILE, section=audit.section),
        engine="reader",
        model="",
        finished=TrialFinished(
            trial=audit.id,
            at="2026-11-28T10:16:00Z",
            ending=Ending(reason=reason),
            verdict=Verdict(outcome=outcome, reason=reason, detail=detail),
            checks=results,
            duration_ms=6200,
            turns=3,
        ),
        assessments=graded,
    )


def _row(audit: Audit, outcome: Outcome | None = None, **more: Any) -> AuditRow:
    if outcome is None:
        return AuditRow(audit)
    return AuditRow(audit, summary_of(audit, outcome, **more), int(outcome is Outcome.PASSED), 1, 0.5)


def rows() -> tuple[SectionRows, ...]:
    """Three sections that show every state."""
    finding, rules, asking = "Finding things", "Rules and when they load", "Asking first"
    old = Status(date="2026-10-02", qualifier="claude", text="3/4 pass. card-glob reads the old folder.", line=7)
    new = Status(date="2026-11-27", qualifier="reader", text="3/4 pass. note-names was a stale expectation.", line=5)
    return (
        SectionRows(
            FILE,
            Section(
                title=finding,
                line=3,
                audit_ids=("inbox-place", "card-glob", "note-names", "archive-rule"),
                statuses=(new, old),
            ),
            (
                _row(_audit("inbox-place", finding), Outcome.PASSED, level="knows_directly", verdict="pass"),
                _row(
                    _audit("card-glob", finding, watch_for="Names the glob and does not search the old folder"),
                    Outcome.FAILED,
                ),
                _row(_audit("note-names", finding), Outcome.FAILED, level="discoverable", verdict="pass"),
                _row(_audit("archive-rule", finding)),
            ),
        ),
        SectionRows(
            FILE,
            Section(title=rules, line=40, audit_ids=("pruning-season", "grafting-tools", "describe-rules")),
            (
                _row(_audit("pruning-season", rules), Outcome.PASSED, level="knows_about"),
                _row(_audit("grafting-tools", rules), Outcome.UNMEASURED, reason=Reason.TURN_LIMIT),
                _row(_audit("describe-rules", rules), Outcome.UNJUDGED),
            ),
        ),
        SectionRows(
            "audits/guidance.yaml",
            Section(title=asking, line=2, audit_ids=("spray-interval",)),
            (_row(replace_audit(_audit("spray-interval", asking), "audits/guidance.yaml")),),
        ),
    )


def replace_audit(audit: Audit, file: str) -> Audit:
    """The audit in another corpus."""
    return audit.model_copy(update={"file": file})


PROBLEM = Problem(
    severity="error",
    code="unknown-key",
    file=FILE,
    position=Position(line=48, column=5),
    audit_id="describe-rules",
    message="'shoud_read' is no key of an audit",
    fix="did you mean 'should_read'?",
)


class _Project(Project):
    def state(self) -> tuple[str, int]:
        return "main", 2


class LiveOrchard:
    """A run that tells its story event by event, when it is let."""

    def __init__(self, desk: "OrchardDesk", ids: Sequence[str]) -> None:
        self.run_id, self.tally = "2026-11-29T08-00-00-reader", Tally(planned=len(ids))
        self._desk, self._ids = desk, tuple(ids)
        self._subscribers: list[Subscriber] = []
        self._over = asyncio.Event()

    def subscribe(self, subscriber: Subscriber) -> Callable[[], None]:
        """Be told."""
        self._subscribers.append(subscriber)
        return lambda: self._subscribers.remove(subscriber)

    def tell(self, *events: RunEvent) -> None:
        """Tell the subscribers."""
        for subscriber in self._subscribers:
            subscriber(events)

    def begin(self) -> None:
        """Every trial starts, and the first two turns are there."""
        for name in self._ids:
            self.tell(TrialStarted(trial=name, at="2026-11-29T08:00:01Z"))
        for name in self._ids:
            self.tell(Started(name, trace().meta), *(TurnAdded(name, turn) for turn in trace().turns[:3]))

    def finish(self) -> None:
        """The rest of every trial, and the end."""
        for name in self._ids:
            self.tell(*(TurnAdded(name, turn) for turn in trace().turns[3:]))
            finished = self._desk.finish(name)
            self.tally = self.tally.plus(finished)
            self.tell(finished)
        self._end(cancelled=False)

    def cancel(self) -> None:
        """Stop."""
        self._end(cancelled=True)

    def cancel_trial(self, key: str) -> None:
        """Stop one: here that is all there is."""
        self._end(cancelled=True)

    @property
    def over(self) -> bool:
        """Whether it has ended."""
        return self._over.is_set()

    def _end(self, *, cancelled: bool) -> None:
        if not self._over.is_set():
            self._over.set()
            self.tell(RunEnded(self.run_id, self.tally, cancelled))

    async def wait(self) -> Tally:
        """Until it is over."""
        await self._over.wait()
        return self.tally


class OrchardAgeing:
    """Knows nothing stale unless it is told to, and only once it has looked."""

    def __init__(self) -> None:
        self.in_background = False
        self.due = True
        self.looked = 0
        self.stale: dict[str, Staleness] = {}
        """What it finds when it looks."""
        self._known: dict[str, Staleness] = {}

    async def refresh(self) -> bool:
        """Look, which takes no time here."""
        self.due = False
        self.looked += 1
        before, self._known = self._known, dict(self.stale)
        return before != self._known

    def told(self, row: AuditRow) -> AuditRow:
        """A row with what is known of it."""
        return replace(row, stale=self._known.get(row.audit.id) if row.last else None)


class OrchardDesk:
    """The part of the desk the screen uses, without a disk."""

    grader = ME
    show_observed_early = False
    blind = False

    def __init__(self, root: Path = Path("orchard"), *, empty: bool = False) -> None:
        self.project = _Project(root, Settings())
        self._rows = () if empty else rows()
        self.live: LiveOrchard | None = None
        self.saved: list[Assessment] = []
        self.trace_of: dict[str, Trace] = {}
        self.problem = PROBLEM
        self.undone = 0
        self.archive = OrchardArchive()
        self.contexts = OrchardContexts()
        self.comparing = OrchardComparing()
        self.engines = OrchardEngines()
        self.maps = OrchardMaps(root)
        self.launched: list[tuple[str, ...]] = []
        """What `$EDITOR` was opened on."""
        self.request: AskRequest | None = None
        """What was asked last."""
        self.exported: list[tuple[str, str]] = []
        self.asks = "reader"
        self.staleness = OrchardAgeing()
        self.watches: list[OrchardWatch] = []
        self.views: dict[str, TrialView] = {}
        """Trials of runs the archive does not tell of, by their run."""

    @property
    def editor(self) -> "OrchardDesk":
        """One hand is enough here: each of the desk's is this one."""
        return self

    recorder = reporter = grading = editor

    def reload(self) -> None:
        """Nothing to read."""

    def recover(self) -> str:
        """No commit was cut short."""
        return ""

    def runs(self) -> tuple[object, ...]:
        """One, if there are audits."""
        return self._rows[:1]

    def warm_up(self) -> None:
        """Nothing to fetch."""

    async def close(self) -> None:
        """Nothing stays."""

    def corpora(self) -> tuple[Corpus, ...]:
        """One corpus a file."""
        files = dict.fromkeys(section.file for section in self._rows)
        audits = {file: tuple(r.audit for s in self._rows if s.file == file for r in s.rows) for file in files}
        return tuple(Corpus(file=file, audits=audits[file]) for file in files)

    def problems(self) -> tuple[Problem, ...]:
        """One."""
        return (self.problem,) if self._rows else ()

    def lint(self) -> tuple[Problem, ...]:
        """No more than the problems."""
        return self.problems()

    def sections(self, terms: str = "") -> tuple[SectionRows, ...]:
        """A word is part of an id; `nope:` is no key."""
        if terms.startswith("nope:"):
            raise DeskError("'nope:' is no key; the keys are tag, level, section, file, is, age")
        told = tuple(replace(s, rows=tuple(map(self.staleness.told, s.rows))) for s in self._rows)
        kept = (replace(s, rows=tuple(r for r in s.rows if terms in r.audit.id)) for s in told)
        return tuple(section for section in kept if section.rows)

    def trial(self, audit_id: str, run_id: str = "", key: str = "") -> TrialView:
        """The stored trial; all share one trace unless told otherwise."""
        row = self._row(audit_id)
        if run_id in self.views:
            return self.views[run_id]
        if run_id == "2026-11-29T08-00-00-reader":
            return TrialView(None, row.audit, None)
        told = self.trace_of.get(audit_id, trace()) if row.last is not None else None
        return TrialView(row.last, row.audit, told, "discoverable", "searched before it read")

    def trial_tail(self, audit_id: str, run_id: str = "", key: str = "") -> Trace | None:
        """Every trace here is short."""
        return None

    def audit(self, audit_id: str) -> Audit:
        """An audit by its name."""
        return self._row(audit_id).audit

    def last(self, audit_id: str) -> TrialSummary | None:
        """The last trial of an audit."""
        return self._row(audit_id).last

    def watch(self, request: "WatchRequest") -> OrchardWatch:
        """A watch that tells what it is told to tell; a selection of nothing is refused."""
        if not self.sections(" ".join(request.terms)):
            raise NothingMatches(f"no audit matches {' '.join(request.terms)!r}")
        self.watches.append(OrchardWatch(self, request))
        return self.watches[-1]

    def engine(self, request: AskRequest) -> str:
        """Whom the bench would ask."""
        return request.engine or self.asks

    def offer(self, request: AskRequest) -> Offer:
        """What that would come to."""
        engine = self.engine(request)
        ready = Readiness(engine=engine, version="2.1.332", credential="ANTHROPIC_API_KEY")
        free = engine == "claude+reader"
        return Offer(engine, request.model, len(request.audit_ids), free, ready, usd=0.42, seen=3)

    def ask(self, request: AskRequest) -> LiveOrchard:
        """A run that waits to be played."""
        self.request = request
        self.live = LiveOrchard(self, request.audit_ids)
        return self.live

    def finish(self, audit_id: str) -> TrialFinished:
        """Store a passed trial of the live run."""
        row = self._row(audit_id)
        summary = replace(summary_of(row.audit, Outcome.PASSED), run_id="2026-11-29T08-00-00-reader")
        summary = replace(summary, finished=summary.finished.model_copy(update={"at": "2026-11-29T08:01:00Z"}))
        self._put(replace(row, last=replace(summary, run_id=RUN), passed=1, measured=1))
        return summary.finished

    def assess(self, run_id: str, trial: str, *, level: str, verdict: str, cause: str, note: str) -> Assessment:
        """Keep it."""
        saved = Assessment.model_validate(
            {"trial": trial, "grader": ME, "at": "2026-11-29T08:02:00Z", "level": level, "verdict": verdict}
            | {"cause": cause, "note": note}
        )
        self.saved.append(saved)
        row = self._row(trial)
        assert row.last is not None
        self._put(replace(row, last=replace(row.last, assessments=(saved,))))
        return saved

    def queue(self, terms: str, wanted: Wanted) -> tuple[TrialSummary, ...]:
        """What waits, by the desk's own rule."""
        trials = (row.last for section in self.sections(terms) for row in section.rows if row.last is not None)
        return waiting(trials, wanted, ME)

    def set_blind(self, on: bool) -> None:
        """For this sitting."""
        self.blind = on

    def agreement(self, terms: str = "") -> Agreement:
        """Over what is graded here; all acts show the same level."""
        trials = [row.last for section in self._rows for row in section.rows if row.last is not None]
        return measure(Graded(Asked(t.trial, t.finished, t.assessments), "discoverable") for t in trials)

    def open(self, audit_id: str) -> "EntryEdit":
        """The entry of `card-glob`, whichever is meant."""
        from workbench.desk.editing import EntryEdit

        return EntryEdit(audit_id, FILE, ENTRY, 12, "")

    def consider(self, edit: "EntryEdit", text: str) -> "Considered":
        """What the text says, and what its samples show."""
        from workbench.checks.samples import misjudged
        from workbench.corpus.loading import parse
        from workbench.desk.editing import Considered

        (audit,) = parse(f"tests:\n{text}\n".encode(), edit.file).audits
        moved = (
            p.model_copy(update={"position": Position(line=p.position.line - 1, column=1)}) for p in misjudged(audit)
        )
        return Considered(audit, tuple(moved))

    def answers(self, audit: Audit) -> "tuple[Answer, ...]":
        """Its samples, and what was said."""
        from workbench.checks.samples import samples_of
        from workbench.insight.trying import Answer

        samples = tuple(Answer(f"{kind} {number}", text, kind) for kind, number, text in samples_of(audit))
        return (*samples, Answer("reader · 2026-11-28", REPLY, None, 3), Answer("claude · 2026-11-20", "I would grep."))

    def launch(self, argv: Sequence[str], cwd: Path) -> int:
        """An editor that ends at once."""
        self.launched.append(tuple(argv))
        return 0

    def draft(
        self, file: str, section: str, *, section_line: int | None = None, audit_id: str = "", run_id: str = ""
    ) -> StatusEdit:
        """A draft of nothing in particular."""
        text = "3/4 pass (verdicts: 1 human, 2 checks). card-glob failed: knowledge gap."
        edit = StatusEdit(
            file=file,
            section=section,
            audit_id=audit_id,
            text=text,
            heading="2026-11-29, reader",
            diff="",
            base="",
            section_line=section_line,
            tracked=section != "Asking first",
        )
        return self.redraft(edit, text)

    def redraft(self, edit: StatusEdit, text: str) -> StatusEdit:
        """The diff follows the text."""
        diff = (
            f"--- a/{edit.file}\n+++ b/{edit.file}\n@@ -3,3 +3,4 @@\n   # === {edit.section} ===\n   #\n"
            f"+  # Status ({edit.heading}): {text}\n   # Status (2026-11-27, reader): 3/4 pass.\n"
        )
        return replace(edit, text=text, diff=diff)

    def write(self, edit: StatusEdit) -> StatusEdit:
        """Written."""
        return replace(edit, written=True)

    def commit(self, edit: StatusEdit, *, whole_file: bool = False) -> CommitResult:
        """Committed, with a hook that speaks."""
        return CommitResult(commit="4f2a91c07be2", output="lint: 24 audits, no complaints")

    def undo(self) -> CommitResult:
        """Undone."""
        self.undone += 1
        return CommitResult()

    def export(self, run_id: str, form: str = "md") -> Path:
        """Nowhere, but it is kept which."""
        self.exported.append((run_id, form))
        return Path("reports") / run_id / f"report.{form}"

    def part(self, run_id: str, trial: str = "") -> str:
        """A part of the report."""
        return report_part(run_id, trial)

    def trials(self, run_id: str) -> tuple[TrialSummary, ...]:
        """Every trial that was asked; all runs hold the same."""
        return tuple(replace(r.last, run_id=run_id) for s in self._rows for r in s.rows if r.last is not None)

    def _row(self, audit_id: str) -> AuditRow:
        return next(row for section in self._rows for row in section.rows if row.audit.id == audit_id)

    def _put(self, new: AuditRow) -> None:
        self._rows = tuple(
            replace(s, rows=tuple(new if r.audit.id == new.audit.id else r for r in s.rows)) for s in self._rows
        )


def as_desk(orchard: OrchardDesk) -> "Desk":
    """For the app, which asks nothing else of a desk."""
    return cast("Desk", orchard)
