"""What every tool is made of: a schema, a run, an outcome, and arguments checked against the schema."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from workbench.brains.protocol import ToolSchema
from workbench.engines.toolbox.place import Place
from workbench.traces.records import LoadedFile


class ToolError(Exception):
    """The tool cannot do that; the message tells the agent what to do instead."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a tool gives back to the agent."""

    text: str
    is_error: bool = False
    touched: str = ""
    """Box-relative path of the file that was read or edited; it may bring guidance in."""
    guidance: tuple[LoadedFile, ...] = ()
    """Guidance that this very call opens, as a skill does."""


class Tool(Protocol):
    """One thing an agent can do."""

    schema: ToolSchema

    def run(self, arguments: Mapping[str, Any], place: Place) -> Outcome:
        """Do it. `arguments` fit the schema. Raises ToolError or OutsideError when it cannot be done."""
        ...


_TYPES: dict[str, tuple[type, ...]] = {"string": (str,), "integer": (int,), "boolean": (bool,), "number": (int, float)}


def schema(name: str, description: str, required: Mapping[str, str], optional: Mapping[str, str] = {}) -> ToolSchema:
    """A tool's schema from `argument name -> "type: description"` tables."""
    properties = {}
    for argument, told in {**required, **optional}.items():
        kind, _, meaning = told.partition(": ")
        properties[argument] = {"type": kind, "description": meaning}
    return ToolSchema(
        name,
        description,
        {"type": "object", "properties": properties, "required": list(required), "additionalProperties": False},
    )


def check(tool: ToolSchema, arguments: Mapping[str, Any]) -> None:
    """Raise ToolError when arguments do not fit the tool's schema, naming all that is wrong."""
    properties: dict[str, dict[str, str]] = tool.input_schema["properties"]
    wrong = [f"`{name}` is missing" for name in tool.input_schema["required"] if name not in arguments]
    for name, value in arguments.items():
        if name not in properties:
            wrong.append(f"`{name}` is not an argument (known: {', '.join(properties)})")
            continue
        kind = properties[name]["type"]
        fits = isinstance(value, _TYPES[kind]) and (kind == "boolean" or not isinstance(value, bool))
        if not fits:
            wrong.append(f"`{name}` must be of type {kind}")
    if wrong:
        raise ToolError(f"{tool.name} was not run: {'; '.join(wrong)}.")
