"""Builds the turns of a session out of a request, whatever pieces its wire cuts messages into."""

from typing import Any

from workbench.traces.records import (
    AssistantTurn,
    Block,
    TextBlock,
    ThinkingBlock,
    ToolCall,
    ToolResultTurn,
    Turn,
    UserTurn,
)


class Turns:
    """Turns in the order they are added; pieces the model said one after another are one message."""

    def __init__(self) -> None:
        self._turns: list[Turn] = []
        self._said: list[Block] = []
        self._speaking = False

    def user(self, texts: list[str]) -> None:
        """What the user, or the harness in their name, said."""
        self._close()
        self._turns.append(UserTurn(turn_index=len(self._turns), content=tuple(TextBlock(text=t) for t in texts)))

    def result(self, call_id: str, texts: list[str], *, is_error: bool = False) -> None:
        """What a tool gave back."""
        self._close()
        content = tuple(TextBlock(text=text) for text in texts)
        index = len(self._turns)
        self._turns.append(ToolResultTurn(turn_index=index, tool_use_id=call_id, content=content, is_error=is_error))

    def said(self, texts: list[str]) -> None:
        """Words of the model; what is empty is left out."""
        self._speaking = True
        self._said += [TextBlock(text=text) for text in texts if text]

    def thought(self, text: str) -> None:
        """What the model kept to itself; what is empty is left out."""
        self._speaking = True
        self._said += [ThinkingBlock(text=text)] if text else []

    def called(self, call_id: str, name: str, arguments: dict[str, Any]) -> None:
        """A tool call of the model."""
        self._speaking = True
        self._said.append(ToolCall(id=call_id, name=name, arguments=arguments))

    def all(self) -> tuple[Turn, ...]:
        """The whole session."""
        self._close()
        return tuple(self._turns)

    def end_message(self) -> None:
        """The model's message is whole; what it says next is another one."""
        self._close()

    def _close(self) -> None:
        if self._speaking:
            self._turns.append(AssistantTurn(turn_index=len(self._turns), content=tuple(self._said)))
        self._said, self._speaking = [], False
