"""How a run of Claude Code ended, from all it said about it; its own "success" is only one voice among them."""

import re
import signal
from dataclasses import dataclass, field

from workbench.engines.json_parts import Json, count, dollars, record, text, texts
from workbench.engines.protocol import Ending
from workbench.traces.reasons import Reason, of_status

_BY_ERROR = {
    "authentication_failed": Reason.AUTH,
    "oauth_org_not_allowed": Reason.AUTH,
    "billing_error": Reason.BUDGET,
    "rate_limit": Reason.RATE_LIMIT,
    "overloaded": Reason.OVERLOADED,
    "model_not_found": Reason.MISSING,
    "max_output_tokens": Reason.TRUNCATED,
}
_BY_SUBTYPE = {"error_max_turns": Reason.TURN_LIMIT, "error_max_budget_usd": Reason.BUDGET}
_BY_WORDS = (
    (re.compile(r"prompt is too long", re.IGNORECASE), Reason.CONTEXT_TOO_LONG),
    (re.compile(r"not logged in|invalid api key|/login", re.IGNORECASE), Reason.AUTH),
    (re.compile(r"credit balance|billing|api usage limit|spend limit", re.IGNORECASE), Reason.BUDGET),
    (re.compile(r"usage limit|rate limit|hit your limit", re.IGNORECASE), Reason.RATE_LIMIT),
    (re.compile(r"overloaded", re.IGNORECASE), Reason.OVERLOADED),
    (re.compile(r"output token maximum|connection (?:to the API was )?lost", re.IGNORECASE), Reason.TRUNCATED),
)
_UNFINISHED = {
    "max_tokens": "the answer was cut off at the model's output limit",
    "refusal": "the provider's safeguards cut the answer off",
    "model_context_window_exceeded": "the answer was cut off at the end of the context",
}
"""Stop reasons after which an answer is not whole. A refusal is one: what the model would have said is not known."""


@dataclass
class Outcome:
    """What the stream told about its end."""

    result: Json = field(default_factory=dict)
    """The closing line; empty when there was none."""
    over: bool = False
    """Whether the model has said nothing since the closing line."""
    trouble: Json = field(default_factory=dict)
    """The last message that the CLI put in the agent's place."""
    retry: Json = field(default_factory=dict)
    """The retry under way."""
    retries: int = 0
    """Retries so far."""

    def ending(self, returncode: int | None, stderr: str, *, messages: int) -> Ending:
        """The trial's ending, given how the program ended and how many messages the model made."""
        reason, detail = self._verdict(returncode, stderr, messages)
        cost = dollars(self.result.get("total_cost_usd")) if self.over else None
        cost = None if messages and not cost else cost  # no message is free: that is what it says when it cannot tell
        return Ending(
            reason=reason,
            detail=detail,
            retry_after=self.patience if reason in (Reason.RATE_LIMIT, Reason.OVERLOADED) else 0.0,
            cost_usd=cost,
            cost_basis="" if cost is None else "reported",
        )

    def waiting(self) -> Reason | None:
        """What the CLI is waiting out between two attempts; None when it is not, or for no reason it knows."""
        reason = _of_error(self.retry)
        return None if reason is Reason.CRASHED else reason

    @property
    def patience(self) -> float:
        """Seconds until the CLI's next attempt: what the provider asked for, or its own choice; 0 when it has none."""
        return count(self.retry.get("retry_delay_ms")) / 1000

    def _verdict(self, returncode: int | None, stderr: str, messages: int) -> tuple[Reason | None, str]:
        result = self.result
        if not result:
            return _without_result(returncode, stderr)
        detail = _detail(result) or text(self.trouble.get("error"))
        if reason := _BY_SUBTYPE.get(text(result.get("subtype"))):
            return reason, detail
        if text(result.get("terminal_reason")).startswith("aborted"):
            return Reason.CANCELLED, "it was interrupted"
        stop = text(result.get("stop_reason"))
        if stop in _UNFINISHED:
            reason = Reason.CONTEXT_TOO_LONG if stop.startswith("model_context") else Reason.TRUNCATED
            return reason, _UNFINISHED[stop]
        if result.get("is_error") is not False or result.get("subtype") != "success":
            return self._failure(detail), detail
        if returncode:
            return Reason.CRASHED, f"exit status {returncode} after it said it was done{_tail(stderr)}"
        if not self.over:
            return Reason.CRASHED, "it went on after its end"
        return (None, "") if messages else (Reason.CRASHED, "it ended without a message of the model")

    def _failure(self, detail: str) -> Reason:
        if self.result.get("terminal_reason") == "prompt_too_long":
            return Reason.CONTEXT_TOO_LONG
        for said in (self.trouble, self.result):
            reason = _of_error(said)
            if reason is not Reason.CRASHED:
                return reason
        return next((reason for pattern, reason in _BY_WORDS if pattern.search(detail)), Reason.CRASHED)


def _of_error(said: Json) -> Reason:
    """The reason an event's own error fields name: its word first, as a 404 may be a model or an address."""
    kind = text(said.get("api_error_type")).removesuffix("_error")
    status = said.get("api_error_status", said.get("error_status"))
    named = _BY_ERROR.get(text(said.get("error"))) or _BY_ERROR.get(kind)
    return named or of_status(count(status)) or Reason.CRASHED


def _detail(result: Json) -> str:
    return (
        text(result.get("result"))
        or "; ".join(texts(result.get("errors")))
        or text(record(result.get("error")).get("message"))
    )


def _without_result(returncode: int | None, stderr: str) -> tuple[Reason, str]:
    """It never said that it ended: somebody stopped it, or it fell over."""
    code = returncode or 0
    number = -code if code < 0 else code - 128 if code > 128 else 0
    if number in (signal.SIGINT, signal.SIGTERM):
        return Reason.CANCELLED, f"stopped by {signal.Signals(number).name}"
    reason = next((reason for pattern, reason in _BY_WORDS if pattern.search(stderr)), Reason.CRASHED)
    return reason, f"it ended without saying so (exit status {code}){_tail(stderr)}"


def _tail(stderr: str) -> str:
    return f": {stderr[-500:]}" if stderr else ""
