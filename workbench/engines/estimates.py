"""How many tokens a message of the in-process agent may have been, where no provider counts them."""

from collections.abc import Sequence

from workbench.brains import sizes
from workbench.brains.protocol import ToolSchema
from workbench.traces.records import Block, TokenLedger, Turn


def estimated(
    system: str, messages: Sequence[Turn], schemas: Sequence[ToolSchema], said: Sequence[Block]
) -> TokenLedger:
    """A ledger marked as an estimate: all that was sent for this message, and what it said."""
    sent = len(system) + sum(sizes.of_blocks(turn.content) for turn in messages) + sizes.of_tools(schemas)
    return TokenLedger(input=sizes.tokens(sent), output=sizes.tokens(sizes.of_blocks(said)), estimated=True)
