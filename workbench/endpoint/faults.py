"""What a provider can do wrong, on demand: when, how often, and what it looks like."""

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from workbench.endpoint.wire import Asked, Problem, Stop

FaultKind = Literal[
    "400", "401", "404", "429", "500", "529", "too_long",
    "hang", "stall", "disconnect", "cut", "error", "garbled",
    "max_tokens", "refusal", "empty",
]  # fmt: skip
"""A status; a context too long; silence before the reply; silence in its middle; the connection gone in its middle; the
stream over before its end was told; an error told in its middle; something unreadable in its middle; the output limit;
a refusal; a reply that says nothing."""

KINDS: tuple[FaultKind, ...] = get_args(FaultKind)

_MESSAGES = {
    400: "the request was not accepted",
    401: "the key is not valid",
    404: "there is no such model",
    429: "too many requests",
    500: "internal server error",
    529: "overloaded",
}
STOPS: dict[str, Stop] = {"max_tokens": "length", "refusal": "refusal", "empty": "end"}
"""Faults of the reply itself, and how it then ends."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that goes wrong; without limits it goes wrong every time."""

    kind: FaultKind
    times: int = 0
    """How often, then never again; 0: always."""
    at: int | None = None
    """Only where the model has said so many messages before; None: anywhere."""
    retry_after: float = 0.0
    """Seconds the provider asks to wait; goes with a status."""

    @classmethod
    def parse(cls, text: str) -> "Fault":
        """Read `429`, `429,times=2,retry-after=1.5` or `disconnect,at=1`; raises ValueError with what is allowed."""
        kind, *options = (part.strip() for part in text.split(","))
        if kind not in KINDS:
            raise ValueError(f"no fault named {kind!r}; known: {', '.join(KINDS)}")
        given: dict[str, str] = dict((*option.partition("=")[::2],) for option in options)
        try:
            fault = cls(
                kind,
                times=int(given.pop("times", "0")),
                at=int(given.pop("at")) if "at" in given else None,
                retry_after=float(given.pop("retry-after", "0")),
            )
        except ValueError as error:
            raise ValueError(f"fault {text!r}: {error}") from error
        if given:
            raise ValueError(f"fault {text!r} has no option {next(iter(given))!r}; known: times, at, retry-after")
        return fault

    @property
    def problem(self) -> Problem | None:
        """What the reply tells instead of a message; None for faults of another sort."""
        if self.kind == "too_long":
            return Problem(400, "prompt is too long: 200001 tokens > 200000 maximum", too_long=True)
        if not self.kind.isdigit():
            return None
        return Problem(int(self.kind), _MESSAGES[int(self.kind)], retry_after=self.retry_after)


class Faults:
    """The faults of one endpoint and how often each has struck; may be asked from several threads."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        self._faults = tuple(faults)
        self._struck = [0] * len(self._faults)
        self._lock = threading.Lock()

    def strike(self, asked: Asked) -> Fault | None:
        """The first fault that is due for a request; it counts as having struck."""
        with self._lock:
            for index, fault in enumerate(self._faults):
                spent = fault.times and self._struck[index] >= fault.times
                if not spent and fault.at in (None, asked.spoken):
                    self._struck[index] += 1
                    return fault
        return None
