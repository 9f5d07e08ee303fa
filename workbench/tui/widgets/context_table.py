"""A context report as lines of the screen: engines, the bar of its parts, groups and files, a file's text."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from textual.content import Content
from textual.style import Style

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
from workbench.probe.records import ContextReport, FileContext, PartName, Standing
from workbench.probe.wire import Step
from workbench.tui.archive.markdown import Line
from workbench.tui.transcript.words import clip, shown
from workbench.tui.widgets.prose import Prose

Row = tuple[Content, FileContext | None]
"""A line of the list, and the file it tells of; a head has none."""

COLORS: dict[Standing, str] = {
    "always": "$primary",
    "conditional": "$attention",
    "referenced": "$secondary",
    "never": "$dim",
}
_PARTS: dict[PartName, str] = {
    "prompt": "$rule",
    "tools": "$secondary",
    "guidance": "$primary",
    "skills": "$attention",
    "question": "$foreground",
}
_BAR = 10
_TONES: dict[Standing, str] = {"always": "label", "conditional": "attention", "referenced": "text", "never": "dim"}
"""What a standing looks like in prose."""
_CURRENT = "bold $foreground on $block-cursor-blurred-background"


class ContextText(Prose):
    """The text of the file under the mark."""

    KEYS_TITLE = "The file's text"


def engines_line(
    names: Sequence[str], current: str, reports: Mapping[str, ContextReport], probing: str, waiting: Sequence[str]
) -> Content:
    """Every engine with the version that was probed; the shown one stands out, the probed one is marked."""
    parts = []
    for name in names:
        report = reports.get(name)
        sign = ("● ", "$attention") if name == probing else ("○ ", "$dim") if name in waiting else ("", "")
        version = report.version if report else "not probed"
        label = Content.assemble(
            " ", sign, (shown(name), "bold" if name == current else ""), (f" {shown(version)} ", "$dim")
        )
        label = label.stylize(_CURRENT if name == current else "$dim")
        parts.append(label.stylize(Style.from_meta({"engine": name})))
    return Content("  ").join(parts)


def parts_block(report: ContextReport, width: int, note: str = "") -> Content:
    """What the always-on context is made of: a line of counts, a bar, and what its colours mean."""
    _, box, *numbers = summary(report)
    head = Content.styled(shown(box), "bold")
    for number, color in zip(numbers, COLORS.values(), strict=True):
        head = head + Content.styled(" · ", "$dim") + Content.styled(number, color)
    total, brief = (
        Content.assemble((amount(report.total), "bold"), (unit, "$dim")) for unit in (" characters always on", " chars")
    )
    total = total if head.cell_length + total.cell_length < width else brief
    lines = [
        head + " " * max(1, width - head.cell_length - total.cell_length) + total,
        _bar(report, width),
        _legend(report, width),
    ]
    if note:
        lines.append(Content.assemble(("! ", "$warning"), shown(note)))
    return Content("\n").join(lines)


def waiting_block(engine: str, step: Step | None, width: int) -> Content:
    """How far a probe is."""
    told = step.told if step else "waiting for its turn"
    done, of = (step.done, step.of) if step else (0, 0)
    count = f"  {done + 1}/{of}" if of and done else ""
    line = Content.assemble(
        ("● ", "$attention"), (shown(engine), "bold"), f"  {clip(shown(told), width - 24)}", (count, "$dim")
    )
    filled = round(width * (done + 1) / (of + 1)) if of else 0
    return Content("\n").join(
        [line, Content.styled("━" * filled, "$attention") + Content.styled("━" * (width - filled), "$rule")]
    )


def rows(report: ContextReport, width: int) -> Iterator[Row]:
    """The lines of the list: what is grave, then each group under its head; a line that is no file has none."""
    differing = {one.path for one in report.differences}
    listed = {file.path for file in report.files}
    for grave, about, what in remarks(report):
        if grave or about not in listed:
            sign = ("✗ ", "$error") if grave else ("! ", "$warning")
            yield Content.assemble(sign, (shown(about), "bold"), f"  {shown(what)}"), None
    columns = _Columns.of(report, width)
    for standing in TITLES:
        files = report.standing(standing)
        if files:
            yield _group_line(standing, len(files), width), None
        yield from ((columns.line(file, differs=file.path in differing), file) for file in files)


def aired(lines: list[Row], height: int) -> list[Row]:
    """The lines with a blank one after each group, where all of them fit into so many rows."""
    spread: list[Row] = []
    for line, file in lines:
        if file is None and spread and spread[-1][1] is not None:
            spread.append((Content(""), None))
        spread.append((line, file))
    return spread if len(spread) <= height else lines


def _group_line(standing: Standing, number: int, width: int) -> Content:
    """The head of a group of files."""
    head = Content.assemble(
        (f"{SIGNS[standing]} {TITLES[standing]}", f"bold {COLORS[standing]}"), (f"  {number}", "bold")
    )
    return head + Content.styled(clip(f"  {MEANINGS[standing]}", max(0, width - head.cell_length)), "$dim")


@dataclass(frozen=True, slots=True)
class _Columns:
    """The columns of one list: path, what brought it, a bar, characters, share of the always-on context."""

    path: int
    why: int
    heaviest: int
    total: int

    @classmethod
    def of(cls, report: ContextReport, width: int) -> "_Columns":
        """Columns as the files need them: the path gets what it wants first, up to three fifths."""
        room = width - 2 - 2 - 1 - _BAR - 7 - 7
        path = min(max((len(file.path) for file in report.files), default=0), room * 3 // 5)
        return cls(path, room - path, heaviest(report), report.total)

    def line(self, file: FileContext, *, differs: bool) -> Content:
        """One file; a mark says that the static chain has it otherwise."""
        heavy, length = weight(file), bar_of(file, self.heaviest, _BAR)
        return Content.assemble(
            ("! " if differs else "  ", "$warning"),
            (_fit(end_of(shown(file.path), self.path), self.path), "$dim" if file.standing == "never" else ""),
            (f"  {_fit(clip(shown(reason(file)), self.why), self.why)} ", "$dim"),
            ("━" * length, COLORS["always" if counts(file) else file.standing]),
            " " * (_BAR - length),
            (amount(heavy).rjust(7), "" if file.came else "$dim"),
            ((share(heavy, self.total) if counts(file) else "").rjust(7), "$dim"),
        )


def file_text(file: FileContext, differs: str) -> Iterator[Line]:
    """How a file stood, then its text as it was loaded, with line numbers."""
    tone = _TONES[file.standing]
    yield Line((f"{SIGNS[file.standing]} ", tone), ((MEANINGS[file.standing], tone),))
    if file.via:
        yield Line(("  ", "dim"), ((shown(file.via), "dim"),))
    yield Line(("  ", "dim"), ((_sizes(file), "dim"),))
    if differs:
        yield Line(("! ", "warning"), ((shown(differs), "text"),))
    yield Line()
    for number, text in enumerate(shown(file.text).split("\n"), 1):
        yield Line((f"{number:>4}  ", "dim"), ((text, "dim" if file.standing == "never" else "text"),))
    if file.cut:
        yield Line(("✂ ", "error"), ((f"cut here: {file.size - file.loaded} more characters lie in the box", "error"),))


def _sizes(file: FileContext) -> str:
    told = f"{file.told} characters tell of it from the start; " if file.told else ""
    loaded = f"{file.loaded} of " if file.loaded and file.loaded != file.size else ""
    return f"{told}{loaded}{file.size} characters"


def _bar(report: ContextReport, width: int) -> Content:
    lengths = cells([part.size for part in report.parts], width)
    pieces = (
        Content.styled("▄" * length, _PARTS[part.name]) for part, length in zip(report.parts, lengths, strict=True)
    )
    return Content("").join(pieces)


def _legend(report: ContextReport, width: int) -> Content:
    """What the colours of the bar mean; where the line is too short, without percentages, then without the last."""
    full = _entries(report, percent=True)
    if sum(entry.cell_length + 3 for entry in full) - 3 <= width:
        return Content("   ").join(full)
    brief = _entries(report, percent=False)
    while sum(entry.cell_length + 2 for entry in brief) - 2 > width:
        brief.pop()
    return Content("  ").join(brief)


def _entries(report: ContextReport, *, percent: bool) -> list[Content]:
    entries = []
    for part in (part for part in report.parts if part.size):
        told = f" {share(part.size, report.total)}" if percent else ""
        entries.append(
            Content.assemble(("■ ", _PARTS[part.name]), PARTS[part.name], f" {amount(part.size)}", (told, "$dim"))
        )
    return entries


def _fit(text: str, width: int) -> str:
    return text + " " * max(0, width - cell_len(text))
