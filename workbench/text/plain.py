"""Text that is safe wherever it goes: a field type that sanitizes what is put in or read back."""

from typing import Annotated, Any

from pydantic import AfterValidator

from workbench.text.sanitize import clean

Plain = Annotated[str, AfterValidator(clean)]
"""A string field of a record whose content comes from agents, tools, files or humans."""


def plain(value: Any) -> Any:
    """The same JSON value with every string in it sanitized."""
    match value:
        case str():
            return clean(value)
        case dict():
            return {clean(key): plain(item) for key, item in value.items()}
        case list() | tuple():
            return [plain(item) for item in value]
        case _:
            return value
