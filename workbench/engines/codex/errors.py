"""Why codex failed, sorted into our reasons: by its error codes, by HTTP status, last by its words."""

import re
import time

from workbench.engines.json_parts import Json, count, record, seconds, text
from workbench.engines.protocol import Ending
from workbench.traces.reasons import Reason, of_status

_CODES = {
    "contextWindowExceeded": Reason.CONTEXT_TOO_LONG,
    "sessionBudgetExceeded": Reason.BUDGET,
    "usageLimitExceeded": Reason.RATE_LIMIT,
    "rateLimitExceeded": Reason.RATE_LIMIT,
    "flexUnavailable": Reason.OVERLOADED,
    "policyCapacityUnavailable": Reason.OVERLOADED,
    "serverOverloaded": Reason.OVERLOADED,
    "internalServerError": Reason.OVERLOADED,
    "modelNotFound": Reason.MISSING,
    "unauthorized": Reason.AUTH,
    "responseStreamDisconnected": Reason.TRUNCATED,
}
_WORDS = (
    (Reason.AUTH, r"missing environment variable|not logged in|log in again|refresh token"),
    (Reason.BUDGET, r"quota|insufficient.credit|billing"),
    (Reason.CONTEXT_TOO_LONG, r"context window|context.length"),
    (Reason.TRUNCATED, r"stream (?:disconnected|closed)|incomplete response|max_output_tokens"),
    (Reason.OVERLOADED, r"high demand|at capacity|overloaded"),
    (Reason.RATE_LIMIT, r"rate limit|usage limit"),
)
_STATUS = re.compile(r"status:? (\d{3})\b")
_WAIT = re.compile(r"(?:try|retry) again (?:in|after) (\d+(?:\.\d+)?) ?(ms|s|m|h)?", re.IGNORECASE)
_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}


def ending(error: Json) -> Ending:
    """How a failed turn ended, from codex's own account of it."""
    detail = (
        ": ".join(filter(None, (text(error.get("message")), text(error.get("additionalDetails"))))) or "codex failed"
    )
    return Ending(reason=_reason(error.get("codexErrorInfo"), detail), detail=detail, retry_after=_wait(detail))


def until_reset(limits: Json) -> float:
    """Seconds until a used-up allowance is given back, from codex's account of its rate limits; 0 with none used up."""
    windows = [record(limits.get(name)) for name in ("primary", "secondary")]
    resets = [window.get("resetsAt") for window in windows if _full(window.get("usedPercent"))]
    return max([0.0, *(seconds(at) - time.time() for at in resets)])


def _reason(info: object, detail: str) -> Reason:
    code = info if isinstance(info, str) else next(iter(record(info)), "")
    status = count(record(record(info).get(code)).get("httpStatusCode"))
    if not status and (found := _STATUS.search(detail)):
        status = int(found[1])
    by_status = of_status(status)
    if by_status not in (None, Reason.RATE_LIMIT):  # an allowance may be used up for good, which only words tell
        return by_status
    by_words = (reason for reason, pattern in _WORDS if re.search(pattern, detail, re.IGNORECASE))
    return _CODES.get(code) or next(by_words, by_status or Reason.CRASHED)


def _wait(detail: str) -> float:
    found = _WAIT.search(detail)
    return seconds(float(found[1]) * _UNITS[(found[2] or "s").lower()]) if found else 0.0


def _full(percent: object) -> bool:
    return isinstance(percent, int | float) and percent >= 100
