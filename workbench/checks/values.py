"""The shapes that values of checks have in YAML."""

from typing import Any

from workbench.checks.definition import WrongValueError
from workbench.text.patterns import compile_error
from workbench.text.sanitize import clean_line


def texts(value: Any) -> tuple[str, ...]:
    """A list of texts; it may be empty."""
    if isinstance(value, str):
        raise WrongValueError("must be a list, not a single text", "put it in brackets: [ … ]")
    if not isinstance(value, list):
        raise WrongValueError("must be a list of texts", "write [ … ] with a text for each")
    for number, item in enumerate(value, 1):
        if not isinstance(item, str):
            raise WrongValueError(f"item {number} must be text, not {item!r}", "put it in quotes")
    return tuple(value)


def some_texts(value: Any) -> tuple[str, ...]:
    """A list of at least one text."""
    given = texts(value)
    if not given:
        raise WrongValueError("must name at least one", "add one, or remove the key", "empty")
    return given


def patterns(value: Any) -> tuple[str, ...]:
    """A list of regular expressions that JavaScript accepts."""
    given = texts(value)
    for number, pattern in enumerate(given, 1):
        if not pattern:
            raise WrongValueError(f"item {number} is an empty pattern", "write a pattern, or remove it", "bad-pattern")
        if error := compile_error(pattern):
            shown = clean_line(pattern, 80)
            raise WrongValueError(
                f"item {number}, `{shown}`, is no JavaScript pattern: {error}",
                "correct it; letter case is ignored anyway, and in double quotes a backslash is doubled",
                "bad-pattern",
            )
    return given


def flag(value: Any) -> bool:
    """True or false."""
    if not isinstance(value, bool):
        raise WrongValueError(f"must be true or false, not {value!r}")
    return value


class OneOf:
    """One of a few words: `OneOf("web", "box")`."""

    def __init__(self, *choices: str) -> None:
        self._choices = choices

    def __call__(self, value: Any) -> str:
        if value not in self._choices or not isinstance(value, str):
            raise WrongValueError(f"must be one of {', '.join(self._choices)}, not {value!r}", code="bad-value")
        return value
