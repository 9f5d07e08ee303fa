"""Which project this is, and what its configuration says."""

import os
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from workbench.corpus.problems import did_you_mean
from workbench.desk.records import DeskError, NoProject
from workbench.host.git import Git, GitError
from workbench.text.sanitize import clean

CONFIG = "workbench.toml"


class Settings(BaseModel):
    """The keys of `workbench.toml`, or of `[tool.workbench]` in `pyproject.toml`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    corpora: tuple[str, ...] = ("audits/*.yaml",)
    """Globs of corpus files, project-relative."""
    answer_key: tuple[str, ...] = ("/scratch/",)
    """Globs of box paths that give expectations away, beside the corpora and the reports."""
    reports: str = "reports"
    """Folder of the runs, project-relative."""
    ledger: str = "context-history.yaml"
    """The context ledger, project-relative; empty: none is kept."""
    engine: str = ""
    model: str = ""
    rules: str = ""
    parallel: int = Field(default=4, ge=1)
    timeout: float = Field(default=600.0, gt=0, allow_inf_nan=False)
    """Seconds for one trial."""
    max_cost: float = Field(default=0.0, ge=0, allow_inf_nan=False)
    """US dollars after which a run asks nothing more; 0: no cap."""
    show_observed_early: bool = False
    """Show the observed level before a human has saved one."""
    blind: bool = False
    """Hide the checks' verdicts, the engine and the model in grading mode until a human has saved level and verdict."""


@dataclass(frozen=True, slots=True)
class Project:
    """A folder with a configuration; every project-relative path starts at `root`."""

    root: Path
    settings: Settings

    @property
    def name(self) -> str:
        """The folder's name."""
        return self.root.name

    @property
    def reports(self) -> Path:
        """Where the runs lie."""
        return self.root / self.settings.reports

    @property
    def ledger(self) -> Path | None:
        """The context ledger, which may not be there yet; None when the project keeps none."""
        return self.root / self.settings.ledger if self.settings.ledger else None

    def corpus_files(self) -> tuple[Path, ...]:
        """The corpora, sorted by path, each once."""
        found = {path for glob in self.settings.corpora for path in self.root.glob(glob) if path.is_file()}
        return tuple(sorted(found))

    def no_audits(self) -> str:
        """What to say where no corpus holds an audit."""
        where = f"corpora are the files of {self.root} that match {', '.join(self.settings.corpora)}"
        return f"no corpus holds an audit; {where}; `workbench init` writes a first one"

    def secrets(self) -> tuple[Path, ...]:
        """What no agent may see, and no map may take for guidance: corpora, runs, ledger, notes; links resolved."""
        paths = (*self.corpus_files(), self.reports, self.root / "scratch", *filter(None, (self.ledger,)))
        return tuple(dict.fromkeys(path.resolve() for path in paths))

    def git(self) -> Git:
        """Git in the project's folder."""
        return Git(self.root)

    def state(self) -> tuple[str, int]:
        """The branch (a short hash when detached, empty outside git) and how many paths are changed."""
        try:
            git = self.git()
            status, out, _ = git.attempt("status", "--porcelain=v1", "--branch", "-z", "--no-renames")
        except GitError:
            return "", 0
        if status != 0:
            return "", 0
        head, *entries = out.decode("utf-8", "replace").rstrip("\0").split("\0")
        branch = head.removeprefix("## ").removeprefix("No commits yet on ").split("...")[0]
        changed = sum(1 for entry in entries if entry[2:3] == " ")
        return (git.head()[:9] if branch.startswith("HEAD (no branch)") else branch), changed

    def grader(self) -> str:
        """Who assesses here: git's user name, else the login name."""
        try:
            status, out, _ = self.git().attempt("config", "user.name")
        except GitError:
            status, out = 1, b""
        name = out.decode("utf-8", "replace").strip() if status == 0 else ""
        return name or os.environ.get("USER") or "someone"


def find(start: Path) -> Project:
    """Return the project `start` lies in, looking upward; DeskError when there is none or it cannot be read."""
    start = real_folder(start)
    for folder in (start, *start.parents):
        table = _table(folder)
        if table is not None:
            return Project(named_in_utf8(folder), _settings(folder, table))
    message = f"{start}: no {CONFIG} here or above; run `workbench init` in your repository to make one"
    raise NoProject(start, message)


def history(folder: Path) -> Path | None:
    """The folder in which git keeps all that was ever committed around a folder; None outside a repository."""
    try:
        status, out, _ = Git(folder).attempt("rev-parse", "--git-common-dir")
    except (GitError, OSError):
        return None
    return folder / os.fsdecode(out.rstrip(b"\n")) if status == 0 and out.strip() else None


def real_folder(named: Path) -> Path:
    """The folder a human means by a path; DeskError when there is none."""
    try:
        folder = named.expanduser().resolve()
    except RuntimeError as error:  # no such user, or links in a circle
        raise DeskError(f"{named}: {error}; name the project's folder") from error
    if not folder.is_dir():
        raise DeskError(f"{folder}: no such folder; name the project's folder")
    return folder


def named_in_utf8(folder: Path) -> Path:
    """The folder itself; DeskError for a path that no record could hold."""
    try:
        str(folder).encode("utf-8")
    except UnicodeEncodeError:
        raise DeskError(f"{folder}: the path is not UTF-8, so no record can name it; rename the folder") from None
    return folder


def _table(folder: Path) -> dict[str, Any] | None:
    own, shared = folder / CONFIG, folder / "pyproject.toml"
    if own.is_file():
        return _toml(own)
    if shared.is_file() and b"[tool.workbench]" in shared.read_bytes():
        table: dict[str, Any] = _toml(shared).get("tool", {}).get("workbench", {})
        return table
    return None


def _toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise DeskError(f"{path}: cannot be read as TOML: {error}; mend the file and try again") from error


_WANTED = {
    "tuple": "a list of texts",
    "string": "a text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
}


def _mistake(kind: str, key: str, said: str) -> str:
    """One thing that is wrong in a configuration; `kind` and `said` are pydantic's name and words for it."""
    if kind == "extra_forbidden":
        hint = did_you_mean(key, tuple(Settings.model_fields))
        return f"unknown key {key!r}" + (f"; {hint}" if hint else "")
    wanted = _WANTED.get(kind.partition("_")[0])
    return f"{key} must be {wanted}" if wanted else f"{key}: {said[:1].lower()}{said[1:]}"


def _settings(folder: Path, table: dict[str, Any]) -> Settings:
    try:
        settings = Settings.model_validate(table)
    except ValidationError as error:
        told = "; ".join(_mistake(one["type"], str(one["loc"][0]), one["msg"]) for one in error.errors())
        raise DeskError(f"{folder / CONFIG}: {told}; the known keys are {', '.join(Settings.model_fields)}") from error
    if wrong := _misplaced(folder, settings):
        raise DeskError(f"{folder / CONFIG}: {wrong}")
    return settings


def _misplaced(folder: Path, settings: Settings) -> str:
    """What is wrong with the paths of a configuration; empty when each is one inside the project."""
    for named in (*settings.corpora, settings.reports, settings.ledger):
        if Path(named).is_absolute() or ".." in Path(named).parts:
            return f"{named!r} must be a path inside the project"
        if clean(named) != named:
            return f"{named!r} holds control characters; remove them"
    for glob in settings.corpora:
        try:
            next(folder.glob(glob), None)
        except (ValueError, IndexError):
            return f"corpora: {glob!r} is no glob; write one such as 'audits/*.yaml'"
    if Path(settings.reports).parts[:1] in ((), (".git",)):
        return "reports: name a folder of its own, such as 'reports'"
    return ""
