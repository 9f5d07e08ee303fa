"""Checks in words: the one place that says how a check is called and how its failure reads."""

from workbench.checks.records import CheckResult
from workbench.text.sanitize import clean_line

_TARGET = 60

_FAILED = {
    "correct_contains": "did not say {}",
    "correct_contains_any": "said none of {}",
    "correct_matches": "did not match {}",
    "response_not_contains": "said {}",
    "response_not_matches": "matched {}",
    "cards_contain": "no card holds {}",
    "cards_not_under": "a card under {}",
    "should_read": "did not read {}",
    "should_read_any": "read none of {}",
    "should_not_read": "read {}",
    "read_before_edit": "edited before reading {}",
    "bash_contains": "did not run {}",
    "should_search": "did not search {}",
}
_QUOTED = {"correct_contains", "response_not_contains", "cards_contain", "bash_contains"}
_PATTERNS = {"correct_matches", "response_not_matches"}


def label(kind: str) -> str:
    """A check's name as it is shown: `correct_contains_any` → `contains any`."""
    return kind.removeprefix("correct_").replace("_", " ")


def failure(result: CheckResult) -> str:
    """Why a failed check failed, in a few words and on one line."""
    target = clean_line(result.target, _TARGET)
    mark = '"' if result.kind in _QUOTED else "/" if result.kind in _PATTERNS else ""
    shown = f"{mark}{target}{mark}"
    phrase = _FAILED.get(result.kind)
    return phrase.format(shown) if phrase else f"{label(result.kind)} {shown}".strip()
