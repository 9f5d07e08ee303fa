"""Collecting what is wrong in a corpus, in words that say where and what to do."""

import difflib
from collections.abc import Collection, Mapping
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from workbench.corpus.records import Position, Problem
from workbench.corpus.yaml12 import Node, YamlError
from workbench.text.sanitize import clean_line

Model = TypeVar("Model", bound=BaseModel)


class Problems:
    """The problems of one file. An error means that what it names is left out; a warning changes nothing."""

    def __init__(self, file: str) -> None:
        self.file = file
        self._found: list[Problem] = []

    def error(
        self, code: str, message: str, fix: str = "", position: Position | None = None, audit_id: str = ""
    ) -> None:
        """Add an error: what it is about cannot be used."""
        self._add("error", code, message, fix, position, audit_id)

    def warning(
        self, code: str, message: str, fix: str = "", position: Position | None = None, audit_id: str = ""
    ) -> None:
        """Add a warning: it can be used, but is probably not what was meant."""
        self._add("warning", code, message, fix, position, audit_id)

    def yaml(self, error: YamlError, audit_id: str = "") -> None:
        """Add what the YAML loader refused."""
        self.error("yaml", error.message, error.fix, Position(line=error.line, column=error.column), audit_id)

    def all(self) -> tuple[Problem, ...]:
        """Everything found, in file order."""
        return tuple(sorted(self._found, key=lambda problem: (problem.position.line, problem.position.column)))

    def _add(
        self,
        severity: Literal["error", "warning"],
        code: str,
        message: str,
        fix: str,
        position: Position | None,
        audit_id: str,
    ) -> None:
        self._found.append(
            Problem(
                severity=severity,
                code=code,
                file=self.file,
                position=position or Position(line=1, column=1),
                audit_id=clean_line(audit_id, 80),
                message=clean_line(message, 400),
                fix=clean_line(fix, 400),
            )
        )


def position_of(node: Node) -> Position:
    """Where a node starts."""
    return Position(line=node.start_mark.line + 1, column=node.start_mark.column + 1)


def did_you_mean(word: str, known: Collection[str]) -> str:
    """A hint at the nearest known word; empty when none is near."""
    near = difflib.get_close_matches(word, known, 1, 0.7)
    return f"did you mean `{near[0]}`?" if near else ""


def validated(
    model: type[Model],
    values: Mapping[str, Any],
    positions: Mapping[str, Position],
    problems: Problems,
    audit_id: str = "",
) -> Model | None:
    """Build a record from YAML values without any conversion; a wrong value becomes an error at its key, and None."""
    ready = {key: tuple(value) if isinstance(value, list) else value for key, value in values.items()}
    try:
        return model.model_validate(ready, strict=True)
    except ValidationError as error:
        for detail in error.errors(include_url=False, include_context=True):
            name = str(detail["loc"][0])
            message, fix = _told(name, detail)
            problems.error("wrong-type", message, fix, positions.get(name) or positions.get(""), audit_id)
    return None


_EXPECTED = {
    "string_type": "text",
    "int_type": "a whole number",
    "bool_type": "true or false",
    "tuple_type": "a list",
    "list_type": "a list",
    "dict_type": "a mapping",
}


def _told(name: str, detail: ErrorDetails) -> tuple[str, str]:
    """A validation error in our words: the message and what to do."""
    value, kind = detail["input"], detail["type"]
    expected = _EXPECTED.get(kind) or str(detail.get("ctx", {}).get("expected", detail["msg"]))
    what = f"`{name}`" + "".join(_place(part) for part in detail["loc"][1:])
    if value is None:
        return f"{what} has no value where {expected} should stand", "write the value, or remove the key"
    if kind == "string_type" and isinstance(value, (bool, int, float)):
        return f"{what} must be text, not {_said(value)}", "put it in quotes"
    if kind in ("tuple_type", "list_type") and isinstance(value, str):
        return f"{what} must be a list, not a single text", "put it in brackets: [ … ]"
    return f"{what} must be {expected}, not {_said(value)}", ""


def _place(part: int | str) -> str:
    if isinstance(part, int):
        return f" item {part + 1}"
    return " key" if part == "[key]" else f" entry {part!r}"


def _said(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return f"the number {value}"
    if isinstance(value, str):
        return repr(clean_line(value, 60))
    return "a mapping" if isinstance(value, dict) else "a list"
