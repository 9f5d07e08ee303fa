"""What a shell keeps in mind: a folder, variables, and what surrounds a command."""

import posixpath
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from workbench.text.shell_words import UNKNOWN, Word, Words

if TYPE_CHECKING:
    from tree_sitter import Node

_DUPLICATES = frozenset({">&", "<&", ">&-", "<&-"})


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

    def change_folder(self, argv: list[str]) -> None:
        """What `cd`, `pushd` or `popd` does to the folder."""
        where = next((word for word in argv[1:] if not word.startswith("-") or word == "-"), None)
        if where == "-" or argv[0] == "popd":
            self.cwd, self.previous = self.previous, self.cwd
            return
        self.previous = self.cwd
        if where is None or UNKNOWN in where:
            self.cwd = None
        elif where.startswith("/"):
            self.cwd = posixpath.normpath(where)
        elif self.cwd is not None:
            self.cwd = posixpath.normpath(posixpath.join(self.cwd, where))


@dataclass(frozen=True, slots=True)
class Around:
    """What surrounds a command: a pipe, a branch, redirections."""

    piped: bool = False
    conditional: bool = False
    reads: tuple[Word, ...] = ()
    writes: tuple[Word, ...] = ()
    stdin_text: str = ""


def redirected(words: Words, node: "Node", around: Around) -> tuple[Around, list[Word]]:
    """The surroundings with one redirection added, and words after its target that belong to the command."""
    if node.type == "herestring_redirect":
        text = " ".join(word.text for child in node.named_children for word in words.expand(child))
        return replace(around, stdin_text=text), []
    if node.type == "heredoc_redirect":
        return _heredoc(words, node, around)
    targets = [word for to in node.children_by_field_name("destination") for word in words.expand(to)]
    operator = next((child.type for child in node.children if not child.is_named), "")
    descriptor = node.child_by_field_name("descriptor")
    errors_only = descriptor is not None and words.source(descriptor) == "2"
    if not targets or errors_only or operator in _DUPLICATES:
        return around, targets[1:]
    if operator == "<":
        return replace(around, reads=(*around.reads, targets[0])), targets[1:]
    return replace(around, writes=(*around.writes, targets[0])), targets[1:]


def _heredoc(words: Words, node: "Node", around: Around) -> tuple[Around, list[Word]]:
    inner, extra = around, list[Word]()
    for child in node.named_children:
        if child.type == "heredoc_body":
            inner = replace(inner, stdin_text=words.source(child))
        elif child.type.endswith("_redirect"):
            inner, more = redirected(words, child, inner)
            extra += more
    if node.has_error:
        # The grammar loses its way after `<<EOF;` and `<<A <<B`; what it makes of the words there is not believed.
        return replace(inner, reads=around.reads), []
    arguments = node.children_by_field_name("argument")
    return inner, extra + [word for child in arguments for word in words.expand(child)]


def after_heredoc(redirect: "Node", around: Around) -> list[tuple["Node", Around]]:
    """What the line goes on with after `<<EOF`, which the grammar keeps inside the redirection."""
    if redirect.type != "heredoc_redirect":
        return []
    fallback = any(child.type == "||" for child in redirect.children)
    own = {child.id for child in redirect.children_by_field_name("argument")}
    return [
        (part, replace(around, piped=part.type == "pipeline", conditional=around.conditional or fallback))
        for part in redirect.named_children
        if part.id not in own and not part.type.startswith("heredoc_") and not part.type.endswith("_redirect")
    ]
