"""Glob patterns over box-relative paths, as rule files and search tools write them."""

import fnmatch
import re
from functools import lru_cache

_BRACES = re.compile(r"\{([^{}]*)\}")
_ALTERNATIVES = 256
"""Combinations of `{a,b}` that are looked at."""
_SLOW = 10
"""Times longer that going folder by folder takes."""


def matches(pattern: str, path: str) -> bool:
    """Whether a path matches the whole pattern: `*` within a folder, `**` across, `?`, `[abc]`, `{a,b}`."""
    return any(
        bool(simple.match(path)) if (simple := _simple(plain)) else _reaches(plain, path.split("/"))
        for plain in _expanded(pattern)
    )


def covers(pattern: str, path: str) -> bool:
    """Whether a `paths:` pattern of a rule covers a path, by the rules of gitignore files.

    A pattern without a slash matches a name at any depth, and a pattern that names a folder covers all below it.
    """
    plain = pattern.removeprefix("./").lstrip("/").rstrip("/").removesuffix("/**")
    if "/" not in plain and not pattern.startswith("/"):
        plain = f"**/{plain}"
    parts = path.split("/")
    return any(matches(plain, "/".join(parts[:count])) for count in range(1, len(parts) + 1))


def fixed_folder(pattern: str) -> str:
    """The folder before a pattern's first wildcard: nothing outside it can match."""
    return re.split(r"[*?\[{]", pattern)[0].rpartition("/")[0]


def fixed_end(pattern: str) -> str:
    """What every match of a pattern ends with: all after its last wildcard."""
    return re.split(r"[*?\]}]", pattern)[-1].rpartition("/")[2]


def effort(pattern: str) -> int:
    """How long a pattern takes to be held against a path, in units of the quickest."""
    return sum(1 if _simple(plain) else _SLOW for plain in _expanded(pattern))


def _reaches(pattern: tuple[str, ...], parts: list[str]) -> bool:
    """Match folder by folder, keeping how many parts may be consumed so far: no pattern makes this slow."""
    consumed = {0}
    for piece in pattern:
        if piece == "**":
            consumed = set(range(min(consumed), len(parts) + 1))
        else:
            consumed = {n + 1 for n in consumed if n < len(parts) and _piece(piece).match(parts[n])}
        if not consumed:
            return False
    return len(parts) in consumed


@lru_cache(maxsize=1024)
def _simple(pattern: tuple[str, ...]) -> re.Pattern[str] | None:
    """The whole pattern as one expression, many times faster than folder by folder; None where that could be slow."""
    costly = any("[" in piece or piece.strip("*").count("*") > 1 for piece in pattern)
    if costly or pattern.count("**") > 2 or pattern[-2:] in (("**",), ("**", "**")):
        return None
    whole = "".join("(?:[^/]+/)*" if piece == "**" else f"{_part(piece)}/" for piece in pattern[:-1])
    whole = f"{whole.removesuffix('/')}(?:/.*)?" if pattern[-1] == "**" else whole + _part(pattern[-1])
    return re.compile(rf"{whole}\Z", re.DOTALL)


def _part(piece: str) -> str:
    return "".join({"*": "[^/]*", "?": "[^/]"}.get(char, re.escape(char)) for char in piece)


@lru_cache(maxsize=1024)
def _piece(pattern: str) -> re.Pattern[str]:
    return re.compile(fnmatch.translate(pattern))


@lru_cache(maxsize=256)
def _expanded(pattern: str) -> tuple[tuple[str, ...], ...]:
    """The pattern once for each combination of its `{a,b}` alternatives, cut at its slashes."""
    done: list[str] = []
    waiting = [pattern]
    while waiting and len(done) + len(waiting) <= _ALTERNATIVES:
        candidate = waiting.pop(0)
        braces = _BRACES.search(candidate)
        if not braces:
            done.append(candidate)
            continue
        head, tail = candidate[: braces.start()], candidate[braces.end() :]
        choices = braces[1].split(",", _ALTERNATIVES)[:_ALTERNATIVES]
        waiting += [f"{head}{choice}{tail}" for choice in choices]
    return tuple(tuple(plain.split("/")) for plain in done + waiting)
