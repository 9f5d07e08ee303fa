"""What pi's error messages mean: an HTTP status and the provider's words, or pi's own when it never got that far."""

import re

from workbench.traces.reasons import Reason, of_status

_STATUS = re.compile(r"^\s*(?:Error:\s*)?([45]\d\d)\b")
_UNREACHABLE = re.compile(r"provider cannot be reached|fetch failed|connection error|ECONN|ETIMEDOUT", re.IGNORECASE)
_BY_WORDS = (
    (Reason.CONTEXT_TOO_LONG, r"context[ _-]?(?:length|window)|prompt is too long|maximum context|too many tokens"),
    (Reason.BUDGET, r"insufficient[ _](?:quota|credits|balance|funds)|credit balance"),
    (Reason.RATE_LIMIT, r"rate[ _-]?limit|too many requests"),
    (Reason.OVERLOADED, r"overloaded|server_error|unavailable"),
    (Reason.TRUNCATED, r"stream ended|terminated|premature close|socket hang up|without finish_reason|model refused"),
    (Reason.AUTH, r"api key|authenticat|unauthorized|no models available"),
    (Reason.MISSING, r"model .*not found|unknown provider|requires --model"),
)


def failure(said: str) -> tuple[Reason, str]:
    """The reason for an error message, and the message itself, cut at 2000 characters."""
    if _UNREACHABLE.search(said):
        return Reason.CRASHED, said.strip()[:2000]
    found = _STATUS.match(said)
    reason = of_status(int(found[1])) if found else None
    if reason in (None, Reason.RATE_LIMIT):  # an allowance may be used up for good, which only words tell
        reason = _worded(said) or reason
    return reason or Reason.CRASHED, said.strip()[:2000]


def _worded(said: str) -> Reason | None:
    return next((reason for reason, words in _BY_WORDS if re.search(words, said, re.IGNORECASE)), None)
