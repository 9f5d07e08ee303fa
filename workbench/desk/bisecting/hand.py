"""The hand of the desk that bisects: what is meant, what it would come to, what came out."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from workbench.boxes.lineage import diff
from workbench.boxes.location import BoxError
from workbench.boxes.revisions import texts
from workbench.checks.registry import bind
from workbench.corpus.records import Audit
from workbench.desk.asking import Asker
from workbench.desk.bisecting.guides import guides_at
from workbench.desk.bisecting.journal import FOLDER, Begun, BisectJournal, unfinished
from workbench.desk.bisecting.live import Hear, LiveBisect, Start
from workbench.desk.bisecting.points import ends, points
from workbench.desk.bisecting.records import Bisected, BisectOffer, BisectRequest, Kind, Point, Step
from workbench.desk.conditions import READER, Conditions
from workbench.desk.history import History
from workbench.desk.library import Library
from workbench.desk.maps import Maps
from workbench.desk.project import Project
from workbench.desk.records import AskRequest, DeskError
from workbench.engines.registry import REHEARSED
from workbench.host.files import sha256
from workbench.host.locks import LockedError, locked
from workbench.insight.bisection import Alike, Count, Found, forecast
from workbench.insight.impact import FileChange, Reason, Subject
from workbench.insight.touching import touched
from workbench.runs.identity import audit_hash, safe_name, stamp
from workbench.runs.plan import DEFAULT_RULES, Question
from workbench.text.sanitize import clean


@dataclass(frozen=True, slots=True)
class PreparedBisect:
    """A bisection that could be started, or gone on with."""

    audit: Audit
    question: Question
    points: tuple[Point, ...]
    journal: BisectJournal
    begun: Begun
    asks: AskRequest
    steady: bool
    """Whether the engine always says the same."""
    offer: BisectOffer


class Bisecting:
    """Finds the commit of guidance that lost or taught an answer."""

    def __init__(self, project: Project, library: Library, history: History, asker: Asker, maps: Maps) -> None:
        self._project, self._library, self._history, self._asker = project, library, history, asker
        self._maps = maps
        self._conditions = Conditions(project, library)

    def unfinished(self) -> BisectRequest:
        """The bisection that was interrupted last; DeskError where none is to be gone on with."""
        begun = unfinished(self._project.reports)
        if begun is None:
            raise DeskError("no bisection is to be gone on with; begin one with `workbench bisect AUDIT GOOD..BAD`")
        asks = AskRequest((), engine=begun.asked_of, model=begun.model, box=begun.box, rehearse=begun.rehearse)
        return BisectRequest(begun.audit_id, f"{begun.good}..{begun.bad}", asks)

    def prepare(self, request: BisectRequest) -> PreparedBisect:
        """Find the line and what is known of it. Blocks while git and the engine are looked at; DeskError."""
        audit = self._audit(request.audit_id)
        asks = replace(request.asks, audit_ids=(audit.id,), selection=f"bisect {audit.id} {request.revisions}")
        engine = self._asker.engine(asks)
        question = self._conditions.question(audit, asks.box, engine)
        good, bad = ends(question.box, request.revisions)
        rules = self._asker.planned(asks).rules or DEFAULT_RULES
        named = guides_at(question, good, rules) | guides_at(question, bad, rules)
        line = points(question.box, good, bad, question.settings.guidance, named)
        steady = engine == READER or REHEARSED in engine
        usually, most = forecast(len(line), steady=steady)
        offer = self._asker.offer(replace(asks, revision=bad, trials=most))
        begun = Begun(
            at=stamp(),
            audit_id=audit.id,
            audit_hash=audit_hash(audit),
            good=good,
            bad=bad,
            box=asks.box,
            engine=engine,
            asked_of=asks.engine,
            engine_version=offer.ready.version,
            model=asks.model,
            rehearse=asks.rehearse,
        )
        journal = BisectJournal(self._path(begun, question, asks))
        self._catch_up(journal)
        left = 0 if journal.over else most - journal.asked
        usd = None if offer.usd is None else offer.usd * left / most
        told = replace(offer, trials=left, usd=usd)
        commits = sum(bool(point.guidance) for point in line)
        says = BisectOffer(len(line), commits, min(left, max(0, usually - journal.asked)), told)
        return PreparedBisect(audit, question, line, journal, begun, asks, steady, says)

    def live(self, prepared: PreparedBisect) -> LiveBisect:
        """A bisection ready to run."""
        most = forecast(len(prepared.points), steady=prepared.steady)[1]
        cap = prepared.offer.offer.cap
        return LiveBisect(prepared.points, prepared.journal, prepared.asks, steady=prepared.steady, most=most, cap=cap)

    async def run(self, prepared: PreparedBisect, live: LiveBisect, start: Start, hear: Hear) -> Bisected:
        """Ask until something comes out, or until it is stopped; DeskError where an end cannot be measured."""
        lock = prepared.journal.path.with_suffix(".lock")
        try:
            with locked(lock, wait=False):
                if prepared.journal.begun is None:
                    prepared.journal.append(prepared.begun)
                found = await live.run(start, hear)
                told = await asyncio.to_thread(self.told, prepared, live, found)
                if isinstance(found, Found):
                    told = replace(told, placed=await self._placed(prepared, told))
                if found is not None:
                    prepared.journal.end(f"{told.kind} {told.after.commit}")
        except LockedError:
            raise DeskError("this bisection goes on in another process; wait for it, or stop it") from None
        except OSError as error:
            raise DeskError(f"{prepared.journal.path}: cannot be kept: {error.strerror}") from error
        return told

    def told(self, prepared: PreparedBisect, live: LiveBisect, found: Found | Alike | None) -> Bisected:
        """What came out, with the diff that did it."""
        line, counts, journal = prepared.points, live.counts, prepared.journal
        skipped = tuple(Step(line[n], counts[n], why) for n, why in live.skipped().items())
        if not isinstance(found, Found):
            kind: Kind = "stopped" if found is None else "alike"
            both = counts[0], counts[-1]
            return Bisected(kind, line[0], line[-1], both, journal.asked, journal.spent, skipped=skipped, why=live.why)
        before, after = line[found.last_like_start], line[found.first_like_end]
        between = line[found.last_like_start + 1 : found.first_like_end + 1]
        paths = tuple(dict.fromkeys(path for point in between for path in point.guidance))
        one = len(between) == 1 and bool(after.guidance)
        return Bisected(
            "commit" if one else "range",
            before,
            after,
            (_together(counts[: found.last_like_start + 1]), _together(counts[found.first_like_end :])),
            journal.asked,
            journal.spent,
            sure=1.0 if prepared.steady else found.sure,
            diff=self._diff(prepared.question.box, before, after, paths),
            stood=self._stood(prepared, before, after, paths),
            skipped=tuple(step for step in skipped if step.point in between),
        )

    async def _placed(self, prepared: PreparedBisect, told: Bisected) -> tuple[str, str]:
        """Where the answer stood before and stands after, in the map's words; empty where it cannot tell."""
        asks, found = prepared.asks, []
        for point in (told.before, told.after):
            try:
                known = await self._maps.read(asks.audit_ids, engine=asks.engine, box=asks.box, revision=point.commit)
            except DeskError:
                return "", ""
            placement = known.placement(prepared.audit.id)
            found.append(placement.told if placement else "")
        return found[0], found[1]

    def _audit(self, audit_id: str) -> Audit:
        audit = self._library.audit(audit_id)
        if audit is None:
            raise DeskError(f"no audit is called {audit_id!r}; `workbench list` shows all")
        if not bind(audit).checks:
            raise DeskError(f"{audit_id} has no checks, so nothing tells a good answer from a bad one; add one")
        return audit

    def _path(self, begun: Begun, question: Question, asks: AskRequest) -> Path:
        """The journal of exactly this question, asked of exactly this agent."""
        told = begun.model_dump_json(exclude={"at", "box", "asked_of"})
        planned = self._asker.planned(asks)
        conditions = (question.settings.model_dump_json(), planned.model, planned.rules, planned.command_hash)
        key = sha256("\0".join((told, str(question.box), *conditions)).encode())
        return self._project.reports / FOLDER / f"{safe_name(begun.audit_id)}-{key[:12]}.jsonl"

    def _catch_up(self, journal: BisectJournal) -> None:
        for asked in journal.runs():
            trials = [trial.finished for trial in self._history.of_run(asked.run_id)]
            journal.take_over(asked, trials)

    @staticmethod
    def _diff(box: Path, before: Point, after: Point, paths: Sequence[str]) -> str:
        try:
            return diff(box, before.commit, after.commit, paths)
        except BoxError as error:
            raise DeskError(str(error)) from error

    @staticmethod
    def _stood(prepared: PreparedBisect, before: Point, after: Point, paths: Sequence[str]) -> tuple[Reason, ...]:
        """Where what the audit names came into guidance, or went from it."""
        box = prepared.question.box
        try:
            old, new = texts(box, before.commit, paths), texts(box, after.commit, paths)
        except BoxError as error:
            raise DeskError(str(error)) from error
        changes = [FileChange(path, _clean(old.get(path)), _clean(new.get(path))) for path in paths]
        touches = touched(changes, [Subject(prepared.audit)])
        return tuple(reason for touch in touches for reason in touch.reasons if reason.because == "literal")


def _together(counts: Sequence[Count]) -> Count:
    return Count(sum(count.passed for count in counts), sum(count.measured for count in counts))


def _clean(text: str | None) -> str | None:
    return None if text is None else clean(text)
