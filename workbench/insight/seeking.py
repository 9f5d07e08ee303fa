"""Looking for what an audit names in the passages that an edit changed."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from workbench.checks.lint_words import vacuous
from workbench.checks.samples import PATTERN_CHECKS, TEXT_CHECKS
from workbench.corpus.records import Audit
from workbench.guidance.records import Place, Placement
from workbench.insight.impact import Reason, Subject
from workbench.text.changes import Changed, Stretch
from workbench.text.patterns import PatternTimeout, compile_error, search

_READS = ("should_read", "should_read_any", "read_before_edit")
_SECONDS = 0.05
"""For one pattern on the changed passages of one file."""


@dataclass(frozen=True, slots=True)
class Sought:
    """A literal, a pattern or a path that an audit's checks name."""

    check: str
    text: str

    @property
    def pattern(self) -> bool:
        """Whether it is a JavaScript pattern."""
        return self.check in PATTERN_CHECKS

    @property
    def reads(self) -> bool:
        """Whether it is part of the path of a file that the agent should read."""
        return self.check in _READS

    def __str__(self) -> str:
        told = f'"{self.text}"'
        return f"{told}, which must not be said," if "_not_" in self.check else told


def sought(audit: Audit) -> tuple[Sought, ...]:
    """Everything an audit's checks of words and reads name, in the order of the file; but for what any text holds."""
    found: list[Sought] = []
    for check in (key for key in audit.checks if key in (*TEXT_CHECKS, *_READS)):
        listed = audit.checks[check]
        items = [item for item in listed if isinstance(item, str)] if isinstance(listed, list) else []
        found += [Sought(check, item) for item in items if check in PATTERN_CHECKS or not vacuous(item)]
    return tuple(found)


class Seeker:
    """Looks into the changed passages of one file; what several audits look for is looked for once."""

    def __init__(self, path: str, passages: Changed) -> None:
        self._path = path
        self._before, self._after = _Side(passages.before), _Side(passages.after)

    def reasons(self, subject: Subject, wanted: Sequence[Sought]) -> Iterator[Reason]:
        """The one that says most: that something came, went, or stands in a changed passage; else that it comes close.

        Places on the map answer for patterns; only those of an audit that is on no map are searched.
        """
        found: list[tuple[int, Reason]] = []
        for one in wanted:
            come, gone = (
                self._after.find(one, self._path, subject.after),
                self._before.find(one, self._path, subject.before),
            )
            if come:
                way, where = ("stands in the changed passage", 2) if gone else ("came into", 0)
                found.append((where, self._reason(come, f"{one} {way} {self._path}:{come}")))
            elif gone:
                found.append((1, self._reason(gone, f"{one} went from {self._path}:{gone}")))
            elif come is None or gone is None:
                found.append((3, self._reason(0, f"{one} took too long to look for in {self._path}")))
        if found:
            yield min(found, key=lambda pair: pair[0])[1]
        elif near := self._near(subject.after, self._after) or self._near(subject.before, self._before):
            yield near

    def _reason(self, line: int, told: str) -> Reason:
        return Reason("literal", self._path, line, told)

    def _near(self, placement: Placement | None, side: "_Side") -> Reason | None:
        """That a changed passage shares the words of something wanted that stands nowhere word for word."""
        for one in placement.wanted if placement else ():
            for place in one.near:
                if place.path == self._path and side.holds(place.line):
                    told = f'{place.path}:{place.line} comes close to "{one.wanted.text}": {place.near}'
                    return self._reason(place.line, told)
        return None


class _Side:
    """The changed passages of one state of a file."""

    def __init__(self, passages: Sequence[Stretch]) -> None:
        self._passages = passages
        self._words = [one.words.lower() for one in passages]
        self._joined = "\0".join(self._words)
        self._text = "\n\n".join(one.text for one in passages)
        self._known: dict[tuple[str, bool], int | None] = {}

    def holds(self, line: int) -> bool:
        """Whether a line is in a changed passage."""
        return any(one.line <= line <= one.end_line for one in self._passages)

    def find(self, wanted: Sought, path: str, placement: Placement | None) -> int | None:
        """The line something stands at, 0 where it does not; None for a pattern that took too long."""
        if not self._passages:
            return 0
        if wanted.pattern and placement is not None and (placed := _placed(placement, wanted)) is not None:
            return next((place.line for place in placed if place.path == path and self.holds(place.line)), 0)
        key = (wanted.text, wanted.pattern)
        if key not in self._known:
            self._known[key] = self._matched(wanted.text) if wanted.pattern else self._stands(wanted.text)
        return self._known[key]

    def _stands(self, literal: str) -> int:
        """Letter case and line breaks are no difference: what is read over a line break is learned all the same."""
        words = " ".join(literal.split()).lower()
        if not words or words not in self._joined:
            return 0
        passage = next(one for one, held in zip(self._passages, self._words, strict=True) if words in held)
        lines = enumerate(passage.text.lower().split("\n"), passage.line)
        return next((number for number, line in lines if words in " ".join(line.split())), passage.line)

    def _matched(self, pattern: str) -> int | None:
        if compile_error(pattern):
            return 0
        try:
            match = search(pattern, self._text, _SECONDS)
        except PatternTimeout:
            return None
        if match is None:
            return 0
        at = 0
        for one in self._passages:
            end = at + len(one.text)
            if match.start <= end + 1:
                return one.line + one.text.count("\n", 0, max(0, match.start - at))
            at = end + 2
        return 0


def _placed(placement: Placement, wanted: Sought) -> tuple[Place, ...] | None:
    """The places that the map knows of a pattern; None where it did not look."""
    known = next((one for one in placement.wanted if one.wanted.pattern and one.wanted.text == wanted.text), None)
    return None if known is None or known.unsearched else known.places
