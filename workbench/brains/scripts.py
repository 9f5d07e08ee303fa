"""Brains by name: the reader, a script in YAML, or the recording of a session.

A script is a list of messages, said one after another, the last one again and again:

    - call: Read
      with: {file_path: docs/oven.md}
      text: Let me look.
    - calls:
        - {call: Grep, with: {pattern: rye}}
        - {call: Bash, with: {command: ls}}
    - say: Rye wants 240 degrees.
      thinking: They asked for rye.
"""

from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag, TypeAdapter, ValidationError

from workbench.brains.protocol import Brain
from workbench.brains.reader import Reader
from workbench.brains.recorded import Recorded
from workbench.brains.scripted import Call, Calls, Say, Scripted, Step
from workbench.corpus import yaml12
from workbench.traces import store

_FORMS = "the reader, a trace (.jsonl), or a script (.yaml)"


class BrainUnknown(ValueError):  # noqa: N818 - the name says what it is
    """No brain is to be had by that name; the message says why."""


def named(name: str) -> Brain:
    """The brain of a name: `reader`, or the path of a trace or a script; raises BrainUnknown."""
    if name == Reader.name:
        return Reader()
    path = Path(name)
    try:
        if path.suffix == ".jsonl":
            return Recorded(store.read(path))
        if path.suffix in (".yaml", ".yml"):
            return Scripted(steps(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise BrainUnknown(f"{name}: cannot be read: {error.strerror}") from error
    except yaml12.YamlError as error:
        raise BrainUnknown(f"{name}:{error.line}: {error}") from error
    except store.TraceError as error:
        raise BrainUnknown(str(error)) from error
    except ValueError as error:
        raise BrainUnknown(f"{name}: {error}") from error
    raise BrainUnknown(f"{name!r} is no brain; give {_FORMS}")


def steps(text: str) -> tuple[Step, ...]:
    """The messages of a script; raises ValueError, of which YamlError is one, with what is wrong in which message."""
    try:
        return tuple(entry.step() for entry in _SCRIPT.validate_python(yaml12.load(text)))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        number, _kind, *keys = (*first["loc"], "", "")
        where = f"message {number + 1}" if isinstance(number, int) else "a script is a list of messages"
        key = ".".join(str(key) for key in keys if key != "")
        raise ValueError(": ".join(filter(None, (where, key, first["msg"])))) from error


class _Entry(BaseModel):
    model_config = ConfigDict(extra="forbid")

    thinking: str = ""


class _Say(_Entry):
    say: str

    def step(self) -> Step:
        """The message of this entry."""
        return Say(self.say, self.thinking)


class _Call(_Entry):
    call: str
    arguments: dict[str, Any] = Field(default={}, alias="with")
    text: str = ""

    def step(self) -> Call:
        """The call of this entry, alone in its message."""
        return Call(self.call, self.arguments, self.text, self.thinking)


class _Calls(_Entry):
    calls: tuple[_Call, ...] = Field(min_length=1)
    text: str = ""

    def step(self) -> Step:
        """The message with all calls of this entry."""
        return Calls(tuple(call.step() for call in self.calls), self.text, self.thinking)


def _kind(entry: Any) -> str | None:
    kinds = [kind for kind in ("say", "call", "calls") if isinstance(entry, dict) and kind in entry]
    return kinds[0] if len(kinds) == 1 else None


_Message = Annotated[
    Annotated[_Say, Tag("say")] | Annotated[_Call, Tag("call")] | Annotated[_Calls, Tag("calls")],
    Discriminator(
        _kind, custom_error_type="kind", custom_error_message="it needs exactly one of `say`, `call` and `calls`"
    ),
]
_SCRIPT: TypeAdapter[list[_Message]] = TypeAdapter(Annotated[list[_Message], Field(min_length=1)])
