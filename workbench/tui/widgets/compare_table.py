"""A comparison as lines of the screen: sides and conditions, audits with both verdicts, one audit on both sides."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from textual.content import Content

from workbench.checks.records import Outcome
from workbench.desk.comparing.records import Compared, Told
from workbench.insight.comparison import KINDS, WORDS, Comparison, Kind, Row
from workbench.insight.sides import Stand, Tried, spent
from workbench.text.amounts import many
from workbench.tui.archive.lines import moment
from workbench.tui.archive.markdown import Line
from workbench.tui.looks import NEVER, OUTCOMES, Look, check_words, level_words, thousands
from workbench.tui.transcript.words import clip, shown
from workbench.tui.widgets.hanging import hang
from workbench.tui.widgets.side_by_side import Half

TableRow = tuple[Content, Row | None]
"""A line of the table, and the audit it tells of; a head has none."""

FLAKY = Look("~", "warning", "flaky: passed and failed")
_SIGNS: dict[Kind, tuple[str, str]] = {
    "broken": ("▼", "$error"),
    "fixed": ("▲", "$success"),
    "less": ("▼", "$error"),
    "more": ("▲", "$success"),
    "moved": ("⇄", "$attention"),
    "loosened": ("!", "$warning"),
    "tightened": ("!", "$warning"),
    "unmeasured": ("?", "$warning"),
}
COMPARE_LEGEND = (
    *OUTCOMES.values(),
    FLAKY,
    replace(NEVER, says="not asked on this side: missing, not failed"),
    Look("▼", "error", "broken, or passes less often"),
    Look("▲", "success", "fixed, or passes more often"),
    Look("⇄", "attention", "the same verdict at another level"),
    Look("!", "warning", "a condition or the checks differ: not to be compared"),
)
_PLAIN = ("·", "$dim")
_LEAD = "   "
_STAND, _WORD, _LEVELS, _GROWN = 11, 13, 48, 8
"""Cells of a side's verdict, of what is beyond chance, of both levels, of what the context grew by."""
_DIFFERENCES, _WIDE = 3, 100
"""Conditions that are told one by one, and cells from which on so many are."""


def head_block(compared: Compared, width: int) -> Content:
    """Both sides, the conditions that differ, totals, what limits it, and the rule of chance."""
    found = compared.comparison
    lines = [_side(name, side, total, width) for name, side, total in _sides(compared)]
    several = _DIFFERENCES if width >= _WIDE else _DIFFERENCES - 1
    for difference in compared.differences[:several]:
        told = f"{shown(difference.name)}  {shown(difference.a)} → {shown(difference.b)}"
        lines.append(Content.assemble(("!  ", "$warning"), clip(told, width - len(_LEAD))))
    if (more := len(compared.differences) - several) > 0:
        lines.append(Content.styled(f"{_LEAD}and {many(more, 'more condition')}", "$dim"))
    hidden = [", ".join(side.hide) for side in (compared.a, compared.b)]
    alike = (f"hidden on both sides: {hidden[0]}",) if hidden[0] and hidden[0] == hidden[1] else ()
    limits = (found.rule, *alike, *_apart(found), *compared.notes)
    lines += [hang(Content(_LEAD), Content.styled(shown(note), "$dim"), width) for note in limits]
    return Content("\n").join(lines)


def _sides(compared: Compared) -> Iterator[tuple[str, Told, Content]]:
    for name, side, total in zip("AB", (compared.a, compared.b), compared.comparison.totals, strict=True):
        if total.interval is None:
            yield name, side, Content.styled("nothing measured", "$dim")
            continue
        share = f"{total.passed}/{total.measured}"
        yield name, side, Content.assemble((share, "bold"), (f"  {total.interval}", "$dim"))


def _side(name: str, side: Told, total: Content, width: int) -> Content:
    """`A  HEAD~3 (4f2a91c08)  reader` and, at the right edge, how much of it passed."""
    runs = ", ".join(dict.fromkeys(f"{run.engine} {run.model}".strip() for run in side.runs))
    when = moment(side.runs[-1].started_at) if side.runs else ""
    who = shown(f"  {runs}  {when}".rstrip())
    room = max(8, width - len(_LEAD) - total.cell_length - 2)
    told = clip(shown(side.told), room)
    left = Content.assemble((f"{name}  ", "bold $primary"), (told, "bold"))
    left += Content.styled(clip(who, max(0, room - len(told))), "$dim")
    return left + " " * max(2, width - left.cell_length - total.cell_length) + total


def _apart(found: Comparison) -> Iterator[str]:
    if found.excluded:
        told = ", ".join(f"{WORDS[kind]} {number}" for kind, number in found.excluded.items())
        yield f"not in the totals: {told}"


def rows(found: Comparison, width: int, *, everything: bool) -> Iterator[TableRow]:
    """What differs, kind by kind under a head; unchanged audits only when everything is wanted, else their number."""
    columns = _Columns.of(found, width)
    first = True
    for kind in KINDS:
        listed = found.of(kind)
        if not listed:
            continue
        if not first:
            yield Content(""), None
        first = False
        if kind == "unchanged" and not everything:
            yield Content.styled(f"  {many(len(listed), 'audit')} unchanged; e shows them", "$dim"), None
            continue
        sign, color = _SIGNS.get(kind, _PLAIN)
        yield Content.assemble((f"{sign} {WORDS[kind]}", f"bold {color}"), (f"  {len(listed)}", "bold")), None
        yield from ((columns.line(row), row) for row in listed)


@dataclass(frozen=True, slots=True)
class _Columns:
    """How the lines are laid out; where it is narrow, levels go first, then what the context grew by."""

    width: int
    name: int
    levels: bool
    grown: bool

    @classmethod
    def of(cls, found: Comparison, width: int) -> "_Columns":
        """The layout for a comparison in so many cells."""
        wanted = max((len(row.name) for row in found.rows), default=0)
        room = width - 2 - 2 * _STAND - 3 - _WORD
        any_level = any(side.shown_level for row in found.rows for side in (row.a, row.b) if side)
        grown = room - _GROWN >= min(wanted, 16)
        levels = any_level and room - _GROWN * grown - _LEVELS >= min(wanted, 16)
        left = room - _GROWN * grown - _LEVELS * levels
        return cls(width, max(8, min(wanted + 2, left)), levels, grown)

    def line(self, row: Row) -> Content:
        """Name, both verdicts, both levels, what the context grew by; regression or improvement where it is one."""
        line = Content(f"  {clip(shown(row.name), self.name):<{self.name}}")
        line = (
            line + _fit(stand_words(row.a), _STAND) + Content.styled(" → ", "$dim") + _fit(stand_words(row.b), _STAND)
        )
        word = row.told.rpartition(": ")[2] if row.beyond_chance else ""
        line += Content.styled(f"  {word:<{_WORD - 2}}", "bold")
        levels = [side.shown_level if side else "" for side in (row.a, row.b)]
        if self.levels and any(levels):
            line += Content.styled(" → ".join(level_words(level) if level else "·" for level in levels), "$dim")
        grown = _signed(row.grown) if self.grown and row.grown else ""
        room = self.width - line.cell_length
        return line + Content.styled(grown.rjust(room), "$dim") if len(grown) < room else line


def _signed(tokens: int) -> str:
    """`+1.2k`, `-40`."""
    return f"{tokens / 1000:+.1f}k" if abs(tokens) >= 1000 else f"{tokens:+d}"


def stand_words(side: Stand | None) -> Content:
    """`✓ 3/3`, `~ 2/3`, a glyph alone for one trial; what was not asked is missing."""
    if side is None:
        return NEVER.content + Content.styled(" not asked", "$dim")
    standing = side.standing
    if not standing.measured:
        outcome = Outcome.UNMEASURED if standing.unmeasured or standing.unsure else Outcome.UNJUDGED
        return OUTCOMES[outcome].content
    look = FLAKY if side.flaky else OUTCOMES[Outcome.PASSED if standing.passed else Outcome.FAILED]
    return look.content + (f" {standing.passed}/{standing.measured}" if standing.measured > 1 else "")


def halves(row: Row, number: int) -> tuple[Half, Half]:
    """Both sides of an audit at one repetition, counted from 0; a side that has fewer shows its last."""
    return _half("A", row.name, row.a, number), _half("B", row.name, row.b, number)


def _half(name: str, audit: str, side: Stand | None, number: int) -> Half:
    if side is None:
        return Half(
            Content.styled(name, "bold $primary"), empty="This side was not asked it: that is missing, not failed."
        )
    tried = side.tries[min(number, len(side.tries) - 1)]
    at = f" · trial {min(number, len(side.tries) - 1) + 1} of {len(side.tries)}" if len(side.tries) > 1 else ""
    title = Content.assemble(
        (name, "bold $primary"), f"  {clip(shown(audit), 40)}", (at, "$dim"), "  ", stand_words(side)
    )
    if side.standing.measured > 1 and side.interval:
        title += Content.styled(f"  {side.interval}", "$dim")
    return Half(
        title, tried.reply, tuple(_judged(side, tried)), "It said nothing.", Content.styled(_measures(side), "$dim")
    )


def _measures(side: Stand) -> str:
    """Level, context and cost, as far as they are known and may be told."""
    parts = [level_words(side.shown_level)] if side.shown_level else []
    if side.initial is not None and side.peak is not None:
        sign = "≈" if side.estimated else ""
        parts.append(f"context {sign}{thousands(side.initial)}, peak {sign}{thousands(side.peak)}")
    return " · ".join(filter(None, (*parts, spent((side,)).cost)))


def _judged(side: Stand, tried: Tried) -> Iterator[Line]:
    """Why there is no verdict, each check, whose verdict counts; then a blank line before the answer."""
    finished = tried.asked.finished
    if finished.verdict.reason:
        told = f"{str(finished.verdict.reason).replace('_', ' ')}  {finished.verdict.detail}".rstrip()
        yield Line(("? ", "warning"), ((shown(told), "text"),))
    for check in finished.checks:
        look = OUTCOMES[check.outcome]
        words = ((f"{check_words(check.kind)} ", "dim"), (shown(check.target), "text"))
        yield Line((f"{look.glyph} ", look.color), words)
    if tried.asked.human is not None:
        said = tried.asked.human
        yield Line(
            ("● ", "label"), ((shown(f"{said.grader}: {said.verdict} {level_words(said.level)}".rstrip()), "text"),)
        )
    if finished.checks or finished.verdict.reason:
        yield Line()


def change_lines(row: Row) -> tuple[Line, ...]:
    """What stands over both answers: what became of the definition, and why a level that moved is not told."""
    told = list(row.change.told)
    if row.kind == "moved" and not all(side and side.shown_level for side in (row.a, row.b)):
        told.append("the acts show another level; which one is told once you saved yours")
    return tuple(Line(("! ", "warning"), ((shown(one), "text"),)) for one in told)


def _fit(content: Content, width: int) -> Content:
    return content + " " * max(0, width - content.cell_length)


def aired(lines: Sequence[TableRow], height: int) -> list[TableRow]:
    """The lines, their blank ones only where all of them fit into so many rows."""
    return list(lines) if len(lines) <= height else [line for line in lines if line[0].plain or line[1] is not None]
