"""A human's judgement of one trial; blank until the human writes it."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, field_validator

from workbench.text.sanitize import clean

HumanVerdict = Literal["pass", "fail", "unsure"]

CAUSES: tuple[str, ...] = (
    "knowledge gap",
    "stale expectation",
    "box drift",
    "turn budget",
    "tool issue",
    "acted instead of said",
    "matcher miss",
    "ambiguous question",
    "flaky",
    "needs decision",
)
"""Why a trial came out as it did, in the words of the form."""


class Assessment(BaseModel):
    """One grader's assessment of one trial; each save appends a whole new record, the latest one holds."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    trial: str
    grader: str
    at: str
    """UTC, ISO 8601, seconds."""
    level: str = ""
    verdict: HumanVerdict | Literal[""] = ""
    cause: str = ""
    note: str = ""

    @field_validator("grader", "at", "level", "cause", "note")
    @classmethod
    def _harmless(cls, text: str) -> str:
        """Typed, pasted or read from a run that somebody else made: it is shown either way."""
        return clean(text)

    @property
    def blank(self) -> bool:
        """Whether nothing was filled in."""
        return not (self.level or self.verdict or self.cause or self.note)
