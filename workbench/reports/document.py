"""A run's trials as JSON: the one form in which programs are told of a trial."""

import json
from collections.abc import Iterable
from typing import Any

from workbench.grading.records import Assessment
from workbench.reports.markdown import ReportInput
from workbench.runs.records import Manifest, Trial, TrialFinished


def document(
    run_id: str, engine: str, model: str, trial: Trial, finished: TrialFinished, assessments: Iterable[Assessment]
) -> dict[str, Any]:
    """One finished trial."""
    return {
        "run": run_id,
        "trial": trial.key,
        "audit": trial.audit_id,
        "engine": engine,
        "model": model,
        "outcome": finished.verdict.outcome.value,
        "reason": finished.verdict.reason.value if finished.verdict.reason else "",
        "detail": finished.verdict.detail,
        "at": finished.at,
        "durationMs": finished.duration_ms,
        "turns": finished.turns,
        "costUsd": finished.ending.cost_usd,
        "costBasis": finished.ending.cost_basis,
        "checks": [check.model_dump(mode="json") for check in finished.checks],
        "assessments": [assessment.model_dump(mode="json") for assessment in assessments],
    }


def render(report: ReportInput) -> str:
    """A list of the run's finished trials, on one line."""
    manifest: Manifest = report.manifest
    return json.dumps(
        [
            document(manifest.run_id, manifest.engine, manifest.model, one.trial, one.finished, one.assessments)
            for one in report.entries
        ]
    )
