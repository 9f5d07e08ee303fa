"""What changed since a git revision, in every box and corpus, and which audits that can touch."""

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from workbench.boxes.differences import current, differing, earlier
from workbench.boxes.globs import Globs
from workbench.boxes.location import BoxError
from workbench.boxes.revisions import resolve
from workbench.corpus.loading import parse
from workbench.corpus.records import Audit
from workbench.desk.conditions import Conditions
from workbench.desk.engines import Engines
from workbench.desk.history import History, trace_of
from workbench.desk.library import Library
from workbench.desk.maps import Maps
from workbench.desk.project import Project
from workbench.desk.records import AskRequest, DeskError
from workbench.guidance.chain import load
from workbench.guidance.records import KnowledgeMap
from workbench.guidance.tree import Tree
from workbench.host.git import GitError
from workbench.insight.edited import edited
from workbench.insight.impact import FileChange, Opened, Reason, Touch
from workbench.insight.touching import by_likelihood, opened, subjects, touched
from workbench.runs.plan import DEFAULT_RULES, Question
from workbench.runs.preparing import inside, seen_from
from workbench.runs.store import StoredRun
from workbench.text.sanitize import clean


@dataclass(frozen=True, slots=True)
class BoxChange:
    """What changed of one box."""

    box: str
    """As the human named it."""
    commit: str
    """What the revision came to there."""
    files: tuple[FileChange, ...]
    """What a trial can see of it, by path."""

    def joined(self, other: "BoxChange") -> "BoxChange":
        """The change that trials of one corpus or of another can see."""
        files = {file.path: file for file in (*self.files, *other.files)}
        return replace(self, files=tuple(files[path] for path in sorted(files)))


@dataclass(frozen=True, slots=True)
class ChangeSet:
    """Everything that changed between a revision and the working tree, and the audits that can touch."""

    revision: str
    """As it was typed."""
    boxes: tuple[BoxChange, ...]
    """Those in which anything changed."""
    corpora: tuple[str, ...]
    """Project-relative corpora of which an audit was edited."""
    touches: tuple[Touch, ...]
    """Likeliest first."""
    untold: str = ""
    """What could not be told, and why; empty where all was."""


_Seen = list[tuple[BoxChange, list[Question]]]
"""Changes, each with the questions of one corpus whose trials can see them."""


class Changes:
    """Compares boxes and corpora with what git has of them."""

    def __init__(self, project: Project, library: Library, history: History, engines: Engines, maps: Maps) -> None:
        self._project, self._library, self._history = project, library, history
        self._engines, self._maps = engines, maps
        self._conditions = Conditions(project, library)
        self._opened: dict[tuple[str, str, str], Opened | None] = {}

    async def since(self, revision: str = "HEAD", request: AskRequest | None = None) -> ChangeSet:
        """What changed since a revision, uncommitted edits and untracked files included, and whom it can touch.

        `request`, where given, names the audits, the box they are asked in and the engine they are asked of. Every box
        resolves the revision in its own repository. What git ignores is not compared. Where files changed, the map is
        drawn before and after, which takes a while. DeskError where a box has no such revision.
        """
        request = request or AskRequest(tuple(audit.id for audit in self._library.audits))
        seen = await asyncio.to_thread(self._seen, revision, request)
        if not any(change.files for change, _ in seen):
            return await asyncio.to_thread(self._told, revision, request, seen)
        try:
            read = partial(self._maps.read, request.audit_ids, engine=request.engine, box=request.box)
            maps = await read(revision=revision), await read()
        except DeskError as error:
            told = await asyncio.to_thread(self._told, revision, request, seen)
            untold = "; ".join(filter(None, (told.untold, f"where answers came to stand cannot be told: {error}")))
            return replace(told, untold=untold)
        return await asyncio.to_thread(self._told, revision, request, seen, maps)

    def _seen(self, revision: str, request: AskRequest) -> _Seen:
        """What each corpus's trials can see of the changes of its box."""
        groups = self._groups(request)
        return [(self._changed(questions[0], revision), questions) for questions in groups.values()]

    def _told(
        self,
        revision: str,
        request: AskRequest,
        seen: _Seen,
        maps: tuple[KnowledgeMap | None, KnowledgeMap | None] = (None, None),
    ) -> ChangeSet:
        """The change set, with whom it can touch; `maps`: before and after."""
        edits, untold = self._edits(revision, {questions[0].audit.file for _, questions in seen})
        last = self.opened(request.audit_ids)
        boxes: dict[Path, BoxChange] = {}
        touches: list[Touch] = []
        for change, questions in seen:
            place = questions[0].box
            boxes[place] = boxes[place].joined(change) if place in boxes else change
            loads = Loads(questions, [self.rules(question, request) for question in questions])
            asked = [question.audit for question in questions]
            known = subjects(asked, before=maps[0], after=maps[1], opened=last, edits=edits, loads=loads.of)
            touches += touched(change.files, known)
        changed = tuple(change for change in boxes.values() if change.files)
        corpora = tuple(sorted({reason.path for reasons in edits.values() for reason in reasons}))
        return ChangeSet(revision, changed, corpora, by_likelihood(touches), untold)

    def opened(self, audit_ids: Iterable[str]) -> dict[str, Opened]:
        """What the last trial of each audit loaded and read; without those that left no trace. Read once, then kept."""
        runs: dict[str, StoredRun] = {}
        found: dict[str, Opened] = {}
        for summary in (trial for audit_id in audit_ids for trial in self._history.last(audit_id)[-1:]):
            key = (summary.run_id, summary.trial.key, summary.finished.at)
            if key not in self._opened:
                run = runs.get(summary.run_id) or self._history.open(summary.run_id)
                runs[summary.run_id] = run
                trace = trace_of(run, summary.trial.key)
                self._opened[key] = opened(trace) if trace else None
            if (known := self._opened[key]) is not None:
                found[summary.trial.audit_id] = known
        return found

    def _groups(self, request: AskRequest) -> dict[tuple[Path, str], list[Question]]:
        """The questions of a request by their box and corpus."""
        groups: defaultdict[tuple[Path, str], list[Question]] = defaultdict(list)
        for audit in filter(None, map(self._library.audit, request.audit_ids)):
            if request.surface in (None, audit.surface):
                question = self._conditions.question(audit, request.box)
                groups[question.box, audit.file].append(question)
        return groups

    def rules(self, question: Question, request: AskRequest) -> str:
        """Whose loading rules hold where a question is asked; DeskError where its engine is unknown."""
        engine = request.engine or self._conditions.engine_of(question.audit, request.box)
        return self._engines.rules(engine) or question.settings.guidance_rules or DEFAULT_RULES

    def _changed(self, question: Question, revision: str) -> BoxChange:
        """What a trial of a question's corpus can see of the changes of its box."""
        box, hidden = question.box, self.hidden(question)
        try:
            commit = _commit(box, revision)
            paths = [path for path in differing(box, commit) if not any(globs.match(path) for globs in hidden)]
            before, after = earlier(box, commit, paths), current(box, paths)
        except (BoxError, GitError) as error:
            raise DeskError(f"{question.audit.file}: {error}") from error
        files = (FileChange(path, _clean(before.get(path)), _clean(after.get(path))) for path in paths)
        return BoxChange(question.box_name, commit, tuple(files))

    def hidden(self, question: Question) -> Sequence[Globs]:
        """What no trial sees of a box; each decides for itself, so none can uncover another's."""
        project, settings = self._project, question.settings
        kept = inside(question.box, project.secrets())
        answers = (*settings.answer_key, *project.settings.answer_key)
        corpora = seen_from(question.box, project.root, project.settings.corpora)
        return tuple(map(Globs, (settings.deny, answers, (*kept, *corpora))))

    def _edits(self, revision: str, files: set[str]) -> tuple[dict[str, tuple[Reason, ...]], str]:
        """Audit id → what was edited of it; and why that cannot be told, where it cannot."""
        edits: dict[str, tuple[Reason, ...]] = {}
        git = self._project.git()
        try:
            commit = resolve(self._project.root, revision)
            for corpus in (corpus for corpus in self._library.corpora if corpus.file in files):
                status, data, _ = git.attempt("show", f"{commit}:./{corpus.file}")
                edits |= edited(parse(data, corpus.file) if status == 0 else None, corpus)
        except (BoxError, GitError) as error:
            return {}, f"what was edited of the corpora cannot be told: {error}"
        return edits, ""


class Loads:
    """What is always loaded where an audit is asked, by its real name. Looks at the disk, once for each folder."""

    def __init__(self, questions: Sequence[Question], rules: Sequence[str]) -> None:
        """Questions of one box, and the rules each is asked under."""
        self._box, self._tree = questions[0].box, Tree(questions[0].box)
        self._rules = {question.audit.id: name for question, name in zip(questions, rules, strict=True)}
        self._known: dict[tuple[str, str], frozenset[str]] = {}

    def of(self, audit: Audit) -> frozenset[str]:
        """Box-relative paths."""
        key = (audit.context_dir or ".", self._rules[audit.id])
        if key not in self._known:
            files = load(self._box, *key).files
            self._known[key] = frozenset(self._tree.real_relative(file.path) for file in files)
        return self._known[key]


def _clean(text: str | None) -> str | None:
    return None if text is None else clean(text)


def _commit(box: Path, revision: str) -> str:
    """The commit a revision names in a box: where it names none, no corpus is at fault."""
    try:
        return resolve(box, revision)
    except BoxError as error:
        raise DeskError(str(error)) from error
