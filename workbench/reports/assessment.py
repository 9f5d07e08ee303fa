"""The assessment block of a report: one fixed form, blank or filled, that a program can read back.

Each block is a fence marked `assessment` at the left margin with one `key: value` line per key of `KEYS`, in that
order; further lines of a value are indented by two spaces. Nothing else in a report starts a line with a fence. `at`
says when the assessment that the block shows was saved, so that a later one is not taken for it; blank ones have none.
"""

from workbench.grading.records import Assessment
from workbench.reports.quoting import fence
from workbench.text.sanitize import clean, clean_line

KEYS: tuple[str, ...] = ("trial", "grader", "at", "level", "verdict", "cause", "note")


def blocks(trial: str, assessments: tuple[Assessment, ...]) -> tuple[str, ...]:
    """One block per grader who filled something in, or a single blank one."""
    filled = [assessment for assessment in assessments if not assessment.blank]
    return tuple(_block(trial, assessment) for assessment in filled) or (_block(trial, None),)


def _block(trial: str, given: Assessment | None) -> str:
    values = {"trial": clean_line(trial)}
    if given:
        values |= {
            "grader": clean_line(given.grader),
            "at": clean_line(given.at),
            "level": clean_line(given.level),
            "verdict": given.verdict,
            "cause": clean_line(given.cause),
            "note": clean(given.note).strip().replace("\n", "\n  "),
        }
    keys = [key for key in KEYS if given or key != "at"]
    return fence("assessment", "\n".join(f"{key}: {values.get(key, '')}".rstrip() for key in keys))
