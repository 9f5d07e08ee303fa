"""What a check is made of: a key, the shape of its value, and a pure function of the trace."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from workbench.checks.case import Case
from workbench.checks.records import CheckResult


class WrongValueError(ValueError):
    """A check's value that cannot be used: what is wrong, and what to write instead."""

    def __init__(self, message: str, fix: str = "", code: str = "wrong-type") -> None:
        super().__init__(message)
        self.message, self.fix, self.code = message, fix, code


Parse = Callable[[Any], Any]
"""Turns the plain YAML value into what the check runs with; raises WrongValueError."""

Run = Callable[[Case, Any], Iterator[CheckResult]]
"""Judges one trial by the parsed value: a result for each thing it can say yes or no to."""


@dataclass(frozen=True, slots=True)
class Definition:
    """One kind of check."""

    key: str
    """The YAML key."""
    parse: Parse
    run: Run
    box_only: bool = False
    """Whether it means nothing on the read-only `dev` surface and is refused there."""


@dataclass(frozen=True, slots=True)
class Check:
    """A definition with the value one audit gives it."""

    definition: Definition
    value: Any

    @property
    def kind(self) -> str:
        """The YAML key."""
        return self.definition.key


DEFINITIONS: dict[str, Definition] = {}
"""Every kind that has been registered, by key."""


def check(key: str, parse: Parse, *, box_only: bool = False) -> Callable[[Run], Run]:
    """Register the decorated function as the check behind a YAML key."""

    def register(run: Run) -> Run:
        DEFINITIONS[key] = Definition(key, parse, run, box_only)
        return run

    return register
