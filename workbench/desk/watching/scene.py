"""Which audits are watched, who is asked each, in which box, and whom a change of that box can touch."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from workbench.boxes.globs import Globs
from workbench.boxes.location import BoxError
from workbench.corpus.records import Audit
from workbench.desk.changes import Loads
from workbench.desk.records import AskRequest, DeskError, NothingMatches
from workbench.desk.watching.hands import Hands
from workbench.desk.watching.records import WatchRequest
from workbench.engines.registry import UnknownEngine, is_free
from workbench.guidance.records import KnowledgeMap
from workbench.insight.impact import FileChange, Reason, Touch
from workbench.insight.touching import by_likelihood, subjects, touched
from workbench.runs.plan import Question


@dataclass(frozen=True, slots=True)
class Who:
    """Whom one run can ask."""

    engine: str
    model: str
    """Empty: the engine's default."""
    free: bool


@dataclass(frozen=True, slots=True)
class Asked:
    """A watched audit, and the conditions it is asked under."""

    question: Question
    who: Who
    rules: str


@dataclass(frozen=True, slots=True)
class Group:
    """The watched audits of one corpus that are asked in one box, and what they cannot see of it."""

    box: Path
    name: str
    asked: tuple[Asked, ...]
    hidden: Sequence[Globs]

    def sees(self, path: str) -> bool:
        """Whether its trials see a box-relative path."""
        return not any(globs.match(path) for globs in self.hidden)


class Scene:
    """The watched audits as the corpora have them now. Everything blocks."""

    def __init__(self, hands: Hands, request: WatchRequest) -> None:
        """DeskError when the selection means nothing, or nothing of it can be asked."""
        self._hands, self._request = hands, request
        self._chosen = {audit.id for audit in hands.select(request.terms)}
        if not self._chosen:
            if request.terms:
                raise NothingMatches(f"no audit matches {' '.join(request.terms)!r}")
            raise DeskError(hands.project.no_audits())
        self.asked: dict[str, Asked] = {}
        self.groups: tuple[Group, ...] = ()
        self.left_out: dict[str, str] = {}
        """Watched audits that cannot be asked, and why."""
        self.refresh()
        if not self.asked:
            raise DeskError(next(iter(self.left_out.values())))

    def refresh(self, fresh: Iterable[str] = ()) -> None:
        """Look at the corpora again; of `fresh` audits, which are new, those that the selection means are watched."""
        if fresh := set(fresh):
            self._chosen |= {audit.id for audit in self._hands.select(self._request.terms)} & fresh
        self.asked, self.left_out = {}, {}
        for audit in self._hands.library.audits:
            if audit.id in self._chosen:
                try:
                    self.asked[audit.id] = self._resolve(audit)
                except (DeskError, UnknownEngine) as error:
                    self.left_out[audit.id] = str(error)
        self.groups = self._grouped()

    def _resolve(self, audit: Audit) -> Asked:
        conditions, request = self._hands.conditions, self._request
        engine = request.engine or conditions.engine_of(audit)
        question = conditions.question(audit, "", engine)
        who = Who(engine, request.model or question.settings.model, is_free(engine))
        return Asked(question, who, self._hands.changes.rules(question, AskRequest((), engine=engine)))

    def _grouped(self) -> tuple[Group, ...]:
        found: defaultdict[tuple[Path, str], list[Asked]] = defaultdict(list)
        for one in self.asked.values():
            found[one.question.box, one.question.audit.file].append(one)
        groups = []
        for (box, file), many in found.items():
            question = many[0].question
            try:
                Globs((*question.settings.guidance, *question.settings.include_ignored))
                groups.append(Group(box, question.box_name, tuple(many), self._hands.changes.hidden(question)))
            except BoxError as error:
                names = [one.question.audit.id for one in many]
                self.left_out |= dict.fromkeys(names, f"{file}: {error}")
                self.asked = {name: one for name, one in self.asked.items() if name not in names}
        return tuple(groups)

    @property
    def boxes(self) -> dict[Path, str]:
        """The boxes by folder, as the human named them."""
        return {group.box: group.name for group in self.groups}

    def globs(self, box: Path, of: Callable[[Question], Iterable[str]]) -> Globs:
        """Globs that the corpora of one box name."""
        named = (glob for group in self.groups if group.box == box for glob in of(group.asked[0].question))
        return Globs(tuple(dict.fromkeys(named)))

    def sees(self, box: Path, path: str) -> bool:
        """Whether any watched audit's trials see a box-relative path."""
        return any(group.sees(path) for group in self.groups if group.box == box)

    def touches(
        self,
        box: Path | None,
        files: Sequence[FileChange],
        edits: Mapping[str, tuple[Reason, ...]],
        maps: tuple[KnowledgeMap | None, KnowledgeMap | None] = (None, None),
    ) -> tuple[Touch, ...]:
        """Whom changes of one box and edits of the corpora can touch, likeliest first; `maps`: before and after."""
        last = self._hands.changes.opened(self.asked) if files else {}
        found: list[Touch] = []
        for group in self.groups:
            mine = [change for change in files if group.box == box and group.sees(change.path)]
            audits = [one.question.audit for one in group.asked if mine or one.question.audit.id in edits]
            if not audits:
                continue
            loads = Loads([one.question for one in group.asked], [one.rules for one in group.asked])
            known = subjects(audits, before=maps[0], after=maps[1], opened=last, edits=edits, loads=loads.of)
            found += touched(mine, known)
        return by_likelihood(found)
