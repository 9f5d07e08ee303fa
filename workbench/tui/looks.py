"""How verdicts look: a glyph that reads without colour, the name of its colour, and the words of levels and checks."""

from dataclasses import dataclass

from textual.content import Content

from workbench.checks.records import Outcome
from workbench.corpus.records import LEVELS
from workbench.traces.reasons import Reason


@dataclass(frozen=True, slots=True)
class Look:
    """A glyph, the theme variable of its colour, and what it says."""

    glyph: str
    color: str
    says: str

    @property
    def content(self) -> Content:
        """The glyph in its colour."""
        return Content.styled(self.glyph, f"${self.color}")


OUTCOMES = {
    Outcome.PASSED: Look("✓", "success", "passed"),
    Outcome.FAILED: Look("✗", "error", "failed"),
    Outcome.UNMEASURED: Look("?", "warning", "unmeasured: no verdict, and why beside it"),
    Outcome.UNJUDGED: Look("–", "dim", "unjudged: has no checks"),
}
UNSURE = Look("?", "warning", "unsure: a human looked and could not tell")
NEVER = Look("○", "dim", "never asked")
RUNNING = Look("●", "attention", "running")
STALE = Look("≠", "dim", "stale: its guidance, entry, engine or box changed since; Checks says what")

LEGEND = (*OUTCOMES.values(), NEVER, RUNNING, STALE)

_CHECKS = {
    "correct_contains": "contains",
    "correct_contains_any": "contains any of",
    "correct_matches": "matches",
    "response_not_contains": "must not contain",
    "response_not_matches": "must not match",
    "cards_contain": "a card contains",
    "cards_not_under": "no card under",
    "should_read": "should read",
    "should_read_any": "should read any of",
    "should_not_read": "must not read",
    "bash_contains": "ran",
    "should_search": "should search",
    "read_before_edit": "reads before it edits",
}

_ADVICE = {
    Reason.TURN_LIMIT: "`max_turns` in the audit allows more messages; e edits it",
    Reason.TIMED_OUT: "r asks it again; `timeout` in workbench.toml gives it longer",
    Reason.CRASHED: "nothing else was lost; r asks it again",
    Reason.MISSING: "once it is there, r asks again",
    Reason.AUTH: "once the engine is logged in, r asks again",
    Reason.CONTAMINATED: "the answer lay in its reach: hide it by `answer_key`, then r asks again",
}


def level_words(level: str) -> str:
    """A level as a human reads it."""
    return level.replace("_", " ")


def level_key(level: str) -> str:
    """The key 1–9 of a level; empty when it is none of the nine."""
    return str(LEVELS.index(level) + 1) if level in LEVELS else ""


def check_words(kind: str) -> str:
    """What a check asks, in a word or two."""
    return _CHECKS.get(kind, kind.replace("_", " "))


def advice(reason: Reason) -> str:
    """What to do about a trial without a verdict."""
    return _ADVICE.get(reason, "r asks it again" if reason.transient else "")


def thousands(tokens: int) -> str:
    """A token count in thousands, as `18.2k`."""
    return f"{tokens / 1000:.1f}k"
