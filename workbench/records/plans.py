"""What a commit is to hold, decided before anything changes: per path the new blob and the new index entry."""

from collections.abc import Callable
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from workbench.host.git import GitError
from workbench.records.repository import Entry, Refused, Repository
from workbench.records.state import refuse_filtered

Edit = Callable[[bytes], bytes]
_EMPTY = (b"", b"#")
_FILE_MODES = ("100644", "100755")


class Plan(BaseModel):
    """One path of a commit: `new` for the commit, and for the user's index `restaged` where `staged` was."""

    model_config = ConfigDict(frozen=True)

    path: str
    new: Entry
    staged: Entry | None
    restaged: Entry | None
    """None when the index entry stays as it is."""


def plan_edit(repository: Repository, path: str, edit: Edit, *, on_disk: bytes | None) -> Plan:
    """An edit of a committed file, applied to HEAD's version and, where it applies, to the staged one.

    `on_disk`, where given, is the file that has the edit already: HEAD's version must not end up with more of it.
    Raises Refused when HEAD has no such file or the edit does not fit its version of it.
    """
    head = _committed_file(repository, path)
    old = repository.read(head.blob)
    try:
        new = edit(old)
    except Exception as error:  # whatever the caller's edit raises means that it does not apply
        raise Refused(
            f"the edit does not apply to the committed version of {path} ({error}); "
            "commit what it builds on first, then commit again"
        ) from error
    if new == old:
        raise Refused(f"the edit changes nothing in the committed version of {path}; there is nothing to commit")
    if on_disk is not None:
        _refuse_unwritten(old, new, on_disk, path)
    staged = repository.staged(path)
    entry = Entry(mode=head.mode, blob=repository.store(new))
    return Plan(path=path, new=entry, staged=staged, restaged=_restaged(repository, staged, head, entry, edit, on_disk))


def plan_file(repository: Repository, path: str, file: Path) -> Plan:
    """A whole file that HEAD does not have. Raises Refused when it has it, or when git is told to ignore it."""
    if repository.head() and repository.committed(path):
        raise Refused(f"{path} is in git already; commit the edit alone instead of the whole file")
    staged = repository.staged(path)
    ignored, _, _ = repository.git.attempt("check-ignore", "--quiet", "--", path)
    if ignored == 0 and staged is None:
        raise Refused(f"{path} is ignored by git; take it out of .gitignore, or keep it uncommitted")
    executable = bool(file.stat().st_mode & 0o100) and _minds_modes(repository)
    mode = _FILE_MODES[executable]
    entry = Entry(mode=mode, blob=repository.store(file.read_bytes(), filtered_as=path))
    return Plan(path=path, new=entry, staged=staged, restaged=entry)


def _committed_file(repository: Repository, path: str) -> Entry:
    if not repository.head():
        raise Refused(f"{repository.top} has no commit yet, so {path} is not in one; commit the whole file first")
    head = repository.committed(path)
    if head is None:
        raise Refused(f"{path} is not in the last commit; commit the whole file first")
    if head.mode not in _FILE_MODES:
        raise Refused(f"{path} is no plain file in the last commit; commit it by hand with `git commit`")
    refuse_filtered(repository, path)
    return head


def _restaged(
    repository: Repository, staged: Entry | None, head: Entry, new: Entry, edit: Edit, on_disk: bytes | None
) -> Entry | None:
    if staged is None or staged.mode not in _FILE_MODES:
        return None  # the user staged its removal, or something else in its place
    if staged.blob == head.blob:
        return Entry(mode=staged.mode, blob=new.blob)
    try:
        old = repository.read(staged.blob)
        edited = edit(old)
    except GitError:
        raise
    except Exception:  # it does not apply to what the user staged, so that stays exactly as it is
        return None
    if on_disk is not None and _surplus(old, edited, on_disk):
        return None  # the user has staged the edit already
    return Entry(mode=staged.mode, blob=repository.store(edited))


def _refuse_unwritten(old: bytes, new: bytes, on_disk: bytes, path: str) -> None:
    if not _surplus(old, new, on_disk):
        return
    if _count(_lines(on_disk), _inserted(old, new)):
        raise Refused(f"the committed version of {path} has these lines already; there is nothing to commit")
    raise Refused(f"{path} does not hold these lines any more; write them again, then commit")


def _surplus(old: bytes, new: bytes, on_disk: bytes) -> bool:
    """Whether `new` holds the lines inserted since `old` more often than the file on disk does."""
    inserted = _inserted(old, new)
    return bool(inserted) and _count(_lines(new), inserted) > _count(_lines(on_disk), inserted)


def _inserted(old: bytes, new: bytes) -> list[bytes]:
    """The lines by which `new` grew; empty for an edit that takes lines away."""
    before, after = _lines(old), _lines(new)
    shorter = min(len(before), len(after))
    start = next((i for i in range(shorter) if before[i] != after[i]), shorter)
    shorter -= start
    end = next((i for i in range(shorter) if before[-1 - i] != after[-1 - i]), shorter)
    return after[start : len(after) - end] if start + end == len(before) else []


def _lines(data: bytes) -> list[bytes]:
    """The lines that say something: without ends, which git may convert, and without blank and bare comment lines."""
    return [line for line in (raw.strip() for raw in data.split(b"\n")) if line not in _EMPTY]


def _count(lines: list[bytes], block: list[bytes]) -> int:
    return sum(lines[i : i + len(block)] == block for i in range(len(lines) - len(block) + 1))


def _minds_modes(repository: Repository) -> bool:
    _, out, _ = repository.git.attempt("config", "--bool", "core.fileMode")
    return out.strip() != b"false"
