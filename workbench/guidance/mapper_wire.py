"""What a desk and the process that draws its maps say to each other: one JSON object a line."""

import functools
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from workbench.corpus.records import Audit
from workbench.guidance.records import KnowledgeMap
from workbench.text.plain import Plain

LINE_LIMIT = 256_000_000
"""Bytes of the longest line: a map names every place of every answer."""


class _Wire(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Corpora(_Wire):
    """Every audit that maps may be asked for from here on; they take the place of those before."""

    type: Literal["corpora"] = "corpora"
    audits: tuple[Audit, ...]


class BoxAsked(_Wire):
    """One box, how it is met, and which audits are asked there."""

    name: str
    """As the human named it."""
    box: Path
    """Absolute path of it."""
    rules: str
    cwd: str = "."
    extra: tuple[str, ...] = ()
    """Globs of files that count as guidance beside the engine's own."""
    include_ignored: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()
    answer_key: tuple[str, ...] = ()
    """Globs of what a workspace has beside the tracked files, and of what it has not."""
    commit: str = ""
    """Full name of the commit at which the box is looked at; empty: as it lies there."""
    secrets: tuple[Path, ...] = ()
    """Absolute paths of corpora and the like, whose earlier forms a commit may hold under any name."""
    audits: tuple[tuple[str, str], ...]
    """File and id of each."""
    otherwise: tuple[tuple[str, str], ...] = ()
    """Audits that meet the same box in another way: what they ask about is asked about, too."""


class MapRequest(_Wire):
    """Draw a map."""

    type: Literal["map"] = "map"
    boxes: tuple[BoxAsked, ...]


class Mapped(_Wire):
    """The map that was asked for."""

    type: Literal["mapped"] = "mapped"
    map: KnowledgeMap


class Refused(_Wire):
    """There is no map, and why."""

    type: Literal["refused"] = "refused"
    detail: Plain


@functools.cache
def requests() -> TypeAdapter[Corpora | MapRequest]:
    """Reads what the desk says."""
    return TypeAdapter(Annotated[Corpora | MapRequest, Field(discriminator="type")])


@functools.cache
def replies() -> TypeAdapter[Mapped | Refused]:
    """Reads what the process says."""
    return TypeAdapter(Annotated[Mapped | Refused, Field(discriminator="type")])
