"""The few header keys of a rule or skill file, read leniently.

People write `paths: **/*.ts` without quotes, which YAML refuses (a `*` starts an alias) and
agents accept, so this reads lines instead: scalars, block scalars, and lists of both shapes.
"""

import re
from collections.abc import Iterator

_KEY = re.compile(r"([A-Za-z][\w-]*):(?:[ \t]+(.*))?$")
_ITEM = re.compile(r"[ \t]*-[ \t]+(.*)$")

Header = dict[str, str | list[str]]


def parse(text: str) -> tuple[Header, str]:
    """Return (keys, body without the header); no keys when there is no header or it is not closed."""
    lines = text.split("\n")
    end = _end(lines)
    if not end:
        return {}, text
    header: Header = {}
    for at, stop, key in _keys(lines, end):
        header[key[1]] = _value((key[2] or "").strip(), lines[at + 1 : stop])
    return header, "\n".join(lines[end + 1 :])


def lines_of(text: str, key: str) -> range:
    """The 1-based lines of the header on which a key and its value stand; empty where it has none."""
    lines = text.split("\n")
    found = [range(at + 1, stop + 1) for at, stop, match in _keys(lines, _end(lines)) if match[1] == key]
    return found[-1] if found else range(0)


def _end(lines: list[str]) -> int:
    """The index of the line that closes the header; 0 where there is none."""
    if lines[0].rstrip() != "---":
        return 0
    return next((n for n, line in enumerate(lines[1:], 1) if line.rstrip() == "---"), 0)


def _keys(lines: list[str], end: int) -> Iterator[tuple[int, int, re.Match[str]]]:
    """Where each key of a header and its value begin and end, and the key with what follows on its line."""
    at = 1
    while at < end:
        key = _KEY.match(lines[at])
        stop = at + 1
        while key and stop < end and not _KEY.match(lines[stop]):
            stop += 1
        if key:
            yield at, stop, key
        at = stop


def text_of(header: Header, key: str) -> str:
    """A key's value as one line; a list is joined by spaces, an absent key is empty."""
    value = header.get(key, "")
    return " ".join((" ".join(value) if isinstance(value, list) else value).split())


def list_of(header: Header, key: str) -> tuple[str, ...]:
    """A key's value as a list; a scalar is cut at its commas, those inside braces excepted."""
    value = header.get(key, "")
    items = value if isinstance(value, list) else re.split(r",(?![^{]*\})", value)
    return tuple(item for item in (_unquoted(item.strip()) for item in items) if item)


def _value(scalar: str, below: list[str]) -> str | list[str]:
    items = [match[1] for line in below if (match := _ITEM.match(line))]
    if not scalar and items:
        return [_unquoted(item) for item in items]
    if scalar.startswith("[") and scalar.endswith("]"):
        return [_unquoted(item.strip()) for item in re.split(r",(?![^{]*\})", scalar[1:-1])]
    if re.fullmatch(r"[|>][+-]?\d?", scalar):
        scalar = ""
    return _unquoted(" ".join([scalar, *(line.strip() for line in below)]).strip())


def _unquoted(value: str) -> str:
    value = value.strip()
    if len(value) >= 2 and value[0] == value[-1] and value[0] in "\"'":
        return value[1:-1]
    return value
