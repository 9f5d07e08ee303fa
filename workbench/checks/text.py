"""Checks of what the agent said, by the exact rules of Bee Box: nothing is normalized but letter case."""

from collections.abc import Iterator
from functools import partial

from workbench.checks.case import Case, failed, passed, unmeasured
from workbench.checks.definition import check
from workbench.checks.records import CheckResult, Evidence
from workbench.checks.reply import Said
from workbench.checks.values import patterns, texts
from workbench.text.patterns import PatternTimeout, search
from workbench.traces.reasons import Reason


def find(said: Said, wanted: str) -> tuple[Evidence, ...] | None:
    """Where a text stands in what was said, letter case ignored; None when it does not."""
    lowered = said.text.lower()
    start = lowered.find(wanted.lower())
    if start < 0:
        return None
    end = start + len(wanted.lower())
    if len(lowered) != len(said.text):
        start, end = _unlowered(said.text, start), _unlowered(said.text, end)
    return said.evidence(start, end)


def _unlowered(text: str, position: int) -> int:
    """The index in a text of a position in its lower case, where some characters become two."""
    here = 0
    for index, character in enumerate(text):
        if here >= position:
            return index
        here += len(character.lower())
    return len(text)


@check("correct_contains", texts)
def correct_contains(case: Case, wanted: tuple[str, ...]) -> Iterator[CheckResult]:
    """Each text must be said."""
    for text in wanted:
        found = find(case.said, text)
        if found is not None:
            yield passed("correct_contains", text, *found)
        else:
            yield failed("correct_contains", text, "it is not in the reply")


@check("correct_contains_any", texts)
def correct_contains_any(case: Case, options: tuple[str, ...]) -> Iterator[CheckResult]:
    """At least one text must be said; of an empty list none can be."""
    key, target = "correct_contains_any", " | ".join(options)
    found = next((evidence for text in options if (evidence := find(case.said, text)) is not None), None)
    if found is not None:
        yield passed(key, target, *found)
    else:
        yield failed(key, target, "none of them is in the reply" if options else "the list is empty")


@check("response_not_contains", texts)
def response_not_contains(case: Case, unwanted: tuple[str, ...]) -> Iterator[CheckResult]:
    """No text may be said."""
    for text in unwanted:
        found = find(case.said, text)
        if found is not None:
            yield failed("response_not_contains", text, "it is in the reply", *found)
        else:
            yield passed("response_not_contains", text)


def _matches(key: str, wanted: bool, case: Case, given: tuple[str, ...]) -> Iterator[CheckResult]:
    for pattern in given:
        try:
            match = search(pattern, case.said.text)
        except PatternTimeout as error:
            yield unmeasured(key, pattern, Reason.PATTERN_TIMEOUT, str(error))
            continue
        evidence = case.said.evidence(match.start, match.end) if match else ()
        if (match is not None) == wanted:
            yield passed(key, pattern, *evidence)
        else:
            yield failed(
                key, pattern, "the reply matches it" if match else "nothing in the reply matches it", *evidence
            )


check("correct_matches", patterns)(partial(_matches, "correct_matches", True))
check("response_not_matches", patterns)(partial(_matches, "response_not_matches", False))
