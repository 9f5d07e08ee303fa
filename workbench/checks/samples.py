"""Answers an audit keeps to try its text checks on: right, wrong, and right ones that say what not to do."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from workbench.checks.case import Case
from workbench.checks.records import CheckResult, Outcome
from workbench.checks.registry import FINAL_REPLY, bind, evaluate
from workbench.corpus.records import Audit, Corpus, Problem, SampleKind
from workbench.text.sanitize import clean
from workbench.traces.records import AssistantTurn, Meta, TextBlock, TokenLedger, Trace

TEXT_CHECKS: tuple[str, ...] = (
    "correct_contains",
    "correct_contains_any",
    "correct_matches",
    "response_not_contains",
    "response_not_matches",
)
"""The checks that read nothing but what was said, which is all a sample is."""

PATTERN_CHECKS: tuple[str, ...] = ("correct_matches", "response_not_matches")

_TARGET = 120
_BREAK = "\n"


@dataclass(frozen=True, slots=True)
class SampleResult:
    """One sample put before the text checks of its audit."""

    audit: Audit
    kind: SampleKind
    number: int
    """Which of its kind, from 1."""
    text: str
    results: tuple[CheckResult, ...]

    @property
    def outcome(self) -> Outcome:
        """PASSED when the checks told it right: a wrong one must fail, the others must hold; else why not."""
        outcomes = {result.outcome for result in self.results}
        if Outcome.FAILED in outcomes:
            return Outcome.PASSED if self.kind == "wrong" else Outcome.FAILED
        if Outcome.UNMEASURED in outcomes:
            return Outcome.UNMEASURED
        return Outcome.FAILED if self.kind == "wrong" else Outcome.PASSED

    @property
    def blamed(self) -> tuple[CheckResult, ...]:
        """The checks to look at when it was not told right: those that failed it, could not tell, or let it through."""
        if self.outcome is Outcome.PASSED:
            return ()
        unheld = tuple(result for result in self.results if result.outcome is not Outcome.PASSED)
        return self.results if self.kind == "wrong" and not unheld else unheld

    def __str__(self) -> str:
        name, blamed = f"{self.kind} sample {self.number}", ", ".join(map(_named, self.blamed))
        match self.outcome:
            case Outcome.PASSED:
                return f"{name} {'fails' if self.kind == 'wrong' else 'passes'}"
            case Outcome.UNMEASURED:
                return f"{name} could not be judged by {blamed}"
        if self.kind == "wrong":
            return f"{name} is let through by {blamed}" if blamed else f"{name} is let through: there is no text check"
        return f"{name} is failed by {blamed}"


def try_samples(audit: Audit, reply_tags: Sequence[str] = ("chat",)) -> tuple[SampleResult, ...]:
    """Every sample of an audit put before its text checks, as if it were all an agent had said."""
    texts_only = audit.model_copy(
        update={"checks": {key: value for key, value in audit.checks.items() if key in (*TEXT_CHECKS, FINAL_REPLY)}}
    )
    return tuple(
        SampleResult(audit, kind, number, text, evaluate(texts_only, spoken(text), reply_tags=reply_tags))
        for kind, number, text in samples_of(audit)
    )


def misjudged(audit: Audit, reply_tags: Sequence[str] = ("chat",)) -> tuple[Problem, ...]:
    """The samples of an audit that its checks do not tell right, as problems."""
    return tuple(
        Problem(
            severity="warning",
            code="sample",
            file=audit.file,
            position=audit.position("samples"),
            audit_id=audit.id,
            message=str(sample),
            fix="change the check, or the sample",
        )
        for sample in try_samples(audit, reply_tags)
        if sample.outcome is not Outcome.PASSED
    )


def samples_of(audit: Audit) -> Iterator[tuple[SampleKind, int, str]]:
    """The samples of an audit by kind, each with its number from 1."""
    kinds: tuple[SampleKind, ...] = ("right", "wrong", "negation")
    for kind in kinds:
        for number, text in enumerate(audit.samples.get(kind, ()), 1):
            yield kind, number, text


def spoken(text: str) -> Trace:
    """A trace in which an agent said one thing and did nothing."""
    turn = AssistantTurn(turn_index=0, content=(TextBlock(text=text),), token_ledger=TokenLedger())
    return Trace(meta=Meta(engine="sample", model="", workspace="", prompt=""), turns=(turn,))


def said(audit: Audit, trace: Trace, reply_tags: Sequence[str] = ("chat",)) -> str:
    """The words of a trace that the audit's text checks read."""
    return Case(audit, trace, tuple(reply_tags), bind(audit).final_reply).said.text


def unsampled(now: Corpus, recorded: Corpus) -> tuple[Problem, ...]:
    """A warning for each audit whose patterns are not those on record and that has no sample to try them on."""
    before = {audit.id: _patterns(audit) for audit in recorded.audits}
    return tuple(
        Problem(
            severity="warning",
            code="no-samples",
            file=audit.file,
            position=audit.position(key),
            audit_id=audit.id,
            message=f"`{key}` is not what the last commit has, and no sample shows that it tells right from wrong",
            fix="add `samples:` with right, wrong and negation answers; `workbench selftest` tries them",
        )
        for audit in now.audits
        if not any(audit.samples.values())
        for key, value in list(_patterns(audit).items())
        if value and value != before.get(audit.id, {}).get(key)
    )


def _named(check: CheckResult) -> str:
    """A check as the audit has it: blanks are not smoothed, as they count in a match."""
    return f"{check.kind} '{clean(check.target[:_TARGET]).replace(_BREAK, '␊')}'"


def _patterns(audit: Audit) -> dict[str, object]:
    return {key: audit.checks[key] for key in PATTERN_CHECKS if key in audit.checks}
