"""What an edit changed in a file, as hunks short enough to be read beside answers."""

import difflib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from textual.content import Content

from workbench.insight.impact import FileChange
from workbench.text.amounts import many
from workbench.tui.transcript.words import shown
from workbench.tui.widgets.diff import diff_lines
from workbench.tui.widgets.hanging import Line

_AROUND = 1
"""Unchanged lines shown around a change."""
_COMPARED = 4000
"""Lines that only one side has up to which the sides are compared."""
_SHOWN = 200
"""Lines of a file's hunks that are shown."""
_HUNK = re.compile(r"@@ -\d+(?:,\d+)? \+(\d+)(?:,\d+)? @@")


@dataclass(frozen=True, slots=True)
class Hunks:
    """One file's change: how many lines came and went, where, and the hunks of its diff."""

    path: str
    added: int = 0
    removed: int = 0
    passages: tuple[tuple[int, str], ...] = ()
    """Of each hunk the line of its first change in the file as it is now, and what came there, or went."""
    diff: tuple[str, ...] = ()
    """The hunks, without the head that names the file."""
    note: str = ""
    """`new`, `deleted`, or why there is no diff."""


def hunks(change: FileChange) -> Hunks:
    """Compare a file before and after; takes a while for a long one."""
    if change.before is None and change.after is None:
        return Hunks(change.path, note="no text")
    old, new = _lines(change.before), _lines(change.after)
    differ = len(set(old) ^ set(new))
    if differ > _COMPARED:
        return Hunks(change.path, note=f"{differ} lines differ, too many to show")
    diff = list(difflib.unified_diff(old, new, lineterm="", n=_AROUND))[2:]
    note = "new" if change.before is None else "deleted" if change.after is None else ""
    more = (f"… {many(len(diff) - _SHOWN, 'more line')}",) if len(diff) > _SHOWN else ()
    return Hunks(
        change.path,
        sum(line.startswith("+") for line in diff),
        sum(line.startswith("-") for line in diff),
        tuple(_passages(diff)),
        tuple(diff[:_SHOWN]) + more,
        note or ("" if diff else "only the line break at its end"),
    )


def _passages(diff: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Of each run of changed lines the first that came, with its number; where none came, the first that went."""
    at = 1
    for changed, run in groupby(diff, key=lambda line: line[:1] in "+-"):
        lines = list(run)
        if changed:
            came = [(at + index, line) for index, line in enumerate(line for line in lines if line[0] == "+")]
            gone = [(at, line) for line in lines if line[0] == "-"]
            said = ((number, line[1:].strip()) for number, line in (*came, *gone))
            yield next(((number, words) for number, words in said if words), (at, ""))
            at += len(came)
        for line in () if changed else lines:
            head = _HUNK.match(line)
            at = max(1, int(head[1])) if head else at + 1


def _lines(text: str | None) -> list[str]:
    return [line.replace("\r", "␍") for line in text.removesuffix("\n").split("\n")] if text else []


def change_head(one: Hunks) -> Content:
    """`AGENTS.md  +2 −1`."""
    signs = [f"+{one.added}"] if one.added else []
    signs += [f"−{one.removed}"] if one.removed else []
    told = " ".join([*signs, *filter(None, [one.note])])
    return Content.assemble((shown(one.path), "bold"), (f"  {told}" if told else "", "$dim"))


def change_lines(changes: Iterable[Hunks]) -> list[Line]:
    """The files with their hunks, a blank line between two of them."""
    lines: list[Line] = []
    for one in changes:
        if lines:
            lines.append((Content(""), Content("")))
        lines.append((Content(""), change_head(one)))
        lines += diff_lines("\n".join(one.diff)) if one.diff else []
    return lines
