"""A brain that says again what an agent said in a recorded session."""

from collections.abc import Sequence

from workbench.brains.protocol import BrainError, Proposal, Say, ToolSchema, unheard
from workbench.traces.reasons import Reason
from workbench.traces.records import AssistantTurn, Trace, Turn


class Recorded:
    """Says the main session's messages of a trace in order, word for word and call for call.

    Calls go out under the tool names they were made with: an engine whose tools are named otherwise will refuse them.
    """

    name = "recorded"

    def __init__(self, trace: Trace) -> None:
        self._said = trace.assistant_turns
        self.model = trace.meta.model

    def propose(
        self, system: str, messages: Sequence[Turn], tools: Sequence[ToolSchema], say: Say = unheard
    ) -> Proposal:
        """See `Brain.propose`; raises BrainError when the recording is over."""
        spoken = sum(isinstance(turn, AssistantTurn) for turn in messages)
        if spoken >= len(self._said):
            told = f"the recording is over: it holds {len(self._said)} messages and one more was asked for"
            raise BrainError(Reason.MISSING, told)
        turn = self._said[spoken]
        return Proposal(turn.content, turn.token_ledger, turn.model)
