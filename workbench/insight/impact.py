"""Which audits a change can touch, and why: decided from what is known, without asking anyone."""

from dataclasses import dataclass
from typing import Literal

Because = Literal["entry", "fixture", "gained", "lost", "moved", "literal", "read", "always"]
"""Why a change can touch an audit, likeliest first: its entry was edited, or its fixture; its answer came to stand
somewhere, or no longer does, or at another layer; the changed passage holds a literal of it; its last trial read or
loaded the file; the file is always loaded where it is asked."""


@dataclass(frozen=True, slots=True)
class FileChange:
    """One file before and after; None where it was not there, or is no text."""

    path: str
    """Box-relative."""
    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True)
class Reason:
    """One reason why a change can touch an audit."""

    because: Because
    path: str
    """The changed file, box-relative; the corpus for an edited entry or fixture."""
    line: int = 0
    """Line of the file as it is now (as it was, for what is gone); 0 where none can be named."""
    told: str = ""
    """The reason in a few words, as `"inbox/" stands in AGENTS.md:12 now`."""


@dataclass(frozen=True, slots=True)
class Touch:
    """An audit that a change can touch; its strongest reason first."""

    audit_id: str
    reasons: tuple[Reason, ...]
