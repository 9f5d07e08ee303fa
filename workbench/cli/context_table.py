"""A context report on the terminal: what the always-on context is made of, then every file by how it stands."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.text import Text

from workbench.desk.context_words import (
    MEANINGS,
    PARTS,
    SIGNS,
    TITLES,
    amount,
    bar_of,
    cells,
    counts,
    end_of,
    heaviest,
    reason,
    remarks,
    share,
    summary,
    weight,
)

if TYPE_CHECKING:
    from rich.console import Console

    from workbench.probe.records import ContextReport, FileContext

_WIDEST, _NARROWEST = 118, 60
_ROOMY = 100
_BAR = 14
_STYLES = {"always": "bold cyan", "conditional": "yellow", "referenced": "blue", "never": "dim"}
_PART_STYLES = {"prompt": "bright_black", "tools": "blue", "guidance": "cyan", "skills": "magenta", "question": "white"}


def print_context(out: "Console", report: "ContextReport") -> None:
    """Print a report; as wide as the terminal, within reason."""
    width = max(_NARROWEST, min(_WIDEST, out.width))
    for line in _lines(report, width):
        out.print(line)


def _lines(report: "ContextReport", width: int) -> Iterable[Text]:
    yield Text()
    yield _header(report)
    if report.parts:
        yield Text()
        yield from _parts(report, width)
    columns = _Columns.of(report, width)
    for standing, title in TITLES.items():
        files = report.standing(standing)
        if files:
            yield Text()
            lead = Text.assemble((f"{SIGNS[standing]} {title}", _STYLES[standing]), (f"  {len(files)}", "bold"))
            yield Text.assemble(lead, (f"  {MEANINGS[standing]}", "dim"))
            yield from (columns.row(file) for file in files)
    yield from _remarks(report)


def _trimmed(line: Text) -> Text:
    line.rstrip()
    return line


@dataclass(frozen=True, slots=True)
class _Columns:
    """The columns of one table: path, what brought it, a bar, characters, share of the always-on context."""

    path: int
    why: int
    bar: int
    heaviest: int
    total: int

    @classmethod
    def of(cls, report: "ContextReport", width: int) -> "_Columns":
        """Columns as the files need them: the path gets what it wants first, up to three fifths."""
        bar = _BAR if width >= _ROOMY else _BAR // 2
        room = width - 4 - 2 - 2 - bar - 7 - 7
        longest = max((len(file.path) for file in report.files), default=0)
        path = min(longest, room * 3 // 5)
        return cls(path, room - path, bar, heaviest(report), report.total)

    def row(self, file: "FileContext") -> Text:
        """One file."""
        heavy, length = weight(file), bar_of(file, self.heaviest, self.bar)
        bar = Text("━" * length, "cyan" if counts(file) else "yellow")
        bar.pad_right(self.bar - length)
        return Text.assemble(
            "    ",
            (end_of(file.path, self.path).ljust(self.path), "dim" if file.standing == "never" else ""),
            (f"  {_start(reason(file), self.why).ljust(self.why)}  ", "dim"),
            bar,
            (amount(heavy).rjust(7), "" if file.came else "dim"),
            (share(heavy, self.total).rjust(7) if counts(file) else "", "dim"),
        )


def _header(report: "ContextReport") -> Text:
    engine, box, *numbers = summary(report)
    line = Text.assemble((engine, "bold"), " · ", (box, "bold"))
    for number, style in zip(numbers, _STYLES.values(), strict=True):
        line.append(" · ", "dim")
        line.append(number, style)
    return line


def _parts(report: "ContextReport", width: int) -> Iterable[Text]:
    bar = Text("  ")
    for part, count in zip(report.parts, cells([part.size for part in report.parts], width - 4), strict=True):
        bar.append("▄" * count, _PART_STYLES[part.name])
    total = f"{report.total:,} characters".replace(",", " ")
    head = Text("  always-on context")
    yield head + Text(total.rjust(width - 2 - head.cell_len), "bold")
    yield bar
    legend = Text("  ")
    for part in (part for part in report.parts if part.size):
        entry = Text.assemble(("■ ", _PART_STYLES[part.name]), PARTS[part.name], f" {amount(part.size)} ")
        entry.append(f"{share(part.size, report.total)}   ", "dim")
        if legend.cell_len + entry.cell_len - 3 > width:
            yield _trimmed(legend)
            legend = Text("  ")
        legend += entry
    yield _trimmed(legend)


def _remarks(report: "ContextReport") -> Iterable[Text]:
    told = list(remarks(report))
    if told:
        yield Text()
    for grave, about, what in told:
        sign = ("✗ ", "bold red") if grave else ("! ", "yellow")
        yield Text.assemble(sign, (about, "red" if grave else "bold"), f"  {what}")
    if not report.differences and report.files:
        yield Text()
        yield Text.assemble(("✓ ", "green"), (f"as the static chain says for {report.rules}", "dim"))


def _start(text: str, room: int) -> str:
    """A text in so many characters, cut at its end."""
    return text if len(text) <= room else f"{text[: max(0, room - 1)]}…"
