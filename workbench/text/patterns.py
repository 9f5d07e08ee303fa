"""JavaScript patterns, searched by an ECMAScript engine in a helper process that may be killed."""

import functools
import json
import re
import signal
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workbench.host.childpipe import ChildDiedError, ChildTimeoutError, PipeChild

_COMPILE_SECONDS = 1.0
_PATIENCE = 10.0
"""Wall seconds granted for each second of processor time: a busy machine is not a slow pattern."""

_SURROGATE = re.compile("[\ud800-\udfff]")
_TOKEN = re.compile(
    r"""\\(?P<assertion>[bB])(?P<repeated>[*+?]|\{\d+(?:,\d*)?\})?  # an assertion, perhaps quantified
      | \\. | \[(?:\\.|[^\]\\])*\]                                 # an escape; a class, where anything goes
      | \(\?(?P<modifiers>[a-z]*-?[a-z]+):                           # a group that changes flags
      | \(\?<(?P<name>[^>=!][^>]*)> """,
    re.VERBOSE | re.DOTALL,
)


class PatternTimeout(Exception):  # noqa: N818 (what happened, not whose fault)
    """A pattern that ran out of time or memory; nothing is known about whether it matches."""


@dataclass(frozen=True, slots=True)
class Match:
    """Where a pattern first matched, in characters, and what it matched."""

    start: int
    end: int
    text: str


@functools.lru_cache(maxsize=4096)
def compile_error(pattern: str) -> str:
    """Why JavaScript (flag `i`, as Node 20 has it) refuses a pattern; empty when it accepts it.

    An empty pattern is refused too: it matches everything and so says nothing.
    """
    if not pattern:
        return "the pattern is empty"
    if refused := _refused(pattern):
        return refused
    try:
        answer = _ask(pattern, (), _COMPILE_SECONDS)
    except PatternTimeout as error:
        return str(error)
    return str(answer.get("error", ""))


def search(pattern: str, text: str, timeout: float = 1.0) -> Match | None:
    """The first match of a pattern anywhere in a text, letter case ignored; None when there is none.

    `timeout` is in seconds of processor time. Raises PatternTimeout, and ValueError for a pattern that
    `compile_error` refuses.
    """
    return search_all(pattern, (text,), timeout)[0]


def search_all(pattern: str, texts: Sequence[str], timeout: float = 1.0) -> list[Match | None]:
    """The first match in each of some texts, as `search` finds it; `timeout` is for all of them together."""
    if error := compile_error(pattern):
        raise ValueError(f"{pattern[:80]!r}: {error}")
    found = _ask(pattern, [_plain(text) for text in texts], timeout)["matches"] if texts else []
    return [
        Match(place[0], place[1], text[place[0] : place[1]]) if place else None
        for place, text in zip(found, texts, strict=True)
    ]


def _refused(pattern: str) -> str:
    """What Node 20 refuses and the engine, which is ahead of it, would accept."""
    names = set()
    for token in _TOKEN.finditer(pattern):
        if modifiers := token["modifiers"]:
            return f"JavaScript has no inline flags such as (?{modifiers}:…); every pattern runs with flag i"
        if token["repeated"]:
            return f"nothing to repeat: \\{token['assertion']}{token['repeated']}"
        if (name := token["name"]) in names:
            return f"duplicate capture group name {name!r}"
        names |= {name} - {None}
    if pattern.startswith("(?") and re.match(r"\(\?[a-z-]+\)", pattern):
        return "JavaScript has no inline flags such as (?i); every pattern runs with flag i"
    return ""


def _plain(text: str) -> str:
    """The text with each lone surrogate, which no encoder takes, replaced by one other character."""
    return _SURROGATE.sub("\ufffd", text)


@functools.cache
def _child() -> PipeChild:
    # By its path, not with -m: nothing of the current folder may stand in for a module it imports.
    return PipeChild((sys.executable, "-P", str(Path(__file__).with_name("pattern_child.py"))))


def _ask(pattern: str, texts: Sequence[str], seconds: float) -> dict[str, Any]:
    request = json.dumps({"pattern": _plain(pattern), "texts": texts, "seconds": seconds}).encode("ascii")
    try:
        answer: dict[str, Any] = json.loads(_child().ask(request, seconds * _PATIENCE))
    except (ChildTimeoutError, ChildDiedError) as error:
        if isinstance(error, ChildDiedError) and error.returncode != -signal.SIGPROF:
            raise PatternTimeout(f"the pattern brought its process down ({error.returncode})") from error
        raise PatternTimeout(f"the pattern was still running after {seconds:g} s") from error
    return answer
