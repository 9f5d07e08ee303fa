"""Text that is safe wherever it goes: a field type that sanitizes what is put in or read back."""

from typing import Annotated, Any

from pydantic import AfterValidator

from workbench.text.sanitize import clean

DEEPEST = 100
"""Levels of nesting that are kept: many more, and the value could neither be written nor read back."""
_CUT = "[nested too deeply]"

Plain = Annotated[str, AfterValidator(clean)]
"""A string field of a record whose content comes from agents, tools, files or humans."""


def plain(value: Any) -> Any:
    """The same JSON value with every string in it sanitized, and words in place of what is nested too deeply."""
    return _plain(value, DEEPEST)


def _plain(value: Any, levels: int) -> Any:
    match value:
        case str():
            return clean(value)
        case dict() | list() | tuple() if not levels:
            return _CUT
        case dict():
            return {clean(key): _plain(item, levels - 1) for key, item in value.items()}
        case list() | tuple():
            return [_plain(item, levels - 1) for item in value]
        case _:
            return value
