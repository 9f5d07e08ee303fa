"""The records a trace is made of; `traces.store` writes them one JSON object a line.

A trace holds what happened and nothing that was concluded from it: acts and verdicts are
recomputed, so a stored run can be regraded.
"""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from workbench.text.plain import Plain, plain

Layer = Literal["always", "conditional", "referenced", "present", "outside", "absent"]
"""How an engine reaches a guidance file; loaded ones are always or conditional."""


class Record(BaseModel):
    """Base of everything on a trace line: immutable, camelCase on disk, unknown keys refused."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", alias_generator=to_camel, populate_by_name=True, serialize_by_alias=True
    )


class LoadedFile(Record):
    """One guidance file that reached the agent's context, and how."""

    path: Plain
    """Box-relative, with forward slashes; absolute when it lies outside the box."""
    layer: Layer
    via: Plain = ""
    """What brought it in: an importing file, a matched glob, the folder that was read; empty for a root file."""
    size: int = 0
    """Characters of its text."""
    text: Plain = ""
    """What was loaded, so that placement can be judged later without the box."""


class Meta(Record):
    """The first line: who was asked, where, and with what already in context."""

    type: Literal["meta"] = "meta"
    engine: Plain
    engine_version: Plain = ""
    model: Plain = ""
    workspace: str
    """Absolute path the trial ran in; paths in tool calls resolve against it."""
    cwd: Plain = "."
    """Box-relative folder the agent was started in."""
    guidance: tuple[LoadedFile, ...] = ()
    prompt: Plain
    prompt_hash: str = ""
    """`sha256:` and the hex digest of the prompt."""
    tools: tuple[Plain, ...] = ()
    """Names of the tools the agent was offered."""
    records_edits: bool = True
    """Whether this engine's stream shows edits at all; without it `read_before_edit` is unmeasured."""
    started_at: str = ""
    session: Plain = ""
    """The engine's own id of the session; empty when it has none."""
    notes: tuple[Plain, ...] = ()
    """What limits this measurement, such as a confinement that was not to be had."""
    links: dict[str, str] = {}
    """Box-relative link → the box-relative path it led to when the trial began: how acts are read later."""


class TextBlock(Record):
    """Words the agent said."""

    type: Literal["text"] = "text"
    text: Plain


class ThinkingBlock(Record):
    """Words the agent kept to itself; never part of the reply."""

    type: Literal["thinking"] = "thinking"
    text: Plain


class ToolCall(Record):
    """One tool call inside an assistant message; its result is the toolResult turn with the same id."""

    type: Literal["toolCall"] = "toolCall"
    id: Plain
    name: Plain
    arguments: Annotated[dict[str, Any], AfterValidator(plain)] = {}


Block = Annotated[TextBlock | ThinkingBlock | ToolCall, Field(discriminator="type")]


class TokenLedger(BaseModel):
    """Tokens of one assistant message. Snake case on disk; `estimated` when no provider counted them."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    input: int = 0
    cache_read: int = 0
    cache_creation: int = 0
    output: int = 0
    estimated: bool = False

    @property
    def context(self) -> int:
        """Tokens loaded for this message: everything but the output."""
        return self.input + self.cache_read + self.cache_creation


class _Turn(Record):
    type: Literal["turn"] = "turn"
    turn_index: int
    started_at: str = ""
    duration_ms: int = 0
    parent: Plain = ""
    """Tool-call id of the sub-agent this message belongs to; empty in the main session."""


class UserTurn(_Turn):
    """What the agent was told: the prompt, or text its harness put in."""

    role: Literal["user"] = "user"
    content: tuple[TextBlock, ...]


class AssistantTurn(_Turn):
    """One model message, whatever the engine streamed."""

    role: Literal["assistant"] = "assistant"
    content: tuple[Block, ...]
    token_ledger: TokenLedger = TokenLedger()
    model: Plain = ""
    """The model that served it, where the engine tells."""
    cost_usd: float | None = None
    """What this message cost; None when nobody can tell."""

    @property
    def text(self) -> str:
        """The text blocks, joined by newlines."""
        return "\n".join(block.text for block in self.content if isinstance(block, TextBlock))

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """The tool calls, in order."""
        return tuple(block for block in self.content if isinstance(block, ToolCall))


class ToolResultTurn(_Turn):
    """What a tool gave back, and guidance that arrived with it."""

    role: Literal["toolResult"] = "toolResult"
    tool_use_id: Plain
    content: tuple[TextBlock, ...]
    is_error: bool = False
    guidance: tuple[LoadedFile, ...] = ()

    @property
    def text(self) -> str:
        """The result's text, joined by newlines."""
        return "\n".join(block.text for block in self.content)


Turn = Annotated[UserTurn | AssistantTurn | ToolResultTurn, Field(discriminator="role")]


class Loaded(Record):
    """Guidance that reached the agent though no turn shows it: told by the engine's own transcript on the disk."""

    type: Literal["loaded"] = "loaded"
    files: tuple[LoadedFile, ...]
    after: int = -1
    """`turnIndex` of the last turn before it came; -1 when it was there from the start."""


class Change(Record):
    """A file the trial left new, different or gone, against the workspace it started from."""

    type: Literal["change"] = "change"
    path: Plain
    kind: Literal["created", "modified", "deleted"]
    sha256: str = ""
    text: Plain | None = None
    """Content up to 256 KB when it is text; longer or binary content is a blob named by its hash."""


class Assertions(Record):
    """The closing line of a recorded fixture; kept as read, judged elsewhere."""

    type: Literal["assertions"] = "assertions"
    assertions: tuple[dict[str, Any], ...] = ()


class Trace(BaseModel):
    """A whole trace in memory: `turns` ascending by `turn_index`, `changes` sorted by path."""

    model_config = ConfigDict(frozen=True)

    meta: Meta
    turns: tuple[Turn, ...] = ()
    loaded: tuple[Loaded, ...] = ()
    changes: tuple[Change, ...] = ()
    assertions: Assertions | None = None

    @property
    def assistant_turns(self) -> tuple[AssistantTurn, ...]:
        """The main session's model messages."""
        return tuple(t for t in self.turns if isinstance(t, AssistantTurn) and not t.parent)

    @property
    def guidance(self) -> tuple[LoadedFile, ...]:
        """All guidance that reached the agent, in order: what was loaded at the start, then what came later."""
        results = (turn for turn in self.turns if isinstance(turn, ToolResultTurn))
        later = [(turn.turn_index, file) for turn in results for file in turn.guidance]
        later += [(loaded.after, file) for loaded in self.loaded if loaded.after >= 0 for file in loaded.files]
        return (*self.initial_guidance, *(file for _, file in sorted(later, key=lambda pair: pair[0])))

    @property
    def initial_guidance(self) -> tuple[LoadedFile, ...]:
        """The guidance that was in context before the first word."""
        return (*self.meta.guidance, *(file for loaded in self.loaded if loaded.after < 0 for file in loaded.files))

    @property
    def reply(self) -> str:
        """All text the main session said, in order, joined by newlines and trimmed: what text checks read."""
        return "\n".join(t.text for t in self.assistant_turns if t.text).strip()
