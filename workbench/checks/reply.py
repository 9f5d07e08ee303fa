"""The words text checks read, each still knowing which message it came from."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from workbench.checks.records import Evidence
from workbench.text.sanitize import clean_line
from workbench.traces.records import AssistantTurn, TextBlock, ToolCall, Trace

_QUOTE = 160
_CALLOUT = re.compile(r"^> ?\[![^\]\n]+\][^\n]*(?:\n>[^\n]*)*", re.MULTILINE)
"""A quoted block that opens with `[!note]` or the like, to its last quoted line."""

_ACKS = frozenset(
    (
        *("ok", "okay", "done", "all done", "all set", "got it", "noted", "saved", "will do", "on it", "understood"),
        *("sure", "sure thing", "great", "perfect", "sounds good", "no problem", "thanks", "thank you"),
        *("you're welcome", "right", "right away", "of course", "absolutely", "happy to help"),
    )
)
"""Short acknowledgements; a reply of nothing else says nothing to the question. Yes and no are answers."""
_PHRASE = re.compile(r"[^.!,;:…—–\n]+")
_NO_WORD = re.compile(r"[^\w\s']+")
_TAG = re.compile(r"<[^<>]*>")


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of one message's text."""

    turn: int
    start: int
    """Where it begins in that turn's text."""
    text: str


class Said:
    """Pieces of what the agent said as one text: joined by newlines, blanks around the whole removed."""

    def __init__(self, pieces: Sequence[Piece]) -> None:
        self._pieces = tuple(piece for piece in pieces if piece.text)
        joined = "\n".join(piece.text for piece in self._pieces)
        self.text = joined.strip()
        self._offset = len(joined) - len(joined.lstrip())

    def evidence(self, start: int, end: int) -> tuple[Evidence, ...]:
        """The place of a span of `text` in the message it begins in; a span over several is cut at its end.

        There is none when nothing was said.
        """
        quote = clean_line(self.text[start:end], _QUOTE)
        start, end = start + self._offset, end + self._offset
        here = 0
        for piece in self._pieces:
            if start <= here + len(piece.text):
                shift = piece.start - here
                stop = min(end, here + len(piece.text))
                return (Evidence(turn=piece.turn, start=start + shift, end=stop + shift, quote=quote),)
            here += len(piece.text) + 1
        return ()


def everything(trace: Trace) -> Said:
    """All that was said in the main session."""
    return Said([Piece(turn.turn_index, 0, turn.text) for turn in trace.assistant_turns])


def shown(trace: Trace, tags: Sequence[str]) -> Said:
    """What a chat shows of it.

    That is the text after the last tool call; of earlier text what stands in one of `tags` and the callouts, the
    rest being folded away; and the last earlier line too, when what follows the last call only acknowledges.
    """
    pieces, last_call = _blocks(trace.assistant_turns)
    earlier, closing = pieces[:last_call], pieces[last_call:]
    kept = [part for piece in earlier for part in _kept(piece, tags)]
    if _only_acks("\n".join(piece.text for piece in closing)):
        kept += [line for line in _last_line(earlier) if not any(_overlap(part, line) for part in kept)]
    return Said([*kept, *closing])


def _blocks(turns: Sequence[AssistantTurn]) -> tuple[list[Piece], int]:
    """Every text block in order, and how many of them come before the last tool call."""
    pieces: list[Piece] = []
    last_call = 0
    for turn in turns:
        here = 0
        for block in turn.content:
            if isinstance(block, TextBlock):
                pieces.append(Piece(turn.turn_index, here, block.text))
                here += len(block.text) + 1
            elif isinstance(block, ToolCall):
                last_call = len(pieces)
    return pieces, last_call


def _kept(piece: Piece, tags: Sequence[str]) -> Iterator[Piece]:
    """What a folded text still shows, each stretch once."""
    spans = [match.span() for match in _CALLOUT.finditer(piece.text)]
    if tags:
        names = "|".join(re.escape(tag) for tag in tags)
        tagged = re.compile(rf"<({names})(?:\s[^<>]*)?>(.*?)(?:</\1>|\Z)", re.DOTALL)
        spans += [match.span(2) for match in tagged.finditer(piece.text)]
    shown_to = 0
    for start, end in sorted(spans):
        if end > shown_to:
            begin = max(start, shown_to)
            yield Piece(piece.turn, piece.start + begin, piece.text[begin:end])
            shown_to = end


def _only_acks(text: str) -> bool:
    """Whether every phrase is a short acknowledgement; an empty text says nothing either."""
    plain = _TAG.sub(" ", text).lower().replace("’", "'")
    phrases = (" ".join(_NO_WORD.sub(" ", phrase).split()) for phrase in _PHRASE.findall(plain))
    return all(phrase in _ACKS for phrase in phrases if phrase)


def _last_line(pieces: Sequence[Piece]) -> list[Piece]:
    for piece in reversed(pieces):
        text = piece.text.rstrip()
        if text:
            start = text.rfind("\n") + 1
            return [Piece(piece.turn, piece.start + start, text[start:])]
    return []


def _overlap(one: Piece, other: Piece) -> bool:
    ends = one.start + len(one.text), other.start + len(other.text)
    return one.turn == other.turn and one.start < ends[1] and other.start < ends[0]
