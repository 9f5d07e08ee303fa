"""A watch in memory, with the face of the desk's own: it tells what it is told to tell."""

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from workbench.checks.records import Outcome
from workbench.corpus.records import Problem
from workbench.desk.forecast import Offer
from workbench.desk.records import TrialSummary, TrialView
from workbench.desk.watching.records import (
    Asking,
    CorpusBroken,
    CorpusMended,
    Edit,
    Edited,
    Flipped,
    FlipRow,
    FolderBack,
    FolderLost,
    Hear,
    Kind,
    Ready,
    Settled,
    Wants,
    Watched,
    WatchEvent,
    WatchRequest,
    Withheld,
)
from workbench.insight.impact import FileChange, Reason, Touch
from workbench.traces.records import AssistantTurn, TextBlock

if TYPE_CHECKING:
    from textual.pilot import Pilot

    from tests.tui.orchard import LiveOrchard, OrchardDesk

WATCHED = Watched(("boxes/orchard", "audits"), 17, 8, "reader")
GUIDE = "# The orchard\n\nNew notes go to `notes/`.\n\nPrune in March.\nA card is a file that ends in `.note.card`.\n"
TOLD = {
    "card-glob": '"*.note.card" stands in AGENTS.md:6 now',
    "inbox-place": "its last trial read AGENTS.md",
    "note-names": "AGENTS.md is always loaded",
    "archive-rule": "AGENTS.md is always loaded",
}


def guide_edit(number: int = 1, audits: Iterable[str] = tuple(TOLD), after: str = "") -> Edit:
    """An edit of AGENTS.md that touches these audits."""
    after = after or GUIDE.replace("`notes/`", "`inbox/`, and nowhere else").replace("March", "February")
    touches = tuple(Touch(name, (Reason("gained", "AGENTS.md", 6, TOLD.get(name, "it says so")),)) for name in audits)
    at = f"2026-11-29T08:0{number}:12Z"
    return Edit(number, at, "boxes/orchard", (FileChange("AGENTS.md", GUIDE, after),), (), touches)


class OrchardWatch:
    """Told by a test what to tell; keeps its face as the desk's watch would."""

    def __init__(self, desk: "OrchardDesk", request: WatchRequest) -> None:
        self.request = request
        self.watched: Watched | None = None
        self.rows: tuple[FlipRow, ...] = ()
        self.edits: tuple[Edit, ...] = ()
        self.wants: Wants | None = None
        self.broken: dict[str, Problem] = {}
        self.lost: tuple[str, ...] = ()
        self.slow = ""
        self.waiting: tuple[str, ...] = ()
        self.answers: list[bool] = []
        self.begun = self.stopped = False
        self.let_go = asyncio.Event()
        """Cleared by a test that holds its end up."""
        self.let_go.set()
        self.reread: Callable[[], None] = lambda: None
        self.failed: Callable[[BaseException], None] = lambda error: None
        self._desk = desk
        self._runs: list[LiveOrchard] = []
        self._hear: list[Hear] = []

    @property
    def live(self) -> "tuple[Any, ...]":
        """The runs that are not over."""
        return tuple(run for run in self._runs if not run.over)

    def subscribe(self, hear: Hear) -> Callable[[], None]:
        """Be told."""
        self._hear.append(hear)
        return lambda: self._hear.remove(hear)

    def start(self) -> None:
        """It has begun."""
        self.begun = True

    async def stop(self) -> None:
        """It has ended, with what ran."""
        self.stopped = True
        for run in self.live:
            run.cancel()
        await self.let_go.wait()

    def agree(self, yes: bool) -> None:
        """Keep the answer."""
        self.answers.append(yes)
        if self.wants is not None and not yes:
            self._tell(Withheld(self.wants.audit_ids, "nobody said yes to what asking costs"))
        self.wants = None

    # What a test lets happen

    def ready(self) -> None:
        """Everything was seen."""
        self.watched = WATCHED
        self._tell(Ready(WATCHED))

    def edited(self, edit: Edit) -> None:
        """Somebody saved."""
        touched = {touch.audit_id for touch in edit.touches}
        kept = tuple(row for row in self.rows if row.kind is not None or row.audit_id not in touched)
        rows = (FlipRow(t.audit_id, edit, t, self._before(t.audit_id)) for t in edit.touches)
        self.edits, self.rows = (edit, *self.edits), (*rows, *kept)
        self.waiting = tuple(touched)
        self._tell(Edited(edit))

    def _before(self, audit: str) -> TrialSummary | None:
        """The last trial of an audit, kept as it was: the orchard has no other place for a trial than its last."""
        last = self._desk.last(audit)
        if last is None:
            return None
        kept = replace(last, run_id=f"before-{audit}-{len(self.edits)}")
        self._desk.views[kept.run_id] = replace(self._desk.trial(audit), summary=kept)
        return kept

    def ask(self, *audits: str, baseline: bool = False, offer: Offer | None = None) -> "LiveOrchard":
        """A run of these begins."""
        from tests.tui.orchard import LiveOrchard

        run = LiveOrchard(self._desk, audits)
        self._runs.append(run)
        self._tell(Asking(cast("Any", run), audits, baseline, offer))
        return run

    def flipped(self, audit: str, after: TrialSummary, kind: Kind, levels: tuple[str, str] = ("", "")) -> None:
        """An audit was asked again."""
        row = next(row for row in self.rows if row.audit_id == audit and row.kind is None)
        done = replace(row, after=after, kind=kind, levels=levels)
        self.rows = tuple(done if other is row else other for other in self.rows)
        self._tell(Flipped(done))

    def settled(self) -> None:
        """All is quiet."""
        self.waiting = ()
        self._tell(Settled(len(self.edits), len(self.rows)))

    def want(self, wants: Wants) -> None:
        """Money."""
        self.wants = wants
        self._tell(wants)

    def break_corpus(self, problem: Problem) -> None:
        """A corpus cannot be read."""
        self.broken[problem.file] = problem
        self._tell(CorpusBroken(problem.file, problem))

    def mend_corpus(self, file: str) -> None:
        """It can again."""
        del self.broken[file]
        self.reread()
        self._tell(CorpusMended(file))

    def lose(self, folder: str) -> None:
        """A folder is gone."""
        self.lost = (folder,)
        self._tell(FolderLost(folder))

    def find(self, folder: str) -> None:
        """It is back."""
        self.lost = ()
        self._tell(FolderBack(folder))

    def _tell(self, event: WatchEvent) -> None:
        for hear in tuple(self._hear):
            hear(event)


def answered(
    desk: "OrchardDesk", audit: str, outcome: Outcome, reply: str, run_id: str = "later", level: str = ""
) -> TrialSummary:
    """A trial that can be opened, with this answer; `level` is the human's, who has graded it then."""
    from tests.tui.orchard import summary_of, trace

    summary = replace(summary_of(desk.audit(audit), outcome, level=level), run_id=f"{run_id}-{audit}")
    last = AssistantTurn(turn_index=6, content=(TextBlock(text=reply),))
    told = trace().model_copy(update={"turns": (*trace().turns[:-1], last)})
    desk.views[summary.run_id] = TrialView(summary, desk.audit(audit), told, "knows_about")
    return summary


async def played(pilot: "Pilot[Any]", desk: "OrchardDesk") -> OrchardWatch:
    """A watch that has seen two edits: one that did everything an edit can do, and one that is being worked on."""
    from tests.tui.conftest import settle
    from tests.tui.orchard import REPLY

    (watch,) = desk.watches
    watch.ready()
    first = guide_edit(1)
    watch.edited(first)
    run = watch.ask(*TOLD)
    run.begin()
    said = "Search for `*.note.card`: every file that ends so is a note card. The kinds are described in docs/cards.md."
    watch.flipped("card-glob", answered(desk, "card-glob", Outcome.PASSED, said), "fixed")
    wrong = REPLY.replace("kind note", "kind inbox")
    watch.flipped("inbox-place", answered(desk, "inbox-place", Outcome.FAILED, wrong), "broken")
    watch.flipped("note-names", answered(desk, "note-names", Outcome.FAILED, REPLY), "unchanged")
    watch.flipped("archive-rule", answered(desk, "archive-rule", Outcome.PASSED, REPLY), "new")
    run.finish()
    watch.settled()
    await settle(pilot)
    watch.edited(guide_edit(2, ("pruning-season", "grafting-tools"), f"{GUIDE}Thin the apples in June.\n"))
    watch.ask("pruning-season", "grafting-tools").begin()
    await settle(pilot)
    return watch
