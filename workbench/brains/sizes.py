"""How long what was said is, and how many tokens that may be where nobody counts them."""

import json
from collections.abc import Iterable

from workbench.brains.protocol import ToolSchema
from workbench.traces.records import Block, ToolCall

_PER_TOKEN = 4
"""Characters taken for one token."""


def tokens(characters: int) -> int:
    """Characters as tokens, rounded up."""
    return -(-characters // _PER_TOKEN)


def of_blocks(blocks: Iterable[Block]) -> int:
    """Characters of the parts of a message; a call counts with its arguments."""
    return sum(map(_of_block, blocks))


def of_tools(tools: Iterable[ToolSchema]) -> int:
    """Characters of what a model is told of its tools."""
    return sum(len(tool.name) + len(tool.description) + len(json.dumps(tool.input_schema)) for tool in tools)


def _of_block(block: Block) -> int:
    return len(block.name) + len(json.dumps(block.arguments)) if isinstance(block, ToolCall) else len(block.text)
