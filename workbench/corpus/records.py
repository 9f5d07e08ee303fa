"""Audits, sections and corpora as they are read from YAML."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

Surface = Literal["box", "dev"]
SampleKind = Literal["right", "wrong", "negation"]

LEVELS: tuple[str, ...] = (
    "knows_directly",
    "knows_about",
    "discoverable",
    "deducible",
    "researchable",
    "guessable",
    "improvised",
    "knows_it_does_not_know",
    "does_not_know",
)
"""The nine knowledge levels, in the order of the keys 1–9. Kinds, not a scale: never averaged."""


class Frozen(BaseModel):
    """Base of records read from a corpus: immutable, unknown fields are a programming error."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Position(Frozen):
    """A place in a file; both numbers start at 1."""

    line: int
    column: int


class Problem(Frozen):
    """Something wrong in a file a human wrote: where, what, and what to do about it."""

    severity: Literal["error", "warning"]
    code: str
    """A short stable name such as `unknown-key`, for filtering."""
    file: str
    """Project-relative path."""
    position: Position = Position(line=1, column=1)
    audit_id: str = ""
    message: str
    fix: str = ""

    def __str__(self) -> str:
        where = f"{self.file}:{self.position.line}:{self.position.column}"
        who = f" [{self.audit_id}]" if self.audit_id else ""
        fix = f"; {self.fix}" if self.fix else ""
        return f"{where}: {self.severity}: {self.message}{who}{fix}"


class Audit(Frozen):
    """One question with an expected knowledge level; `checks` holds the raw check keys for `checks.bind`."""

    id: str
    prompt: str
    expected_level: str = ""
    watch_for: str = ""
    surface: Surface = "box"
    tags: tuple[str, ...] = ()
    notes: str = ""
    style: str = ""
    max_turns: int = 10
    engine: str = ""
    context_dir: str = ""
    fixture: dict[str, str] = {}
    chat_mode: bool = False
    plugins: tuple[str, ...] = ()
    samples: dict[SampleKind, list[str]] = {}
    """Answers the text checks are tried on: right ones, wrong ones, and right ones that say what not to do."""
    checks: dict[str, Any] = {}
    """Keys the corpus does not know itself, with plain YAML 1.2 values."""
    file: str = ""
    """Project-relative path of the corpus."""
    section: str = ""
    """Title of the section it stands in; empty before the first header."""
    positions: dict[str, Position] = {}
    """Where each key of the entry stands; the entry itself under the empty string."""

    @property
    def full_prompt(self) -> str:
        """What the agent is asked: the style, then the prompt."""
        return f"{self.style}. {self.prompt}" if self.style else self.prompt

    def position(self, key: str = "") -> Position:
        """Where a key of this entry stands, or the entry itself."""
        return self.positions.get(key) or self.positions.get("") or Position(line=1, column=1)


class Status(Frozen):
    """A status comment found in the corpus: any shape people have written, kept as read."""

    date: str
    qualifier: str = ""
    """What stood in the parenthesis after the date or, with a comma, behind it, such as an engine or a topic."""
    text: str
    """Its prose, comment marks removed, lines joined by single spaces."""
    line: int
    """1-based line its `Status (` stands on; of the key for one in an audit's `notes`."""
    raw: str = ""
    """As it was written, from `Status (` on, with its line breaks and bullets but without comment marks."""


class Section(Frozen):
    """The run of entries under a `# === Title ===` comment, or under the file's start (empty title)."""

    title: str
    line: int
    """1-based line of the header; of the first entry when there is no header."""
    audit_ids: tuple[str, ...] = ()
    statuses: tuple[Status, ...] = ()
    """As they stand in the file, top to bottom; not always newest first."""

    @property
    def latest(self) -> Status | None:
        """The status with the latest date; the upper one of equals."""
        return max(self.statuses, key=lambda s: (s.date, -s.line), default=None)


class CorpusSettings(Frozen):
    """Top-level keys of a corpus beside `tests`."""

    box: str = ""
    """Folder the questions are asked in; relative to the corpus file, or starting with `/` or `~`."""
    engine: str = ""
    model: str = ""
    guidance_rules: str = ""
    """Whose loading rules the in-process agent follows: claude, codex or pi."""
    env: tuple[str, ...] = ()
    """Names of environment variables passed through to the agent's tools; never values."""
    guidance: tuple[str, ...] = ()
    """Globs of files that count as guidance beyond the engine's own."""
    include_ignored: tuple[str, ...] = ()
    """Globs of git-ignored box paths the workspace needs all the same."""
    deny: tuple[str, ...] = ()
    """Globs of box paths the workspace must not hold."""
    answer_key: tuple[str, ...] = ()
    """Globs of box paths that hold expectations; absent from the workspace, from its history too."""
    history: int = 0
    """How many commits of history a trial may see; 0 is one commit made of the snapshot."""
    chat_prompt: str = ""
    """Box-relative file with the chat-mode prompt, where no `bbx` prints it."""
    narration_overlay: str = ""
    """Box-relative file appended to the chat prompt when the question says `narration="on"`."""
    reply_tags: tuple[str, ...] = ("chat",)
    """Tags whose text a chat shows even when it was said before a later tool call."""


class Corpus(Frozen):
    """One YAML file of audits; `problems` holds everything worth telling about it."""

    file: str
    settings: CorpusSettings = CorpusSettings()
    audits: tuple[Audit, ...] = ()
    sections: tuple[Section, ...] = ()
    problems: tuple[Problem, ...] = ()
