"""What a status draft is made from: the last trials of a section, what humans said, and what changed since."""

from collections.abc import Sequence
from datetime import UTC, datetime

from workbench.boxes.location import BoxError
from workbench.boxes.reading import BoxGit
from workbench.corpus.records import Audit, Section
from workbench.desk.history import History
from workbench.desk.library import Library, locate
from workbench.desk.project import Project
from workbench.desk.records import DeskError, TrialSummary
from workbench.guidance.chain import guidance_files
from workbench.host.git import GitError
from workbench.insight.draft import DraftInput, GuidanceCommit, draft, heading
from workbench.insight.flips import compare
from workbench.insight.standing import Asked
from workbench.runs.regrade import Flip

_COMMITS = 20
"""Guidance commits a draft looks at; the draft itself lists fewer."""


class Drafter:
    """Drafts the heading and the prose of a status from stored runs."""

    def __init__(self, project: Project, library: Library, history: History) -> None:
        self._project = project
        self._library = library
        self._history = history

    def draft(self, file: str, section: Section, *, audit_id: str = "", run_id: str = "") -> tuple[str, str]:
        """Return (heading, prose) for a section or one audit; DeskError when nothing of it was ever asked."""
        if audit_id and audit_id not in section.audit_ids:
            raise DeskError(
                f"{section.title or file}: has no audit {audit_id!r}; it has {', '.join(section.audit_ids)}"
            )
        ids = (audit_id,) if audit_id else section.audit_ids
        audits = tuple(audit for audit in map(self._library.audit, ids) if audit)
        trials = self._trials(audits, run_id)
        if not trials:
            raise DeskError(f"{section.title or file}: nothing was asked yet; run the section, then draft its status")
        previous = section.statuses
        since = max((status.date for status in previous), default="")
        given = DraftInput(
            audits=audits,
            asked=tuple(Asked(t.trial, t.finished, t.assessments) for t in trials),
            previous=previous,
            flips=self._flips(audits, trials, since),
            commits=self._commits(file, since),
            audit_id=audit_id,
        )
        return self._heading(trials), draft(given)

    def _trials(self, audits: Sequence[Audit], run_id: str) -> list[TrialSummary]:
        if not run_id:
            return [trial for audit in audits for trial in self._history.last(audit.id)]
        wanted = {audit.id for audit in audits}
        run = self._history.open(run_id)
        return [trial for trial in self._history.of_run(run.run_id) if trial.trial.audit_id in wanted]

    @staticmethod
    def _heading(trials: Sequence[TrialSummary]) -> str:
        engines = sorted({trial.engine for trial in trials})
        models = sorted({trial.model for trial in trials if trial.model})
        return heading(datetime.now(UTC).date().isoformat(), ", ".join(engines), ", ".join(models))

    def _flips(self, audits: Sequence[Audit], trials: Sequence[TrialSummary], since: str) -> tuple[Flip, ...]:
        """Verdicts that differ from those of the last run of the same engine and model, up to the last status's day."""
        if not since:
            return ()
        shown = {trial.run_id for trial in trials}
        flips: list[Flip] = []
        for asked in dict.fromkeys((trial.engine, trial.model) for trial in trials):
            earlier = self._history.before(f"{since}T23:59:59", asked)
            known = [trial for audit in audits for trial in earlier.get(audit.id, ())]
            before = {trial.trial.key: trial.verdict for trial in known if trial.run_id not in shown}
            flips += compare(before, {t.trial.key: t.verdict for t in trials if (t.engine, t.model) == asked})
        return tuple(flips)

    def _commits(self, file: str, since: str) -> tuple[GuidanceCommit, ...]:
        """Commits to the box's guidance since a date; none where the box is no repository."""
        settings = self._library.settings(file)
        if not since:
            return ()
        try:
            box = locate(self._project.root, file, settings.box)
            rules = settings.guidance_rules or self._project.settings.rules or "claude"
            paths = guidance_files(box, rules, settings.guidance)
            if not paths:
                return ()
            arguments = ("log", f"-{_COMMITS}", f"--since={since}T23:59:59", "--format=%H%x09%s", "--", *paths)
            status, out, _ = BoxGit(box).attempt(*arguments)
        except (BoxError, GitError):
            return ()
        lines = out.decode("utf-8", "replace").splitlines() if status == 0 else []
        return tuple(GuidanceCommit(*line.split("\t", 1)) for line in lines if "\t" in line)
