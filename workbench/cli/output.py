"""What commands print: JSON for programs, short lines for people."""

import json
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from workbench.checks.records import GLYPHS, Outcome

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from workbench.checks.records import CheckResult
    from workbench.desk.records import TrialSummary
    from workbench.runs.records import Tally

STYLES = {Outcome.PASSED: "green", Outcome.FAILED: "red", Outcome.UNMEASURED: "yellow", Outcome.UNJUDGED: "dim"}
NEVER = "○"


def emit(document: Any) -> None:
    """One JSON value on one line of stdout, flushed; in ASCII, so that it can neither steer a terminal nor be torn."""
    sys.stdout.write(json.dumps(document, separators=(",", ":")) + "\n")
    sys.stdout.flush()


def console(*, stderr: bool = False) -> "Console":
    """A rich console that never guesses at markup, emoji or highlights in foreign text."""
    from rich.console import Console

    return Console(stderr=stderr, highlight=False, markup=False, emoji=False, soft_wrap=True)


def glyph(outcome: Outcome | None) -> "Text":
    """The sign of an outcome in its colour; a ring for what was never asked."""
    from rich.text import Text

    return Text(NEVER, "dim") if outcome is None else Text(GLYPHS[outcome], STYLES[outcome])


def tally_line(tally: "Tally") -> "Text":
    """`✓ 12 passed  ✗ 3 failed  …`; what is zero is left out."""
    from rich.text import Text

    line = Text()
    for outcome, sign in GLYPHS.items():
        count = getattr(tally, outcome.value)
        if count:
            line.append(f"{sign} {count} {outcome.value}  ", STYLES[outcome])
    if tally.finished < tally.planned:
        line.append(f"○ {tally.planned - tally.finished} not asked", "dim")
    line.rstrip()
    return line


def check_lines(checks: Iterable["CheckResult"]) -> Iterable["Text"]:
    """A line a check, and its hint below it."""
    from rich.text import Text

    for check in checks:
        line = Text.assemble("  ", glyph(check.outcome), f" {check.kind} ", (check.target, "bold"))
        if check.detail:
            line.append(f"  {check.detail}", "dim")
        yield line
        if check.hint:
            yield Text(f"      ↳ {check.hint}", "yellow")


def trial_document(summary: "TrialSummary") -> dict[str, Any]:
    """A finished trial as `--json` shows it everywhere."""
    from workbench.reports.document import document

    return document(summary.run_id, summary.engine, summary.model, summary.trial, summary.finished, summary.assessments)
