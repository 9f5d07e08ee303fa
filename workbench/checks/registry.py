"""The one registry: which checks an audit has, and what they say of a trace."""

import difflib
import functools
import importlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from workbench.checks.case import Case, unmeasured
from workbench.checks.definition import DEFINITIONS, Check, Definition, WrongValueError
from workbench.checks.records import CheckResult
from workbench.checks.values import flag
from workbench.corpus.entries import KEYS
from workbench.corpus.records import Audit, Problem
from workbench.text.sanitize import clean_line
from workbench.traces.reasons import Reason
from workbench.traces.records import Trace

FAMILIES = ("text", "reads", "tools", "files")
"""Modules of this room that register checks when they are imported."""

GROUP = "workbench.checks"
"""Entry points of other packages: each names a module that registers checks when it is imported."""

FINAL_REPLY = "final_reply"
"""The one key that is no check itself: it says what the text checks read."""

_broken: list[str] = []
"""Plug-ins that failed, whose keys are therefore unknown."""


@dataclass(frozen=True, slots=True)
class Bound:
    """An audit's checks, in the order of the file, and what is wrong with the rest."""

    checks: tuple[Check, ...]
    problems: tuple[Problem, ...]
    final_reply: bool = False
    """Whether its text checks read only what a chat shows."""


@functools.cache
def definitions() -> dict[str, Definition]:
    """Every kind of check by its key: ours, then those of other packages."""
    from importlib.metadata import entry_points

    for family in FAMILIES:
        importlib.import_module(f"workbench.checks.{family}")
    for point in entry_points(group=GROUP):
        try:
            point.load()
        except Exception as error:
            _broken.append(f"the plug-in `{point.name}` could not be loaded: {error!r}")
    return DEFINITIONS


def bind(audit: Audit) -> Bound:
    """Claim the check keys of an audit; what cannot be used is a problem at its place in the file.

    An unknown key is a warning, as it asks for nothing we could judge; a check that is written wrongly is an error.
    """
    claims = [claim for _, claim in _claims(audit)]
    return Bound(
        checks=tuple(claim for claim in claims if isinstance(claim, Check)),
        problems=tuple(claim for claim in claims if isinstance(claim, Problem)),
        final_reply=True in claims,
    )


def evaluate(audit: Audit, trace: Trace, *, reply_tags: Sequence[str] = ("chat",)) -> tuple[CheckResult, ...]:
    """What every check of an audit says of a trace; a check that is written wrongly is unmeasured, never left out."""
    claims = _claims(audit)
    case = Case(audit, trace, tuple(reply_tags), final_reply=(FINAL_REPLY, True) in claims)
    results: list[CheckResult] = []
    for key, claim in claims:
        if isinstance(claim, Check):
            results += _judged(claim, case)
        elif isinstance(claim, Problem) and claim.severity == "error":
            results.append(unmeasured(key, "", Reason.MISSING, f"the check is written wrongly: {claim.message}"))
    return tuple(results)


def _claims(audit: Audit) -> list[tuple[str, Check | bool | Problem]]:
    """What each check key of an audit comes to: a check, the value of `final_reply`, or a problem."""
    claims: list[tuple[str, Check | bool | Problem]] = []
    for key, value in audit.checks.items():
        try:
            claims.append((key, flag(value) if key == FINAL_REPLY else _bound(audit, key, value)))
        except WrongValueError as error:
            claims.append((key, _problem(audit, key, error)))
    return claims


def _bound(audit: Audit, key: str, value: object) -> Check:
    definition = definitions().get(key)
    if definition is None:
        known = sorted({*KEYS, *definitions(), FINAL_REPLY})
        near = difflib.get_close_matches(key, known, 1, 0.7)
        fix = f"did you mean `{near[0]}`?" if near else f"known are: {', '.join(known)}"
        raise WrongValueError("is unknown and checks nothing", "; ".join([fix, *_broken]), "unknown-key")
    if definition.box_only and audit.surface == "dev":
        message = "has no meaning on `surface: dev`, which can only read"
        raise WrongValueError(message, f"remove `{key}` or `surface`", "dev-only")
    return Check(definition, definition.parse(value))


def _problem(audit: Audit, key: str, error: WrongValueError) -> Problem:
    return Problem(
        severity="warning" if error.code == "unknown-key" else "error",
        code=error.code,
        file=audit.file,
        position=audit.position(key),
        audit_id=audit.id,
        message=f"`{clean_line(key, 80)}` {clean_line(error.message, 300)}",
        fix=error.fix,
    )


def _judged(check: Check, case: Case) -> Iterator[CheckResult]:
    """Run one check; a crash in one is that check's, and no verdict."""
    try:
        yield from check.definition.run(case, check.value)
    except Exception as error:
        yield unmeasured(check.kind, "", Reason.CRASHED, f"the check failed to run: {type(error).__name__}: {error}")
