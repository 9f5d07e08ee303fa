"""Whole messages out of the pieces codex tells them in: one for each request to its model."""

from workbench.engines.narrator import Narrator
from workbench.engines.prices import price
from workbench.traces.records import Block, TokenLedger


class Messages:
    """Gathers what belongs to one message of the model and tells it when the message is whole.

    It is whole when its tokens are known; where they are not told (`counts` is false), when results have come and
    something else follows. A script that calls tools holds its message open until it has ended, so that the calls made
    by it stand in the message they were made by.
    """

    def __init__(self, narrator: Narrator, model: str = "", *, counts: bool = True) -> None:
        self.model = model
        self.counts = counts
        self.cost: float | None = 0.0
        """List price of all messages so far; None once one of them has none."""
        self.last = -1
        """Turn index of the last turn told."""
        self.wants_more = False
        """Whether the last message made calls, so that another must follow."""
        self.spoke = False
        """Whether the last message said anything."""
        self._narrator = narrator
        self._blocks: list[Block] = []
        self._results: list[tuple[str, str, bool, str]] = []
        self._scripts: set[str] = set()
        self._ledger: TokenLedger | None = None
        self._counted = 0
        self._at = ""

    def add(self, block: Block, at: str = "", *, script: str = "") -> None:
        """Add a piece of a message; `script` is the id of a call that may make calls of its own."""
        if self._results and not self.counts and not self._scripts:
            self.close()
        self._blocks.append(block)
        self._at = self._at or at
        if script:
            self._scripts.add(script)

    def result(self, call_id: str, text: str, *, is_error: bool, at: str = "") -> None:
        """Tell what came of a call, after the message that made it."""
        self._scripts.discard(call_id)
        self._results.append((call_id, text, is_error, at))
        if not self._blocks or (self._ledger and not self._scripts):
            self.close()

    def counted(self, ledger: TokenLedger, total: int, at: str = "") -> None:
        """Take the tokens of the message; `total`, the session's tokens so far, tells a repetition by."""
        if total == self._counted:
            return
        if self._ledger:
            self.close()
        self._counted, self._ledger, self._at = total, ledger, self._at or at
        if not self._scripts:
            self.close()

    def user(self, text: str, at: str = "") -> None:
        """Tell what the agent was told meanwhile."""
        self.close()
        self.last = self._narrator.user(text, at=at)

    def close(self) -> None:
        """Tell the message at hand as it is, and the results that wait for it."""
        blocks, ledger, results, at = self._blocks, self._ledger, self._results, self._at
        self._blocks, self._ledger, self._results, self._at = [], None, [], ""
        self._scripts.clear()
        if blocks or ledger:
            cost = price(self.model, ledger) if ledger else None
            self.cost = None if cost is None or self.cost is None else self.cost + cost
            self.last = self._narrator.assistant(blocks, ledger=ledger, model=self.model, cost_usd=cost, at=at)
            self.wants_more = any(block.type == "toolCall" for block in blocks)
            self.spoke = any(block.type == "text" and block.text.strip() for block in blocks)
        for call_id, text, is_error, when in results:
            self.last = self._narrator.result(call_id, text, is_error=is_error, at=when)
