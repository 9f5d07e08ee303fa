"""A report's Markdown as lines to paint: the few forms our own reports are made of; all else is shown as text."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from workbench.tui.looks import OUTCOMES

_SIGNS = {look.glyph: look.color for look in OUTCOMES.values()}
_LABEL = re.compile(r"\*\*([^*]+):\*\*\s*")
_HEAD = re.compile(r"([A-Z][A-Za-z ]*): ")
_FENCE = re.compile(r"(> )?(`{3,})(\w*)")
_PIECE = re.compile(r"\\(.)|(`+) ?(.+?) ?\2(?!`)|([^\\`]+|`+|\\)")
_CELLS = re.compile(r"(?<!\\)\|")

Span = tuple[str, str]
"""A piece of text and the name of its style."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line before it is wrapped: what is not repeated where it wraps, and its words."""

    lead: Span = ("", "text")
    body: tuple[Span, ...] = ()

    @property
    def text(self) -> str:
        """The words alone."""
        return "".join(text for text, _ in self.body)


def lines(markdown: str) -> Iterator[Line]:
    """The lines of a report or of a part of one."""
    closing = bar = ""
    for raw in markdown.split("\n"):
        fence = _FENCE.fullmatch(raw)
        if closing:
            if raw == closing:
                closing = ""
            else:
                yield _fenced(raw, bar)
        elif fence:
            bar = fence[1] or ""
            closing = bar + fence[2]
        elif raw == "---":
            continue  # parts are told apart by the screen
        elif raw.startswith("| "):
            yield from _table(raw)
        else:
            yield _line(raw.rstrip())


def _fenced(raw: str, bar: str) -> Line:
    if bar:
        return Line(("▎ ", "bar"), ((raw.removeprefix(bar.rstrip()).removeprefix(" "), "text"),))
    key, colon, value = raw.partition(":")
    if colon and key.isalpha():
        return Line(("│ ", "rule"), ((f"{key:<9}", "dim"), (value.strip(), "text")))
    return Line(("│ ", "rule"), ((raw, "text"),))


def _line(raw: str) -> Line:
    if raw.startswith("#"):
        return Line(body=((_plain(raw.lstrip("# ")), "heading"),))
    if raw.startswith("  - hint: "):
        return Line(("    ↳ ", "attention"), ((_plain(raw.removeprefix("  - hint: ")), "dim"),))
    if raw.startswith("- "):
        sign, rest = raw[2:3], raw[2:]
        if sign in _SIGNS and raw[3:4] == " ":
            return Line((f"  {sign} ", _SIGNS[sign]), _inline(rest[2:]))
        named, colon, value = rest.partition(": ")
        return Line((f"  {named:<16}", "dim"), _inline(value)) if colon else Line(("  ", "text"), _inline(rest))
    if label := _LABEL.match(raw):
        rest = raw[label.end() :]
        return Line((f"{label[1]}  ", "label"), ((rest[:1], _SIGNS.get(rest[:1], "text")), *_inline(rest[1:])))
    if head := _HEAD.match(raw):
        return Line((f"{head[1]:<16}", "dim"), _inline(raw[head.end() :]))
    return Line(body=_inline(raw))


def _table(raw: str) -> Iterator[Line]:
    first, *rest = (cell.strip() for cell in _CELLS.split(raw)[1:-1])
    if set(first) != {"-"}:
        yield Line(
            ("  ", "text"), ((f"{_plain(first):<44}", "text"), ("".join(f"{_plain(c):>14}" for c in rest), "dim"))
        )


def _inline(text: str) -> tuple[Span, ...]:
    """Running text: escapes are taken off, code spans are told apart."""
    spans = []
    for escaped, _, code, plain in _PIECE.findall(text):
        spans.append((code, "code") if code else (escaped or plain, "text"))
    return tuple(spans)


def _plain(text: str) -> str:
    return "".join(piece for piece, _ in _inline(text))
