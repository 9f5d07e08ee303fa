"""What a run will ask: trials with all they need, and the manifest that says under which conditions."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypedDict, Unpack

from workbench import __version__
from workbench.corpus.records import Audit, CorpusSettings, Surface
from workbench.engines.protocol import EngineSettings
from workbench.host.files import sha256
from workbench.runs.records import BoxRecord, Manifest, Trial

DEFAULT_RULES = "claude"
DEV = " (dev)"
"""Marks the box of a corpus's developer audits."""
SEVERAL = ", "
"""Stands between the models, or rules, of a run whose corpora name several."""


class PlanError(ValueError):
    """A run that cannot be planned: which audit stands in the way, and what to do."""


@dataclass(frozen=True, slots=True)
class Question:
    """An audit, the settings of its corpus, and the box it is asked in."""

    audit: Audit
    settings: CorpusSettings
    box: Path
    """Absolute path of the box."""
    box_name: str = ""
    """The box's path as the human named it."""
    revision: str = ""
    """Full name of the commit it is asked at; empty: as the box lies there, edits included."""
    revision_name: str = ""
    """The revision as the human named it."""


@dataclass(frozen=True, slots=True)
class Job:
    """One trial and the question it asks."""

    trial: Trial
    question: Question


@dataclass(frozen=True, slots=True)
class RunPlan:
    """Everything a campaign needs to know; `plan` makes one."""

    reports: Path
    """Folder the run's own folder is made in."""
    project: Path
    """Folder that project-relative paths start at."""
    jobs: tuple[Job, ...]
    engine: str = "reader"
    engine_settings: EngineSettings = field(default_factory=EngineSettings)
    """How its user says it is reached."""
    keys: Mapping[str, str] = field(default_factory=dict, repr=False)
    """The engine's credentials by variable name; they reach its workers and no record."""
    model: str = ""
    """Empty: the one each corpus names, else the engine's default."""
    rules: str = ""
    """Guidance-loading rules; empty: those each corpus names, else claude's."""
    surface: Surface | None = None
    """None: the one each audit names."""
    parallel: int = 4
    timeout: float = 600.0
    """Seconds for one trial, its preparation included."""
    max_cost: float = 0.0
    """US dollars after which nothing more is asked; 0: no cap."""
    selection: str = ""
    left_out: int = 0
    """Developer audits of the selection that are not asked because a box is named."""
    answer_key: Sequence[str] = ()
    """Globs of box paths that give expectations away, beside those of each corpus."""
    hide: Sequence[str] = ()
    """Globs of box paths that are left out on purpose; recorded with the run."""
    corpora: Sequence[str] = ()
    """Project-relative globs of corpora: in a box's past files may answer to them that are none today."""
    hidden: Sequence[Path] = ()
    """Absolute paths no trial may see wherever they lie: corpora and ledger. The reports folder always is one."""

    def model_of(self, job: Job) -> str:
        """The model a job asks for; empty for the engine's default."""
        return self.model or job.question.settings.model

    def rules_of(self, job: Job) -> str:
        """The guidance-loading rules a job is asked under."""
        return self.rules or job.question.settings.guidance_rules or DEFAULT_RULES

    def surface_of(self, job: Job) -> Surface:
        """The surface a job is asked on."""
        return self.surface or job.question.audit.surface

    @property
    def passed(self) -> tuple[str, ...]:
        """Names of the environment variables that the corpora pass to the agent's tools, each once."""
        return tuple(dict.fromkeys(name for job in self.jobs for name in job.question.settings.env))

    @property
    def secrets(self) -> tuple[Path, ...]:
        """Everything no trial may see, links resolved, each once."""
        files = dict.fromkeys(job.question.audit.file for job in self.jobs if job.question.audit.file)
        paths = (*self.hidden, self.reports, *(self.project / file for file in files))
        return tuple(dict.fromkeys(path.resolve() for path in paths))


class Conditions(TypedDict, total=False):
    """What a plan may be told beside its questions; each means what it means in a `RunPlan`."""

    engine: str
    engine_settings: EngineSettings
    keys: Mapping[str, str]
    model: str
    rules: str
    surface: Surface | None
    parallel: int
    timeout: float
    max_cost: float
    selection: str
    left_out: int
    answer_key: Sequence[str]
    hide: Sequence[str]
    corpora: Sequence[str]
    hidden: Sequence[Path]


def plan(
    questions: Sequence[Question], *, reports: Path, project: Path, trials: int = 1, **conditions: Unpack[Conditions]
) -> RunPlan:
    """Plan every question `trials` times: all of them once, then all of them again.

    Raises PlanError when there is nothing to ask or two questions share an id.
    """
    if not questions or trials < 1:
        raise PlanError("nothing to ask: the selection holds no audit")
    twice = next((name for name, n in Counter(q.audit.id for q in questions).items() if n > 1), None)
    if twice is not None:
        files = ", ".join(dict.fromkeys(q.audit.file for q in questions if q.audit.id == twice))
        raise PlanError(f"two audits are called {twice!r} ({files}); rename one of them")
    jobs = tuple(Job(trial_of(q.audit, n), q) for n in range(1, trials + 1) for q in questions)
    return RunPlan(reports.absolute(), project.absolute(), jobs, **conditions)


def trial_of(audit: Audit, repetition: int = 1) -> Trial:
    """The plain trial of an audit."""
    return Trial(audit_id=audit.id, file=audit.file, section=audit.section, repetition=repetition)


def manifest(plan: RunPlan, run_id: str, started_at: str) -> Manifest:
    """What is known of a run before its boxes are looked at; `campaign` adds their state and the engine's version."""
    surfaces = {plan.surface_of(job) for job in plan.jobs}
    surface: Surface | Literal["both"] = surfaces.pop() if len(surfaces) == 1 else "both"
    return Manifest(
        run_id=run_id,
        started_at=started_at,
        workbench_version=__version__,
        engine=plan.engine,
        model=_several(plan.model_of(job) for job in plan.jobs),
        rules=_several(plan.rules_of(job) for job in plan.jobs),
        surface=surface,
        boxes={box_key(job.question.audit): box_record(job) for job in plan.jobs},
        corpus_hashes=corpus_hashes(plan),
        trials=tuple(job.trial for job in plan.jobs),
        parallel=plan.parallel,
        timeout=plan.timeout,
        max_cost=plan.max_cost,
        command_hash=command_hash(plan.engine_settings),
        selection=plan.selection,
        hide=tuple(plan.hide),
        left_out=plan.left_out,
    )


def box_key(audit: Audit) -> str:
    """Under what a run's records name the box of an audit: its corpus, whose developer audits have one of their own."""
    return f"{audit.file}{DEV}" if audit.surface == "dev" else audit.file


def command_hash(settings: EngineSettings) -> str:
    """By what a run knows the command it asked; empty for an engine that has none."""
    return sha256("\0".join(settings.command).encode("utf-8", "surrogateescape")) if settings.command else ""


def corpus_hashes(plan: RunPlan) -> dict[str, str]:
    """Project-relative corpus path → sha256 of its bytes; a file that is gone is left out."""
    files = {job.trial.file: plan.project / job.trial.file for job in plan.jobs if job.trial.file}
    return {name: sha256(path.read_bytes()) for name, path in files.items() if path.is_file()}


def box_record(job: Job) -> BoxRecord:
    """Which box a job is asked in, its state not looked at."""
    question = job.question
    path = str(question.box)
    name = question.box_name or question.settings.box or path
    asked_at = question.revision_name or question.revision
    return BoxRecord(name=name, path=path, commit=question.revision, revision=asked_at)


def _several(values: Iterable[str]) -> str:
    return SEVERAL.join(sorted({value for value in values if value}))
