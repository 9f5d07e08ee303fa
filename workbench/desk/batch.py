"""Several statuses in one go: written one after the other, each committed as a commit of its own."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from workbench.desk.records import CommitResult, DeskError, StatusEdit

if TYPE_CHECKING:
    from workbench.desk.recorder import Recorder


@dataclass(frozen=True, slots=True)
class Deed:
    """What became of one status of several: the edit as it is now, and what git and the hooks said."""

    edit: StatusEdit
    result: CommitResult

    @property
    def done(self) -> bool:
        """Whether it was done; the first that was not is the last that was tried."""
        return not self.result.refused


def write_each(recorder: "Recorder", edits: Iterable[StatusEdit]) -> tuple[Deed, ...]:
    """Write statuses; each is drafted again on what the ones before it left, in the same words."""
    return _each(_from_below(edits), lambda edit: _write(recorder, edit))


def commit_each(recorder: "Recorder", edits: Iterable[StatusEdit]) -> tuple[Deed, ...]:
    """Commit written statuses of files that git tracks, a commit each."""
    return _each(_from_below(edits), lambda edit: _commit(recorder, edit))


def _each(edits: Sequence[StatusEdit], deed: Callable[[StatusEdit], Deed]) -> tuple[Deed, ...]:
    """Do it one by one and stop at the first that is refused."""
    done: list[Deed] = []
    for edit in edits:
        try:
            done.append(deed(edit))
        except (DeskError, OSError) as error:
            done.append(Deed(edit, CommitResult(refused=str(error))))
        if not done[-1].done:
            break
    return tuple(done)


def _from_below(edits: Iterable[StatusEdit]) -> list[StatusEdit]:
    """From the end of each file upwards, so that no line above moves and every header stays where it was seen."""
    return sorted(edits, key=lambda edit: (edit.file, -(edit.section_line or 0)))


def _write(recorder: "Recorder", edit: StatusEdit) -> Deed:
    return Deed(recorder.write(recorder.redraft(edit, edit.text)), CommitResult())


def _commit(recorder: "Recorder", edit: StatusEdit) -> Deed:
    if not edit.tracked:
        refused = f"git does not track {edit.file}: commit this one by itself, which shows the whole file first"
        return Deed(edit, CommitResult(refused=refused))
    result = recorder.commit(edit)
    return Deed(replace(edit, commit=result.commit), result)
