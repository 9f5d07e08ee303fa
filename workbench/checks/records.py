"""What a check concludes, and what a trial's checks conclude together."""

from collections.abc import Mapping
from enum import StrEnum

from pydantic import BaseModel, ConfigDict

from workbench.text.plain import Plain
from workbench.traces.reasons import Reason


class Outcome(StrEnum):
    """The four things a check or a trial can be; the last two never count as green or red."""

    PASSED = "passed"
    FAILED = "failed"
    UNMEASURED = "unmeasured"
    UNJUDGED = "unjudged"


GLYPHS: Mapping[Outcome, str] = {
    Outcome.PASSED: "✓",
    Outcome.FAILED: "✗",
    Outcome.UNMEASURED: "?",
    Outcome.UNJUDGED: "–",
}
"""The sign of each wherever text tells it."""


class Frozen(BaseModel):
    """Base of what is kept in a journal: immutable and closed."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Evidence(Frozen):
    """Where in the trace a check found what it went by."""

    turn: int
    """`turnIndex` of the message."""
    start: int = 0
    end: int = 0
    """Character span in that turn's text; both 0 when the whole turn is meant."""
    quote: Plain = ""
    """The words or the path themselves, cut to a line."""


class CheckResult(Frozen):
    """One line of the checks pane: a strict verdict, what it was about, and a hint where a human should look."""

    kind: Plain
    """The YAML key, such as `correct_contains`."""
    target: Plain
    """The one string, pattern or path this result is about."""
    outcome: Outcome
    reason: Reason | None = None
    detail: Plain = ""
    """Why it failed or could not be measured."""
    evidence: tuple[Evidence, ...] = ()
    hint: Plain = ""
    """Set where another reading would decide otherwise; never changes the outcome."""


class Verdict(Frozen):
    """What the checks of one trial say together."""

    outcome: Outcome
    reason: Reason | None = None
    detail: Plain = ""

    def __str__(self) -> str:
        return f"{self.outcome}({self.reason})" if self.reason else str(self.outcome)
