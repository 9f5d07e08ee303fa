"""The walk over a parsed command line, keeping what a shell keeps: a folder, variables, functions."""

import posixpath
import re
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from workbench.text.shell import Command, tree
from workbench.text.shell_words import UNKNOWN, Word, Words
from workbench.text.shell_wrappers import unwrap

if TYPE_CHECKING:
    from tree_sitter import Node

_DEEPEST = 60
_MOST_STEPS = 20_000
_MOST_WORDS = 4_000
_LONGEST_VALUE = 4_096
_MOST_TURNS = 32
"""Values of a `for` loop that are followed one by one."""
_SECONDS = 2.0
"""All the time one line may take; only hostile ones come near it."""

_BRANCHES = frozenset({"elif_clause", "else_clause", "case_item"})


@dataclass(slots=True)
class State:
    """What a shell remembers between commands; None for a folder or value that is not known."""

    cwd: str | None
    previous: str | None = None
    values: dict[str, Word | None] = field(default_factory=dict)

    def copy(self) -> "State":
        """A subshell's own state."""
        return State(self.cwd, self.previous, dict(self.values))

    def agree(self, other: "State") -> None:
        """Keep only what holds whichever of two ways was taken."""
        if self.cwd != other.cwd:
            self.cwd = None
        for name in self.values.keys() | other.values.keys():
            if self.values.get(name) != other.values.get(name):
                self.values[name] = None


@dataclass(frozen=True, slots=True)
class _Around:
    """What surrounds a command: a pipe, a branch, redirections."""

    piped: bool = False
    conditional: bool = False
    reads: tuple[Word, ...] = ()
    writes: tuple[Word, ...] = ()
    stdin_text: str = ""


class Walk:
    """Collects the simple commands of some source into `commands`."""

    def __init__(self, cwd: str | None) -> None:
        self.state = State(cwd)
        self.commands: list[Command] = []
        self._functions: dict[str, tuple[Node, bytes]] = {}
        self._depth = self._steps = 0
        self._deadline = time.monotonic() + _SECONDS
        self._words = Words(b"", self._lookup, self._substitute)
        self._source = b""

    def text(self, source: str, around: _Around = _Around()) -> None:
        """Follow a source text in the present state."""
        if parsed := tree(source.encode("utf-8", "replace"), self._deadline):
            self._within(parsed[1], parsed[0].root_node, around)

    def _within(self, source: bytes, node: "Node", around: _Around) -> None:
        outer = self._words, self._source
        self._words, self._source = Words(source, self._lookup, self._substitute), source
        self._walk(node, around)
        self._words, self._source = outer

    def _walk(self, node: "Node", around: _Around) -> None:
        self._steps += 1
        if self._depth > _DEEPEST or self._steps > _MOST_STEPS or time.monotonic() > self._deadline:
            return
        self._depth += 1
        if handle := getattr(self, f"_on_{node.type}", None):
            handle(node, around)
        else:
            self._all(node.named_children, around)
        self._depth -= 1

    def _all(self, nodes: Iterable["Node"], around: _Around) -> None:
        for node in nodes:
            self._walk(node, around)

    # Each of these follows one kind of syntax node.

    def _on_command(self, node: "Node", around: _Around) -> None:
        words: list[Word] = []
        for child in node.named_children:
            if child.type == "variable_assignment":
                continue
            if child.type.endswith("_redirect"):
                around, extra = self._redirected(child, around)
                words += extra
            elif len(words) < _MOST_WORDS:
                words += self._words.expand(child)
        self._simple(words, around)

    def _on_redirected_statement(self, node: "Node", around: _Around) -> None:
        body = node.child_by_field_name("body")
        inner, words, after = around, [], []
        for child in node.children_by_field_name("redirect"):
            inner, extra = self._redirected(child, inner)
            words += extra
            after += _after_heredoc(child)
        last = body.named_children[-1] if body and body.type == "pipeline" else body
        if body is None or last is None or last.type != "command":
            self._simple([], inner)
            if body:
                self._walk(body, around)
        elif body.type == "pipeline":
            self._pipeline(body, around, inner)
        else:
            self._command_with(body, words, inner)
        for part in after:
            self._walk(part, replace(around, piped=part.type == "pipeline"))

    def _command_with(self, node: "Node", extra: list[Word], around: _Around) -> None:
        # Words after a redirection's target still belong to the command.
        names = [child for child in node.named_children if not child.type.endswith(("_redirect", "_assignment"))]
        for child in node.named_children:
            if child.type.endswith("_redirect"):
                around, more = self._redirected(child, around)
                extra = more + extra
        self._simple([word for child in names for word in self._words.expand(child)] + extra, around)

    def _on_pipeline(self, node: "Node", around: _Around) -> None:
        self._pipeline(node, around, around)

    def _pipeline(self, node: "Node", around: _Around, last: _Around) -> None:
        parts = node.named_children
        for index, part in enumerate(parts):
            here = last if index == len(parts) - 1 else around
            with_pipe = replace(here, piped=around.piped or index > 0)
            kept, self.state = self.state, self.state.copy()
            self._walk(part, with_pipe)
            self.state = kept

    def _on_list(self, node: "Node", around: _Around) -> None:
        steps: list[tuple[str, Node]] = []
        while node.type == "list" and node.child_count >= 3:
            steps.append((node.children[1].type, node.children[2]))
            node = node.children[0]
        self._walk(node, around)
        for operator, step in reversed(steps):
            if operator == "||":
                # The usual fallback gives up or makes do; what follows relies on the left side.
                kept, self.state = self.state, self.state.copy()
                self._walk(step, replace(around, conditional=True))
                self.state = kept
            else:
                self._walk(step, around)

    def _on_subshell(self, node: "Node", around: _Around) -> None:
        kept, self.state = self.state, self.state.copy()
        self._all(node.named_children, around)
        self.state = kept

    _on_command_substitution = _on_process_substitution = _on_subshell

    def _on_if_statement(self, node: "Node", around: _Around) -> None:
        conditions = {child.id for child in node.children_by_field_name("condition")}
        branches: list[list[Node]] = [[]]
        for child in node.named_children:
            if child.id in conditions:
                self._walk(child, around)
            elif child.type in _BRANCHES:
                branches.append(child.named_children)
            else:
                branches[0].append(child)
        self._either(branches, around)

    def _on_case_statement(self, node: "Node", around: _Around) -> None:
        items = [child for child in node.named_children if child.type == "case_item"]
        values = [{value.id for value in item.children_by_field_name("value")} for item in items]
        self._either(
            [[c for c in item.named_children if c.id not in skip] for item, skip in zip(items, values, strict=True)],
            around,
        )

    def _either(self, branches: Sequence[Sequence["Node"]], around: _Around) -> None:
        """Follow each branch from the same state, and keep what all of them, or none being taken, leave alike."""
        before = self.state
        after = before.copy()
        for branch in branches:
            self.state = before.copy()
            self._all(branch, replace(around, conditional=True))
            after.agree(self.state)
        self.state = after

    def _on_for_statement(self, node: "Node", around: _Around) -> None:
        name, body = node.child_by_field_name("variable"), node.child_by_field_name("body")
        values = [word for value in node.children_by_field_name("value") for word in self._words.expand(value)]
        if name is None or body is None:
            return
        variable = self._words.source(name)
        followed: list[Word | None] = list(values) if 0 < len(values) <= _MOST_TURNS else [None]
        for value in followed:
            self.state.values[variable] = value
            self._walk(body, around)

    def _on_while_statement(self, node: "Node", around: _Around) -> None:
        before = self.state.copy()
        self._all(node.named_children, around)
        self.state.agree(before)

    _on_c_style_for_statement = _on_while_statement

    def _on_function_definition(self, node: "Node", _around: _Around) -> None:
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        if name and body:
            self._functions[self._words.source(name)] = body, self._source

    def _on_declaration_command(self, node: "Node", _around: _Around) -> None:
        for child in node.named_children:
            if child.type == "variable_assignment":
                self._on_variable_assignment(child, _around)

    def _on_variable_assignment(self, node: "Node", _around: _Around) -> None:
        name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        if name is None:
            return
        word = self._words.one(value) if value else Word("")
        usable = word.known and len(word.text) <= _LONGEST_VALUE
        plain = "+=" not in self._words.source(node)
        self.state.values[self._words.source(name)] = word if plain and usable else None

    def _on_unset_command(self, node: "Node", _around: _Around) -> None:
        for child in node.named_children:
            self.state.values[self._words.source(child)] = None

    # What the nodes come to.

    def _redirected(self, node: "Node", around: _Around) -> tuple[_Around, list[Word]]:
        """The surroundings with one redirection added, and words after its target that belong to the command."""
        if node.type == "herestring_redirect":
            text = " ".join(word.text for child in node.named_children for word in self._words.expand(child))
            return replace(around, stdin_text=text), []
        if node.type == "heredoc_redirect":
            extra: list[Word] = []
            for child in node.named_children:
                if child.type == "heredoc_body":
                    around = replace(around, stdin_text=self._words.source(child))
                elif child.type.endswith("_redirect"):
                    around, more = self._redirected(child, around)
                    extra += more
            return around, extra + [
                word for child in node.children_by_field_name("argument") for word in self._words.expand(child)
            ]
        targets = [word for to in node.children_by_field_name("destination") for word in self._words.expand(to)]
        operator = next((child.type for child in node.children if not child.is_named), "")
        descriptor = node.child_by_field_name("descriptor")
        errors_only = descriptor is not None and self._words.source(descriptor) == "2"
        if not targets or errors_only or operator in (">&", "<&", ">&-", "<&-"):
            return around, targets[1:]
        if operator == "<":
            return replace(around, reads=(*around.reads, targets[0])), targets[1:]
        return replace(around, writes=(*around.writes, targets[0])), targets[1:]

    def _simple(self, words: list[Word], around: _Around) -> None:
        words = words[:_MOST_WORDS]
        argv, script = unwrap([word.text for word in words])
        if script is not None and self._depth <= _DEEPEST:
            self._nested(script, around, own_state=argv[0] != "eval")
            return
        name = argv[0] if argv else ""
        if argv and name in self._functions:
            body, source = self._functions[name]
            self._within(source, body, around)
            return
        if name in ("cd", "pushd", "popd") and not around.piped:
            self._change_folder(name, [arg for arg in argv[1:] if not arg.startswith("-") or arg == "-"])
        if name or around.reads or around.writes:
            self.commands.append(
                Command(
                    argv=tuple(argv),
                    cwd=self.state.cwd,
                    reads_stdin_from=tuple(word.text for word in around.reads),
                    writes_to=tuple(word.text for word in around.writes),
                    globs=frozenset(w.text for w in (*words, *around.reads, *around.writes) if w.glob),
                    piped=around.piped,
                    conditional=around.conditional,
                    stdin_text=around.stdin_text,
                )
            )

    def _nested(self, script: str, around: _Around, own_state: bool) -> None:
        """A script inside a word, as in `bash -c '…'`."""
        if UNKNOWN in script:
            return
        kept, self.state = self.state, self.state.copy() if own_state else self.state
        if own_state:
            self.state.values = {}
        self._depth += 10
        self.text(script, around)
        self._depth -= 10
        if own_state:
            self.state = kept

    def _change_folder(self, name: str, where: list[str]) -> None:
        target = where[0] if where else None
        state = self.state
        if target == "-" or name == "popd":
            state.cwd, state.previous = state.previous, state.cwd
            return
        state.previous = state.cwd
        if target is None or UNKNOWN in target:
            state.cwd = None
        elif target.startswith("/"):
            state.cwd = posixpath.normpath(target)
        elif state.cwd is not None:
            state.cwd = posixpath.normpath(posixpath.join(state.cwd, target))

    def _lookup(self, name: str) -> Word | None:
        if name == "PWD" and self.state.cwd is not None:
            return Word(self.state.cwd)
        return self.state.values.get(name)

    def _substitute(self, node: "Node") -> str:
        inside = self._words.source(node)
        kept, self.state = self.state, self.state.copy()
        self._all(node.named_children, _Around())
        self.state = kept
        plain = re.fullmatch(r"(?:\$\(|`)\s*(\w+)\s*(?:\)|`)", inside)
        return self.state.cwd if plain and plain[1] == "pwd" and self.state.cwd is not None else UNKNOWN


def _after_heredoc(redirect: "Node") -> list["Node"]:
    """What the line goes on with after `<<EOF`, which the grammar keeps inside the redirection."""
    if redirect.type != "heredoc_redirect":
        return []
    own = {child.id for child in redirect.children_by_field_name("argument")}
    parts = [child for child in redirect.named_children if child.id not in own]
    return [part for part in parts if not part.type.startswith("heredoc_") and not part.type.endswith("_redirect")]
