"""A model behind Anthropic's Messages API, as a brain.

No thinking is asked for; models that think anyway sign their thoughts, and are told them again word for word.
"""

import math
import os
import random
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any

from workbench.brains.anthropic_errors import sorted_out, worth_another_try
from workbench.brains.anthropic_wire import MAX_TOKENS, proposal, request
from workbench.brains.protocol import BrainError, Proposal, Say, ToolSchema, unheard
from workbench.text.sanitize import clean_line
from workbench.traces.reasons import Reason
from workbench.traces.records import ToolCall, Turn

if TYPE_CHECKING:
    import anthropic
    from anthropic.types import Message

RETRIES = 2
"""Times a request is made again when nothing of an answer had come."""
PATIENCE = 20.0
"""Seconds it waits before that; who is to wait longer had better do something else."""
_CONNECT = 10.0
_SHOWN = 500
"""Characters of an error that are kept; some are a whole web page."""
_DONE = {"end_turn", "tool_use", "stop_sequence", "pause_turn"}


class Anthropic:
    """One model of the provider's, reached with one key; the key shows nowhere."""

    name = "anthropic"

    def __init__(
        self,
        key: str,
        model: str,
        *,
        base_url: str = "",
        web: bool = False,
        stall: float = 180.0,
        deadline: float = math.inf,
        retries: int = RETRIES,
    ) -> None:
        """`web` offers the provider's web tools; `stall` is how many seconds it may be silent.

        `deadline` is the `time.monotonic()` after which no message is wanted any more.
        """
        self.model = model
        self._key, self._base_url, self._web = key, base_url, web
        self._stall, self._deadline, self._retries = stall, deadline, retries

    def propose(
        self, system: str, messages: Sequence[Turn], tools: Sequence[ToolSchema], say: Say = unheard
    ) -> Proposal:
        """Ask for the next message, saying its text as it comes; raises BrainError."""
        if not (self._key.isascii() and self._key.isprintable() and self._key.strip() == self._key != ""):
            raise BrainError(Reason.AUTH, "there is no key, or it holds characters that no key has")
        asked = request(self.model, system, messages, tools, self._web)
        for retry in range(self._retries + 1):
            attempt = _Attempt(self._client, asked, self._deadline)
            try:
                return _finished(attempt.run(self._stall, say))
            except BrainError:
                raise
            except Exception as error:
                trouble = sorted_out(error)
                again = retry < self._retries and not attempt.begun and worth_another_try(error)
            pause = trouble.retry_after or 0.5 * 2**retry * random.uniform(0.75, 1.0)
            if not again or pause > min(PATIENCE, self._deadline - time.monotonic()):
                # A provider may repeat what it refuses.
                detail = clean_line(trouble.detail.replace(self._key, "[key]"), _SHOWN)
                lost = attempt.begun or trouble.reason in {Reason.TIMED_OUT, Reason.TRUNCATED}
                raise BrainError(trouble.reason, detail, trouble.retry_after, lost=lost)
            time.sleep(pause)
        raise AssertionError("the last try returns or raises")

    def close(self) -> None:
        """End its connections; asked again, it makes new ones."""
        if client := self.__dict__.pop("_client", None):
            client.close()

    @cached_property
    def _client(self) -> "anthropic.Anthropic":
        with _nothing_in_the_environment():
            import anthropic

            return anthropic.Anthropic(
                api_key=self._key, base_url=self._base_url or None, max_retries=0, open_telemetry=False
            )


class _Attempt:
    """One request and its answer as it streams in."""

    def __init__(self, client: "anthropic.Anthropic", asked: dict[str, Any], deadline: float) -> None:
        self._client, self._asked, self._deadline = client, asked, deadline
        self.begun = False

    def run(self, stall: float, say: Say) -> "Message":
        """The whole message; raises BrainError when it is cut or late, and what the client raises."""
        import httpx2

        silence = max(0.001, min(stall, self._deadline - time.monotonic()))
        timeout = httpx2.Timeout(silence, connect=min(_CONNECT, silence))
        message: Message | None = None
        with self._client.messages.stream(**self._asked, timeout=timeout) as stream:
            for event in stream:
                if time.monotonic() >= self._deadline:
                    raise BrainError(Reason.TIMED_OUT, "the time was up before the answer was complete", lost=True)
                if event.type == "message_start":
                    self.begun = True
                elif event.type == "text":
                    say(event.text)
            message = stream.current_message_snapshot if self.begun else None
        if message is None or message.stop_reason is None:
            raise BrainError(Reason.TRUNCATED, "the answer ended before it was complete", lost=True)
        return message


def _finished(message: "Message") -> Proposal:
    """The message, if it ended of its own accord."""
    said = proposal(message)
    if message.stop_reason in _DONE:
        return said
    reason, detail = Reason.TRUNCATED, f"the message stopped for a reason unknown here: {message.stop_reason}"
    if message.stop_reason == "max_tokens":
        detail = f"the message reached its longest, {MAX_TOKENS} tokens"
    elif message.stop_reason == "model_context_window_exceeded":
        reason, detail = Reason.CONTEXT_TOO_LONG, "the session has filled the model's context"
    elif message.stop_reason == "refusal":
        # What the model would have said is not known: this is no answer, not even a refusing one.
        category = message.stop_details.category if message.stop_details else None
        detail = f"the provider's safeguards cut the answer off ({category or 'no category given'})"
    # A call at the place where it broke off may be only half of one.
    content = tuple(block for block in said.content if not isinstance(block, ToolCall))
    raise BrainError(reason, detail, said=Proposal(content, said.tokens, said.model))


@contextmanager
def _nothing_in_the_environment() -> Iterator[None]:
    """Keep the client from finding another key, address, header or log level than it was given."""
    found = {name: value for name, value in os.environ.items() if name.startswith("ANTHROPIC_")}
    for name in found:
        del os.environ[name]
    try:
        yield
    finally:
        os.environ.update(found)
