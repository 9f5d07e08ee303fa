"""A comparison as `workbench compare` prints it: what differs, and under which conditions; or one JSON document."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from workbench.insight.comparison import KINDS, WORDS
from workbench.insight.sides import spent
from workbench.text.amounts import many
from workbench.text.sanitize import clean

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from workbench.desk.comparing.records import Compared, Told
    from workbench.insight.comparison import Kind, Row, Total
    from workbench.insight.sides import Stand, Tried

_STYLES = {"broken": "red", "less": "red", "fixed": "green", "more": "green", "loosened": "yellow"}
_QUIET: "tuple[Kind, ...]" = ("unchanged",)
"""What is only counted."""


def print_compared(out: "Console", compared: "Compared", diff: str) -> None:
    """Sides, conditions that differ, what differs audit by audit, totals, and the rule they are told by."""
    from rich.text import Text

    for name, side in (("A", compared.a), ("B", compared.b)):
        out.print(Text.assemble((f"{name}  ", "bold"), side.told, (f"  {_asked(side)}", "dim")))
    for difference in compared.differences:
        out.print(Text.assemble((f"   differs  {difference.name}: ", "yellow"), f"{difference.a} → {difference.b}"))
    for hidden in dict.fromkeys((compared.a.hide, compared.b.hide)):
        if hidden:
            out.print(Text(f"   hidden   {', '.join(hidden)}", "dim"))
    for note in compared.notes:
        out.print(Text(f"   note     {note}", "dim"))
    found = compared.comparison
    width = max((len(row.name) for row in found.rows if row.kind not in _QUIET), default=0)
    for kind in KINDS:
        if (rows := found.of(kind)) and kind not in _QUIET:
            out.print()
            out.print(Text.assemble((WORDS[kind], f"bold {_STYLES.get(kind, '')}".strip()), (f"  {len(rows)}", "dim")))
            for row in rows:
                _print_row(out, row, width)
    _print_totals(out, compared)
    if diff:
        out.print()
        out.print(Text(diff.rstrip("\n")))


def _print_row(out: "Console", row: "Row", width: int) -> None:
    from rich.text import Text

    line = Text.assemble(f"  {row.name:<{width}}  ", _stand(row.a), "  →  ", _stand(row.b))
    levels = [side.shown_level if side else "" for side in (row.a, row.b)]
    if any(levels):
        line.append(f"  {levels[0] or '·'} → {levels[1] or '·'}", "dim")
    if row.grown:
        line.append(f"  context {row.grown:+d}", "dim")
    if row.beyond_chance:
        line.append(f"  {row.told.rpartition(': ')[2]}", "bold")
    line.rstrip()
    out.print(line)
    for told in row.change.told:
        out.print(Text(f"      {clean(told)}", "dim"))
    if row.kind == "moved" and not all(levels):
        out.print(Text("      the acts show another level; which one is told once a human saved theirs", "dim"))


def _stand(side: "Stand | None") -> "Text":
    """`✓ 3/5 flaky [23–88 %]`; a side that was not asked is missing, and one without a verdict says why."""
    from rich.text import Text

    from workbench.checks.records import Outcome
    from workbench.cli.output import glyph

    if side is None:
        return Text("○ not asked", "dim")
    standing = side.standing
    if not standing.measured:
        outcome = Outcome.UNMEASURED if standing.unmeasured or standing.unsure else Outcome.UNJUDGED
        return Text.assemble(glyph(outcome), (f" {'; '.join(standing.apart())}", "dim"))
    outcome = Outcome.PASSED if standing.passed == standing.measured else Outcome.FAILED
    told = f" {standing.passed}/{standing.measured}" + (" flaky" if side.flaky else "")
    line = Text.assemble(glyph(outcome), told)
    if standing.measured > 1:
        line.append(f" [{side.interval}]", "dim")
    if apart := standing.apart():
        line.append(f" ({'; '.join(apart)})", "dim")
    return line


def _print_totals(out: "Console", compared: "Compared") -> None:
    from rich.text import Text

    found = compared.comparison
    out.print()
    if quiet := sum(len(found.of(kind)) for kind in _QUIET):
        out.print(Text(f"{many(quiet, 'audit')} unchanged", "dim"))
    sides = ([row.a for row in found.rows], [row.b for row in found.rows])
    for name, total, stands in zip("AB", found.totals, sides, strict=True):
        cost = spent(stands).cost
        out.print(Text.assemble((f"{name}  ", "bold"), str(total), (f"  {cost}" if cost else "", "dim")))
    if found.excluded:
        told = ", ".join(f"{WORDS[kind]} {number}" for kind, number in found.excluded.items())
        out.print(Text(f"not in these: {told}", "dim"))
    out.print(Text(found.rule, "dim"))


def _asked(side: "Told") -> str:
    runs = ", ".join(run.run_id for run in side.runs)
    engines = ", ".join(dict.fromkeys(" ".join(filter(None, (r.engine, r.engine_version, r.model))) for r in side.runs))
    return f"{engines} · {runs}" if runs not in ("", side.told) else engines


def document(compared: "Compared", diff: str) -> dict[str, Any]:
    """As `--json` shows it: what nobody counted, or has no verdict, is null and never 0."""
    found = compared.comparison
    return {
        "a": _side(compared.a),
        "b": _side(compared.b),
        "differences": [asdict(difference) for difference in compared.differences],
        "notes": list(compared.notes),
        "rule": found.rule,
        "counts": found.counts,
        "totals": [_total(total) for total in found.totals],
        "excluded": found.excluded,
        "audits": [_row(row) for row in found.rows],
        "guidanceDiff": diff,
    }


def _side(side: "Told") -> dict[str, Any]:
    return {
        "kind": side.named.kind,
        "name": side.named.name,
        "told": side.told,
        "runs": [run.run_id for run in side.runs],
        "reused": list(side.reused),
        "hide": list(side.hide),
        "unfinished": side.unfinished,
    }


def _total(total: "Total") -> dict[str, Any]:
    interval = [total.interval.low, total.interval.high] if total.interval else None
    return {"passed": total.passed, "measured": total.measured, "interval": interval}


def _row(row: "Row") -> dict[str, Any]:
    return {
        "id": row.name,
        "file": row.file,
        "section": row.section,
        "kind": row.kind,
        "beyondChance": row.beyond_chance,
        "definition": list(row.change.told),
        "a": _half(row.a),
        "b": _half(row.b),
    }


def _half(side: "Stand | None") -> dict[str, Any] | None:
    if side is None:
        return None
    standing = side.standing
    return {
        "passed": standing.passed,
        "measured": standing.measured,
        "human": standing.human,
        "unmeasured": dict(standing.unmeasured),
        "unjudged": standing.unjudged,
        "unsure": standing.unsure,
        "flaky": side.flaky,
        "interval": [side.interval.low, side.interval.high] if side.interval else None,
        "observedLevel": side.shown_level or None,
        "humanLevel": side.human_level or None,
        "initialContext": side.initial,
        "peakContext": side.peak,
        "estimated": side.estimated,
        "costUsd": side.usd,
        "unpriced": spent((side,)).unpriced,
        "trials": [_tried(one) for one in side.tries],
    }


def _tried(one: "Tried") -> dict[str, Any]:
    verdict = one.asked.finished.verdict
    return {
        "run": one.run_id,
        "trial": one.asked.trial.key,
        "outcome": verdict.outcome,
        "reason": verdict.reason,
        "reply": one.reply,
        "checks": [check.model_dump(mode="json", exclude={"evidence"}) for check in one.asked.finished.checks],
    }
