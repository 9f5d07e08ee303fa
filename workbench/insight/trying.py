"""A literal or a pattern tried on answers, as the check would judge it, before it stands in an audit."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from workbench.checks.records import CheckResult, Outcome
from workbench.checks.registry import evaluate
from workbench.checks.samples import PATTERN_CHECKS, TEXT_CHECKS, spoken
from workbench.corpus.records import Audit, SampleKind
from workbench.text.near import SETTINGS, near_miss
from workbench.text.patterns import PatternTimeout, compile_error, search
from workbench.traces.reasons import Reason

_SECONDS = 0.2
"""For one pattern and one way of setting the text otherwise."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """One item of a text check: `correct_matches` with a pattern, `response_not_contains` with a literal, …"""

    kind: str
    text: str

    @property
    def is_pattern(self) -> bool:
        """Whether the text is a JavaScript pattern."""
        return self.kind in PATTERN_CHECKS

    @property
    def error(self) -> str:
        """Why JavaScript refuses the pattern; empty when it does not, and for literals."""
        return compile_error(self.text) if self.is_pattern and self.text else ""


@dataclass(frozen=True, slots=True)
class Answer:
    """Something said, or a sample of what might be."""

    name: str
    text: str
    sample: SampleKind | None = None
    """What the audit says of it when it is one of its samples."""
    times: int = 1
    """How many stored trials said exactly this."""


@dataclass(frozen=True, slots=True)
class Tried:
    """What a candidate says of one answer."""

    answer: Answer
    result: CheckResult
    near: str = ""
    """How the answer holds it otherwise, when it does not hold it plainly."""

    @property
    def span(self) -> tuple[int, int] | None:
        """What matched, in characters of the answer."""
        place = self.result.evidence[0] if self.result.evidence else None
        return (place.start, place.end) if place is not None and place.end > place.start else None

    @property
    def amiss(self) -> bool:
        """Whether it fails an answer that the audit's samples call right."""
        return self.result.outcome is not Outcome.PASSED and self.answer.sample in ("right", "negation")


def candidates(audit: Audit) -> tuple[Candidate, ...]:
    """Every item of the audit's text checks."""
    found: list[Candidate] = []
    for kind in TEXT_CHECKS:
        listed = audit.checks.get(kind)
        found += [Candidate(kind, item) for item in listed if isinstance(item, str)] if isinstance(listed, list) else []
    return tuple(found)


def attempt(candidate: Candidate, answers: Sequence[Answer]) -> tuple[Tried, ...]:
    """Judge answers by a candidate alone; a pattern that is too slow on one of them is not tried on the rest."""
    return tuple(_attempts(candidate, answers))


def _attempts(candidate: Candidate, answers: Sequence[Answer]) -> Iterator[Tried]:
    audit = Audit(id="", prompt="", checks={candidate.kind: [candidate.text]})
    slow: CheckResult | None = None
    for answer in answers:
        if slow is not None:
            yield Tried(answer, slow.model_copy(update={"detail": "not tried: the pattern is too slow"}))
            continue
        result = evaluate(audit, spoken(answer.text))[0]
        slow = result if result.reason is Reason.PATTERN_TIMEOUT else None
        yield Tried(answer, result, "" if result.evidence or slow else _near(candidate, answer.text))


def _near(candidate: Candidate, text: str) -> str:
    if not candidate.is_pattern:
        return near_miss(candidate.text, text)
    for how, setting in SETTINGS if not candidate.error else ():
        other = setting(text)
        try:
            if other != text and search(candidate.text, other, _SECONDS):
                return how
        except PatternTimeout:
            return ""
    return ""
