"""YAML read by the rules of version 1.2: plain JSON-like values, with positions, and errors a human can act on.

The one loader of the workbench. PyYAML's C parser does the parsing; what a plain scalar *means* is decided here by the
core schema (`017` is seventeen, `0o17` fifteen, `on`, `1:30` and `2026-08-22` are strings, `<<` is an ordinary key),
because a corpus is shared with tools that read YAML 1.2.
"""

import re
from collections.abc import Callable, Iterator
from typing import Any

import yaml

from workbench.corpus.advice import advise

Node = yaml.Node
MappingNode = yaml.MappingNode
ScalarNode = yaml.ScalarNode
SequenceNode = yaml.SequenceNode

_TAG = "tag:yaml.org,2002:"
_MOST_NODES = 1_000_000
"""More than any human writes; a few nested aliases reach it and would fill the memory of whoever walks the value."""

BREAK = re.compile("\r\n|[\n\r\x85\u2028\u2029]")
"""What ends a line for YAML; more than for an editor."""

UNREADABLE = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters no YAML file may hold."""


class YamlError(ValueError):
    """YAML that cannot be read: what is wrong, where (both numbers start at 1), and what to do about it."""

    def __init__(self, message: str, line: int = 1, column: int = 1, fix: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.line = line
        self.column = column
        self.fix = fix


class Loader(yaml.CSafeLoader):
    """PyYAML's C loader with the core schema's idea of which plain scalars are not strings."""

    yaml_implicit_resolvers = {}  # noqa: RUF012  # PyYAML keeps the table on the class


_CORE: tuple[tuple[str, str, str], ...] = (
    ("null", "~nN\0", r"(?:~|null|Null|NULL|)\Z"),
    ("bool", "tTfF", r"(?:true|True|TRUE|false|False|FALSE)\Z"),
    ("int", "-+0123456789", r"(?:[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+)\Z"),
    ("float", "-+.0123456789", r"(?:[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?)\Z"),
    ("float", "-+.", r"(?:[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))\Z"),
)
_PATTERNS: dict[str, list[re.Pattern[str]]] = {}
for _name, _first, _pattern in _CORE:
    _PATTERNS.setdefault(_name, []).append(re.compile(_pattern))
    Loader.add_implicit_resolver(_TAG + _name, _PATTERNS[_name][-1], [c if c != "\0" else "" for c in _first])


def compose(text: str) -> Node | None:
    """Parse one document into nodes with positions; None when there is nothing but comments. Raises YamlError.

    A byte-order mark must be gone already: with one, every index would be off by one.
    """
    if bad := UNREADABLE.search(text):
        line, column = locate(text, bad.start())
        raise YamlError(f"the character U+{ord(bad[0]):04X} is not allowed in YAML", line, column, "delete it")
    try:
        loader = Loader(text)
        try:
            node: Node | None = loader.get_single_node()
        finally:
            loader.dispose()
    except yaml.MarkedYAMLError as error:
        raise _explained(error, text) from None
    except (RecursionError, yaml.YAMLError) as error:
        raise YamlError(f"this cannot be read as YAML: {error}") from None
    return node


def construct(node: Node) -> Any:
    """Turn a node into plain values: dict, list, str, int, float, bool, None. Raises YamlError.

    Aliases share one value, as they share one node. Of duplicate keys the first holds; see `duplicate_keys`.
    """
    try:
        return _Builder().build(node)
    except RecursionError:
        raise error_at(node, "this is nested too deeply", "flatten it") from None


def load(text: str) -> Any:
    """Read one document as plain values; None for an empty one. Raises YamlError."""
    node = compose(text.removeprefix("\ufeff"))
    return None if node is None else construct(node)


def pairs(node: MappingNode) -> Iterator[tuple[Any, Node, Node, bool]]:
    """Each key of a mapping as value, its node, the value's node, and whether an equal key stood before it."""
    seen: set[Any] = set()
    for key_node, value_node in node.value:
        key = construct(key_node) if key_node.tag != _TAG + "str" else key_node.value
        if isinstance(key, (dict, list)):
            raise error_at(key_node, "a list or a mapping cannot be a key", "quote it if it is text")
        yield key, key_node, value_node, key in seen
        seen.add(key)


def duplicate_keys(node: Node) -> Iterator[tuple[Any, Node]]:
    """Every key anywhere below a node whose mapping holds an equal one before it, with its node."""
    waiting, seen = [node], set()
    while waiting:
        here = waiting.pop()
        if id(here) in seen or isinstance(here, ScalarNode):
            continue
        seen.add(id(here))
        if isinstance(here, MappingNode):
            for key, key_node, value_node, again in pairs(here):
                waiting.append(value_node)
                if again:
                    yield key, key_node
        elif isinstance(here, SequenceNode):
            waiting.extend(here.value)


def error_at(node: Node, message: str, fix: str = "") -> YamlError:
    """An error about a node, at its start."""
    return YamlError(message, node.start_mark.line + 1, node.start_mark.column + 1, fix)


def locate(text: str, index: int) -> tuple[int, int]:
    """Line and column of a character, both from 1, counted as YAML counts."""
    line, start = 1, 0
    for found in BREAK.finditer(text, 0, index):
        line, start = line + 1, found.end()
    return line, index - start + 1


class _Builder:
    """Builds one value; remembers what aliased nodes became and how much it all unfolds to."""

    def __init__(self) -> None:
        self._done: dict[int, tuple[Any, int]] = {}
        self._open: set[int] = set()
        self._size = 0

    def build(self, node: Node) -> Any:
        """The plain value of a node and all below it."""
        self._size += 1
        if isinstance(node, ScalarNode):
            return node.value if node.tag == _TAG + "str" else _scalar(node)
        if id(node) in self._done:
            value, size = self._done[id(node)]
            self._grow(node, size)
            return value
        if id(node) in self._open:
            raise error_at(node, "this value holds itself through an alias", "write it out")
        self._open.add(id(node))
        before = self._size
        value = self._mapping(node) if isinstance(node, MappingNode) else self._sequence(node)
        self._open.discard(id(node))
        self._done[id(node)] = value, self._size - before
        return value

    def _grow(self, node: Node, size: int) -> None:
        self._size += size
        if self._size > _MOST_NODES:
            raise error_at(node, f"this unfolds through its aliases to more than {_MOST_NODES:,} values", "write less")

    def _mapping(self, node: MappingNode) -> dict[Any, Any]:
        _expect_tag(node, "map")
        made: dict[Any, Any] = {}
        for key, _, value_node, again in pairs(node):
            if not again:
                made[key] = self.build(value_node)
        return made

    def _sequence(self, node: Node) -> list[Any]:
        _expect_tag(node, "seq")
        return [self.build(item) for item in node.value]


def _expect_tag(node: Node, name: str) -> None:
    if node.tag != _TAG + name:
        raise error_at(node, f"the tag {_short(node.tag)} is not known here", "remove it")


def _scalar(node: ScalarNode) -> Any:
    name = node.tag.removeprefix(_TAG)
    make = _MAKERS.get(name)
    if make is None:
        raise error_at(node, f"the tag {_short(node.tag)} is not known here", "remove it")
    if not any(pattern.match(node.value) for pattern in _PATTERNS[name]):
        raise error_at(node, f"{node.value[:40]!r} is not of the type {_short(node.tag)}", "remove the tag")
    try:
        return make(node.value)
    except ValueError:  # Python refuses to read integers of thousands of digits
        raise error_at(node, "this number is too large", "quote it if it is text") from None


def _integer(text: str) -> int:
    return int(text, 8 if text.startswith("0o") else 16 if text.startswith("0x") else 10)


def _float(text: str) -> float:
    return float(text.lower().replace(".inf", "inf").replace(".nan", "nan"))


_MAKERS: dict[str, Callable[[str], Any]] = {
    "null": lambda text: None,
    "bool": lambda text: text.lower() == "true",
    "int": _integer,
    "float": _float,
}


def _short(tag: str) -> str:
    return "!!" + tag.removeprefix(_TAG) if tag.startswith(_TAG) else tag


def _explained(error: yaml.MarkedYAMLError, text: str) -> YamlError:
    mark = error.problem_mark or error.context_mark
    if mark is None:
        return YamlError(f"this cannot be read as YAML: {error.problem}")
    message, fix, mark = advise(error, text, mark)
    return YamlError(message, mark.line + 1, mark.column + 1, fix)
