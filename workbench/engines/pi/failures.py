"""What pi's error messages mean: an HTTP status and the provider's words, or pi's own when it never got that far."""

import re

from workbench.traces.reasons import Reason

_STATUS = re.compile(r"^\s*(?:Error:\s*)?([45]\d\d)\b")
_BY_STATUS = {
    401: Reason.AUTH,
    402: Reason.BUDGET,
    403: Reason.AUTH,
    404: Reason.MISSING,
    408: Reason.OVERLOADED,
    413: Reason.CONTEXT_TOO_LONG,
    429: Reason.RATE_LIMIT,
}
_BY_WORDS = (
    (Reason.CONTEXT_TOO_LONG, r"context[ _-]?(?:length|window)|prompt is too long|maximum context|too many tokens"),
    (Reason.BUDGET, r"insufficient[ _](?:quota|credits|balance|funds)|credit balance"),
    (Reason.RATE_LIMIT, r"rate[ _-]?limit|too many requests"),
    (
        Reason.OVERLOADED,
        r"overloaded|server_error|unavailable|fetch failed|connection error|ECONN|ETIMEDOUT",
    ),
    (Reason.TRUNCATED, r"stream ended|terminated|premature close|socket hang up|without finish_reason"),
    (Reason.AUTH, r"api key|authenticat|unauthorized|no models available"),
    (Reason.MISSING, r"model .*not found|unknown provider|requires --model"),
)


def failure(said: str) -> tuple[Reason, str]:
    """The reason for an error message, and the message itself, cut at 2000 characters."""
    found = _STATUS.match(said)
    status = int(found[1]) if found else 0
    reason = _BY_STATUS.get(status) if status != 400 else None
    if reason is None or reason is Reason.RATE_LIMIT:
        reason = _worded(said) or reason
    if reason is None:
        reason = Reason.OVERLOADED if status >= 500 else Reason.CRASHED
    return reason, said.strip()[:2000]


def _worded(said: str) -> Reason | None:
    return next((reason for reason, words in _BY_WORDS if re.search(words, said, re.IGNORECASE)), None)
