"""A filled-in report against what is stored: what to save, what is the same, and where the two have parted."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from workbench.desk.records import DeskError
from workbench.grading.records import Assessment
from workbench.reports.read_back import Block, ReadBackError, read, run_of, tidy
from workbench.runs.store import StoredRun
from workbench.text.sanitize import clean, clean_line

Stored = Mapping[str, tuple[Assessment, ...]]
"""Trial key → the latest assessment of each grader."""


@dataclass(frozen=True, slots=True)
class Conflict:
    """A block that would go over an assessment saved after the report was written."""

    line: int
    trial: str
    filled: dict[str, str]
    stored: Assessment


@dataclass(frozen=True, slots=True)
class ReadBack:
    """What came of a report; only `saved` changed anything."""

    run_id: str
    saved: tuple[Assessment, ...] = ()
    unchanged: int = 0
    """Blocks that say what is stored."""
    blank: int = 0
    conflicts: tuple[Conflict, ...] = ()


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be saved, and the outcome without it."""

    fills: tuple[tuple[str, dict[str, str]], ...]
    """Trial key and its level, verdict, cause, note."""
    outcome: ReadBack


def plan(run: StoredRun, report: str, grader: str, stored: Stored) -> Plan:
    """Decide about every block; a mistake anywhere is a DeskError with its line, and saves nothing."""
    named = run_of(report)
    if named and named != run.run_id:
        raise DeskError(f"the report tells of run {clean_line(named)}, not of {run.run_id}; name that run")
    try:
        blocks = read(report)
    except ReadBackError as error:
        raise DeskError(str(error)) from error
    if not blocks:
        raise DeskError("the report holds no assessment block; `workbench report RUN --output report.md` writes one")
    mistakes = [mistake for block in blocks for mistake in _mistakes(block, run, grader, stored)]
    mistakes += _doubles(blocks, grader)
    if mistakes:
        raise DeskError("; ".join(mistakes))
    fills: list[tuple[str, dict[str, str]]] = []
    outcome = ReadBack(run.run_id)
    for block in blocks:
        trial, held = block.get("trial"), _held(block, grader, stored)
        if _same(block, held):
            unread = held is None or held.blank
            outcome = replace(outcome, blank=outcome.blank + unread, unchanged=outcome.unchanged + (not unread))
        elif block.blank and not block.get("at"):
            outcome = replace(
                outcome, blank=outcome.blank + 1
            )  # it was blank when the report was written, and still is
        elif held is not None and block.get("at") != ("" if held.blank else held.at):
            conflict = Conflict(block.line, trial, block.filled(), held)
            outcome = replace(outcome, conflicts=(*outcome.conflicts, conflict))
        else:
            fills.append((trial, block.filled()))
    return Plan(tuple(fills), outcome)


def _held(block: Block, grader: str, stored: Stored) -> Assessment | None:
    """What is stored of the grader a block names; of whoever reads it back, when it names none."""
    whose = block.get("grader") or grader
    return next((a for a in stored.get(block.get("trial"), ()) if clean_line(a.grader) == clean_line(whose)), None)


def _same(block: Block, held: Assessment | None) -> bool:
    if held is None:
        return block.blank
    kept = {"level": held.level, "verdict": held.verdict, "cause": held.cause, "note": tidy(clean(held.note))}
    return block.filled() == kept


def _mistakes(block: Block, run: StoredRun, grader: str, stored: Stored) -> list[str]:
    trial = block.get("trial")
    if trial not in run.finished:
        known = ", ".join(run.finished) or "none"
        return [f"line {block.at('trial')}: {trial!r} is no finished trial of {run.run_id}; it has {known}"]
    if _same(block, _held(block, grader, stored)):
        return []
    if block.get("grader") not in ("", clean_line(grader)):
        whose = block.get("grader")
        return [
            f"line {block.at('grader')}: this is {whose}'s assessment and you are {grader};"
            " leave it, and add a block with the grader left blank"
        ]
    return list(block.mistakes())


def _doubles(blocks: tuple[Block, ...], grader: str) -> list[str]:
    seen: dict[tuple[str, str], int] = {}
    found = []
    for block in blocks:
        key = block.get("trial"), block.get("grader") or clean_line(grader)
        if key in seen:
            found.append(f"line {block.line}: {key[0]} was assessed on line {seen[key]} already; keep one block")
        seen.setdefault(key, block.line)
    return found
