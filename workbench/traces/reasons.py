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

_BY_STATUS = {
    401: Reason.AUTH,
    402: Reason.BUDGET,
    403: Reason.AUTH,
    404: Reason.MISSING,
    408: Reason.OVERLOADED,
    413: Reason.CONTEXT_TOO_LONG,
    429: Reason.RATE_LIMIT,
}


def of_status(status: int) -> Reason | None:
    """What a provider means by an HTTP status; None for one that needs words to be understood, such as 400."""
    return _BY_STATUS.get(status) or (Reason.OVERLOADED if 500 <= status < 600 else None)
