"""Words of a shell command as the shell would make them, as far as can be known without running anything."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

UNKNOWN = "\0"
"""Stands in a word for what only the shell could know; no file name can hold it."""

_MOST = 64
"""Words that one brace expansion may make."""
_LONGEST = 65_536
"""Characters of a word put together from several parts."""

_NAME = re.compile(r"\$\{?([A-Za-z_]\w*|[0-9@*])\}?")
_ESCAPED = re.compile(r"\\(\n|.)", re.DOTALL)
_QUOTED_ESCAPE = re.compile(r'\\([\n"\\$`])')
_BRACES = re.compile(r"\{([^{}]*)\}")
_RANGE = re.compile(r"(-?\d+)\.\.(-?\d+)")
_WILD = re.compile(r"[*?]|\[[^\]]+\]")
_ANSI = {"n": "\n", "t": "\t", "\\": "\\", "'": "'", '"': '"', "r": "\r"}


@dataclass(frozen=True, slots=True)
class Word:
    """One word after expansion; it is exact unless it holds UNKNOWN, or `glob` says it has wildcards."""

    text: str
    glob: bool = False

    @property
    def known(self) -> bool:
        """Whether every character of it is certain."""
        return UNKNOWN not in self.text


@dataclass(frozen=True, slots=True)
class _Piece:
    text: str
    quoted: bool = False
    glob: bool = False


Lookup = Callable[[str], Word | None]
"""The value of a variable, or None when it is not known."""

Substitute = Callable[["Node"], str]
"""What a command substitution prints, or UNKNOWN; it also takes note of the commands inside."""


class Words:
    """Turns syntax nodes of one source into words."""

    def __init__(self, source: bytes, lookup: Lookup, substitute: Substitute) -> None:
        self._source, self._lookup, self._substitute = source, lookup, substitute

    def expand(self, node: "Node") -> list[Word]:
        """The words a node becomes: usually one, several for braces, none for an empty expansion."""
        if node.type == "simple_expansion" and (value := self._variable(node)) is not None:
            return [Word(part, value.glob) for part in value.text.split()]
        return [_word(pieces) for pieces in _braced(list(self._pieces(node)))]

    def one(self, node: "Node") -> Word:
        """The single word a node becomes where the shell splits nothing, as in an assignment."""
        return _word(list(self._pieces(node)))

    def source(self, node: "Node") -> str:
        """The node's own text."""
        return self._source[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def _pieces(self, node: "Node") -> Iterator[_Piece]:
        text = self.source(node)
        match node.type:
            case "concatenation" | "command_name":
                for child in node.children:
                    yield from self._pieces(child)
            case "raw_string":
                yield _Piece(text[1:-1] if text.endswith("'") else text[1:], quoted=True)
            case "ansi_c_string":
                yield _Piece(_ESCAPED.sub(lambda m: _ANSI.get(m[1], m[0]), text[2:-1]), quoted=True)
            case "string" | "translated_string":
                yield from self._string(node)
            case "simple_expansion" | "expansion":
                value = self._variable(node)
                yield _Piece(value.text, glob=value.glob, quoted=True) if value else _Piece(UNKNOWN)
            case "command_substitution" | "process_substitution":
                yield _Piece(self._substitute(node), quoted=True)
            case "arithmetic_expansion" | "array" | "subscript":
                yield _Piece(UNKNOWN)
            case _:
                yield from _bare(text)

    def _string(self, node: "Node") -> Iterator[_Piece]:
        # The grammar leaves some blanks inside quotes to no node at all, so take what lies between the expansions.
        inner = next((child for child in node.children if child.type == "string"), node)
        here, end = inner.start_byte + 1, inner.end_byte
        if self._source[end - 1 : end] == b'"' and end > here:
            end -= 1
        for child in inner.named_children:
            if child.type == "string_content":
                continue
            yield self._between(here, child.start_byte)
            for piece in self._pieces(child):
                yield _Piece(piece.text, quoted=True, glob=piece.glob)
            here = child.end_byte
        yield self._between(here, end)

    def _between(self, start: int, end: int) -> _Piece:
        text = self._source[start:end].decode("utf-8", "replace")
        return _Piece(_QUOTED_ESCAPE.sub(lambda m: "" if m[1] == "\n" else m[1], text), quoted=True)

    def _variable(self, node: "Node") -> Word | None:
        name = _NAME.fullmatch(self.source(node))
        return self._lookup(name[1]) if name else None


def _bare(text: str) -> Iterator[_Piece]:
    """Unquoted text: escaped characters are literal, and a leading tilde is a folder we do not know."""
    if text.startswith("~"):
        yield _Piece(UNKNOWN)
        text = text.lstrip("~")
    here = 0
    for escape in _ESCAPED.finditer(text):
        yield _Piece(text[here : escape.start()])
        yield _Piece("" if escape[1] == "\n" else escape[1], quoted=True)
        here = escape.end()
    yield _Piece(text[here:])


def _word(pieces: list[_Piece]) -> Word:
    if len(pieces) > 1 and sum(len(piece.text) for piece in pieces) > _LONGEST:
        return Word(UNKNOWN)
    wild = any(piece.glob or (not piece.quoted and _WILD.search(piece.text)) for piece in pieces)
    return Word("".join(piece.text for piece in pieces), wild)


def _braced(pieces: list[_Piece]) -> list[list[_Piece]]:
    """Expand `{a,b}` and `{1..3}` that stand unquoted in one stretch of text."""
    done: list[list[_Piece]] = []
    pending = [_merged(pieces)]
    while pending:
        word = pending.pop(0)
        spot = next(((i, m) for i, p in enumerate(word) if not p.quoted and (m := _choice(p.text))), None)
        if spot is None or len(done) + len(pending) > _MOST:
            done.append(word)
            continue
        index, (found, options) = spot
        text = word[index].text
        before, after = text[: found.start()], text[found.end() :]
        pending[:0] = [
            _merged([*word[:index], _Piece(before + option + after), *word[index + 1 :]]) for option in options[:_MOST]
        ]
    return done


def _choice(text: str) -> tuple[re.Match[str], list[str]] | None:
    for found in _BRACES.finditer(text):
        if "," in found[1]:
            return found, found[1].split(",")
        if limits := _RANGE.fullmatch(found[1]):
            first, last = int(limits[1]), int(limits[2])
            if abs(last - first) < _MOST:
                step = 1 if last >= first else -1
                return found, [str(number) for number in range(first, last + step, step)]
    return None


def _merged(pieces: list[_Piece]) -> list[_Piece]:
    """Join neighbouring unquoted pieces, which the grammar cuts at braces."""
    merged: list[_Piece] = []
    for piece in pieces:
        if merged and not piece.quoted and not merged[-1].quoted and UNKNOWN not in (piece.text, merged[-1].text):
            merged[-1] = _Piece(merged[-1].text + piece.text)
        else:
            merged.append(piece)
    return merged
