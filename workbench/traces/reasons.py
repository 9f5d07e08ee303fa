"""Why a trial, or one check of it, could not be measured."""

from enum import StrEnum


class Reason(StrEnum):
    """One word for a verdict that cannot be given; the detail beside it says the rest."""

    TURN_LIMIT = "turn_limit"
    TIMED_OUT = "timed_out"
    CRASHED = "crashed"
    CANCELLED = "cancelled"
    MISSING = "missing"
    """Something the trial needs is not there: an engine, a plugin, a prompt file."""
    AUTH = "auth"
    RATE_LIMIT = "rate_limit"
    OVERLOADED = "overloaded"
    CONTEXT_TOO_LONG = "context_too_long"
    TRUNCATED = "truncated"
    BUDGET = "budget"
    CONTAMINATED = "contaminated"
    NO_TOOL = "no_tool"
    """A check asks about a tool this engine did not have."""
    NOT_RECORDED = "not_recorded"
    """The engine's stream does not show what the check asks about."""
    PATTERN_TIMEOUT = "pattern_timeout"

    @property
    def transient(self) -> bool:
        """Whether asking again unchanged may give a verdict; `--resume` re-asks these."""
        return self in _TRANSIENT


_TRANSIENT = {
    Reason.AUTH,
    Reason.TIMED_OUT,
    Reason.CRASHED,
    Reason.CANCELLED,
    Reason.RATE_LIMIT,
    Reason.OVERLOADED,
    Reason.TRUNCATED,
    Reason.BUDGET,
}
