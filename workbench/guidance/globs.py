"""Glob patterns over box-relative paths, as rule files and search tools write them."""

import re
from functools import lru_cache

_TOKEN = re.compile(r"\*\*/|/\*\*$|\*\*|\*|\?|\[!?[^\]/]+\]|.", re.DOTALL)
_BRACES = re.compile(r"\{([^{}]*)\}")
_ALTERNATIVES = 256


@lru_cache(maxsize=1024)
def compiled(pattern: str) -> re.Pattern[str]:
    """One regular expression for a glob: `*` within a folder, `**` across, `?`, `[abc]`, `{a,b}`."""
    return re.compile("|".join(f"(?:{_one(plain)})" for plain in _expanded(pattern)))


def matches(pattern: str, path: str) -> bool:
    """Whether a box-relative path matches the whole pattern."""
    return compiled(pattern).fullmatch(path) is not None


def covers(pattern: str, path: str) -> bool:
    """Whether a `paths:` pattern of a rule covers a path, by the rules of gitignore files.

    A pattern without a slash matches a name at any depth, and a pattern that names a folder covers all below it.
    """
    plain = pattern.removeprefix("./").lstrip("/").rstrip("/")
    if plain.endswith("/**"):
        plain = plain[:-3]
    if "/" not in plain and not pattern.startswith("/"):
        plain = f"**/{plain}"
    parts = path.split("/")
    return any(matches(plain, "/".join(parts[:count])) for count in range(1, len(parts) + 1))


def fixed_folder(pattern: str) -> str:
    """The folder before a pattern's first wildcard: nothing outside it can match."""
    return re.split(r"[*?\[{]", pattern)[0].rpartition("/")[0]


def _expanded(pattern: str) -> list[str]:
    """The pattern once for each combination of its `{a,b}` alternatives."""
    done: list[str] = []
    open_ = [pattern]
    while open_ and len(done) + len(open_) <= _ALTERNATIVES:
        candidate = open_.pop(0)
        braces = _BRACES.search(candidate)
        if not braces:
            done.append(candidate)
            continue
        head, tail = candidate[: braces.start()], candidate[braces.end() :]
        open_ += [f"{head}{choice}{tail}" for choice in braces[1].split(",")]
    return done + open_


def _one(pattern: str) -> str:
    return "".join(_translated(token) for token in _TOKEN.findall(pattern))


def _translated(token: str) -> str:
    fixed = {"**/": "(?:[^/]+/)*", "/**": "/.*", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    if token in fixed:
        return fixed[token]
    if len(token) > 1:
        negated = token[1] == "!"
        members = token[2:-1] if negated else token[1:-1]
        escaped = members.replace("\\", "\\\\").replace("^", "\\^").replace("[", "\\[")
        expression = f"[{'^' if negated else ''}{escaped}]"
        return expression if _compiles(expression) else re.escape(token)
    return re.escape(token)


def _compiles(expression: str) -> bool:
    try:
        re.compile(expression)
    except re.error:
        return False
    return True
