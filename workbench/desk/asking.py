"""From a request to a running campaign: which audits, of which engine, under which limits."""

import asyncio
import math
from collections.abc import Callable, Sequence
from pathlib import Path

from workbench.boxes.globs import Globs
from workbench.boxes.location import BoxError
from workbench.corpus.records import Audit
from workbench.desk.conditions import Conditions, at
from workbench.desk.engines import Engines
from workbench.desk.forecast import Offer, estimate
from workbench.desk.history import History
from workbench.desk.library import Library
from workbench.desk.project import Project, history
from workbench.desk.records import AskRequest, DeskError
from workbench.engines.registry import UnknownEngine, get
from workbench.runs.campaign import Campaign, start
from workbench.runs.events import Subscriber
from workbench.runs.folder import RunError
from workbench.runs.plan import PlanError, Question, RunPlan, manifest, plan
from workbench.runs.records import Manifest, Tally
from workbench.runs.reserve import Reserve
from workbench.runs.resume import plan_rest, resume
from workbench.runs.store import StoredRun
from workbench.text.amounts import many


class LiveRun:
    """A campaign that writes its report when it is over. Owned by the desk, watched by any number of front ends."""

    def __init__(self, campaign: Campaign, finish: Callable[[str], object]) -> None:
        self.trouble = ""
        """What could not be kept beside the run; empty when all was."""
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

    def wind_down(self) -> None:
        """Begin nothing more; what is being asked is seen through."""
        self._campaign.wind_down()

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
    """Plans runs, says what they would come to, and starts them."""

    def __init__(self, project: Project, library: Library, history: History, engines: Engines) -> None:
        self._project, self._library, self._history = project, library, history
        self._conditions, self._engines = Conditions(project, library), engines

    def engine(self, request: AskRequest) -> str:
        """The engine a request means; DeskError when there is nothing to ask."""
        return self._conditions.engine(request, self._asked(request)[0])

    def start(self, request: AskRequest, reserve: Reserve | None = None) -> Campaign:
        """Ask what was requested; DeskError when there is nothing to ask or something it needs is not there."""
        try:
            return start(self._plan(request), reserve)
        except (RunError, UnknownEngine) as error:
            raise DeskError(str(error)) from error

    def resume(self, stored: StoredRun, request: AskRequest) -> Campaign:
        """Go on with a stored run in its own folder; of the request only command and cap count."""
        try:
            return resume(stored, self._rest(stored, request))
        except (RunError, UnknownEngine) as error:
            raise DeskError(str(error)) from error

    def offer(self, request: AskRequest, stored: StoredRun | None = None) -> Offer:
        """What asking, or going on with a stored run, would come to; DeskError when its engine is not ready."""
        try:
            planned = self._rest(stored, request) if stored is not None else self._plan(request)
            engine = get(planned.engine, planned.engine_settings)
        except (RunError, UnknownEngine) as error:
            raise DeskError(str(error)) from error
        ready = self._engines.require(engine, planned.engine_settings, planned.keys)
        return estimate(planned, self._history, free=engine.free, ready=ready)

    def planned(self, request: AskRequest) -> Manifest:
        """The manifest a run would have, the state of boxes that are asked as they lie there left open; DeskError."""
        return manifest(self._plan(request), "", "")

    def question(self, audit: Audit, engine: str) -> Question:
        """An audit as it would be asked of an engine in its own box; DeskError when that is not to be had."""
        return self._conditions.question(audit, "", engine)

    def looking(self, engine: str, questions: Sequence[Question]) -> RunPlan:
        """The plan of asking questions of an engine, for a look at what trials would find; it holds no key."""
        reach = self._engines.settings(engine)
        return plan(
            questions,
            reports=self._project.reports,
            project=self._project.root,
            engine=engine,
            engine_settings=reach,
            rules=get(engine, reach).rules,
            answer_key=self._project.settings.answer_key,
            corpora=self._project.settings.corpora,
            hidden=self._hidden(questions),
        )

    def _plan(self, request: AskRequest) -> RunPlan:
        asked, left_out = self._asked(request)
        settings = self._project.settings
        _refuse_endless(request)
        name = self._conditions.engine(request, asked)
        questions = at([self._conditions.question(audit, request.box, name) for audit in asked], request.revision)
        _refuse_bad_globs(request.hide)
        try:
            reach = self._engines.settings(name, request.command)
            keys = self._keys(name, request, questions)
            return plan(
                questions,
                reports=self._project.reports,
                project=self._project.root,
                engine=name,
                engine_settings=reach,
                keys=keys,
                model=request.model,
                rules=get(name, reach).rules,
                trials=request.trials,
                parallel=request.parallel or settings.parallel,
                timeout=request.timeout or settings.timeout,
                max_cost=request.max_cost or settings.max_cost,
                selection=request.selection,
                left_out=left_out,
                answer_key=settings.answer_key,
                hide=request.hide,
                corpora=settings.corpora,
                hidden=self._hidden(questions),
            )
        except (PlanError, UnknownEngine) as error:
            raise DeskError(str(error)) from error

    def _rest(self, stored: StoredRun, request: AskRequest) -> RunPlan:
        _refuse_endless(request)
        if stored.manifest.imported:
            raise DeskError(f"{stored.run_id} was imported: it was asked elsewhere, so there is nothing to go on with")
        wanted = {trial.audit_id for trial in stored.manifest.trials}
        name = stored.manifest.engine
        questions = [self._conditions.question(audit, "", name) for audit in self._library.audits if audit.id in wanted]
        return plan_rest(
            stored,
            {question.audit.id: question for question in questions},
            project=self._project.root,
            engine_settings=self._engines.settings(name, request.command),
            keys=self._keys(name, request, questions),
            max_cost=request.max_cost or stored.manifest.max_cost or self._project.settings.max_cost,
            answer_key=self._project.settings.answer_key,
            corpora=self._project.settings.corpora,
            hidden=self._hidden(questions),
        )

    def _asked(self, request: AskRequest) -> tuple[list[Audit], int]:
        """The audits a request means, and how many developer audits it leaves out because a box is named."""
        audits = [audit for audit in map(self._library.audit, request.audit_ids) if audit]
        asked = [audit for audit in audits if request.surface in (None, audit.surface)]
        left_out = len(audits) - len(asked) if request.surface == "box" else 0
        if request.free_only:
            asked = [audit for audit in asked if self._conditions.is_free(audit, request.box)]
        if not asked and left_out:
            raise DeskError(f"nothing to ask in a box: all selected ({many(left_out, 'audit')}) are asked with --dev")
        if not asked:
            raise DeskError("nothing to ask: the selection holds no such audit; `workbench list` shows all")
        return asked, left_out

    def _keys(self, name: str, request: AskRequest, questions: Sequence[Question]) -> dict[str, str]:
        """The engine's credential; DeskError where a corpus would hand it to the agent's tools."""
        reach = self._engines.settings(name, request.command)
        engine = get(name, reach)
        for question in () if engine.free else questions:
            for variable in question.settings.env:
                if variable in (*reach.keys, *engine.key_variables):
                    told = f"env names {variable}, the credential of {name}, which no tool of an agent may have"
                    raise DeskError(f"{question.audit.file}: {told}; remove it there")
        boxes = list(dict.fromkeys(question.box for question in questions))
        return self._engines.keys(engine, reach, boxes, pi_dev_key=request.pi_dev_key)

    def _hidden(self, questions: Sequence[Question]) -> list[Path]:
        """What no trial may see where it lies: corpora, ledger, notes, history; answer keys named in boxes."""
        folders = dict.fromkeys((self._project.root, *(question.box for question in questions)))
        hidden = dict.fromkeys((*self._project.secrets(), *filter(None, map(history, folders))))
        for question in questions:
            for glob in (*self._project.settings.answer_key, *question.settings.answer_key):
                place = glob.removesuffix("/**").removesuffix("/*").strip("/")
                if place and not set("*?[!\\") & set(place):
                    hidden[question.box / place] = None
        return list(hidden)


def _refuse_bad_globs(globs: Sequence[str]) -> None:
    try:
        Globs(globs)
    except BoxError as error:
        raise DeskError(f"hide: {error}") from error


def _refuse_endless(request: AskRequest) -> None:
    if not math.isfinite(request.timeout) or not math.isfinite(request.max_cost):
        raise DeskError("the timeout must be a number of seconds, and the cap a number of dollars")
