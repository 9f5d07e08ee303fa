"""From a request to a running campaign: which audits, in which boxes, of which engine."""

import asyncio
import math
from collections.abc import Callable, Sequence
from pathlib import Path

from workbench.boxes.location import BoxError, resolve
from workbench.corpus.records import Audit, CorpusSettings
from workbench.desk.library import Library
from workbench.desk.project import Project, named_in_utf8
from workbench.desk.records import AskRequest, DeskError
from workbench.engines.registry import UnknownEngine, get
from workbench.guidance.engine_rules import rules_named
from workbench.runs.campaign import Campaign, start
from workbench.runs.events import Subscriber
from workbench.runs.folder import RunError
from workbench.runs.plan import PlanError, Question, plan
from workbench.runs.records import Manifest, Tally
from workbench.runs.resume import plan_rest, resume
from workbench.runs.store import StoredRun

DEFAULT_ENGINE = "reader"


class LiveRun:
    """A campaign that writes its report when it is over. Owned by the desk, watched by any number of front ends."""

    def __init__(self, campaign: Campaign, finish: Callable[[str], object]) -> None:
        self._campaign = campaign
        self._done = asyncio.create_task(self._finish(finish), name=f"run {campaign.run_id}")

    @property
    def run_id(self) -> str:
        """Name of the run's folder."""
        return self._campaign.run_id

    @property
    def folder(self) -> Path:
        """The run's folder."""
        return self._campaign.folder

    @property
    def manifest(self) -> Manifest:
        """What is asked, of whom and under which conditions."""
        return self._campaign.manifest

    @property
    def tally(self) -> Tally:
        """How it stands."""
        return self._campaign.tally

    def subscribe(self, subscriber: Subscriber) -> Callable[[], None]:
        """Be told what happens from here on, about five times a second; the result ends it."""
        return self._campaign.subscribe(subscriber)

    def cancel(self) -> None:
        """Stop at once; what is finished stays."""
        self._campaign.cancel()

    def cancel_trial(self, key: str) -> None:
        """Stop one trial at once."""
        self._campaign.cancel_trial(key)

    async def wait(self) -> Tally:
        """Wait until it is over and its report is written; DeskError when it had to stop before its end."""
        return await asyncio.shield(self._done)

    async def _finish(self, finish: Callable[[str], object]) -> Tally:
        try:
            return await self._campaign.wait()
        except RunError as error:
            raise DeskError(str(error)) from error
        finally:
            await asyncio.to_thread(finish, self.run_id)


class Asker:
    """Starts runs: resolves box, engine, model and rules by their precedence."""

    def __init__(self, project: Project, library: Library) -> None:
        self._project = project
        self._library = library

    def start(self, request: AskRequest) -> Campaign:
        """Ask what was requested; DeskError when there is nothing to ask or something it needs is not there."""
        audits = [audit for audit in map(self._library.audit, request.audit_ids) if audit]
        asked = [audit for audit in audits if request.surface in (None, audit.surface)]
        if request.free_only:
            asked = [audit for audit in asked if self._is_free(audit)]
        if not asked:
            raise DeskError("nothing to ask: the selection holds no such audit; `workbench list` shows all")
        settings = self._project.settings
        if not math.isfinite(request.timeout):
            raise DeskError("the timeout must be a number of seconds")
        try:
            planned = plan(
                [self._question(audit, request.box) for audit in asked],
                reports=self._project.reports,
                project=self._project.root,
                engine=self._engine(request.engine, asked),
                model=request.model,
                trials=request.trials,
                parallel=request.parallel or settings.parallel,
                timeout=request.timeout or settings.timeout,
                selection=request.selection,
                answer_key=settings.answer_key,
                hidden=self._project.corpus_files(),
            )
            return start(planned)
        except (PlanError, RunError, UnknownEngine) as error:
            raise DeskError(str(error)) from error

    def resume(self, stored: StoredRun) -> Campaign:
        """Go on with a stored run in its own folder."""
        wanted = {trial.audit_id for trial in stored.manifest.trials}
        audits = [audit for audit in self._library.audits if audit.id in wanted]
        try:
            rest = plan_rest(
                stored,
                {audit.id: self._question(audit, "") for audit in audits},
                project=self._project.root,
                answer_key=self._project.settings.answer_key,
                hidden=self._project.corpus_files(),
            )
            return resume(stored, rest)
        except (RunError, UnknownEngine) as error:
            raise DeskError(str(error)) from error

    def _question(self, audit: Audit, box: str) -> Question:
        settings = self._settings(audit.file)
        name, base = self._box(audit, settings, box)
        try:
            place = named_in_utf8(resolve(name, base))
        except BoxError as error:
            raise DeskError(f"{audit.file}: {error}") from error
        if ".git" in place.parts or place.is_relative_to(self._project.reports.resolve()):
            raise DeskError(
                f"{audit.file}: box {name!r} is {place}, where answers lie; name the folder that is audited"
            )
        return Question(audit, settings, place, name)

    def _settings(self, file: str) -> CorpusSettings:
        """The corpus's settings; what it leaves open is the configuration's."""
        corpus, project = self._library.settings(file), self._project.settings
        rules = corpus.guidance_rules or project.rules
        try:
            if rules:
                rules_named(rules)
        except ValueError as error:
            raise DeskError(f"{file}: {error}") from error
        return corpus.model_copy(update={"model": corpus.model or project.model, "guidance_rules": rules})

    def _box(self, audit: Audit, settings: CorpusSettings, box: str) -> tuple[str, Path]:
        """The box's name and the folder it is relative to: the flag's, the corpus's, else the project itself."""
        if box:
            return box, Path.cwd()
        if settings.box:
            return settings.box, (self._project.root / audit.file).parent
        return ".", self._project.root

    def _engine(self, flag: str, audits: Sequence[Audit]) -> str:
        wanted = {flag or self._engine_of(audit) for audit in audits}
        if len(wanted) > 1:
            raise DeskError(f"the selection asks several engines ({', '.join(sorted(wanted))}); name one with --engine")
        return wanted.pop()

    def _engine_of(self, audit: Audit) -> str:
        corpus = self._library.settings(audit.file).engine
        return audit.engine or corpus or self._project.settings.engine or DEFAULT_ENGINE

    def _is_free(self, audit: Audit) -> bool:
        try:
            return get(self._engine_of(audit)).free
        except UnknownEngine:
            return False
