"""The hand of the desk that compares: who is meant, what has to be asked, what came out."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.boxes.revisions import resolve as commit_of
from workbench.corpus.records import Audit
from workbench.desk.asking import Asker
from workbench.desk.comparing.choosing import Revision, revisions, suggested
from workbench.desk.comparing.deciding import as_asked, as_it_lies, notes_on, told_of
from workbench.desk.comparing.definitions import Definitions
from workbench.desk.comparing.gathering import Gatherer
from workbench.desk.comparing.guidance import guidance_diff
from workbench.desk.comparing.hiding import State, idle
from workbench.desk.comparing.live import Half, LiveSides
from workbench.desk.comparing.naming import meant, runs_named
from workbench.desk.comparing.records import Compared, CompareRequest, Named, Prepared, SidePlan
from workbench.desk.comparing.reusing import answered
from workbench.desk.conditions import Conditions
from workbench.desk.forecast import Offer, together
from workbench.desk.history import History
from workbench.desk.library import Library
from workbench.desk.listing import Listing
from workbench.desk.project import Project
from workbench.desk.records import AskRequest, DeskError, NothingMatches
from workbench.insight.comparison import compare
from workbench.insight.terms import differences
from workbench.runs.records import Manifest

if TYPE_CHECKING:
    from workbench.desk.asking import LiveRun

_ASKING = ("engine", "model", "trials", "hide", "parallel", "max_cost")


class Comparing:
    """`prepare` finds out what is stored, `ask` asks the rest, `compared` lays both sides beside each other."""

    def __init__(self, project: Project, library: Library, history: History, listing: Listing, asker: Asker) -> None:
        self._project, self._library, self._history = project, library, history
        self._listing, self._asker = listing, asker
        self._conditions = Conditions(project, library)
        definitions = Definitions(project.root, library)
        self._gatherer = Gatherer(library, history, definitions, early=project.settings.show_observed_early)

    def prepare(self, request: CompareRequest) -> Prepared:
        """What the two names mean, which stored runs answer them, and what asking the rest would come to.

        DeskError where a name means nothing or two things, or there is nothing to compare. Takes a while.
        """
        wanted = self._selected(request.terms)
        sides = self._meant(request, wanted)
        if sides[0] == sides[1]:
            raise DeskError(f"A and B are the same ({sides[0].name}); name two runs, or two states of the boxes")
        runs = [self._history.open(side.name).manifest for side in sides if side.kind == "run"]
        if len(runs) == len(sides):
            return self._of_runs(request, sides, runs)
        asks = as_asked(request, runs, self._audits(request, wanted, runs))
        audits = {audit.id: audit for audit in map(self._library.audit, asks.audit_ids) if audit}
        plans = [self._plan(side, asks, audits, [run.run_id for run in runs], request.trials) for side in sides]
        if plans[0].state and plans[0].state == plans[1].state:
            raise DeskError(f"{plans[0].told} and {plans[1].told} are the same files; there is nothing to compare")
        prepared = self._offered(plans, frozenset(audits), asks)
        if not request.hide:
            return prepared
        return replace(prepared, notes=idle(request.hide, self._states(sides, tuple(audits.values()))))

    def ask(self, prepared: Prepared, start: "Callable[[AskRequest], LiveRun]") -> LiveSides:
        """Start what a comparison lacks, both sides at once; needs a running event loop."""
        halves: tuple[Half, Half] = ("a", "b")
        wanted = {half: side.request for half, side in zip(halves, prepared.sides, strict=True) if side.request}
        lives: dict[Half, LiveRun] = {}
        for half, request in wanted.items():
            try:
                lives[half] = start(request)
            except DeskError:
                for live in lives.values():
                    live.cancel()
                raise
        return LiveSides(lives)

    def compared(self, prepared: Prepared, live: LiveSides | None = None) -> Compared:
        """Both sides as they were asked. Traces are read for it, which takes a while."""
        asked = {half: run.run_id for half, run in live.lives.items()} if live else {}
        told_a, a = self._gatherer.gather(prepared.a, prepared.audit_ids, asked.get("a", ""))
        told_b, b = self._gatherer.gather(prepared.b, prepared.audit_ids, asked.get("b", ""))
        found = compare(a, b)
        notes = notes_on(told_a, told_b, found)
        return Compared(told_a, told_b, differences(told_a.runs, told_b.runs), found, (*prepared.notes, *notes))

    def guidance_diff(self, compared: Compared) -> str:
        """What became of the guidance from A to B, as a diff, or why there is none."""
        return guidance_diff(compared.a, compared.b, self._extra())

    def suggested(self, run_id: str = "") -> tuple[str, str]:
        """The names of A and B that lie nearest: a run, by default the newest, and the one before it."""
        return suggested(self._history, run_id)

    def revisions(self, terms: Sequence[str] = ()) -> tuple[Revision, ...]:
        """The last commits that touched guidance of the boxes some audits are asked in, newest first."""
        extra = self._extra()
        found = [revision for box in self._boxes(self._selected(terms)) for revision in revisions(box, extra)]
        return tuple(sorted(dict.fromkeys(found), key=lambda revision: revision.date, reverse=True))

    def _extra(self) -> tuple[str, ...]:
        """Globs of what corpora count as guidance, too."""
        return tuple(dict.fromkeys(glob for corpus in self._library.corpora for glob in corpus.settings.guidance))

    # What is meant

    def _selected(self, terms: Sequence[str]) -> tuple[Audit, ...]:
        audits = tuple(row.audit for group in self._listing.sections(terms) for row in group.rows)
        if not audits and terms:
            raise NothingMatches(f"no audit matches {' '.join(terms)!r}")
        return audits

    def _meant(self, request: CompareRequest, wanted: Sequence[Audit]) -> list[Named]:
        """The two sides; a revision need only be known where audits are asked that a run on the other side asked."""
        store = self._history.store
        runs = [run_id for name in (request.a, request.b) for run_id in runs_named(name, store)[:1]]
        asked = {trial.audit_id for run_id in runs for trial in self._history.open(run_id).manifest.trials}
        audits = [audit for audit in wanted if audit.id in asked] if runs else wanted
        boxes = self._boxes(audits)
        return [meant(name, store, boxes) for name in (request.a, request.b)]

    def _boxes(self, audits: Sequence[Audit]) -> list[Path]:
        """The boxes of some audits, each once; one that is missing is told when it is asked in."""
        found: dict[Path, None] = {}
        for audit in audits:
            try:
                found[self._conditions.question(audit).box] = None
            except DeskError:
                continue
        return list(found)

    def _states(self, sides: Sequence[Named], audits: Sequence[Audit]) -> list[State]:
        """What is asked on the sides that name no run: each box at each state once."""
        questions = [self._conditions.question(audit) for audit in audits]
        boxes = dict.fromkeys((question.box, question.settings.include_ignored) for question in questions)
        return [
            (box, commit_of(box, side.name) if side.kind == "revision" else "", ignored)
            for side in sides
            for box, ignored in boxes
            if side.kind != "run"
        ]

    def _audits(self, request: CompareRequest, wanted: Sequence[Audit], runs: Sequence[Manifest]) -> list[Audit]:
        """What is asked: the selection; beside a run, what of it that asked. The rest would have no other side."""
        if not runs:
            return list(wanted)
        names = {trial.audit_id for run in runs for trial in run.trials}
        left = [audit for audit in wanted if audit.id in names]
        if not left:
            told = f"nothing in common: {runs[0].run_id} asked none of"
            if request.terms:
                raise NothingMatches(f"{told} what {' '.join(request.terms)!r} selects")
            raise DeskError(f"{told} what is in the corpora now")
        return left

    def _of_runs(self, request: CompareRequest, sides: Sequence[Named], runs: Sequence[Manifest]) -> Prepared:
        given = [name for name in _ASKING if getattr(request, name)]
        if given:
            told = ", ".join(f"--{name.replace('_', '-')}" for name in given)
            raise DeskError(f"two runs are compared as they were asked; leave {told} out, or name a revision")
        there = [frozenset(trial.audit_id for trial in run.trials) for run in runs]
        chosen = there[0] | there[1]
        if request.terms:
            chosen &= frozenset(audit.id for audit in self._selected(request.terms))
        if not there[0] & there[1] & chosen:
            told = f"{runs[0].run_id} and {runs[1].run_id} have no audit in common"
            if request.terms:
                raise NothingMatches(f"{told} that matches {' '.join(request.terms)!r}")
            raise DeskError(told)
        a, b = (SidePlan(side, side.name, {side.name: chosen}) for side in sides)
        return Prepared(a, b, chosen)

    def _plan(
        self, side: Named, asks: AskRequest, audits: dict[str, Audit], runs: Sequence[str], trials: int
    ) -> SidePlan:
        """Where one side's trials come from: its run, stored runs that asked the same, or what is asked now."""
        if side.kind == "run":
            return SidePlan(side, side.name, {side.name: frozenset(audits)})
        request = replace(asks, revision=side.name if side.kind == "revision" else "")
        wanted = self._asker.planned(request)
        if side.kind == "worktree":
            wanted = wanted.model_copy(update={"boxes": {file: as_it_lies(box) for file, box in wanted.boxes.items()}})
        version = self._asker.offer(request).ready.version
        stored = answered(self._history, wanted, version, audits, asks.trials, without=runs)
        known = frozenset[str]().union(*stored.values())
        rest = tuple(name for name in asks.audit_ids if name not in known)
        clean = all(box.commit and not box.dirty for box in wanted.boxes.values())
        return SidePlan(
            named=side,
            told=told_of(side, wanted),
            stored=stored,
            trials=trials,
            request=replace(request, audit_ids=rest) if rest else None,
            state=frozenset((box.path, box.commit) for box in wanted.boxes.values()) if clean else frozenset(),
        )

    def _offered(self, plans: Sequence[SidePlan], audit_ids: frozenset[str], asks: AskRequest) -> Prepared:
        """The plans with what asking comes to together; workers and money are shared out between the sides."""
        settings = self._project.settings
        parallel, cap = asks.parallel or settings.parallel, asks.max_cost or settings.max_cost
        numbers = [len(plan.request.audit_ids) if plan.request else 0 for plan in plans]
        shared: list[SidePlan] = []
        offers: list[Offer] = []
        for number, plan in zip(numbers, plans, strict=True):
            if plan.request is None:
                shared.append(plan)
                continue
            share = number / sum(numbers)
            request = replace(plan.request, parallel=max(1, round(parallel * share)), max_cost=cap * share)
            shared.append(replace(plan, request=request))
            offers.append(self._asker.offer(request))
        return Prepared(shared[0], shared[1], audit_ids, together(offers, cap) if offers else None)
