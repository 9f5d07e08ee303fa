"""JSON from programs we do not write: whatever comes, asking for a part gives the kind asked for or nothing."""

import json
from typing import Any

Json = dict[str, Any]

_LARGEST = 1 << 53
_MOST_MONEY = 1e9
_LONGEST = 1e10
"""Seconds up to some moment in three hundred years."""


def parsed(line: bytes | str) -> Json:
    """The object on a line; empty for a torn line, or one that holds something else."""
    try:
        return record(json.loads(line))
    except (ValueError, RecursionError):
        return {}


def record(value: object) -> Json:
    """The value if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def records(value: object) -> list[Json]:
    """The objects in a list; anything else holds none."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def text(value: object) -> str:
    """The value if it is a string, else an empty one."""
    return value if isinstance(value, str) else ""


def texts(value: object) -> list[str]:
    """The strings in a list; anything else holds none."""
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def count(value: object) -> int:
    """The value if it is a plausible count, else 0."""
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < _LARGEST else 0


def seconds(value: object) -> float:
    """The value if it is a plausible number of seconds, else 0."""
    plausible = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < _LONGEST
    return float(value) if plausible else 0.0  # type: ignore[arg-type]


def dollars(value: object) -> float | None:
    """The value if it is a plausible amount of money, else None."""
    plausible = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < _MOST_MONEY
    return float(value) if plausible else None  # type: ignore[arg-type]
