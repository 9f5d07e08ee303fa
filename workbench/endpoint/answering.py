"""From what a brain proposes to what goes over the wire: identifiers, token counts, the reason it ends."""

import time
from collections.abc import Sequence

from workbench.brains import sizes
from workbench.brains.protocol import Proposal
from workbench.endpoint.wire import Answer, Asked, Stop
from workbench.host.files import sha256
from workbench.traces.records import Block, TokenLedger, ToolCall


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
    lengths = [sizes.of_blocks(turn.content) for turn in asked.messages]
    base = len(asked.system) + sizes.of_tools(asked.tools)
    last = max((index for index, turn in enumerate(asked.messages) if turn.role == "assistant"), default=-1)
    read = base + sum(lengths[:last]) if last >= 0 else 0
    written = lengths[last] if last >= 0 else base
    return TokenLedger(
        input=sizes.tokens(sum(lengths[last + 1 :])),
        cache_read=sizes.tokens(read),
        cache_creation=sizes.tokens(written),
        output=sizes.tokens(sizes.of_blocks(said)),
        estimated=True,
    )


def _stamped(block: Block, call_id: str) -> Block:
    """Calls get identifiers that no other message of any session has: sub-agents of one brain count alike."""
    return block.model_copy(update={"id": call_id}) if isinstance(block, ToolCall) else block
