"""A trial told as blocks: built from a trace, grown by the events of a running one."""

from collections.abc import Iterable

from workbench.traces.acts import Act
from workbench.traces.events import ChangeSeen, GuidanceLoaded, Started, TextDelta, TraceEvent, TurnAdded
from workbench.traces.records import (
    AssistantTurn,
    Change,
    Loaded,
    LoadedFile,
    Meta,
    TextBlock,
    ToolCall,
    ToolResultTurn,
    Trace,
    Turn,
    UserTurn,
)
from workbench.tui.transcript.blocks import Block, Head
from workbench.tui.transcript.calls import Call, measure_result
from workbench.tui.transcript.words import Words, shown

BAR = ("▌ ", "bar")
INDENT = ("    ", "dim")


class Story:
    """Blocks in the order they happened, and where in them each turn's words stand."""

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self.meta: Meta | None = None
        self.turns: dict[int, Turn] = {}
        self._calls: dict[str, tuple[int, Call]] = {}
        self._spans: dict[int, list[tuple[int, int, int]]] = {}
        """Turn → (block, start of its words in the turn's text or -1 for a call, start in the block's body)."""
        self._draft = ""
        """Words of the message being written; while they show, they are the last block."""
        self._drafting = False
        self._loaded: int | None = None

    def tell(self, trace: Trace) -> None:
        """Add everything a trace holds."""
        self.start(trace.meta)
        waiting = sorted(trace.loaded, key=lambda loaded: loaded.after, reverse=True)
        for turn in trace.turns:
            while waiting and waiting[-1].after < turn.turn_index:
                self.add_loaded(waiting.pop())
            self.add_turn(turn)
        for loaded in reversed(waiting):
            self.add_loaded(loaded)
        for change in trace.changes:
            self.add_change(change)

    def apply(self, event: TraceEvent) -> int:
        """Take in one live event and return the first block that is now different."""
        match event:
            case Started():
                return self.start(event.meta)
            case TurnAdded():
                return self.add_turn(event.turn)
            case TextDelta():
                return self.add_delta(event.text)
            case GuidanceLoaded():
                return self.add_loaded(event.loaded)
            case ChangeSeen():
                return self.add_change(event.change)

    def ask(self, prompt: str) -> int:
        """The question; asked again it is replaced."""
        block = Block(body=Words(shown(prompt).strip("\n")), lead=BAR, style="prompt", gap=False)
        self.blocks[:1] = [block]
        return 0

    def start(self, meta: Meta) -> int:
        """The question, and what the agent had in context before it read it."""
        if self.meta is not None:
            return len(self.blocks)
        self.meta = meta
        self.ask(meta.prompt)
        if meta.guidance:
            self._loaded = self._push(_loaded(meta.guidance))
        return 0

    def add_turn(self, turn: Turn) -> int:
        """One final message; a turn that was added before changes nothing."""
        if turn.turn_index in self.turns:
            return len(self.blocks)
        self.turns[turn.turn_index] = turn
        match turn:
            case UserTurn():
                return self._add_user(turn)
            case AssistantTurn():
                return self._add_assistant(turn)
            case ToolResultTurn():
                return self._add_result(turn)

    def add_delta(self, text: str) -> int:
        """Words of the message being written; the final message replaces them."""
        self._draft += text
        index = self._push(Block(body=Words(shown(self._draft))))
        self._drafting = True
        return index

    def add_loaded(self, loaded: Loaded) -> int:
        """Guidance that came beside the turns."""
        return self._push(_loaded(loaded.files))

    def add_change(self, change: Change) -> int:
        """A file the trial left different."""
        first = not self.blocks or self.blocks[-1].head is None or self.blocks[-1].head.style != "change"
        text = shown(change.text or "")
        lines = f"{text.count(chr(10)) + (not text.endswith(chr(10)))} lines" if text else ""
        glyph = {"created": "+", "modified": "±", "deleted": "−"}[change.kind]
        head = Head(glyph, change.kind, shown(change.path), measure=lines, style="change")
        body = Words(text.rstrip("\n")) if text else None
        return self._push(Block(head, body, style="dim", lead=INDENT, preview=0, gap=first, kinds=frozenset({"edit"})))

    def classify(self, acts: Iterable[Act]) -> None:
        """Learn what the calls did: a command may have read, searched or edited."""
        for act in acts:
            index, _ = self._calls.get(act.call_id, (None, None))
            if index is not None:
                self.blocks[index].kinds |= {act.kind}

    def say(self, text: str, style: str) -> int:
        """A line of our own under the trial, such as why it could not be measured."""
        return self._push(Block(body=Words(shown(text)), style=style, gap=bool(self.blocks)))

    @property
    def writing(self) -> bool:
        """Whether the last block is a message still being written."""
        return self._drafting

    def find(self, turn: int, start: int, end: int, quote: str) -> tuple[int, int, int] | None:
        """Where evidence shows: (block, start, end) in the block's body; start = end means the block's head."""
        told = self.turns.get(turn)
        spans = self._spans.get(turn, [])
        if told is None or not spans:
            return None
        if start < end:
            text = _text_of(told)
            begin, stop = len(shown(text[:start])), len(shown(text[:end]))
            for block, base, offset in reversed(spans):
                if 0 <= base <= begin:
                    return block, begin - base + offset, stop - base + offset
        named = shown(quote)
        holding = (block for block, *_ in spans if named and any(named in text for text in self.blocks[block].texts()))
        return next(holding, spans[0][0]), 0, 0

    def _add_user(self, turn: UserTurn) -> int:
        text = shown("\n".join(block.text for block in turn.content))
        if self.meta is not None and len(self.turns) == 1 and text.strip() == shown(self.meta.prompt).strip():
            self._spans[turn.turn_index] = [(0, 0, 0)]
            return len(self.blocks)
        block = self._push(Block(body=Words(text.rstrip("\n")), lead=BAR, style="dim"))
        self._spans[turn.turn_index] = [(block, 0, 0)]
        return block

    def _add_assistant(self, turn: AssistantTurn) -> int:
        if not turn.parent:
            self._draft = ""
        first = self._drop_draft()
        base, spans = 0, self._spans.setdefault(turn.turn_index, [])
        lead = ("│ ", "dim") if turn.parent else ("", "")
        for part in turn.content:
            if isinstance(part, TextBlock):
                text = shown(part.text)
                if text.strip():
                    spans.append((self._push(Block(body=Words(text.rstrip("\n")), lead=lead)), base, 0))
                base += len(text) + 1
            elif isinstance(part, ToolCall):
                spans.append((self._push_call(part, turn), -1, 0))
            elif part.text.strip():
                body = Words(shown(part.text).strip("\n"))
                self._push(Block(body=body, style="thinking", preview=2))
        return min(first, self._weigh(turn))

    def _push_call(self, part: ToolCall, turn: AssistantTurn) -> int:
        call = Call.of(part, self.meta.workspace if self.meta else "", inner=bool(turn.parent))
        last = self.blocks[-1] if self.blocks else None
        gap = last is None or last.head is None or last.head.style not in ("tool", "failed", "pending")
        body = Words(call.arguments) if call.arguments else None
        kinds = frozenset({call.kind} if call.kind else ())
        block = self._push(Block(call.head(), body, style="dim", lead=INDENT, preview=0, gap=gap, kinds=kinds))
        self._calls[part.id] = (block, call)
        return block

    def _add_result(self, turn: ToolResultTurn) -> int:
        index, call = self._calls.get(turn.tool_use_id, (None, None))
        text = shown(turn.text)
        if index is None or call is None:
            index = self._push(Block(Head("●", "result", measure="")))
            call = Call("result")
        block = self.blocks[index]
        arguments = f"{call.arguments}\n" if call.arguments else ""
        measure = measure_result(call.kind, text, turn)
        block.head = call.head(measure, failed=turn.is_error, loaded=[shown(file.path) for file in turn.guidance])
        words = arguments + text.rstrip("\n")
        block.body = Words(words) if words != measure else None
        block.preview = 3 if call.previews and not turn.is_error else 0
        block.style = "dim"
        block.fold()
        self._spans[turn.turn_index] = [(index, 0, len(arguments))]
        return index

    def _weigh(self, turn: AssistantTurn) -> int:
        """Write the first message's context size beside the loaded guidance; return the block that changed."""
        tokens = turn.token_ledger
        if self._loaded is None or turn.parent or not tokens.context:
            return len(self.blocks)
        head = self.blocks[self._loaded].head
        if head is None or head.measure:
            return len(self.blocks)
        head.measure = f"{'~' if tokens.estimated else ''}{tokens.context / 1000:.1f}k tokens"
        return self._loaded

    def _drop_draft(self) -> int:
        if self._drafting:
            self.blocks.pop()
            self._drafting = False
        return len(self.blocks)

    def _push(self, block: Block) -> int:
        self._drop_draft()
        self.blocks.append(block)
        return len(self.blocks) - 1


def _loaded(files: Iterable[LoadedFile]) -> Block:
    """Guidance in one line: the paths, and on opening how each was reached."""
    files = tuple(files)
    paths = [shown(file.path) for file in files]
    rest = len(paths) - 3
    names = " · ".join(paths[:3]) + (f" · {rest} more" if rest > 0 else "")
    width = max(len(path) for path in paths)
    lines = (
        f"{path:<{width}}  {file.layer}{f', by {shown(file.via)}' if file.via else ''}  {file.size:,} characters"
        for path, file in zip(paths, files, strict=True)
    )
    return Block(Head("◇", "loaded", names, style="loaded"), Words("\n".join(lines)), "dim", INDENT, preview=0)


def _text_of(turn: Turn) -> str:
    if isinstance(turn, UserTurn):
        return "\n".join(block.text for block in turn.content)
    return turn.text
