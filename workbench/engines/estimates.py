"""How many tokens a message may have been, where no provider counts them: four characters each."""

from collections.abc import Sequence

from workbench.brains.protocol import ToolSchema
from workbench.traces.records import Block, TokenLedger, ToolCall, Turn


def estimated(
    system: str, messages: Sequence[Turn], schemas: Sequence[ToolSchema], said: Sequence[Block]
) -> TokenLedger:
    """A ledger marked as an estimate: all that was sent for this message, and what it said."""
    sent = len(system) + sum(_size(turn.content) for turn in messages) + sum(map(_schema_size, schemas))
    return TokenLedger(input=-(-sent // 4), output=-(-_size(said) // 4), estimated=True)


def _size(blocks: Sequence[Block]) -> int:
    return sum(map(_block_size, blocks))


def _block_size(block: Block) -> int:
    if isinstance(block, ToolCall):
        return len(block.name) + sum(len(key) + len(str(value)) for key, value in block.arguments.items())
    return len(block.text)


def _schema_size(schema: ToolSchema) -> int:
    return len(schema.name) + len(schema.description) + len(str(schema.input_schema))
