"""What went wrong between us and Anthropic's API, sorted into reasons."""

import email.utils
import math
import time
from typing import TYPE_CHECKING

from workbench.brains.protocol import BrainError
from workbench.traces.reasons import Reason, of_status

if TYPE_CHECKING:
    import httpx2
    from anthropic import APIStatusError

LONGEST = 3600.0
"""Seconds a provider can ask to be left alone; more is taken for this."""

_BY_TYPE = {
    "authentication_error": Reason.AUTH,
    "permission_error": Reason.AUTH,
    "billing_error": Reason.BUDGET,
    "not_found_error": Reason.MISSING,
    "rate_limit_error": Reason.RATE_LIMIT,
    "overloaded_error": Reason.OVERLOADED,
    "api_error": Reason.OVERLOADED,
    "timeout_error": Reason.OVERLOADED,
    "request_too_large": Reason.CONTEXT_TOO_LONG,
}
_PASSING = {"rate_limit_error", "overloaded_error", "api_error", "timeout_error"}
_TOO_LONG = ("prompt is too long", "exceed context limit", "context window")
_NO_MONEY = ("credit balance", "usage limit", "spend limit")


def sorted_out(error: Exception) -> BrainError:
    """The reason behind whatever the client or its transport raised."""
    import anthropic
    import httpx2

    if isinstance(error, anthropic.APIStatusError):
        return _refused(error)
    if isinstance(error, anthropic.APITimeoutError | httpx2.TimeoutException):
        return BrainError(Reason.TIMED_OUT, "the provider said nothing for too long")
    if isinstance(error, anthropic.APIConnectionError):
        return BrainError(Reason.CRASHED, f"the provider cannot be reached: {error.__cause__ or error}")
    if isinstance(error, httpx2.TransportError):
        return BrainError(Reason.TRUNCATED, f"the answer broke off: {error}")
    return BrainError(Reason.CRASHED, f"the answer cannot be read: {type(error).__name__}: {error}")


def _refused(error: "APIStatusError") -> BrainError:
    """An error the provider told, by its status or, in an answer that had begun well, by its type alone."""
    said = error.api_message or error.message
    low = said.lower()
    reason = _BY_TYPE.get(str(error.type)) or of_status(error.status_code)
    if reason is None and any(words in low for words in _TOO_LONG):
        reason = Reason.CONTEXT_TOO_LONG
    elif reason is None and any(words in low for words in _NO_MONEY):
        reason = Reason.BUDGET
    return BrainError(
        reason or Reason.CRASHED, f"{error.type or error.status_code}: {said}", retry_after(error.response.headers)
    )


def retry_after(headers: "httpx2.Headers") -> float:
    """Seconds a provider wants to be left alone: as milliseconds, seconds or a date; 0 when it does not say."""
    told, milliseconds = headers.get("retry-after", ""), headers.get("retry-after-ms", "")
    try:
        seconds = float(milliseconds) / 1000 if milliseconds else float(told)
    except ValueError:
        seconds = _until(told)
    return min(max(seconds, 0.0), LONGEST) if math.isfinite(seconds) else 0.0


def _until(date: str) -> float:
    try:
        parsed = email.utils.parsedate_tz(date)
        return email.utils.mktime_tz(parsed) - time.time() if parsed else 0.0
    except (ValueError, OverflowError):
        return 0.0


def worth_another_try(error: Exception) -> bool:
    """Whether the same request may soon be answered, if nothing of an answer came this time."""
    import anthropic

    if isinstance(error, anthropic.APIStatusError):
        return error.type in _PASSING or error.status_code in {409, 429} or error.status_code >= 500
    return isinstance(error, anthropic.APIConnectionError) and not isinstance(error, anthropic.APITimeoutError)
