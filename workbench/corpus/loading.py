"""Reading corpus files: whatever is wrong with one is told, and costs no more than it must."""

import os
from collections.abc import Iterable
from pathlib import Path

from workbench.corpus.entries import read_entry
from workbench.corpus.outline import Outline, outline
from workbench.corpus.problems import Problems, position_of
from workbench.corpus.records import Audit, Corpus, CorpusSettings, Position, Problem, Section
from workbench.corpus.settings import read_settings
from workbench.corpus.yaml12 import MappingNode, ScalarNode, SequenceNode, YamlError
from workbench.text.sanitize import clean


def load(path: Path, root: Path) -> Corpus:
    """Read one corpus; never raises for what a file holds.

    Every error and warning is in `problems`. An entry with an error is left out, its neighbours stay; a file that is
    not YAML has no audits. `root` is the project: names of files are told relative to it.
    """
    name = _relative(path, root)
    file = clean(name).replace("\n", "␊")
    problems = Problems(file)
    if file != name:
        # It is by this name that a corpus is known: in records, on screens, in commits.
        problems.error("bad-name", "the file's name holds control characters or is not UTF-8", "rename the file")
        return Corpus(file=file, problems=problems.all())
    try:
        data = path.read_bytes()
    except OSError as error:
        problems.error("unreadable", f"cannot be read: {error.strerror or error}", "check the path and its permissions")
        return Corpus(file=file, problems=problems.all())
    return parse(data, file)


def parse(data: bytes, file: str) -> Corpus:
    """Read a corpus file's content, wherever it comes from; never raises for what it holds."""
    problems = Problems(file)
    try:
        shape = outline(data.decode("utf-8").removeprefix("\ufeff"))
    except UnicodeDecodeError as error:
        _not_utf8(error, problems)
    except YamlError as error:
        problems.yaml(error)
    else:
        return _corpus(shape, file, problems)
    return Corpus(file=file, problems=problems.all())


def load_all(paths: Iterable[Path], root: Path) -> tuple[Corpus, ...]:
    """Read several corpora; of audits with one id in several files only the first stays, the others are errors."""
    first: dict[str, Audit] = {}
    corpora = []
    for corpus in (load(path, root) for path in paths):
        again = [audit for audit in corpus.audits if audit.id in first]
        corpora.append(_without(corpus, again, first) if again else corpus)
        first |= {audit.id: audit for audit in corpus.audits if audit.id not in first}
    return tuple(corpora)


def _corpus(shape: Outline, file: str, problems: Problems) -> Corpus:
    settings = _check_top(shape, problems)
    audits: dict[str, Audit] = {}
    sections = []
    for part in shape.parts:
        mine = []
        for node in part.entries:
            audit = read_entry(node, file, part.title, problems)
            if audit is not None and audit.id in audits:
                line = audits[audit.id].position("id").line
                _duplicate(audit, f"line {line}", problems)
            elif audit is not None:
                audits[audit.id] = audit
                mine.append(audit.id)
        sections.append(
            Section(title=part.title, line=part.line, audit_ids=tuple(mine), statuses=part.statuses),
        )
    return Corpus(
        file=file,
        settings=settings,
        audits=tuple(audits.values()),
        sections=tuple(sections),
        problems=problems.all(),
    )


def _check_top(shape: Outline, problems: Problems) -> CorpusSettings:
    root = shape.root
    fix = "put the audits in a list under `tests:`"
    if root is None:
        problems.error("no-tests", "the file is empty", fix)
        return CorpusSettings()
    if not isinstance(root, MappingNode):
        problems.error("no-tests", "the file is not a mapping with the key `tests`", fix, position_of(root))
        return CorpusSettings()
    tests = next(((key, value) for key, value in root.value if key.value == "tests"), None)
    if tests is None:
        problems.error("no-tests", "the top-level key `tests` is missing", fix, position_of(root))
    elif not isinstance(tests[1], SequenceNode):
        empty = isinstance(tests[1], ScalarNode) and not tests[1].value
        message = "`tests` is empty" if empty else "`tests` must be a list of audits"
        problems.error("no-tests", message, "list audits under it, each starting with `- id:`", position_of(tests[0]))
    try:
        return read_settings(root, problems)
    except YamlError as error:
        problems.yaml(error)
        return CorpusSettings()


def _duplicate(audit: Audit, where: str, problems: Problems) -> None:
    message = f"the id {audit.id!r} is taken by the audit at {where}"
    problems.error("duplicate-id", message, "give this one an id of its own", audit.position("id"), audit.id)


def _without(corpus: Corpus, again: list[Audit], first: dict[str, Audit]) -> Corpus:
    problems = Problems(corpus.file)
    for audit in again:
        _duplicate(audit, f"{first[audit.id].file}:{first[audit.id].position('id').line}", problems)
    gone = {audit.id for audit in again}
    return corpus.model_copy(
        update={
            "audits": tuple(audit for audit in corpus.audits if audit.id not in gone),
            "sections": tuple(
                section.model_copy(update={"audit_ids": tuple(i for i in section.audit_ids if i not in gone)})
                for section in corpus.sections
            ),
            "problems": tuple(sorted((*corpus.problems, *problems.all()), key=_place)),
        }
    )


def _place(problem: Problem) -> tuple[int, int]:
    return problem.position.line, problem.position.column


def _relative(path: Path, root: Path) -> str:
    """The path as the project names it; a file outside keeps its way there."""
    return Path(os.path.relpath(path, root)).as_posix()


def _not_utf8(error: UnicodeDecodeError, problems: Problems) -> None:
    before = error.object[: error.start]
    line = before.count(b"\n") + 1
    column = len(before[before.rfind(b"\n") + 1 :].decode("utf-8", "replace")) + 1
    problems.error(
        "not-utf-8", "the file is not UTF-8 from here on", "save it as UTF-8", Position(line=line, column=column)
    )
