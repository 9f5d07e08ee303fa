"""Which audits a change can touch, and why: what `touching.touched` takes and gives."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

from workbench.corpus.records import Audit
from workbench.guidance.records import Placement

Because = Literal["entry", "fixture", "gained", "lost", "moved", "literal", "read", "always"]
"""Why a change can touch an audit, likeliest first: its entry was edited, or its fixture; its answer came to stand
somewhere, or no longer does, or in another file or layer; a changed passage holds a literal or pattern of it; its last
trial opened or loaded the file, or should have read it; the file is always loaded where it is asked."""


@dataclass(frozen=True, slots=True)
class FileChange:
    """One file before and after; None where it was not there, or is no text."""

    path: str
    """Box-relative."""
    before: str | None
    after: str | None

    @property
    def only_whitespace(self) -> bool:
        """Whether both states hold the same words in the same order."""
        return self.before is not None and self.after is not None and self.before.split() == self.after.split()


@dataclass(frozen=True, slots=True)
class Reason:
    """One reason why a change can touch an audit."""

    because: Because
    path: str
    """The changed file, box-relative; the corpus for an edited entry or fixture; where the answer stands or stood, for
    one that was gained, lost or moved."""
    line: int = 0
    """Line of the file as it is now (as it was, for what is gone); 0 where none can be named."""
    told: str = ""
    """The reason in a few words, as `"inbox/" stands in AGENTS.md:12 now`."""
    blank: bool = False
    """Whether nothing but whitespace of the file changed."""


@dataclass(frozen=True, slots=True)
class Touch:
    """An audit that a change can touch; its strongest reason first."""

    audit_id: str
    reasons: tuple[Reason, ...]


@dataclass(frozen=True, slots=True)
class Opened:
    """What a trial had before it, by box-relative path; `touching.opened` takes it from a trace."""

    started: frozenset[str] = frozenset()
    """Guidance that was in context before the first word."""
    loaded: frozenset[str] = frozenset()
    """Guidance that came on a condition."""
    read: frozenset[str] = frozenset()
    """Files the agent read, or tried to."""
    globs: frozenset[str] = frozenset()
    """Wildcards it read by."""


@dataclass(frozen=True, slots=True)
class Subject:
    """An audit, and what is known of it where it is asked; `touching.subjects` makes them of a map."""

    audit: Audit
    before: Placement | None = None
    after: Placement | None = None
    always: Collection[str] = frozenset()
    """Box-relative paths of what loads before the first word, before the change or after it."""
    last: Opened | None = None
    """None for an audit that was never asked, or left no trace."""
    edits: tuple[Reason, ...] = ()
    """What was edited of its entry."""
