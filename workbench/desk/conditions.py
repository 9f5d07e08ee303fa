"""Under which conditions an audit is asked: engine, model, rules and box, each by its precedence."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from workbench.boxes.beebox_layout import CONFIG
from workbench.boxes.location import BoxError, resolve
from workbench.boxes.revisions import resolve as commit_of
from workbench.corpus.records import Audit, CorpusSettings
from workbench.desk.library import Library
from workbench.desk.project import Project, named_in_utf8
from workbench.desk.records import AskRequest, DeskError
from workbench.engines.registry import REHEARSED, is_free, names
from workbench.guidance.engine_rules import rules_named
from workbench.host.foreign import read_plain
from workbench.host.git import GitError
from workbench.runs.plan import Question
from workbench.text.amounts import many
from workbench.text.sanitize import clean_line

DEFAULT_ENGINE = "reader"
READER = "reader"
_LARGEST = 1 << 20
"""Bytes of the largest settings of a box that are looked at."""


class Conditions:
    """Resolves what a request leaves open.

    Engine: the flag's, the audit's, the corpus's, the box's own, the configuration's, else the reader. Model: the
    flag's, the corpus's, the configuration's, else the engine's default; one named with another engine is none.
    """

    def __init__(self, project: Project, library: Library) -> None:
        self._project = project
        self._library = library

    def engine(self, request: AskRequest, audits: Sequence[Audit]) -> str:
        """The one engine of a run, as it is named in records; DeskError where the audits want several."""
        wanted = Counter(request.engine or self.engine_of(audit, request.box) for audit in audits)
        if len(wanted) > 1:
            told = ", ".join(f"{engine} for {many(number, 'audit')}" for engine, number in sorted(wanted.items()))
            raise DeskError(f"the selection asks several engines ({told}); ask them apart, or name one with --engine")
        engine = next(iter(wanted))
        if not request.rehearse:
            return engine
        if engine == READER:
            raise DeskError("the reader is no program to rehearse; name one with --engine, such as --engine claude")
        if engine == "acp":
            raise DeskError("an ACP agent asks its own provider, so it cannot be rehearsed; leave --rehearse out")
        return engine if REHEARSED in engine else f"{engine}{REHEARSED}{READER}"

    def engine_of(self, audit: Audit, box: str = "") -> str:
        """The engine an audit is asked of when nobody names one."""
        corpus = self._library.settings(audit.file)
        return (
            audit.engine
            or corpus.engine
            or self._engine_of_box(audit, box)
            or self._project.settings.engine
            or DEFAULT_ENGINE
        )

    def is_free(self, audit: Audit, box: str = "") -> bool:
        """Whether asking an audit of its own engine costs nothing."""
        return is_free(self.engine_of(audit, box))

    def question(self, audit: Audit, box: str = "", engine: str = "") -> Question:
        """An audit with its box and its settings, for an engine; DeskError when one of them is not to be had."""
        settings = self._settings(audit, box, engine)
        name, base = self._box(audit, box)
        where = "--box" if box and audit.surface != "dev" else audit.file
        try:
            place = named_in_utf8(resolve(name, base))
        except BoxError as error:
            raise DeskError(f"{where}: {error}") from error
        if ".git" in place.parts or place.is_relative_to(self._project.reports.resolve()):
            raise DeskError(f"{where}: box {name!r} is {place}, where answers lie; name the folder that is audited")
        return Question(audit, settings, place, name)

    def _settings(self, audit: Audit, box: str, engine: str) -> CorpusSettings:
        """The corpus's settings; what it leaves open is the configuration's."""
        corpus, project = self._library.settings(audit.file), self._project.settings
        rules = corpus.guidance_rules or project.rules
        try:
            if rules:
                rules_named(rules)
        except ValueError as error:
            raise DeskError(f"{audit.file}: {error}") from error
        model, meant = (corpus.model, corpus.engine) if corpus.model else (project.model, project.engine)
        # The model that goes with another engine would be asked of one that does not know it.
        fits = not model or not engine or engine == (meant or self.engine_of(audit, box))
        return corpus.model_copy(update={"model": model if fits else "", "guidance_rules": rules})

    def _box(self, audit: Audit, box: str) -> tuple[str, Path]:
        """The box's name and the folder it is relative to: the flag's, the corpus's, else the project itself.

        A developer session works in the checkout, so its audits are always asked there.
        """
        if audit.surface == "dev":
            return ".", self._project.root
        if box:
            return box, Path.cwd()
        named = self._library.settings(audit.file).box
        return (named, (self._project.root / audit.file).parent) if named else (".", self._project.root)

    def _engine_of_box(self, audit: Audit, box: str) -> str:
        name, base = self._box(audit, box)
        try:
            place = resolve(name, base)
        except BoxError:
            return ""  # asking there will say so
        engine = engine_of_box(place)
        if engine and engine.partition(REHEARSED)[0] not in names():
            told = f"engine {clean_line(engine, 40)!r} is none; known are {', '.join(names())}"
            raise DeskError(f"{place / CONFIG}: {told}; name one with --engine")
        return engine


def at(questions: Sequence[Question], revision: str) -> list[Question]:
    """The questions at a git revision, which each box resolves once to the commit it names there; DeskError."""
    if not revision:
        return list(questions)
    commits: dict[Path, str] = {}
    for question in questions:
        if question.box not in commits:
            try:
                commits[question.box] = commit_of(question.box, revision)
            except (BoxError, GitError) as error:
                raise DeskError(f"{question.audit.file}: {error}") from error
    return [replace(one, revision=commits[one.box], revision_name=revision) for one in questions]


def engine_of_box(box: Path) -> str:
    """The engine a Bee Box is set to: its `engine`, or that of its `agent`; empty where it says none that is read."""
    try:
        told = json.loads(read_plain(box / CONFIG, _LARGEST))
    except (OSError, ValueError, RecursionError):
        return ""
    for place in (told, told.get("agent") if isinstance(told, dict) else None):
        if isinstance(place, dict) and isinstance(place.get("engine"), str):
            return str(place["engine"]).strip()
    return ""
