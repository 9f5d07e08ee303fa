"""What the programs of a shell command do: the files they show, where they search, what they write."""

from collections import deque
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Literal

from workbench.text.shell import UNKNOWN, Command
from workbench.text.shell_wrappers import program

STDIN = "-"
"""The path of a search over what a pipe brings."""


@dataclass(frozen=True, slots=True)
class Deed:
    """One thing a command does to one path, given as the command gave it; empty where it cannot be known."""

    kind: Literal["read", "search", "edit"]
    path: str
    query: str = ""
    glob: bool = False


@dataclass(frozen=True, slots=True)
class _Program:
    """How a program that shows files takes its arguments."""

    valued: str = ""
    """Short options that take the next word when nothing is glued to them."""
    long: frozenset[str] = frozenset()
    """Long options that take the next word when they have no `=`."""
    pairs: frozenset[str] = frozenset()
    """Long options that take the next two words."""
    script: str | None = None
    """For programs whose first operand is a script or a pattern: the short options that give it instead."""
    searches: bool = False


_SCRIPTS = frozenset({"--regexp", "--file", "--expression", "--from-file"})
"""Long options that give a script or a pattern."""

_GREP = _Program(
    "efABCmd",
    frozenset({"--regexp", "--file", "--include", "--exclude", "--exclude-dir", "--max-count"}),
    script="ef",
    searches=True,
)
_RG = _Program(
    "efABCmgtTdjMr",
    frozenset({"--regexp", "--file", "--glob", "--iglob", "--type", "--type-not", "--max-depth", "--max-count"}),
    script="ef",
    searches=True,
)
_QUIET = "lLqc"
_QUIET_LONG = frozenset({"--files-with-matches", "--files-without-match", "--quiet", "--silent", "--count"})
"""Options with which a search shows nothing of the files."""

_SHOWING: dict[str, _Program] = {
    **dict.fromkeys(("cat", "tac", "less", "more"), _Program()),
    **dict.fromkeys(("head", "tail"), _Program("nc", frozenset({"--lines", "--bytes"}))),
    **dict.fromkeys(("bat", "batcat"), _Program("rlH", frozenset({"--line-range", "--language", "--style"}))),
    "nl": _Program("bdfhilnsvw"),
    "cut": _Program("bcdf", frozenset({"--fields", "--delimiter", "--characters"})),
    "sort": _Program("koStT"),
    "diff": _Program("UC"),
    "jq": _Program("fL", frozenset({"--from-file"}), frozenset({"--arg", "--argjson", "--slurpfile"}), script="f"),
    "sed": _Program("efl", frozenset({"--expression", "--file"}), script="ef"),
    **dict.fromkeys(("awk", "gawk", "mawk"), _Program("Fvf", script="f")),
    **dict.fromkeys(("grep", "egrep", "fgrep", "zgrep"), _GREP),
    "rg": _RG,
}
_FD = _Program("edEtxXS", frozenset({"--extension", "--type", "--exclude", "--max-depth"}), script="")
_LISTING: dict[str, _Program] = {
    "ls": _Program("ITw", frozenset({"--ignore"})),
    "tree": _Program("LIPo"),
    "find": _Program(),
    **dict.fromkeys(("fd", "fdfind"), _FD),
}
_GIT = _Program("Cc")
_GIT_SEARCHES = ("grep", "ls-files")
_COPYING = frozenset({"cp", "mv", "install", "ln"})


def deeds(command: Command) -> Iterator[Deed]:
    """What a simple command reads, searches and writes, in that order. What goes into a file is shown to nobody."""
    name = program(command.argv[0]) if command.argv else ""
    for path in command.reads_stdin_from if not command.writes_to else ():
        yield _deed(command, "read", path)
    if name in _SHOWING:
        yield from _shown(command, name, _SHOWING[name])
    elif name in _LISTING:
        yield from _listed(command, name)
    elif name == "git":
        _, words = _split(command.argv[1:], _GIT)
        if words and words[0] in _GIT_SEARCHES:
            yield Deed("search", "", " ".join(words[1:]).replace(UNKNOWN, "…"))
    yield from _edited(command, name)
    for path in command.writes_to:
        if not path.startswith("/dev/"):
            yield _deed(command, "edit", path)


def _shown(command: Command, name: str, how: _Program) -> Iterator[Deed]:
    options, operands = _split(command.argv[1:], how)
    listing = name == "rg" and "--files" in options
    query, files = ("", operands) if listing else _scripted(options, operands, how)
    if not how.searches:
        hidden = bool(command.writes_to) or (name == "sed" and _in_place(options))
        for path in files if not hidden else ():
            if not path.startswith("+"):  # a line to start at
                yield _deed(command, "read", path)
        return
    hidden = listing or bool(command.writes_to) or any(_has(option, _QUIET, _QUIET_LONG) for option in options)
    recursive = name != "rg" and any(_has(option, "rR", {"--recursive"}) for option in options)
    for path in files:
        if not hidden and not recursive and (name != "rg" or _names_file(path)):
            yield _deed(command, "read", path)
        yield _deed(command, "search", path, query)
    if not files:
        from_stdin = command.piped or bool(command.reads_stdin_from or command.stdin_text)
        yield Deed("search", STDIN if from_stdin and not listing else "", query)


def _scripted(options: list[str], operands: list[str], how: _Program) -> tuple[str, list[str]]:
    """The script or pattern, where it is an operand, and the files."""
    if how.script is None or not operands or any(_has(option, how.script, _SCRIPTS) for option in options):
        return "", operands
    return operands[0].replace(UNKNOWN, "…"), operands[1:]


def _listed(command: Command, name: str) -> Iterator[Deed]:
    words = command.argv[1:]
    if name == "find":
        cut = next((index for index, word in enumerate(words) if word.startswith(("-", "(", "!"))), len(words))
        places, query = list(words[:cut]), " ".join(words[cut:]).replace(UNKNOWN, "…")
    else:
        query, places = _scripted(*_split(words, _LISTING[name]), _LISTING[name])
    for place in places or [""]:
        yield _deed(command, "search", place, query)


def _edited(command: Command, name: str) -> Iterator[Deed]:
    words = [word for word in command.argv[1:] if not word.startswith("-")]
    if name in ("tee", "touch", "rm"):
        targets = words
    elif name in _COPYING:
        targets = words[-1:]
    elif name == "sed":
        options, operands = _split(command.argv[1:], _SHOWING["sed"])
        targets = _scripted(options, operands, _SHOWING["sed"])[1] if _in_place(options) else []
    else:
        return
    for target in targets:
        yield _deed(command, "edit", target)


def _deed(command: Command, kind: Literal["read", "search", "edit"], path: str, query: str = "") -> Deed:
    return Deed(kind, "" if UNKNOWN in path else path, query, glob=path in command.globs)


def _split(args: tuple[str, ...], how: _Program) -> tuple[list[str], list[str]]:
    """Options, each without what is glued to it or follows it, and operands."""
    options: list[str] = []
    operands: list[str] = []
    rest = deque(args)
    while rest:
        word = rest.popleft()
        if word == "--":
            operands += rest
            break
        if word == "-" or not word.startswith("-"):
            operands.append(word)
            continue
        option, taken = _option(word, how)
        options.append(option)
        for _ in range(min(taken, len(rest))):
            rest.popleft()
    return options, [word for word in operands if word != "-"]


def _option(word: str, how: _Program) -> tuple[str, int]:
    """An option stripped of a glued value, and how many of the next words belong to it."""
    if word.startswith("--"):
        name, glued, _ = word.partition("=")
        return name, 0 if glued else 2 if name in how.pairs else int(name in how.long)
    for index, letter in enumerate(word[1:], 1):
        if letter in how.valued:
            return word[: index + 1], int(index == len(word) - 1)
    return word, 0


def _has(option: str, letters: str, names: Collection[str]) -> bool:
    """Whether an option is one of some long names, or a bundle with one of some letters."""
    return option in names if option.startswith("--") else any(letter in option[1:] for letter in letters)


def _in_place(options: list[str]) -> bool:
    return any(_has(option, "i", {"--in-place"}) for option in options)


def _names_file(path: str) -> bool:
    """Whether an operand of a program that searches folders too looks like a file: its last part has an ending."""
    return "." in path.rstrip("/").rsplit("/", 1)[-1].lstrip(".") and not path.endswith("/")
