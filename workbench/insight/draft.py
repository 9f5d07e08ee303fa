"""Drafts the prose of a status comment; the human edits it before it is written."""

from collections.abc import Iterable
from dataclasses import dataclass

from workbench.checks.records import Outcome
from workbench.corpus.records import Audit, Status
from workbench.insight.phrases import failure
from workbench.insight.standing import Asked, causes, count
from workbench.runs.regrade import Flip
from workbench.text.sanitize import clean_line

_LISTED = 8
"""Items a list names before it says how many more there are."""
_COMMITS = 3
_NOTE, _SUBJECT = 160, 60
"""Characters a note or a commit's subject may take."""


@dataclass(frozen=True, slots=True)
class GuidanceCommit:
    """One commit that touched guidance."""

    hash: str
    subject: str


@dataclass(frozen=True, slots=True)
class DraftInput:
    """What a draft is made from: a section's audits, or one audit, and what became of them last."""

    audits: tuple[Audit, ...]
    """Those the status is about, in file order; asked or not."""
    asked: tuple[Asked, ...]
    """Their trials, in the order they should be told."""
    previous: tuple[Status, ...] = ()
    """Statuses already in the corpus for these audits."""
    flips: tuple[Flip, ...] = ()
    """What changed since the latest of `previous`."""
    commits: tuple[GuidanceCommit, ...] = ()
    """Guidance commits since the latest of `previous`, newest first."""
    audit_id: str = ""
    """Set when the status is about one audit of a section."""

    @property
    def since(self) -> str:
        """` since <date>` of the latest previous status; empty when there is none."""
        dates = [status.date for status in self.previous]
        return f" since {max(dates)}" if dates else ""


def heading(date: str, engine: str, model: str) -> str:
    """What stands in a status's parenthesis: `2026-11-29, claude claude-sonnet-4-5`."""
    who = " ".join(clean_line(part) for part in (engine, model) if part)
    return f"{date}, {who}" if who else date


def draft(given: DraftInput) -> str:
    """Return the prose after `# Status (…): `, as one line.

    It holds only what the trials and the humans said: counts, failures with their first reason, verdicts and levels
    a human set against the audit, causes, notes, and what changed since the last status.
    """
    sentences = (
        _counts(given),
        _failures(given.asked),
        _against_checks(given.asked),
        _levels(given),
        _listing("Causes", (f"{cause} {n}" for cause, n in causes(given.asked))),
        _notes(given.asked),
        _listing(f"Flips{given.since}", map(str, given.flips)),
        _commits(given),
    )
    prose = " ".join(sentence for sentence in sentences if sentence)
    return f"{given.audit_id}: {prose}" if given.audit_id else prose


def _counts(given: DraftInput) -> str:
    standing = count(given.asked)
    reached = {one.trial.audit_id for one in given.asked}
    missing = sum(audit.id not in reached for audit in given.audits)
    apart = [*standing.apart(), *([f"{missing} not asked"] if missing else [])]
    tail = f" ({'; '.join(apart)})" if apart else ""
    repeated = len(given.asked) > len(reached)
    unit = f"trials of {len(reached)} {'audit' if len(reached) == 1 else 'audits'} " if repeated else ""
    return f"{standing.passed}/{standing.measured} {unit}pass{tail}."


def _failures(asked: tuple[Asked, ...]) -> str:
    items = []
    for audit_id, trials in _by_audit(asked).items():
        failed = [one for one in trials if one.outcome is Outcome.FAILED]
        if not failed:
            continue
        measured = sum(one.outcome in (Outcome.PASSED, Outcome.FAILED) for one in trials)
        score = f" {measured - len(failed)}/{measured}" if len(trials) > 1 else ""
        why = next(filter(None, map(_why, failed)), "")
        items.append(f"{audit_id}{score}" + (f" ({why})" if why else ""))
    return _listing("Failed", items)


def _why(one: Asked) -> str:
    """The first failed check in a few words; who said so when no check failed."""
    first = next((result for result in one.finished.checks if result.outcome is Outcome.FAILED), None)
    if first is None:
        return f"by {clean_line(one.human.grader)}" if one.human else ""
    more = sum(result.outcome is Outcome.FAILED for result in one.finished.checks) - 1
    return failure(first) + (f"; {more} more" if more else "")


def _against_checks(asked: tuple[Asked, ...]) -> str:
    """Verdicts in which the human did not follow the checks."""
    return _listing(
        "Human verdicts against the checks",
        (
            f"{one.trial.key} {one.human.verdict}, checks {one.finished.verdict}"
            for one in asked
            if one.human and one.outcome is not one.finished.verdict.outcome
        ),
        separator="; ",
    )


def _levels(given: DraftInput) -> str:
    expected = {audit.id: audit.expected_level for audit in given.audits}
    items = []
    for one in given.asked:
        level = next((a.level for a in reversed(one.assessments) if a.level), "")
        wanted = expected.get(one.trial.audit_id, "")
        if level and level != wanted:
            items.append(f"{one.trial.key} graded {level}, expected {wanted or 'no level'}")
    return _listing("Levels", items, separator="; ")


def _notes(asked: tuple[Asked, ...]) -> str:
    notes = (
        f"{one.trial.key}: {clean_line(assessment.note, _NOTE).rstrip('.')}"
        for one in asked
        for assessment in one.assessments
        if assessment.note.strip()
    )
    return _listing("Notes", notes, separator="; ")


def _commits(given: DraftInput) -> str:
    told = (f"{commit.hash[:7]} {clean_line(commit.subject, _SUBJECT)}" for commit in given.commits)
    return _listing(f"Guidance{given.since}", told, separator="; ", listed=_COMMITS)


def _by_audit(asked: tuple[Asked, ...]) -> dict[str, list[Asked]]:
    groups: dict[str, list[Asked]] = {}
    for one in asked:
        groups.setdefault(one.trial.audit_id, []).append(one)
    return groups


def _listing(label: str, items: Iterable[str], separator: str = ", ", listed: int = _LISTED) -> str:
    every = list(items)
    if not every:
        return ""
    more = f" and {len(every) - listed} more" if len(every) > listed else ""
    return f"{label}: {separator.join(every[:listed])}{more}."
