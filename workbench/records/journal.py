"""What a commit under way leaves on disk, so that a later start can finish or clear what a killed one left.

All of it lies in the git folder, under `workbench/`, and is guarded by one lock there: whoever holds that lock knows
that papers it finds belong to a commit whose process, hooks included, is gone.
"""

import contextlib
import os
import secrets
import time
from collections.abc import Iterator
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from workbench.host.files import write_atomic
from workbench.host.locks import LockedError, locked
from workbench.records.plans import Plan
from workbench.records.repository import Refused, Repository

_LOCK = "lock"


class Journal(BaseModel):
    """A commit that is about to be made: of which paths, on which branch, and on which commit (empty: the first)."""

    model_config = ConfigDict(frozen=True)

    branch: str
    old: str
    plans: tuple[Plan, ...]


class Papers:
    """The files of a commit under way: its claim on the index, its journal, and its two indexes."""

    def __init__(self, repository: Repository) -> None:
        self._desk = repository.desk
        self._index_lock = repository.index.with_name(f"{repository.index.name}.lock")
        self._claim = self._desk / "claim"
        self._journal = self._desk / "journal.json"
        self.commit_index = self._desk / "commit-index"
        """What the commit is made from: HEAD with the new blobs."""
        self.user_index = self._desk / "user-index"
        """A copy of the user's index with the same edit."""

    @contextlib.contextmanager
    def locked(self) -> Iterator[int]:
        """Hold the lock on the papers, as a descriptor to hand to git; raises Refused while someone else does."""
        try:
            with locked(self._desk / _LOCK, wait=False) as handle:
                yield handle
        except LockedError:
            raise Refused(
                f"another Workbench, or a commit it began, is still at work in {self._desk.parent}; "
                "wait for it, then commit again"
            ) from None

    def exist(self) -> bool:
        """Whether a commit is under way, or was when its process was killed."""
        return bool(self._found())

    def claim_index(self) -> None:
        """Take git's own lock on the user's index. Raises Refused when it is taken; it is never taken from anyone."""
        words = f"workbench {secrets.token_hex(16)}\n".encode()
        write_atomic(self._claim, words)
        try:
            _take(self._index_lock, self._claim, words)
        except FileExistsError:
            self._claim.unlink()
            raise Refused(_held(self._index_lock)) from None

    def write_journal(self, journal: Journal) -> None:
        """Say what is about to happen."""
        write_atomic(self._journal, journal.model_dump_json().encode())

    def journal(self) -> Journal | None:
        """What was about to happen; None when nothing was yet."""
        try:
            return Journal.model_validate_json(self._journal.read_bytes())
        except (FileNotFoundError, ValidationError):
            return None

    def close_journal(self) -> None:
        """Nothing is left to finish."""
        self._journal.unlink(missing_ok=True)

    def holds_index(self) -> bool:
        """Whether git's lock on the index is the one we took."""
        try:
            return self._index_lock.read_bytes() == self._claim.read_bytes()
        except FileNotFoundError:
            return False

    def release_index(self) -> None:
        """Let go of git's lock on the index, if it is the one we took."""
        if self.holds_index():
            self._index_lock.unlink()

    def discard(self) -> None:
        """Remove all but the lock, also what a killed git or a killed write left."""
        for path in self._found():
            path.unlink(missing_ok=True)

    def _found(self) -> list[Path]:
        try:
            return [path for path in self._desk.iterdir() if path.name != _LOCK]
        except FileNotFoundError:
            return []


def _take(lock: Path, claim: Path, words: bytes) -> None:
    """Create git's lock with our words in it; linked, so that it is at no instant one whose owner nobody knows."""
    try:
        os.link(claim, lock)
    except FileExistsError:
        raise
    except OSError:  # a file system without hard links
        with lock.open("xb") as file:
            file.write(words)


def _held(lock: Path) -> str:
    with contextlib.suppress(OSError):
        found = lock.stat()
        minutes = max(0, int(time.time() - found.st_mtime)) // 60
        age = f"{minutes} min ago" if minutes else "just now"
        return (
            f"{lock} exists (made {age}, {found.st_size} bytes): another git is writing the index, or one was killed "
            "there. Wait for it; if no git runs in this repository, remove that file; then commit again"
        )
    return f"{lock} was held by another git; commit again"
