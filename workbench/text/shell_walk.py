"""The walk over a parsed command line, in the order and the state in which a shell would run it."""

import re
import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from workbench.text.shell import Command, tree
from workbench.text.shell_state import Around, State, after_heredoc, redirected
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

    def text(self, source: str, around: Around | None = None) -> None:
        """Follow a source text in the present state."""
        if parsed := tree(source.encode("utf-8", "replace"), self._deadline):
            self._within(parsed[1], parsed[0].root_node, around or Around())

    def _within(self, source: bytes, node: "Node", around: Around) -> None:
        outer = self._words, self._source
        self._words, self._source = Words(source, self._lookup, self._substitute), source
        self._walk(node, around)
        self._words, self._source = outer

    def _walk(self, node: "Node", around: Around) -> None:
        self._steps += 1
        if self._depth > _DEEPEST or self._steps > _MOST_STEPS or time.monotonic() > self._deadline:
            return
        self._depth += 1
        if handle := getattr(self, f"_on_{node.type}", None):
            handle(node, around)
        else:
            self._all(node.named_children, around)
        self._depth -= 1

    def _all(self, nodes: Iterable["Node"], around: Around) -> None:
        for node in nodes:
            self._walk(node, around)

    # Each of these follows one kind of syntax node.

    def _on_command(self, node: "Node", around: Around, after: Sequence[Word] = ()) -> None:
        """A simple command; `after` are words that stand behind a redirection's target."""
        words: list[Word] = []
        for child in node.named_children:
            if child.type.endswith("_redirect"):
                around, extra = redirected(self._words, child, around)
                words += extra
            elif child.type != "variable_assignment" and len(words) < _MOST_WORDS:
                words += self._words.expand(child)
        self._simple([*words, *after], around)

    def _on_redirected_statement(self, node: "Node", around: Around) -> None:
        body = node.child_by_field_name("body")
        inner, words, after = around, [], []
        for child in node.children_by_field_name("redirect"):
            inner, extra = redirected(self._words, child, inner)
            words += extra
            after += after_heredoc(child, around)
        last = body.named_children[-1] if body and body.type == "pipeline" else body
        if body is None or last is None or last.type != "command":
            self._simple([], inner)
            if body:
                self._walk(body, around)
        elif body.type == "pipeline":
            self._pipeline(body, around, inner)
        else:
            self._on_command(body, inner, words)
        for part, surroundings in after:
            self._walk(part, surroundings)

    def _on_pipeline(self, node: "Node", around: Around) -> None:
        self._pipeline(node, around, around)

    def _pipeline(self, node: "Node", around: Around, last: Around) -> None:
        parts = node.named_children
        for index, part in enumerate(parts):
            here = last if index == len(parts) - 1 else around
            with_pipe = replace(here, piped=around.piped or index > 0)
            kept, self.state = self.state, self.state.copy()
            self._walk(part, with_pipe)
            self.state = kept

    def _on_list(self, node: "Node", around: Around) -> None:
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

    def _on_subshell(self, node: "Node", around: Around) -> None:
        kept, self.state = self.state, self.state.copy()
        self._all(node.named_children, around)
        self.state = kept

    _on_command_substitution = _on_process_substitution = _on_subshell

    def _on_if_statement(self, node: "Node", around: Around) -> None:
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

    def _on_case_statement(self, node: "Node", around: Around) -> None:
        items = [child for child in node.named_children if child.type == "case_item"]
        values = [{value.id for value in item.children_by_field_name("value")} for item in items]
        self._either(
            [[c for c in item.named_children if c.id not in skip] for item, skip in zip(items, values, strict=True)],
            around,
        )

    def _either(self, branches: Sequence[Sequence["Node"]], around: Around) -> None:
        """Follow each branch from the same state, and keep what all of them, or none being taken, leave alike."""
        before = self.state
        after = before.copy()
        for branch in branches:
            self.state = before.copy()
            self._all(branch, replace(around, conditional=True))
            after.agree(self.state)
        self.state = after

    def _on_for_statement(self, node: "Node", around: Around) -> None:
        name, body = node.child_by_field_name("variable"), node.child_by_field_name("body")
        values = [word for value in node.children_by_field_name("value") for word in self._words.expand(value)]
        if name is None or body is None:
            return
        variable = self._words.source(name)
        followed: list[Word | None] = list(values) if 0 < len(values) <= _MOST_TURNS else [None]
        for value in followed:
            self.state.values[variable] = value
            self._walk(body, around)

    def _on_while_statement(self, node: "Node", around: Around) -> None:
        before = self.state.copy()
        self._all(node.named_children, around)
        self.state.agree(before)

    _on_c_style_for_statement = _on_while_statement

    def _on_function_definition(self, node: "Node", _around: Around) -> None:
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        if name and body:
            self._functions[self._words.source(name)] = body, self._source

    def _on_declaration_command(self, node: "Node", _around: Around) -> None:
        for child in node.named_children:
            if child.type == "variable_assignment":
                self._on_variable_assignment(child, _around)

    def _on_variable_assignment(self, node: "Node", _around: Around) -> None:
        name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        if name is None:
            return
        word = self._words.one(value) if value else Word("")
        usable = word.known and len(word.text) <= _LONGEST_VALUE
        plain = "+=" not in self._words.source(node)
        self.state.values[self._words.source(name)] = word if plain and usable else None

    def _on_unset_command(self, node: "Node", _around: Around) -> None:
        for child in node.named_children:
            self.state.values[self._words.source(child)] = None

    # What the nodes come to.

    def _simple(self, words: list[Word], around: Around) -> None:
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
            self.state.change_folder(argv)
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

    def _nested(self, script: str, around: Around, own_state: bool) -> None:
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

    def _lookup(self, name: str) -> Word | None:
        if name == "PWD" and self.state.cwd is not None:
            return Word(self.state.cwd)
        return self.state.values.get(name)

    def _substitute(self, node: "Node") -> str:
        inside = self._words.source(node)
        kept, self.state = self.state, self.state.copy()
        self._all(node.named_children, Around())
        self.state = kept
        plain = re.fullmatch(r"(?:\$\(|`)\s*(\w+)\s*(?:\)|`)", inside)
        return self.state.cwd if plain and plain[1] == "pwd" and self.state.cwd is not None else UNKNOWN
