"""What a probe finds: where each guidance file of a box stood in the requests an agent really sent."""

from typing import Literal

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel

from workbench.text.plain import Plain

Standing = Literal["always", "conditional", "referenced", "never"]
"""In the first request; in a later one, after something was done; only its path in a loaded text; nowhere."""
STANDINGS: tuple[Standing, ...] = ("always", "conditional", "referenced", "never")

PartName = Literal["prompt", "tools", "guidance", "skills", "question"]


class _Record(BaseModel):
    model_config = ConfigDict(
        frozen=True, extra="forbid", alias_generator=to_camel, populate_by_name=True, serialize_by_alias=True
    )


class FileContext(_Record):
    """One guidance file of the box, and how the engine reached it. Sizes are characters."""

    path: Plain
    """Box-relative."""
    standing: Standing
    via: Plain = ""
    """What brought it in: the importing or naming file, the read or the skill call; empty for a root file."""
    size: int = 0
    """Of the file, blanks at its ends aside."""
    loaded: int = 0
    """Of it, what stood in the requests; less than `size` when the engine cut it or left out header and comments."""
    cut: bool = False
    """Whether its end was missing."""
    told: int = 0
    """Name and description by which a skill is announced from the start."""
    skill: Plain = ""
    """Its name, for a skill."""
    guidance: bool = True
    """Whether it was a candidate by its name or place; else only a reference leads to it."""
    text: Plain = ""
    """What was loaded of it; of what was not loaded, what it holds."""

    @property
    def came(self) -> bool:
        """Whether its text stood in a request, at the start or later."""
        return self.standing in ("always", "conditional")


class Part(_Record):
    """A share of the always-on context: of the first request, before anything was done."""

    name: PartName
    size: int
    """Characters."""


class Difference(_Record):
    """Where the static chain and the engine disagree about a file."""

    path: Plain
    chain: Standing
    engine: Standing

    @property
    def told(self) -> str:
        """The disagreement in a sentence."""
        return f"the chain says {_WORDS[self.chain]}; {_DID[self.engine]}"


_WORDS = {"always": "always", "conditional": "on condition", "referenced": "referenced", "never": "never"}
_DID = {
    "always": "it stood in the first request",
    "conditional": "it came later",
    "referenced": "only its path was there",
    "never": "it was not loaded",
}


class Visit(_Record):
    """One thing the probing model does so that guidance may come: a file read, or a skill opened."""

    kind: Literal["read", "skill"]
    path: Plain
    """Box-relative path of the file, or of the skill's SKILL.md."""
    aim: Plain
    """What it may bring in: the glob of a rule, a folder, the skill's name."""

    @property
    def told(self) -> str:
        """The visit as a human reads it: `reading trees/a.card`."""
        return f"opening the skill {self.aim}" if self.kind == "skill" else f"reading {self.path}"


class ContextReport(_Record):
    """What one version of one engine loads of one state of a box."""

    engine: Plain
    version: Plain = ""
    model: Plain = ""
    rules: Plain = ""
    """Whose static chain it was compared with, such as `claude@2.1.332`; empty: with none."""
    box: Plain
    """The box's name."""
    cwd: Plain = "."
    """Box-relative folder the agent started in."""
    guidance: str = ""
    """sha256 over path and content of every guidance file: what the report holds for."""
    at: str = ""
    """When, in UTC."""
    files: tuple[FileContext, ...] = ()
    """By standing, then in the order they stood in the requests, then by path."""
    parts: tuple[Part, ...] = ()
    """In the order of `PartName`; together the whole first request."""
    differences: tuple[Difference, ...] = ()
    leaks: tuple[Plain, ...] = ()
    """Paths of guidance outside the box, or of the user's home, that the agent was told of. There must be none."""
    visits: tuple[Visit, ...] = ()
    skipped: int = 0
    """Visits that were left out so that the probe ends."""
    requests: int = 0
    """Requests for a message."""
    problem: Plain = ""
    """Why there is less here than there could be; empty when all went well."""

    @property
    def total(self) -> int:
        """Characters of the always-on context."""
        return sum(part.size for part in self.parts)

    def standing(self, standing: Standing) -> tuple[FileContext, ...]:
        """The files that stand so."""
        return tuple(file for file in self.files if file.standing == standing)
