"""What a template holds, kept beside it, so that any process can copy it without looking at the box again."""

import json
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from workbench.boxes.location import BoxError

_NAME = "template.json"


class Item(BaseModel):
    """A folder, file or link of a template, those of its repository included; folders before what they hold."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    path: str
    """Relative to the workspace; bytes that are not UTF-8 as surrogates."""
    kind: Literal["folder", "file", "link"]
    executable: bool = False
    sha256: str = ""
    """Of a file's bytes or a link's target; empty for folders."""
    target: str = ""
    """Where a link points."""


class Manifest(BaseModel):
    """A template's inventory."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    """The box's folder name, which its workspaces bear too."""
    snapshot_hash: str
    head: str
    """The commit a workspace starts at."""
    items: tuple[Item, ...]

    def write(self, folder: Path) -> None:
        """Put the inventory into a template's folder."""
        (folder / _NAME).write_text(json.dumps(self.model_dump()), encoding="ascii")

    @staticmethod
    def withdraw(folder: Path) -> None:
        """Take the inventory away: what the folder holds from here on is no template. Raises OSError."""
        (folder / _NAME).unlink()

    @staticmethod
    def stamp(folder: Path) -> tuple[int, int]:
        """Equal as long as the same inventory lies in a folder; raises BoxError when there is none."""
        try:
            about = (folder / _NAME).stat()
        except OSError as error:
            raise BoxError(f"{folder} holds no template: {error}") from error
        return about.st_ino, about.st_mtime_ns

    @classmethod
    def read(cls, folder: Path) -> "Manifest":
        """Read the inventory of a template's folder; raises BoxError when there is none."""
        try:
            return cls.model_validate(json.loads((folder / _NAME).read_text(encoding="ascii")))
        except (OSError, ValueError, ValidationError) as error:
            raise BoxError(f"{folder} holds no template: {error}") from error
