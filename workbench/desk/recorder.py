"""Recording what was found: a status drafted, seen as a diff, written, committed, and undone."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.corpus.edit import EditError, Insertion, insert_status, remove
from workbench.desk.drafting import Drafter
from workbench.desk.library import Library
from workbench.desk.project import Project
from workbench.desk.records import CommitResult, DeskError, StatusEdit
from workbench.host.files import sha256
from workbench.records.commit import CommitOutcome, commit_edit, commit_whole, is_tracked, revert_edit
from workbench.records.store import Moved, diff_unified, write

if TYPE_CHECKING:
    from workbench.desk.batch import Deed


@dataclass(frozen=True, slots=True)
class _Done:
    """A written status, so that it can be taken back: before its commit, or by an inverse commit after."""

    edit: StatusEdit
    insertion: Insertion
    commit: str = ""


class Recorder:
    """Writes status comments into the corpora; remembers what it wrote, for undo."""

    def __init__(self, project: Project, library: Library, drafter: Drafter) -> None:
        self._project = project
        self._library = library
        self._drafter = drafter
        self._done: list[_Done] = []

    def draft(
        self, file: str, section: str, *, section_line: int | None = None, audit_id: str = "", run_id: str = ""
    ) -> StatusEdit:
        """Draft a status for a section, or for one audit of it, against the file as it is now."""
        meant = self._library.section(file, section, section_line)
        heading, text = self._drafter.draft(file, meant, audit_id=audit_id, run_id=run_id)
        edit = StatusEdit(
            file=file,
            section=section,
            section_line=meant.line,
            audit_id=audit_id,
            text=text,
            heading=heading,
            diff="",
            base="",
            tracked=False,
        )
        return self.redraft(edit, text)

    def redraft(self, edit: StatusEdit, text: str) -> StatusEdit:
        """The same status in the human's words, with the exact diff against the file as it is now."""
        path = self._path(edit)
        data = self._read(path)
        wanted = replace(edit, text=text)
        insertion = _insertion(wanted, data)
        return replace(
            wanted,
            diff=diff_unified(data, insertion.data, edit.file),
            base=sha256(data),
            tracked=is_tracked(path),
        )

    def write(self, edit: StatusEdit) -> StatusEdit:
        """Write the status; DeskError when the file is not the one the diff was made against."""
        path = self._path(edit)
        insertion = _insertion(edit, self._read(path))
        try:
            write(path, edit.base, insertion.data)
        except Moved as error:
            raise DeskError(str(error)) from error
        written = replace(edit, written=True)
        self._done.append(_Done(written, insertion))
        self._library.reload()
        return written

    def commit(self, edit: StatusEdit, *, whole_file: bool = False) -> CommitResult:
        """Commit exactly the written lines; an untracked corpus only whole, on an explicit yes."""
        done = next((d for d in reversed(self._done) if d.edit == edit), None)
        if done is None:
            raise DeskError("this status was not written yet; write it, then commit")
        path = self._path(edit)
        if whole_file:
            outcome = commit_whole(path, f"Add {edit.file}\n\nWith a status for {_subject(edit)}.")
        else:
            outcome = commit_edit(path, lambda data: _insertion(edit, data).data, _message(edit))
        if outcome.commit:
            self._done[self._done.index(done)] = replace(done, commit=outcome.commit)
        return _result(outcome)

    def undo(self) -> CommitResult:
        """Take back the status written last: its lines, or by an inverse commit once it was committed."""
        if not self._done:
            raise DeskError("nothing to undo: no status was written since the bench was opened")
        done = self._done[-1]
        path = self._path(done.edit)
        if done.commit:
            message = f"Take back the status for {_subject(done.edit)}\n\nUndoes {done.commit[:12]}."
            outcome = revert_edit(path, lambda data: _removed(data, done.insertion), message)
        else:
            data = self._read(path)
            try:
                write(path, sha256(data), _removed(data, done.insertion))
            except Moved as error:
                raise DeskError(str(error)) from error
            outcome = CommitOutcome(commit="", output="", refused="")
        if not outcome.refused:
            self._done.pop()
            self._library.reload()
        return _result(outcome)

    def write_each(self, edits: Sequence[StatusEdit]) -> "tuple[Deed, ...]":
        """Write several statuses; stops at the first that is refused."""
        from workbench.desk.batch import write_each

        return write_each(self, edits)

    def commit_each(self, edits: Sequence[StatusEdit]) -> "tuple[Deed, ...]":
        """Commit several written statuses, each as a commit of its own; stops at the first that is refused."""
        from workbench.desk.batch import commit_each

        return commit_each(self, edits)

    def _path(self, edit: StatusEdit) -> Path:
        return self._project.root / edit.file

    @staticmethod
    def _read(path: Path) -> bytes:
        try:
            return path.read_bytes()
        except OSError as error:
            raise DeskError(f"{path}: cannot be read: {error.strerror}; check the file and try again") from error


def _insertion(edit: StatusEdit, data: bytes) -> Insertion:
    try:
        return insert_status(
            data,
            title=edit.section,
            heading=edit.heading,
            prose=edit.text,
            audit_id=edit.audit_id,
            section_line=edit.section_line,
        )
    except EditError as error:
        raise DeskError(f"{edit.file}: {error}") from error


def _removed(data: bytes, insertion: Insertion) -> bytes:
    try:
        return remove(data, insertion)
    except EditError as error:
        raise DeskError(f"the written status was changed since, so it stays: {error}") from error


def _subject(edit: StatusEdit) -> str:
    return edit.audit_id or edit.section or edit.file


def _message(edit: StatusEdit) -> str:
    """The commit message: what was recorded, then the status itself."""
    return f"Record a status for {_subject(edit)}\n\nStatus ({edit.heading}): {' '.join(edit.text.split())}"


def _result(outcome: CommitOutcome) -> CommitResult:
    return CommitResult(commit=outcome.commit, output=outcome.output, refused=outcome.refused)
