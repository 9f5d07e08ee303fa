"""From what a brain proposes to what goes over the wire: identifiers, token counts, the reason it ends."""

import json
import time
from collections.abc import Sequence

from workbench.brains.protocol import Proposal
from workbench.endpoint.wire import Answer, Asked, Stop
from workbench.host.files import sha256
from workbench.traces.records import Block, TokenLedger, ToolCall, Turn

_PER_TOKEN = 4
"""Characters counted as one token where nobody counts them."""


def answer(asked: Asked, proposal: Proposal, key: str, stop: Stop | None = None) -> Answer:
    """The answer to a request; `key` is letters and digits that all its identifiers are made from."""
    content = tuple(_stamped(block, f"call_{key}_{index}") for index, block in enumerate(proposal.content))
    calls = any(isinstance(block, ToolCall) for block in content)
    return Answer(
        id=key,
        model=asked.model,
        content=content,
        usage=proposal.tokens if proposal.tokens != TokenLedger() else estimate(asked, proposal.content),
        stop=stop or ("calls" if calls else "end"),
        free_text=asked.free_text,
        created=int(time.time()),
    )


def fingerprint(asked: Asked) -> str:
    """A short digest of all that was said so far."""
    said = [asked.system, *(turn.model_dump_json() for turn in asked.messages)]
    return sha256("\0".join(said).encode("utf-8", "replace"))[:14]


def estimate(asked: Asked, said: Sequence[Block] = ()) -> TokenLedger:
    """Tokens by size, as a provider with a prompt cache would report them.

    What the model saw before its last message is read from the cache; that message is written to it, or the system
    prompt and the tools when there was none; the rest is new.
    """
    sizes = [_size(turn) for turn in asked.messages]
    base = len(asked.system) + sum(map(len, (json.dumps(tool.input_schema) for tool in asked.tools)))
    base += sum(len(tool.name) + len(tool.description) for tool in asked.tools)
    last = max((index for index, turn in enumerate(asked.messages) if turn.role == "assistant"), default=-1)
    read = base + sum(sizes[:last]) if last >= 0 else 0
    written = sizes[last] if last >= 0 else base
    return TokenLedger(
        input=_tokens(sum(sizes[last + 1 :])),
        cache_read=_tokens(read),
        cache_creation=_tokens(written),
        output=_tokens(sum(map(_block_size, said))),
        estimated=True,
    )


def _stamped(block: Block, call_id: str) -> Block:
    """Calls get identifiers that no other message of any session has: sub-agents of one brain count alike."""
    return block.model_copy(update={"id": call_id}) if isinstance(block, ToolCall) else block


def _tokens(size: int) -> int:
    return -(-size // _PER_TOKEN)


def _size(turn: Turn) -> int:
    return sum(_block_size(block) for block in turn.content)


def _block_size(block: Block) -> int:
    return len(block.name) + len(json.dumps(block.arguments)) if isinstance(block, ToolCall) else len(block.text)
