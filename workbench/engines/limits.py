"""How a run is kept within its limits, and in which words it is told when it was not."""

import contextlib
import time
from collections.abc import Callable, Iterator

from workbench.engines.protocol import Ending, Task
from workbench.host.dialogue import Dialogue, Overdue, Stalled
from workbench.text.amounts import many
from workbench.traces.reasons import Reason

_LAST_WORDS = 5.0
"""Seconds an interrupted program has to say how far it came."""
_PATIENCE = 2.0
"""Seconds between two ways of telling a program to end."""
_LATE_WORDS, _LATE_PATIENCE = 0.7, 0.2
"""The same once a trial's time is over: whoever waits for the trial gives it up two seconds later."""


class CutShort(Exception):  # noqa: N818 - the name says what it is
    """A run ends here, or cannot begin: the reason, in words, and seconds to leave the provider alone."""

    def __init__(self, reason: Reason, detail: str, retry_after: float = 0.0) -> None:
        super().__init__(detail)
        self.reason, self.detail, self.retry_after = reason, detail, retry_after

    def ending(self, paid: Ending | None = None) -> Ending:
        """This as an ending; what the run cost is taken over from the one it would have had."""
        cost = (paid.cost_usd, paid.cost_basis) if paid else (None, "")
        return Ending(
            reason=self.reason,
            detail=self.detail,
            retry_after=self.retry_after,
            cost_usd=cost[0],
            cost_basis=cost[1],
        )


def too_many_messages(task: Task) -> CutShort:
    """The turn limit was reached and the agent wanted to go on."""
    return CutShort(Reason.TURN_LIMIT, f"still at work after {many(task.max_turns, 'message')}")


def nothing_said() -> CutShort:
    """The model's only message was empty: that is no answer, not even a wrong one."""
    return CutShort(Reason.TRUNCATED, "the model said nothing and did nothing")


def out_of_time(task: Task) -> CutShort:
    """The time for the whole trial is over."""
    return CutShort(Reason.TIMED_OUT, f"not done after {task.timeout:g} s")


def silent(stall: float) -> CutShort:
    """Nothing was heard for `stall` seconds."""
    return CutShort(Reason.TIMED_OUT, f"it said nothing for {stall:g} s")


def lines(dialogue: Dialogue, task: Task, deadline: float, stall: float) -> Iterator[bytes]:
    """What a program says, line by line to its end; raises CutShort at `deadline` and after `stall` silent seconds."""
    try:
        yield from dialogue.lines(deadline, stall)
    except Overdue:
        raise out_of_time(task) from None
    except Stalled:
        raise silent(stall) from None


def last_words(dialogue: Dialogue, deadline: float, seconds: float = _LAST_WORDS) -> Iterator[bytes]:
    """What a program still says after it was interrupted, to its end or as long as there is time for it."""
    now = time.monotonic()
    until = min(now + seconds, max(now, deadline) + _LATE_WORDS)
    with contextlib.suppress(Overdue, Stalled):
        yield from dialogue.lines(until, seconds)


def stop(dialogue: Dialogue, deadline: float) -> None:
    """End a program with all it started, soon where the trial's time is over."""
    left = deadline - time.monotonic()
    dialogue.stop(min(_PATIENCE, max(left / 3, _LATE_PATIENCE)))  # it may have to be told three times


def ended(who: str, ask: Callable[[], Ending]) -> Ending:
    """The ending of a run, also of one that was cut short or whose program, `who`, could not be started."""
    try:
        return ask()
    except CutShort as cut:
        return cut.ending()
    except OSError as error:
        return Ending(reason=Reason.CRASHED, detail=f"{who} could not be started: {error}")
