"""Reports of stored runs: told in every form, kept beside the run, and read back where a human filled them in."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from workbench.desk.history import History
from workbench.desk.project import Project
from workbench.desk.reading_back import ReadBack, plan
from workbench.desk.records import DeskError
from workbench.desk.upkeep import Upkeep
from workbench.grading.store import AssessmentStore
from workbench.host.files import write_atomic
from workbench.reports import document, html, junit, markdown
from workbench.reports.markdown import ReportEntry, ReportInput

FORMS: dict[str, tuple[str, Callable[[ReportInput], str]]] = {
    "md": ("report.md", markdown.render),
    "html": ("report.html", html.render),
    "junit": ("report.xml", junit.render),
    "json": ("report.json", lambda report: document.render(report) + "\n"),
}
"""Name → the file it is kept in, and what renders it."""


class Reporter:
    """Tells stored runs."""

    def __init__(self, project: Project, upkeep: Upkeep, history: History) -> None:
        self._project, self._upkeep, self._history = project, upkeep, history

    def report(self, run_id: str, form: str = "md") -> str:
        """A run's report; DeskError for a form that is none."""
        return _form(form)[1](self._upkeep.told(run_id))

    def export(self, run_id: str, form: str = "md") -> Path:
        """Write the report beside the run and return its path."""
        path = self._upkeep.open(run_id).folder / _form(form)[0]
        try:
            write_atomic(path, self.report(run_id, form).encode("utf-8"))
        except OSError as error:
            raise DeskError(f"{path}: the report cannot be written: {error.strerror}") from error
        return path

    def part(self, run_id: str, trial: str = "") -> str:
        """The Markdown of one trial, or of the head without what only the traces tell; no other trace is read."""
        stored = self._upkeep.open(run_id)
        asked = {planned.key: planned for planned in stored.manifest.trials}
        if not trial:
            return markdown.render_head(self._upkeep.told(run_id, traces=False))
        if trial not in asked:
            raise DeskError(f"{stored.run_id} has no trial {trial!r}; its report lists those it has")
        view = self._upkeep.view(asked[trial].audit_id, stored.run_id, trial)
        if view.summary is None:
            raise DeskError(f"{trial} is not finished in {stored.run_id}; `workbench run --resume` asks the rest")
        summary = view.summary
        entry = ReportEntry(view.audit, summary.trial, summary.finished, view.trace, summary.assessments)
        return markdown.render_entry(entry)

    def read_back(self, run_id: str, report: str) -> ReadBack:
        """Save what the human here filled into a report; DeskError, and nothing saved, when any block is wrong."""
        stored, grader = self._upkeep.open(run_id), self._project.grader()
        decided = plan(stored, report, grader, AssessmentStore(stored.folder).by_trial())
        saved = [self._upkeep.assess(stored.run_id, trial, grader, filled) for trial, filled in decided.fills]
        self._history.forget()
        return replace(decided.outcome, saved=tuple(saved))


def _form(form: str) -> tuple[str, Callable[[ReportInput], str]]:
    if form not in FORMS:
        raise DeskError(f"{form!r} is no form of a report; the forms are {', '.join(FORMS)}")
    return FORMS[form]
