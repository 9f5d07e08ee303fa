"""Fixing an audit in place: its own lines edited, checked as they are typed, saved, and its stored trials regraded."""

import os
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.checks.lint import lint
from workbench.checks.samples import SampleResult, misjudged, try_samples
from workbench.corpus.edit import EditError
from workbench.corpus.entry_edit import EntryError, find_entry, replace_entry
from workbench.corpus.loading import parse
from workbench.corpus.records import Audit, Corpus, Position, Problem
from workbench.desk.history import History
from workbench.desk.library import Library
from workbench.desk.project import Project
from workbench.desk.records import DeskError
from workbench.host.files import sha256
from workbench.host.terminal import attend
from workbench.records.store import Moved, write
from workbench.runs.folder import RunError
from workbench.runs.regrade import Flip, regrade
from workbench.text.sanitize import clean

if TYPE_CHECKING:
    from workbench.insight.trying import Answer

LINE_TAKERS = frozenset(("vi", "vim", "nvim", "nano", "pico", "emacs", "emacsclient", "mg", "kak", "micro"))
"""Editors that take `+LINE` before the file; others are given the file alone."""

Launch = Callable[[Sequence[str], Path], int]
"""Runs a program on the terminal in a folder and gives its exit status."""


@dataclass(frozen=True, slots=True)
class EntryEdit:
    """One audit's own lines as they are in the file, to be edited."""

    audit_id: str
    file: str
    text: str
    """From its dash on, without the list's indentation."""
    line: int
    """1-based line of the file it begins on."""
    base: str
    """sha256 of the file; saving is refused when it moved since."""


@dataclass(frozen=True, slots=True)
class Considered:
    """What a text would be in its entry's place; lines of `problems` are those of the text."""

    audit: Audit | None
    """The audit it says; None when it cannot be saved, and the first problem says why."""
    problems: tuple[Problem, ...]
    data: bytes = b""
    """The whole file with it."""


@dataclass(frozen=True, slots=True)
class EntrySaved:
    """What came of an edit: the entry as it is now, what is questionable about it, and what flipped."""

    edit: EntryEdit | None
    """None when the file holds no such audit any more."""
    problems: tuple[Problem, ...]
    """Lines are those of the file."""
    flips: tuple[tuple[str, Flip], ...] = ()
    """Run and flip, newest run first."""
    judged: int = 0
    runs: int = 0
    """How many trials of how many runs were judged again."""
    note: str = ""
    """What else is to be said, such as that `$EDITOR` failed."""


class Editor:
    """Opens, considers and saves entries. Every stored trial of a saved audit is judged again, whatever its run."""

    def __init__(self, project: Project, library: Library, history: History, launch: Launch = attend) -> None:
        self._project, self._library, self._history = project, library, history
        self.launch = launch

    def open(self, audit_id: str) -> EntryEdit:
        """The entry of an audit as it stands in the file now; DeskError when it cannot be taken out."""
        audit = self._library.audit(audit_id)
        if audit is None:
            raise DeskError(f"no audit {audit_id!r} is loaded; reload, and choose one that is")
        data = self._read(audit.file)
        try:
            entry = find_entry(data, audit_id)
        except EditError as error:
            raise DeskError(f"{audit.file}: {error}") from error
        return EntryEdit(audit_id, audit.file, entry.text, entry.line, sha256(data))

    def consider(self, edit: EntryEdit, text: str) -> Considered:
        """What a text would come to, nothing written: refusals, wrong keys and checks, lint, samples told wrong."""
        data = self._read(edit.file)
        if sha256(data) != edit.base:
            return _refused(edit, f"{edit.file} was changed by someone else; leave and open the entry again")
        try:
            new = replace_entry(data, edit.audit_id, text)
        except EntryError as error:
            return _refused(edit, str(error), error.line)
        except EditError as error:
            return _refused(edit, str(error))
        lines = range(edit.line, edit.line + len(text.split("\n")))
        corpus = parse(new, edit.file)
        mine = [_moved(p, edit) for p in corpus.problems if p.position.line in lines]
        audit = next((a for a in corpus.audits if a.position().line in lines), None)
        if audit is None:
            mine.sort(key=lambda problem: problem.severity)
            return Considered(None, tuple(mine) or _refused(edit, "the text is no audit").problems)
        if self._taken(audit, edit):
            return _refused(
                edit, f"the id {audit.id!r} is taken by another audit", audit.position("id").line - edit.line + 1
            )
        tags = self._library.settings(edit.file).reply_tags
        questionable = (*lint(Corpus(file=edit.file, audits=(audit,)), None), *misjudged(audit, tags))
        return Considered(audit, (*mine, *(_moved(p, edit) for p in questionable)), new)

    def save(self, edit: EntryEdit, text: str) -> EntrySaved:
        """Put a text in the entry's place, read everything again, and judge the audit's stored trials by it.

        DeskError when it cannot take the place, or when the file is not the one that was opened.
        """
        considered = self.consider(edit, text)
        if considered.audit is None:
            raise DeskError(considered.problems[0].message)
        if text != edit.text:
            try:
                write(self._project.root / edit.file, edit.base, considered.data)
            except (Moved, OSError) as error:
                raise DeskError(str(error)) from error
        return self.settle(considered.audit.id)

    def settle(self, audit_id: str) -> EntrySaved:
        """Read everything again after an edit, lint the audit, and judge its stored trials."""
        self._library.reload()
        audit = self._library.audit(audit_id)
        if audit is None or audit.file in self._library.broken:
            return EntrySaved(None, self._library.errors())
        problems = tuple(p for p in self._library.lint({audit_id}) if p.audit_id == audit_id)
        tags = self._library.settings(audit.file).reply_tags
        return self._regraded(EntrySaved(self.open(audit_id), (*problems, *misjudged(audit, tags))), audit)

    def attend(self, edit: EntryEdit) -> EntrySaved:
        """Open the file at the entry in `$EDITOR`, wait for its end, and settle; the screen must be let go before."""
        argv = editor_command(os.environ, self._project.root / edit.file, edit.line)
        try:
            status = self.launch(argv, self._project.root)
        except OSError as error:
            raise DeskError(f"$EDITOR cannot be started: {argv[0]}: {error.strerror}") from error
        note = f"{argv[0]} ended with status {status}" if status != 0 else ""
        return replace(self.settle(edit.audit_id), note=note)

    def answers(self, audit: Audit) -> "tuple[Answer, ...]":
        """The samples of an audit and everything it was ever answered, to try checks on."""
        from workbench.desk.trying import answers

        return answers(audit, self._library, self._history)

    def selftest(self, audits: Sequence[Audit]) -> tuple[SampleResult, ...]:
        """The samples of some audits put before their text checks."""
        return tuple(
            sample for audit in audits for sample in try_samples(audit, self._library.settings(audit.file).reply_tags)
        )

    def _taken(self, audit: Audit, edit: EntryEdit) -> bool:
        other = self._library.audit(audit.id)
        return audit.id != edit.audit_id and other is not None

    def _regraded(self, saved: EntrySaved, audit: Audit) -> EntrySaved:
        settings = {audit.file: self._library.settings(audit.file)}
        runs = dict.fromkeys(summary.run_id for summary in self._history.of_audit(audit.id))
        flips: list[tuple[str, Flip]] = []
        judged = 0
        for run_id in sorted(runs, reverse=True):
            try:
                done = regrade(self._history.store.open(run_id), {audit.id: audit}, settings)
            except (RunError, OSError) as error:
                raise DeskError(f"saved, but {run_id} could not be regraded: {error}") from error
            judged += done.judged
            flips += [(run_id, flip) for flip in done.flips]
        self._history.forget()
        return replace(saved, flips=tuple(flips), judged=judged, runs=len(runs))

    def _read(self, file: str) -> bytes:
        try:
            return (self._project.root / file).read_bytes()
        except OSError as error:
            raise DeskError(f"{file}: cannot be read: {error.strerror}; check the file and try again") from error


def editor_command(env: Mapping[str, str], path: Path, line: int) -> tuple[str, ...]:
    """The argument list that opens a file at a line in `$EDITOR`; DeskError when that names nothing."""
    try:
        words = shlex.split(env.get("EDITOR", ""))
    except ValueError as error:
        raise DeskError(f"$EDITOR cannot be read: {error}; correct its quotes") from error
    if not words:
        raise DeskError("$EDITOR is not set; set it to your editor, such as `export EDITOR=nano`")
    at = (f"+{line}",) if Path(words[0]).name in LINE_TAKERS else ()
    return (*words, *at, str(path))


def _refused(edit: EntryEdit, message: str, line: int = 0) -> Considered:
    position = Position(line=max(1, line), column=1)
    problem = Problem(
        severity="error",
        code="refused",
        file=edit.file,
        position=position,
        audit_id=edit.audit_id,
        message=clean(message),
    )
    return Considered(None, (problem,))


def _moved(problem: Problem, edit: EntryEdit) -> Problem:
    """A problem with the line of the entry's text instead of the file's."""
    line = max(1, problem.position.line - edit.line + 1)
    return problem.model_copy(update={"position": Position(line=line, column=problem.position.column)})
