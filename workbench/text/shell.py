"""Shell commands by a real grammar: which simple commands a line holds, where they run and what feeds them.

Nothing is run and nothing is guessed: a word that depends on what only the shell could know holds UNKNOWN.
"""

import functools
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.text.shell_words import UNKNOWN, Word

if TYPE_CHECKING:
    from tree_sitter import Language, Tree

__all__ = ["UNKNOWN", "Command", "Script", "Word", "parse", "run"]

_LONGEST = 256 * 1024
"""Bytes of a command that are looked at; what follows is as good as a heredoc nobody reads."""
_SHORT = 2048
_PLAIN = bytes(code if code in b"\t\n" or 0x20 <= code < 0x7F else ord("x") for code in range(256))
"""What the parser is shown for each byte: on some that no shell syntax is made of, it reads beyond its memory."""


@dataclass(frozen=True, slots=True)
class Command:
    """One simple command, wrappers such as `sudo` or `env A=1` taken off."""

    argv: tuple[str, ...]
    """Words after expansion, the program first; empty for a bare redirection. Unknown parts are UNKNOWN."""
    cwd: str | None
    """Folder it runs in, relative to where the line started unless absolute; None when it cannot be known."""
    reads_stdin_from: tuple[str, ...] = ()
    """Files given with `<`."""
    writes_to: tuple[str, ...] = ()
    """Files given with `>`, `>>`, `&>` and the like; not those that only take the errors."""
    globs: frozenset[str] = frozenset()
    """Words of `argv` and redirections that hold wildcards and stand for every name they match."""
    piped: bool = False
    """Whether its input is another command's output."""
    conditional: bool = False
    """Whether it runs only if something before it failed, or on one branch of several."""
    stdin_text: str = ""
    """The heredoc or here-string it is fed."""


@dataclass(frozen=True, slots=True)
class Script:
    """A whole command line: its simple commands in order, and the folder it ends in (None when unknown)."""

    commands: tuple[Command, ...]
    cwd: str | None


def parse(command: str, cwd: str | None = ".") -> tuple[Command, ...]:
    """The simple commands of a line in the order they would run, variables and `cd` resolved where known."""
    return run(command, cwd).commands


def run(command: str, cwd: str | None = ".") -> Script:
    """Follow a command line from `cwd`. Never raises: broken or hostile input gives what could be made out."""
    from workbench.text.shell_walk import Walk

    walk = Walk(cwd)
    walk.text(command)
    return Script(tuple(walk.commands), walk.state.cwd)


def tree(source: bytes, deadline: float) -> "tuple[Tree, bytes] | None":
    """Parse some source, shortening what is too long or too broken; give the part that was parsed too.

    Half the time to the deadline (of `time.monotonic`) is for the whole, the rest for its beginning; None when
    even that is too much.
    """
    for length in (_LONGEST, _SHORT):
        part, now = source[:length], time.monotonic()
        if (parsed := _tree(part.translate(_PLAIN), now + (deadline - now) / 2)) is not None:
            return parsed, part
    return None


def _tree(source: bytes, deadline: float) -> "Tree | None":
    from tree_sitter import Parser

    # A parser is cheap and belongs to one thread; the language is shared.
    parser = Parser(_language())
    # Recovering from errors takes the parser time that grows with the square of their number.
    try:
        return parser.parse(
            lambda offset, _: source[offset : offset + 65536],
            progress_callback=lambda _offset, _failed: time.monotonic() > deadline,
        )
    except ValueError:
        return None


@functools.cache
def _language() -> "Language":
    import tree_sitter_bash
    from tree_sitter import Language

    return Language(tree_sitter_bash.language())
