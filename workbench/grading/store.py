"""Assessments beside the run they judge: append-only, so no save ever destroys an earlier one."""

from pathlib import Path

from pydantic import ValidationError

from workbench.grading.records import Assessment
from workbench.host import lines

FILE = "assessments.jsonl"


class AssessmentStore:
    """The assessments of one run, in the run's own folder."""

    def __init__(self, run_folder: Path) -> None:
        self.path = run_folder / FILE

    def add(self, assessment: Assessment) -> None:
        """Save one; it is on the disk when this returns. Raises OSError when it cannot be kept."""
        lines.append(self.path, assessment.model_dump_json().encode(), sync=True)

    def all(self) -> tuple[Assessment, ...]:
        """Every save ever made, oldest first; lines that a kill tore are left out."""
        found = []
        for line in lines.read(self.path):
            try:
                found.append(Assessment.model_validate_json(line))
            except ValidationError:
                continue
        return tuple(found)

    def latest(self, trial: str, grader: str = "") -> Assessment | None:
        """The last save about a trial, by one grader or by anyone; None when there is none."""
        saves = (a for a in reversed(self.all()) if a.trial == trial and grader in ("", a.grader))
        return next(saves, None)

    def by_trial(self) -> dict[str, tuple[Assessment, ...]]:
        """Trial key → the last save of each grader, in the order they were saved."""
        held: dict[str, dict[str, Assessment]] = {}
        for assessment in self.all():
            graders = held.setdefault(assessment.trial, {})
            graders.pop(assessment.grader, None)
            graders[assessment.grader] = assessment
        return {trial: tuple(graders.values()) for trial, graders in held.items()}
