"""The lines of a ledger: whose rows lie where, found by indentation, so that a damaged row harms no other one."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from workbench.corpus.yaml12 import MappingNode, ScalarNode, YamlError, compose

STEP = 2
_MARKER = re.compile(r"(?:<{7}|\|{7}|={7}|>{7})(?: |$)")
_NOTHING = ("", "---", "...")


@dataclass
class Block:
    """The rows of one audit in one box. Line numbers start at 0; `end` is the line behind its last one."""

    box: str
    audit: str
    line: int
    indent: int
    inline: bool
    """Whether something stands on the key's own line, where rows below cannot follow."""
    end: int
    body: list[int] = field(default_factory=list)
    """Its lines below the key that say something."""


@dataclass
class Box:
    """A top-level key and the blocks below it."""

    name: str
    inline: bool
    end: int
    indent: int = 0
    """Of its audits; 0 while it has none."""
    blocks: list[Block] = field(default_factory=list)


@dataclass(frozen=True)
class Outline:
    """A whole ledger: `lines` with their ends, the boxes in order, and the lines that are none of theirs."""

    lines: tuple[str, ...]
    boxes: tuple[Box, ...]
    strays: tuple[int, ...]
    conflict: int | None
    """The first line that git left of a merge; None when there is none."""

    @property
    def blocks(self) -> Iterator[Block]:
        """All blocks, in file order."""
        return (block for box in self.boxes for block in box.blocks)

    def text(self, numbers: Sequence[int]) -> str:
        """Some lines, joined."""
        return "".join(self.lines[number].rstrip("\r\n") + "\n" for number in numbers)


def outline(text: str) -> Outline:
    """Find boxes, audits and rows in a ledger's text. Never raises: what cannot be placed is a stray."""
    lines = tuple(re.findall(r"[^\n]*\n|[^\n]+", text))
    reader = _Reader()
    for number, line in enumerate(lines):
        reader.take(number, line.rstrip("\r\n"))
    return Outline(lines, tuple(reader.boxes), tuple(reader.strays), reader.conflict)


def key_of(text: str) -> tuple[str, bool] | None:
    """The key a line of YAML holds, and whether a value stands behind it; None when it is no such line."""
    try:
        node = compose(text)
    except YamlError:
        return None
    if not isinstance(node, MappingNode) or len(node.value) != 1:
        return None
    key, value = node.value[0]
    if not isinstance(key, ScalarNode):
        return None
    return key.value, not (isinstance(value, ScalarNode) and value.value == "")


def is_item(said: str) -> bool:
    """Whether a line without its indentation begins an item of a list."""
    return said.startswith("- ") or said == "-"


class _Reader:
    """Takes the lines in order."""

    def __init__(self) -> None:
        self.boxes: list[Box] = []
        self.strays: list[int] = []
        self.conflict: int | None = None

    def take(self, number: int, line: str) -> None:
        """Take in the next line, counted from the file's first."""
        said = line.lstrip(" ")
        if _MARKER.match(line):
            self.conflict = number if self.conflict is None else self.conflict
        elif said in _NOTHING or said.startswith("#"):
            return
        elif not self._placed(number, said, len(line) - len(said)):
            self.strays.append(number)

    def _placed(self, number: int, said: str, indent: int) -> bool:
        if indent == 0:
            key = key_of(said)
            if key:
                self.boxes.append(Box(*key, end=number + 1))
            return key is not None
        box = self.boxes[-1] if self.boxes else None
        if box is None or indent < box.indent:
            return False
        if indent == (box.indent or indent) and not is_item(said):
            key = key_of(said)
            if key is None:
                return False
            box.blocks.append(Block(box.name, key[0], number, indent, key[1], end=number + 1))
        elif box.blocks:
            box.blocks[-1].body.append(number)
            box.blocks[-1].end = number + 1
        else:
            return False
        box.indent, box.end = box.indent or indent, number + 1
        return True
