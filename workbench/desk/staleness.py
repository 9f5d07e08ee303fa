"""Which verdicts are out of date: each audit's last trial held against guidance, entry, engine and box as they are.

Boxes are looked at in a worker process, so that none can hang or block who asks.
"""

import asyncio
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from workbench import __version__
from workbench.boxes.globs import Globs
from workbench.boxes.location import BoxError
from workbench.boxes.reading import BoxGit
from workbench.corpus.records import Audit
from workbench.desk.asking import Asker
from workbench.desk.history import History
from workbench.desk.library import Library
from workbench.desk.records import DeskError, TrialSummary
from workbench.engines.registry import REHEARSED, UnknownEngine
from workbench.host.git import GitError
from workbench.insight.staleness import Conditions, Staleness, compare
from workbench.runs import contents
from workbench.runs.identity import audit_hash, is_of
from workbench.runs.looking import look
from workbench.runs.plan import Question, box_key
from workbench.runs.records import BoxContents, BoxRecord
from workbench.runs.store import StoredRun
from workbench.runs.wire import Prepare, Prepared

_HOW = {"A": " added", "D": " removed"}
"""What git calls a change → how it is told; a file that merely changed needs no word."""
_ELSEWHERE = "box and guidance: it was asked elsewhere"


@dataclass(frozen=True, slots=True)
class _Case:
    """An audit, its last trial, and what it is asked of now: a question, or why there is none."""

    audit: Audit
    last: TrialSummary
    then: Conditions
    question: Question | None


class Ageing:
    """Keeps what is known of every audit's staleness until it is told to look again."""

    def __init__(self, library: Library, history: History, asker: Asker) -> None:
        self.in_background = False
        """Whether nobody may wait for it: a screen then calls `refresh` by itself, and shows what is known."""
        self._library, self._history, self._asker = library, history, asker
        self._known: dict[str, tuple[str, str, Staleness]] = {}
        self._looked = False

    @property
    def due(self) -> bool:
        """Whether something may have changed since it was looked into."""
        return not self._looked

    def of(self, last: TrialSummary) -> Staleness | None:
        """What changed since an audit's last trial; None while that was not looked into."""
        run_id, at, staleness = self._known.get(last.trial.audit_id, ("", "", None))
        return staleness if (run_id, at) == (last.run_id, last.finished.at) else None

    def forget(self) -> None:
        """Look again when somebody asks; until then, what is known is still told."""
        self._looked = False

    def settle(self, audit_ids: Iterable[str] | None = None) -> None:
        """Have it known, of all audits or some, when this returns: waits where nothing is looked into in background."""
        if not self.in_background and not self._looked:
            asyncio.run(self.refresh(audit_ids))

    async def refresh(self, audit_ids: Iterable[str] | None = None) -> bool:
        """Look into all audits, or some; whether anything is told otherwise now. Raises nothing for what is missing."""
        before = dict(self._known)
        groups = await asyncio.to_thread(self._cases, None if audit_ids is None else set(audit_ids))
        for engine, cases in groups.items():
            seen = await self._look(engine, [case.question for case in cases if case.question])
            self._known |= await asyncio.to_thread(self._judge, cases, seen)
        self._looked = audit_ids is None
        return before != self._known

    async def _look(self, engine: str, questions: list[Question]) -> dict[str, tuple[Prepare, Prepared]]:
        try:
            return await look(await asyncio.to_thread(self._asker.looking, engine, questions)) if questions else {}
        except (DeskError, UnknownEngine, GitError):
            return {}

    def _cases(self, wanted: set[str] | None) -> dict[str, list[_Case]]:
        """What there is to look into, by engine."""
        runs: dict[str, _Run] = {}
        groups: defaultdict[str, list[_Case]] = defaultdict(list)
        for audit in self._library.audits:
            trials = self._history.last(audit.id) if wanted is None or audit.id in wanted else ()
            if not trials:
                continue
            last = trials[-1]
            if last.run_id not in runs:
                runs[last.run_id] = _Run(self._history.open(last.run_id))
            groups[last.engine].append(self._case(audit, last, runs[last.run_id]))
        return groups

    def _case(self, audit: Audit, last: TrialSummary, run: "_Run") -> _Case:
        then = run.conditions(audit, last)
        if then.box is None:
            return _Case(audit, last, then, None)
        try:
            asked = self._asker.question(audit, last.engine)
        except (DeskError, UnknownEngine) as error:
            return _Case(audit, last, replace(then, unknown=f"box and guidance: {error}"), None)
        there = replace(asked, box=Path(then.box.path), box_name=then.box.name)
        return _Case(audit, last, then, there)

    def _judge(
        self, cases: list[_Case], seen: dict[str, tuple[Prepare, Prepared]]
    ) -> dict[str, tuple[str, str, Staleness]]:
        """How each case stands, by audit."""
        judged = {}
        changed = _ChangedFiles()
        for case in cases:
            request, found = seen.get(case.audit.id, (None, None))
            now = _now(case, found)
            names = changed.of(request, case.then.box, now) if request else {}
            judged[case.audit.id] = (case.last.run_id, case.last.finished.at, compare(case.then, now, names))
        return judged


class _Run:
    """A stored run, asked for the conditions of its trials."""

    def __init__(self, stored: StoredRun) -> None:
        self._stored = stored

    def conditions(self, audit: Audit, last: TrialSummary) -> Conditions:
        """Under which one trial was asked: a run that was resumed may have known several."""
        manifest = self._stored.manifest
        version, reader, boxes = manifest.engine_version, manifest.workbench_version, dict(manifest.boxes)
        for resumed in self._stored.resumed:
            if resumed.at <= last.finished.at:
                version, reader, boxes = resumed.engine_version, resumed.workbench_version, boxes | resumed.boxes
        told = Conditions(last.finished.audit_hash, manifest.engine, _version(manifest.engine, version, reader))
        if manifest.imported:
            return replace(told, version="", unknown=_ELSEWHERE)
        box = boxes.get(box_key(audit))
        if box is None or not box.path:
            return replace(told, unknown="box and guidance: the run does not say where it was asked")
        return replace(told, box=box, contents=self._contents.get(contents.state_of(box)))

    @cached_property
    def _contents(self) -> dict[str, BoxContents]:
        return contents.read(self._stored.folder)


def _now(case: _Case, found: Prepared | None) -> Conditions:
    """Under which the case would be asked now."""
    then = case.then.definition
    definition = then if is_of(then, case.audit) else audit_hash(case.audit)
    told = Conditions(definition, case.last.engine, unknown=case.then.unknown)
    if found is None:
        return replace(told, unknown=told.unknown or "box and guidance: they cannot be looked at")
    told = replace(told, version=_version(case.last.engine, found.engine_version, __version__))
    if found.failure is not None:
        return replace(told, unknown=f"box and guidance: {found.failure.detail}")
    return replace(told, box=found.box, contents=found.contents)


def _version(engine: str, version: str, workbench: str) -> str:
    """An engine's version; in a rehearsal the answers are the reader's, which changes with the workbench."""
    return f"{version} with reader {workbench}" if REHEARSED in engine and version else version


class _ChangedFiles:
    """Which files of a box changed since a commit, each asked of git once."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, str], dict[str, str]] = {}

    def of(self, request: Prepare, then: BoxRecord | None, now: Conditions) -> dict[str, str]:
        """Those an agent may see, guidance aside, and how; none where git cannot tell what lay there then."""
        if not then or not now.box or not now.contents or not then.commit or then.dirty:
            return {}
        if then.snapshot_hash == now.box.snapshot_hash:
            return {}
        place = (then.path, then.commit)
        if place not in self._found:
            self._found[place] = _changed_since(Path(then.path), then.commit)
        settings = request.settings
        hidden = [Globs(globs) for globs in (settings.deny, settings.answer_key, request.answer_key)]
        found = self._found[place].items()
        seen = ((path, how) for path, how in found if not any(globs.match(path) for globs in hidden))
        return {path: how for path, how in seen if path not in now.contents.guidance}


def _changed_since(box: Path, commit: str) -> dict[str, str]:
    """Path → how it differs from a commit, by path; what is new there may be nobody's yet."""
    git = BoxGit(box)
    try:
        told = git.raw(
            "diff", "--name-status", "--no-renames", "-z", "--relative", "--end-of-options", commit, "--", "."
        )
        new = git.raw("ls-files", "--others", "--exclude-standard", "-z", "--", ".")
    except (GitError, BoxError):
        return {}
    words = told.decode("utf-8", "replace").split("\0")
    found = {path: _HOW.get(status, "") for status, path in zip(words[::2], words[1::2], strict=False)}
    found |= dict.fromkeys(filter(None, new.decode("utf-8", "replace").split("\0")), _HOW["A"])
    return dict(sorted(found.items()))
