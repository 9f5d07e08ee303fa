"""The comment lines of a YAML text: what stands between the values, never what only looks like a comment inside one."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from workbench.corpus.yaml12 import BREAK, MappingNode, Node, ScalarNode, SequenceNode

HEADER = re.compile(r"#+\s*={3,}\s*([^=\s].*?)\s*={3,}")
"""A section header, matched at a comment's `#`; a divider of nothing but `=` is none."""

_PROPERTIES = re.compile(r"(?:[&!]\S*(?:\s|#[^\n\r\x85\u2028\u2029]*)*)*")
"""An anchor and a tag, with the comments that may stand between them and what they are about."""


@dataclass(frozen=True, slots=True)
class Comment:
    """A line that holds nothing but a comment; `line` starts at 0."""

    line: int
    indent: str
    text: str
    """From its `#` to the end of the line."""

    @property
    def body(self) -> str:
        """Without the comment mark and the space after it."""
        return self.text.lstrip("#").removeprefix(" ").rstrip()

    @property
    def title(self) -> str | None:
        """The section's title when this is a header."""
        found = HEADER.match(self.text)
        return found[1] if found else None


class Lines:
    """A text's lines as YAML counts them; numbers start at 0, as the marks of nodes do."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._ends = [(found.start(), found.end()) for found in BREAK.finditer(text)]
        self.starts = [0, *(end for _, end in self._ends)]
        """Where each line starts; a text that ends with a break has an empty last line."""

    def __len__(self) -> int:
        return len(self.starts)

    def __getitem__(self, line: int) -> str:
        """The line without its break."""
        return self.text[self.starts[line] : self.end(line)]

    def end(self, line: int) -> int:
        """Where the line's text ends and its break starts."""
        return self._ends[line][0] if line < len(self._ends) else len(self.text)

    def number(self, index: int) -> int:
        """The line a character stands on."""
        return bisect_right(self.starts, index) - 1

    def line_break(self, line: int) -> str:
        """The break after a line; empty at the end of a text without one."""
        return self.text[slice(*self._ends[line])] if line < len(self._ends) else ""


def find_comments(lines: Lines, root: Node | None) -> tuple[Comment, ...]:
    """Every comment line outside the values of a document, top to bottom."""
    inside = {line for node in _scalars(root) for line in _lines_within(lines, node)}
    found = []
    for number in range(len(lines)):
        line = lines[number]
        text = line.lstrip(" \t")
        if text.startswith("#") and number not in inside:
            found.append(Comment(number, line[: len(line) - len(text)], text))
    return tuple(found)


def _scalars(root: Node | None) -> Iterator[ScalarNode]:
    """The scalars of more than one line, each once."""
    waiting, seen = [root] if root is not None else [], set()
    while waiting:
        node = waiting.pop()
        if isinstance(node, ScalarNode):
            if node.end_mark.line > node.start_mark.line:
                yield node
        elif id(node) not in seen:
            seen.add(id(node))
            if isinstance(node, MappingNode):
                waiting.extend(part for pair in node.value for part in pair)
            elif isinstance(node, SequenceNode):
                waiting.extend(node.value)


def _lines_within(lines: Lines, node: ScalarNode) -> range:
    """The lines whose start lies inside the scalar."""
    properties = _PROPERTIES.match(lines.text, node.start_mark.index)
    first = lines.number(properties.end() if properties else node.start_mark.index) + 1
    if node.style not in ("|", ">"):
        return range(first, node.end_mark.line + 1 if node.value or node.style else first)
    # The end mark of a block scalar lies behind the comments that follow it. Its text ends where a line is indented
    # less than the first one, whose indentation beyond the block's is part of the value.
    first_value = next((part for part in BREAK.split(node.value) if part.strip(" ")), None)
    start = next((n for n in range(first, len(lines)) if lines[n].strip(" ")), None)
    if first_value is None or start is None:
        return range(0)
    indent = _indent(lines[start]) - _indent(first_value)
    end = start
    while end < len(lines) and (not lines[end].strip(" ") or _indent(lines[end]) >= indent):
        end += 1
    return range(first, end)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))
