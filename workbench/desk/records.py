"""What the desk hands to a front end: plain immutable views, ready to be drawn or printed."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.checks.records import CheckResult, Verdict
from workbench.corpus.records import Audit, Section, Status, Surface
from workbench.grading.records import Assessment
from workbench.runs.records import Manifest, Tally, Trial, TrialFinished
from workbench.traces.records import Trace

if TYPE_CHECKING:
    from workbench.insight.staleness import Staleness


class DeskError(Exception):
    """A user's mistake or a state that stops a command: one line that says what, where and what to do."""


class NoProject(DeskError):  # noqa: N818 - the name says what it is
    """Neither a folder nor any above it is set up; `folder` is where one looked from."""

    def __init__(self, folder: Path, message: str) -> None:
        super().__init__(message)
        self.folder = folder


class NothingMatches(DeskError):  # noqa: N818 - the name says what it is
    """A selection leaves nothing; `told` says so without what to do, which differs where one types a filter."""

    def __init__(self, told: str) -> None:
        super().__init__(f"{told}; `workbench list` shows all")
        self.told = told


@dataclass(frozen=True, slots=True)
class AskRequest:
    """What to ask, and how; unset fields fall back to the audit, the corpus, the configuration, then the reader."""

    audit_ids: tuple[str, ...]
    engine: str = ""
    model: str = ""
    box: str = ""
    surface: Surface | None = None
    trials: int = 1
    parallel: int = 0
    """Trials at once; 0 takes the configuration's."""
    timeout: float = 0.0
    """Seconds for one trial; 0 takes the configuration's."""
    max_cost: float = 0.0
    """US dollars after which nothing more is asked; 0: no cap."""
    command: tuple[str, ...] = ()
    """The command of an ACP agent, over the user's settings."""
    pi_dev_key: bool = False
    """Give pi the developer's own key where its box is granted a placeholder."""
    rehearse: bool = False
    """Let the reader answer in the model's place: the engine's own program runs, and nothing is paid."""
    free_only: bool = False
    """Leave out audits whose engine costs money; the headless start asks without anyone's yes."""
    selection: str = ""
    """The selection as it was typed, for the manifest."""
    revision: str = ""
    """Git revision at which the boxes are asked, as it was typed; empty: as they lie there, edits included."""
    hide: tuple[str, ...] = ()
    """Globs of box paths that are left out, beside what the corpora deny; recorded with the run."""


@dataclass(frozen=True, slots=True)
class TrialSummary:
    """One finished trial without its trace."""

    run_id: str
    trial: Trial
    engine: str
    model: str
    finished: TrialFinished
    assessments: tuple[Assessment, ...] = ()
    """The latest of each grader, oldest save first."""

    @property
    def verdict(self) -> Verdict:
        """What the checks say, after any regrade."""
        return self.finished.verdict

    @property
    def checks(self) -> tuple[CheckResult, ...]:
        """One result a check."""
        return self.finished.checks

    @property
    def human(self) -> Assessment | None:
        """The assessment saved last by anyone, unless blank."""
        last = self.assessments[-1] if self.assessments else None
        return last if last and not last.blank else None


@dataclass(frozen=True, slots=True)
class AuditRow:
    """One line of the audit list."""

    audit: Audit
    last: TrialSummary | None = None
    passed: int = 0
    measured: int = 0
    """Trials of the last run of this audit that passed or failed; `passed` of them passed."""
    age_days: float | None = None
    others: tuple[TrialSummary, ...] = ()
    """The last trial of each other engine or model that was ever asked, latest first."""
    stale: "Staleness | None" = None
    """What changed since the last trial; None while nobody looked into that."""


@dataclass(frozen=True, slots=True)
class SectionRows:
    """One section of the list, with its audits in file order."""

    file: str
    section: Section
    rows: tuple[AuditRow, ...]

    @property
    def status(self) -> Status | None:
        """The latest status comment."""
        return self.section.latest


@dataclass(frozen=True, slots=True)
class TrialView:
    """Everything about one trial that a screen shows; `trace` is partial while the trial runs."""

    summary: TrialSummary | None
    audit: Audit | None
    trace: Trace | None
    observed_level: str = ""
    """What the acts say; for front ends to show only once the human has saved a level."""
    observed_note: str = ""
    earlier: tuple[int, ...] = ()
    """Tokens that trials of the same audit, engine and model began with before it, oldest first; 0: not counted."""


@dataclass(frozen=True, slots=True)
class RunSummary:
    """One line of the run history."""

    run_id: str
    folder: Path
    manifest: Manifest
    tally: Tally
    complete: bool


@dataclass(frozen=True, slots=True)
class StatusEdit:
    """A drafted status comment and exactly what writing it would change."""

    file: str
    section: str
    """Title of the section."""
    section_line: int | None
    """The line of its header when the status was drafted; tells sections of one title apart."""
    audit_id: str
    """Set when the status is about one audit of the section only."""
    text: str
    """The prose after `# Status (…): `, editable."""
    heading: str
    """What stands in the parenthesis: the date, the engine and the model."""
    diff: str
    """Unified diff of the corpus file against what is on disk now."""
    base: str
    """sha256 of the file the diff was made against; writing is refused when the file moved since."""
    tracked: bool
    """False when git does not track the corpus: a commit then adds the whole file, and needs a yes."""
    written: bool = False
    commit: str = ""
    """Hash of the commit that recorded it."""


@dataclass(frozen=True, slots=True)
class CommitResult:
    """What became of a commit; `output` is what git and the hooks said."""

    commit: str = ""
    output: str = ""
    refused: str = ""
    """Why nothing was committed, and what to do about it; empty on success."""
