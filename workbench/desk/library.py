"""The corpora of a project: loaded once, read again when told to, and looked up by audit id."""

from collections.abc import Collection, Iterator
from pathlib import Path

from workbench.corpus.loading import load_all
from workbench.corpus.records import Audit, Corpus, CorpusSettings, Problem, Section
from workbench.desk.project import Project
from workbench.desk.records import DeskError


class Library:
    """Every corpus of a project; `reload` reads the files again."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self.keeping = False
        """Whether a corpus that breaks keeps its last good state until it is mended, as a watch wants it."""
        self.broken: dict[str, Problem] = {}
        """The corpora that are kept so, each with the first thing wrong in it as it is now."""
        self._good: dict[str, Corpus] = {}
        self.reload()

    def reload(self) -> None:
        """Read every corpus again."""
        loaded = load_all(self._project.corpus_files(), self._project.root)
        self.broken = {corpus.file: error for corpus in loaded if self.keeping and (error := self._breaks(corpus))}
        self._good = {
            corpus.file: self._good[corpus.file] if corpus.file in self.broken else corpus for corpus in loaded
        }
        self.corpora: tuple[Corpus, ...] = tuple(
            self._good[corpus.file].model_copy(update={"problems": corpus.problems}) for corpus in loaded
        )
        self._audits = {audit.id: audit for corpus in self.corpora for audit in corpus.audits}
        self._corpora = {corpus.file: corpus for corpus in self.corpora}
        self._bound: tuple[Problem, ...] | None = None
        self._files: dict[str, frozenset[str] | None] = {}

    def _breaks(self, corpus: Corpus) -> Problem | None:
        """What broke a corpus since it was good; None while it holds, and where it never was better."""
        error, good = _first_error(corpus), self._good.get(corpus.file)
        if error is None or good is None or not good.audits:
            return None
        return error if not corpus.audits or _first_error(good) is None else None

    @property
    def audits(self) -> tuple[Audit, ...]:
        """Every audit that could be loaded, in file order."""
        return tuple(self._audits.values())

    def problems(self) -> tuple[Problem, ...]:
        """What is wrong in the corpora and in the checks of their audits, errors first."""
        if self._bound is None:
            from workbench.checks.registry import bind

            found = [problem for corpus in self.corpora for problem in corpus.problems]
            found += [problem for audit in self.audits for problem in bind(audit).problems]
            self._bound = tuple(sorted(found, key=lambda p: (p.severity, p.file, p.position.line)))
        return self._bound

    def lint(self, audit_ids: Collection[str]) -> tuple[Problem, ...]:
        """The problems, and what is questionable about the definitions of some audits.

        What keeps an audit from being loaded is always told: no selection can mean that audit.
        """
        from workbench.checks.lint import lint
        from workbench.checks.samples import unsampled
        from workbench.desk.untaught import advice

        left_out = self._audits.keys() - audit_ids
        found = [p for p in self.problems() if p.audit_id not in left_out]
        for corpus in self.corpora:
            recorded = self._recorded(corpus.file)
            questionable = [*self._stumbling(corpus), *lint(corpus, self.box_files(corpus.file))]
            questionable += unsampled(corpus, recorded) if recorded else ()
            questionable += advice(self._project, corpus, [audit for audit in corpus.audits if audit.id in audit_ids])
            found += [p for p in questionable if not left_out or p.audit_id in audit_ids or p.code == "missing-box"]
        return tuple(sorted(set(found), key=lambda p: (p.severity, p.file, p.position.line, p.position.column)))

    def _stumbling(self, corpus: Corpus) -> Iterator[Problem]:
        """What a run of a corpus would stumble over."""
        from workbench.boxes.location import BoxError
        from workbench.desk.readiness import unready
        from workbench.host.git import GitError

        try:
            box = locate(self._project.root, corpus.file, corpus.settings.box)
            self._files[corpus.file] = there = self._look(corpus.file)
        except BoxError as error:
            return unready(corpus, None, str(error), ())
        except GitError as error:
            raise DeskError(f"{corpus.file}: its box cannot be looked at: {error}") from error
        return unready(corpus, box, "", there)

    def _recorded(self, file: str) -> Corpus | None:
        """A corpus as the last commit has it; None where git cannot tell."""
        from workbench.corpus.loading import parse
        from workbench.host.git import GitError

        try:
            status, data, _ = self._project.git().attempt("show", f"HEAD:./{file}")
        except GitError:
            return None
        return parse(data, file) if status == 0 else None

    def box_files(self, file: str) -> frozenset[str] | None:
        """Paths in a corpus's box, as a trial would see them; None when there is no box to look at."""
        from workbench.boxes.location import BoxError
        from workbench.host.git import GitError

        if file not in self._files:
            try:
                self._files[file] = self._look(file)
            except (BoxError, GitError):
                self._files[file] = None
        return self._files[file]

    def _look(self, file: str) -> frozenset[str]:
        from workbench.boxes.snapshot import take

        settings = self.settings(file)
        box = locate(self._project.root, file, settings.box)
        return frozenset(take(box, include_ignored=settings.include_ignored, deny=settings.deny).paths)

    def errors(self) -> tuple[Problem, ...]:
        """The problems that keep an audit from being asked."""
        return tuple(problem for problem in self.problems() if problem.severity == "error")

    def audit(self, audit_id: str) -> Audit | None:
        """The audit of that id, if the corpora hold it."""
        return self._audits.get(audit_id)

    def settings(self, file: str) -> CorpusSettings:
        """The top-level keys of a corpus; the defaults for a file that is gone."""
        corpus = self._corpora.get(file)
        return corpus.settings if corpus else CorpusSettings()

    def corpus(self, file: str) -> Corpus:
        """The corpus of that project-relative path; DeskError when there is none."""
        try:
            return self._corpora[file]
        except KeyError:
            raise DeskError(f"{file}: no such corpus; the corpora are {', '.join(self._corpora) or 'none'}") from None

    def section(self, file: str, title: str, line: int | None = None) -> Section:
        """The section of a title; of several with one title the one whose header stands at `line`."""
        found = [section for section in self.corpus(file).sections if section.title == title]
        if len(found) > 1:
            found = [section for section in found if section.line == line]
        if not found:
            raise DeskError(f"{file}: no section {title!r} stands there; reload, and choose one that does")
        return found[0]

    def find_section(self, name: str) -> tuple[Corpus, Section]:
        """The section meant by a title, a part of one, or `file:title`; DeskError unless it is exactly one."""
        file, colon, title = name.partition(":")
        if not (colon and any(corpus.file.endswith(file) for corpus in self.corpora)):
            file, title = "", name
        every = [(c, s) for c in self.corpora for s in c.sections if c.file.endswith(file)]
        exact = [pair for pair in every if pair[1].title == title]
        found = exact or [pair for pair in every if title.lower() in pair[1].title.lower()]
        if len(found) == 1:
            return found[0]
        known = ", ".join(repr(s.title) for _, s in (found or every))
        what = "is the title of several sections" if found else "names no section"
        raise DeskError(f"{name!r} {what}; name one of {known}")


def _first_error(corpus: Corpus) -> Problem | None:
    return next((problem for problem in corpus.problems if problem.severity == "error"), None)


def locate(root: Path, file: str, named: str) -> Path:
    """The box a corpus means: relative to the corpus file, or the project itself where it names none."""
    from workbench.boxes.location import resolve

    return resolve(named, (root / file).parent) if named else root
