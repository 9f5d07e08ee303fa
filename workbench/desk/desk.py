"""The workbench without a screen: the one façade the command line and the bench both use."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.corpus.records import Audit, Corpus, Problem
from workbench.desk.history import History
from workbench.desk.library import Library
from workbench.desk.listing import Listing
from workbench.desk.project import Project, find
from workbench.desk.records import (
    AskRequest,
    DeskError,
    RunSummary,
    SectionRows,
    TrialSummary,
    TrialView,
)
from workbench.grading.records import Assessment

if TYPE_CHECKING:
    from workbench.desk.archive import Archive
    from workbench.desk.asking import Asker, LiveRun
    from workbench.desk.bisecting.hand import Bisecting
    from workbench.desk.changes import Changes
    from workbench.desk.comparing.hand import Comparing
    from workbench.desk.contexts import Contexts
    from workbench.desk.editing import Editor
    from workbench.desk.engines import Engines
    from workbench.desk.forecast import Offer
    from workbench.desk.grading import Grading
    from workbench.desk.importing import Importer
    from workbench.desk.ledger import Books
    from workbench.desk.maps import Maps
    from workbench.desk.recorder import Recorder
    from workbench.desk.reporting import Reporter
    from workbench.desk.staleness import Ageing
    from workbench.desk.upkeep import Upkeep
    from workbench.desk.watching.records import WatchRequest
    from workbench.desk.watching.watch import Watch
    from workbench.insight.staleness import Staleness
    from workbench.runs.regrade import Regraded
    from workbench.runs.reserve import Reserve
    from workbench.traces.records import Trace


class Desk:
    """Everything one can do in a project. Methods raise DeskError for a user's mistake and never print."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self._library = Library(project)
        self._history = History(project.reports)
        self._listing = Listing(self._library, self._history, lambda: self.staleness.settle(), self._stale)

    @classmethod
    def open(cls, start: Path) -> "Desk":
        """Open the project `start` lies in."""
        return cls(find(start))

    def reload(self) -> None:
        """Read corpora and runs again."""
        self._library.reload()
        self._history.forget()
        self.engines.forget()
        self._age()

    # The hands of the desk; each is fetched when it is first needed, so that a list appears at once.

    @cached_property
    def engines(self) -> "Engines":
        """How engines are reached from here, and whether each can be asked."""
        from workbench.desk.engines import Engines

        return Engines()

    @cached_property
    def contexts(self) -> "Contexts":
        """What each engine really loads of a box, as its own requests prove."""
        from workbench.desk.contexts import Contexts

        return Contexts(self.project, self._library, self.engines)

    @cached_property
    def changes(self) -> "Changes":
        """What changed since a git revision, and the audits that can touch."""
        from workbench.desk.changes import Changes

        return Changes(self.project, self._library, self._history, self.engines, self.maps)

    @cached_property
    def maps(self) -> "Maps":
        """Where every answer stands in the guidance, found without asking anyone."""
        from workbench.desk.maps import Maps

        return Maps(self.project, self._library, self.engines)

    @cached_property
    def bisecting(self) -> "Bisecting":
        """Which commit of guidance lost or taught an answer."""
        from workbench.desk.bisecting.hand import Bisecting

        return Bisecting(self.project, self._library, self._history, self._asker, self.maps)

    @cached_property
    def staleness(self) -> "Ageing":
        """Which verdicts are out of date, and what changed since."""
        from workbench.desk.staleness import Ageing

        return Ageing(self._library, self._history, self._asker)

    @cached_property
    def archive(self) -> "Archive":
        """The run history, search across all trials, trends."""
        from workbench.desk.archive import Archive

        return Archive(self._history, self._books)

    @cached_property
    def importer(self) -> "Importer":
        """Session files of agents that were asked elsewhere, taken in as runs."""
        from workbench.desk.importing import Importer

        return Importer(self.project, self._library, self._finished)

    @cached_property
    def reporter(self) -> "Reporter":
        """Runs told in every form, and filled-in reports read back."""
        from workbench.desk.reporting import Reporter

        return Reporter(self.project, self._upkeep, self._history)

    @cached_property
    def grading(self) -> "Grading":
        """What waits for a human, whether verdicts are hidden until then, how far everybody agrees."""
        from workbench.desk.grading import Grading

        return Grading(self.project, self._library, self._history, self._listing)

    @cached_property
    def comparing(self) -> "Comparing":
        """Two runs, or two states of the boxes, laid beside each other."""
        from workbench.desk.comparing.hand import Comparing

        return Comparing(self.project, self._library, self._history, self._listing, self._asker)

    @cached_property
    def editor(self) -> "Editor":
        """Audits edited in place and tried; its `launch` opens `$EDITOR`."""
        from workbench.desk.editing import Editor

        return Editor(self.project, self._library, self._history)

    @cached_property
    def recorder(self) -> "Recorder":
        """Statuses drafted, written, committed and undone."""
        from workbench.desk.drafting import Drafter
        from workbench.desk.recorder import Recorder

        return Recorder(self.project, self._library, Drafter(self.project, self._library, self._history))

    @cached_property
    def _asker(self) -> "Asker":
        from workbench.desk.asking import Asker

        return Asker(self.project, self._library, self._history, self.engines)

    @cached_property
    def _upkeep(self) -> "Upkeep":
        from workbench.desk.upkeep import Upkeep

        return Upkeep(self.project, self._library, self._history, self._books)

    @cached_property
    def _books(self) -> "Books":
        from workbench.desk.ledger import Books

        return Books(self.project, self._library)

    async def close(self) -> None:
        """End what stays in memory for the next question, such as the process that draws maps."""
        if "maps" in vars(self):
            await self.maps.close()

    # What is asked

    def corpora(self) -> tuple[Corpus, ...]:
        """The corpora as loaded."""
        return self._library.corpora

    def problems(self) -> tuple[Problem, ...]:
        """What is wrong in the corpora and their checks, errors first."""
        return self._library.problems()

    def lint(self, terms: Sequence[str] | str = ()) -> tuple[Problem, ...]:
        """The problems, and what is questionable about the selected audits' definitions."""
        chosen = {audit.id for audit in self.select(terms)}
        if terms and not chosen:
            raise DeskError("nothing to check: the selection holds no audit; `workbench list` shows all")
        return self._library.lint(chosen) + (() if terms else self._books.problems())

    def select(self, terms: Sequence[str] | str) -> tuple[Audit, ...]:
        """The audits a selection means, in file order; no term means all."""
        return tuple(row.audit for group in self.sections(terms) for row in group.rows)

    def sections(self, terms: Sequence[str] | str = ()) -> tuple[SectionRows, ...]:
        """The audit list: sections in file order with the rows a selection leaves; empty sections only unfiltered."""
        return self._listing.sections(terms)

    def find_section(self, name: str) -> tuple[str, str]:
        """The (file, title) of the section a human means by `name`."""
        corpus, section = self._library.find_section(name)
        return corpus.file, section.title

    # Asking

    def engine(self, request: AskRequest) -> str:
        """The engine a request means, found without asking it anything."""
        return self._asker.engine(request)

    def offer(self, request: AskRequest, run_id: str = "") -> "Offer":
        """What asking, or going on with a run, would come to; DeskError when its engine is not ready. Takes a while."""
        return self._asker.offer(request, self._upkeep.open(run_id) if run_id else None)

    def ask(self, request: AskRequest, reserve: "Reserve | None" = None) -> "LiveRun":
        """Start a run, with workers of a reserve where one is kept ready; needs a running event loop."""
        from workbench.desk.asking import LiveRun

        return self._books.follow(LiveRun(self._asker.start(request, reserve), self._finished))

    def resume(self, run_id: str, request: AskRequest | None = None) -> "LiveRun":
        """Ask again what a run lacks or could not measure for a passing reason; cap and command are the request's."""
        from workbench.desk.asking import LiveRun

        campaign = self._asker.resume(self._upkeep.open(run_id), request or AskRequest(()))
        return self._books.follow(LiveRun(campaign, self._finished))

    def watch(self, request: "WatchRequest") -> "Watch":
        """A watch that is not started yet; DeskError when the selection means nothing or its engine is unknown."""
        from workbench.desk.conditions import Conditions
        from workbench.desk.watching.hands import Hands
        from workbench.desk.watching.watch import Watch

        conditions = Conditions(self.project, self._library)
        asking = (conditions, self.changes, self.maps, self.staleness, self.select, self.ask, self.offer)
        return Watch(Hands(self.project, self._library, self._history, *asking), request)

    def _finished(self, run_id: str) -> None:
        self._books.close(run_id)
        self._history.forget()
        self._age()
        self.reporter.export(run_id)

    def _stale(self, last: TrialSummary) -> "Staleness | None":
        """What is known of a trial's staleness; a list that nobody asked for it does not wait for that."""
        return self.staleness.of(last) if "staleness" in vars(self) else None

    def _age(self) -> None:
        if "staleness" in vars(self):
            self.staleness.forget()

    # What came of it

    def runs(self) -> tuple[RunSummary, ...]:
        """All runs, newest first."""
        return self._history.runs()

    def trial(self, audit_id: str, run_id: str = "", key: str = "") -> TrialView:
        """One trial with its trace: the audit's last one unless a run and a key are named."""
        view = self._upkeep.view(audit_id, run_id, key)
        if view.summary is None or view.trace is None:
            return view
        return replace(view, earlier=self.archive.earlier(view.summary, view.trace.meta.model))

    def trial_tail(self, audit_id: str, run_id: str = "", key: str = "") -> "Trace | None":
        """The end of a large stored trace, named as for `trial`, shown at once; None where `trial` is as quick."""
        return self._upkeep.tail(audit_id, run_id, key)

    def trials(self, run_id: str) -> tuple[TrialSummary, ...]:
        """Every finished trial of a run."""
        return self._history.of_run(self._upkeep.open(run_id).run_id)

    def regrade(self, run_id: str) -> "Regraded":
        """Judge a stored run by the audits as they are; tells the verdicts that changed."""
        regraded = self._upkeep.regrade(run_id)
        self._history.forget()
        return regraded

    def prune(self, keep: int, *, dry_run: bool = False, force: bool = False) -> tuple[str, ...]:
        """Delete all but the newest runs and what killed ones left; graded runs go only by force, live ones never."""
        gone = self._upkeep.prune(keep, dry_run=dry_run, force=force)
        self._history.forget()
        return gone

    # What the human says

    @property
    def grader(self) -> str:
        """Who assesses here."""
        return self.project.grader()

    @property
    def show_observed_early(self) -> bool:
        """Whether the observed level may be shown before a human saved one."""
        return self.project.settings.show_observed_early

    def assess(
        self, run_id: str, trial: str, *, level: str = "", verdict: str = "", cause: str = "", note: str = ""
    ) -> Assessment:
        """Save what the human says of a trial, whole; it is on disk when this returns."""
        filled = {"level": level, "verdict": verdict, "cause": cause, "note": note}
        saved = self._upkeep.assess(run_id, trial, self.grader, filled)
        self._history.forget()
        return saved

    # The rest

    def recover(self) -> str:
        """Finish or clear a commit that was cut short; what was found in a sentence, nothing if all is well."""
        from workbench.records.commit import recover

        return recover(self.project.root)

    def warm_up(self) -> None:
        """Fetch what asking needs, so that the first run begins at once."""
        from workbench.engines.registry import get

        get("reader")
        _ = self._asker
