"""Values in a foreign session that are shaped like credentials. Others cannot be told from any other text."""

import re

from workbench.traces.records import Trace

_SHAPES = re.compile(
    r"""
    \b sk-[\w-]{20,} | \b (?:gh[opsur]_ | github_pat_)\w{20,} | \b glpat-[\w-]{20,} | \b xox[a-z]-[\w-]{10,}
    | \b A(?:KIA|SIA)[0-9A-Z]{16} \b | \b AIza[\w-]{35} | \b npm_\w{36} | \b pypi-[\w-]{40,} | \b hf_\w{30,}
    | \b eyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]{10,}
    | -----BEGIN[ ][A-Z ]*PRIVATE[ ]KEY-----.*?-----END[ ][A-Z ]*PRIVATE[ ]KEY-----
    """,
    re.VERBOSE | re.DOTALL,
)


def shaped(trace: Trace) -> tuple[str, ...]:
    """The values, each once, wherever in the trace they stand."""
    found: dict[str, None] = {}
    _collect(trace.model_dump(mode="python"), found)
    return tuple(found)


def _collect(value: object, found: dict[str, None]) -> None:
    match value:
        case str():
            found.update(dict.fromkeys(match[0] for match in _SHAPES.finditer(value)))
        case dict():
            for item in (*value.keys(), *value.values()):
                _collect(item, found)
        case list() | tuple():
            for item in value:
                _collect(item, found)
