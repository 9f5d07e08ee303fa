"""Where every answer stands in the guidance: which boxes are mapped, by whose rules, hiding what runs hide."""

import asyncio
import contextlib
from collections import defaultdict
from collections.abc import Iterable, Sequence, Set
from pathlib import Path

from workbench.boxes.location import BoxError
from workbench.boxes.revisions import resolve
from workbench.corpus.records import Audit
from workbench.desk.conditions import Conditions
from workbench.desk.engines import Engines
from workbench.desk.library import Library
from workbench.desk.project import Project
from workbench.desk.records import DeskError
from workbench.guidance.engine_rules import RULES, rules_named
from workbench.guidance.mapper import MapError, MapperDoor
from workbench.guidance.mapper_wire import BoxAsked
from workbench.guidance.records import KnowledgeMap
from workbench.runs.plan import DEFAULT_RULES
from workbench.runs.preparing import inside, seen_from

_Alike = tuple[str, str, str, str]
"""Corpus, surface, engine and starting folder: audits that agree in these meet the same box in the same way."""


class Maps:
    """The knowledge maps of a project, drawn by a process that stays until `close`."""

    def __init__(self, project: Project, library: Library, engines: Engines) -> None:
        self._project, self._library, self._engines = project, library, engines
        self._conditions = Conditions(project, library)
        self._door: MapperDoor | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._known: tuple[object, tuple[Audit, ...]] = (None, ())

    async def read(
        self, audit_ids: Sequence[str] = (), *, engine: str = "", rules: str = "", box: str = "", revision: str = ""
    ) -> KnowledgeMap:
        """Where the answers of some audits stand, of all when none is named; files are read as they lie there now.

        What files answer, and what nobody asks about, is told by all audits that meet a box, whichever are named.
        `engine` views every box by the loading rules of that engine, `rules` by rules named directly, such as
        `claude@2.1.197`; else each audit is viewed by its own engine's. `box` stands in for the corpora's, `revision`
        is a git revision at which boxes are looked at. Raises DeskError.
        """
        audits = self._audits()
        asked, left_out = await asyncio.to_thread(self._asked, audits, set(audit_ids), engine, rules, box, revision)
        try:
            known = await self._mapper().map(asked, audits)
        except MapError as error:
            raise DeskError(str(error)) from error
        return _narrowed(known, set(audit_ids)).model_copy(update={"left_out": left_out})

    async def close(self) -> None:
        """End the process, if there is one."""
        if self._door is not None and self._loop is asyncio.get_running_loop():
            await self._door.close()
        self._door = None

    def _mapper(self) -> MapperDoor:
        """The door, one for each event loop: a pipe belongs to the loop it was opened in."""
        loop = asyncio.get_running_loop()
        if self._door is None or self._loop is not loop:
            self._door, self._loop = MapperDoor(), loop
        return self._door

    def _audits(self) -> tuple[Audit, ...]:
        """Every audit; the same object for as long as no corpus was read again, so that nobody is told it twice."""
        corpora = self._library.corpora
        if self._known[0] is not corpora:
            audits = {audit.id: audit for corpus in corpora for audit in corpus.audits}
            self._known = (corpora, tuple(audits.values()))
        return self._known[1]

    def _asked(
        self, audits: Sequence[Audit], wanted: Set[str], engine: str, rules: str, box: str, revision: str
    ) -> tuple[tuple[BoxAsked, ...], tuple[str, ...]]:
        """The boxes to look at, in the order in which the audits first ask there, and what cannot be looked at."""
        if missing := wanted - {audit.id for audit in audits}:
            raise DeskError(f"no audit is called {min(missing)!r}; `workbench list` shows all")
        groups: defaultdict[_Alike, list[Audit]] = defaultdict(list)
        for audit in audits:
            groups[audit.file, audit.surface, audit.engine, audit.context_dir or "."].append(audit)
        boxes: list[BoxAsked] = []
        left_out: dict[str, None] = {}
        for alike in groups.values():
            if wanted and wanted.isdisjoint(audit.id for audit in alike):
                continue
            try:
                boxes.append(self._box(alike, self._rules(alike[0], engine, rules, box), box, revision))
            except DeskError as error:
                left_out[str(error)] = None
        if left_out and not boxes:
            raise DeskError(next(iter(left_out)))
        return self._among_all(_joined(boxes), groups.values(), box), tuple(left_out)

    def _among_all(
        self, boxes: Sequence[BoxAsked], groups: Iterable[Sequence[Audit]], box: str
    ) -> tuple[BoxAsked, ...]:
        """The boxes, each with the audits that meet it in another way."""
        met: defaultdict[Path, list[tuple[str, str]]] = defaultdict(list)
        for alike in groups:
            with contextlib.suppress(DeskError):
                met[self._conditions.question(alike[0], box).box] += _names(alike)
        own = [set(one.audits) for one in boxes]
        others = [
            tuple(name for name in met[one.box] if name not in here) for one, here in zip(boxes, own, strict=True)
        ]
        return tuple(one.model_copy(update={"otherwise": rest}) for one, rest in zip(boxes, others, strict=True))

    def _rules(self, audit: Audit, engine: str, rules: str, box: str) -> str:
        """The rules that count for an audit: those named, else the engine's, else its corpus's, else claude's.

        What is named for an engine may also be rules, such as `claude@2.1.197`.
        """
        if not rules and engine.partition("@")[0] in RULES:
            rules = engine
        rules = rules or self._engines.rules(engine or self._conditions.engine_of(audit, box))
        try:
            if rules:
                rules_named(rules)
        except ValueError as error:
            raise DeskError(str(error)) from error
        return rules or self._conditions.question(audit, box).settings.guidance_rules or DEFAULT_RULES

    def _box(self, audits: Sequence[Audit], rules: str, box: str, revision: str) -> BoxAsked:
        """The box of some audits as a trial finds it: without corpora, ledger, reports and answer keys."""
        question = self._conditions.question(audits[0], box)
        project, settings, place = self._project, question.settings, question.box
        secrets = project.secrets()
        hidden = (*project.settings.answer_key, *inside(place, secrets))
        corpora = seen_from(place, project.root, project.settings.corpora) if revision else ()
        return BoxAsked(
            name=question.box_name,
            box=place,
            rules=rules,
            cwd=audits[0].context_dir or ".",
            extra=settings.guidance,
            include_ignored=settings.include_ignored,
            deny=settings.deny,
            answer_key=(*settings.answer_key, *hidden, *corpora),
            commit=_commit(place, revision) if revision else "",
            secrets=secrets if revision else (),
            audits=_names(audits),
        )


def _names(audits: Sequence[Audit]) -> tuple[tuple[str, str], ...]:
    """File and id of each."""
    return tuple((audit.file, audit.id) for audit in audits)


def _narrowed(known: KnowledgeMap, ids: Set[str]) -> KnowledgeMap:
    """A map with the placements of some audits only; the map itself where none is named."""
    if not ids:
        return known
    boxes = []
    for box in known.boxes:
        placements = tuple(one for one in box.placements if one.audit_id in ids)
        boxes.append(box.model_copy(update={"placements": placements}))
    return known.model_copy(update={"boxes": tuple(boxes)})


def _commit(box: Path, revision: str) -> str:
    try:
        return resolve(box, revision)
    except BoxError as error:
        raise DeskError(str(error)) from error


def _joined(boxes: Sequence[BoxAsked]) -> tuple[BoxAsked, ...]:
    """Boxes that several corpora see alike, as one."""
    found: dict[str, BoxAsked] = {}
    for one in boxes:
        key = one.model_copy(update={"audits": (), "name": ""}).model_dump_json()
        known = found.get(key)
        found[key] = known.model_copy(update={"audits": (*known.audits, *one.audits)}) if known else one
    return tuple(found.values())
