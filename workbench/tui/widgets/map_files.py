"""Files as lines of the map: what is wrong in the chain, each file's weight and answers, passages nobody asks about."""

from collections.abc import Iterator
from dataclasses import dataclass

from rich.cells import cell_len
from textual.content import Content

from workbench.desk.context_words import amount, end_of
from workbench.guidance.records import LAYERS, BoxMap, ChainFault, FileLayer, FileWeight, Unasked
from workbench.traces.records import Layer
from workbench.tui.transcript.words import clip, shown
from workbench.tui.widgets.hanging import hang
from workbench.tui.widgets.map_answers import Row
from workbench.tui.widgets.map_words import LAYER_LOOKS, MEANINGS, fit, heading, where

_BAR, _SIZE, _COUNT = 10, 7, 9


def file_rows(shown_map: BoxMap, width: int) -> Iterator[Row]:
    """The lines of the list: what is wrong where guidance loads, files by layer, what is wrong further on, passages."""
    if shown_map.unsearched:
        yield hang(Content.styled("! ", "$warning"), Content(shown(shown_map.unsearched)), width), None
    wrong, further = shown_map.wrong()
    yield from ((_fault(fault, width), fault) for fault in wrong)
    columns = _Columns.of(shown_map, width)
    spaced = bool(wrong or shown_map.unsearched)
    for layer in LAYERS:
        files = [one for one in shown_map.files if one.file.layer == layer]
        if files:
            if spaced:
                yield Content(""), None
            spaced = True
            yield _head(layer, shown_map.weight(layer), width), None
            yield from ((columns.line(one), one) for one in files)
    if further:
        yield Content(""), None
        yield _further_head(len(further), width), None
        yield from ((_fault(fault, width), fault) for fault in further)
    if shown_map.unasked:
        yield Content(""), None
        yield _unasked_head(len(shown_map.unasked), width), None
        yield from ((_passage(one, columns.path, width), one) for one in shown_map.unasked)


def _fault(fault: ChainFault, width: int) -> Content:
    place = end_of(where(fault.path, fault.line), max(12, width * 3 // 5))
    line = Content.assemble(("! ", "$warning"), (place, "bold"), "  ")
    return line + clip(shown(fault.told), max(8, width - line.cell_length))


def _head(layer: Layer, weight: int, width: int) -> Content:
    look = LAYER_LOOKS[layer]
    head = Content.assemble((f"{look.glyph} {look.says}", f"bold ${look.color}"))
    total = Content.styled(f"{amount(weight)}{' ' * _COUNT}", "bold") if weight and layer == "always" else Content("")
    room = max(0, width - head.cell_length - total.cell_length - 2)
    meaning = Content.styled(fit(f"  {MEANINGS[layer]}", room), "$dim")
    return head + meaning + "  " + total


def _further_head(number: int, width: int) -> Content:
    head = Content.assemble(("! wrong further on", "bold"), f"  {number}")
    return head + Content.styled(
        clip("  in texts that do not load by themselves", max(0, width - head.cell_length)), "$dim"
    )


def _unasked_head(number: int, width: int) -> Content:
    head = Content.assemble(("▎ passages nobody asks about", "bold"), f"  {number}")
    return head + Content.styled(
        clip("  of what loads or is named; no audit's answer stands there", max(0, width - head.cell_length)), "$dim"
    )


def _passage(one: Unasked, room: int, width: int) -> Content:
    look = LAYER_LOOKS[one.layer]
    lines = f"{one.line}–{one.end_line}" if one.end_line > one.line else str(one.line)
    place = fit(end_of(f"{shown(one.path)}:{lines}", room + 4), room + 4)
    line = Content.assemble((f"{look.glyph} ", f"${look.color}"), place, "  ")
    over = clip(f"{heading(one)}  " if one.heading else "", max(8, width - line.cell_length))
    words = clip(shown(one.quote), max(0, width - line.cell_length - cell_len(over)))
    return line + Content.assemble((over, "$dim"), words)


@dataclass(frozen=True, slots=True)
class _Columns:
    """Path, what brings it in, a bar, characters, audits that it answers."""

    path: int
    via: int
    heaviest: int

    @classmethod
    def of(cls, shown_map: BoxMap, width: int) -> "_Columns":
        """The layout for a map in so many cells."""
        room = width - 2 - 2 - 1 - _BAR - _SIZE - _COUNT
        longest = max((len(one.file.path) for one in shown_map.files), default=0)
        path = min(longest, max(12, room * 3 // 5))
        heaviest = max((weigh(one.file) for one in shown_map.files if loads(one.file)), default=1)
        return cls(path, max(0, room - path), heaviest)

    def line(self, one: FileWeight) -> Content:
        """One file."""
        file, look = one.file, LAYER_LOOKS[one.file.layer]
        length = max(1, round(_BAR * weigh(file) / max(1, self.heaviest))) if loads(file) else 0
        answers = "" if not one.audits else f"{one.audits} audit{'' if one.audits == 1 else 's'}"
        return Content.assemble(
            "  ",
            fit(end_of(shown(file.path), self.path), self.path),
            (f"  {fit(reason(file), self.via)} ", "$dim"),
            ("━" * length, f"${look.color}"),
            " " * (_BAR - length),
            ((amount(weigh(file)) if weigh(file) else "").rjust(_SIZE), "" if loads(file) else "$dim"),
            (answers.rjust(_COUNT), "$dim"),
        )


def loads(file: FileLayer) -> bool:
    """Whether anything of a file comes into the context by itself."""
    return bool(file.loaded) and file.layer in ("always", "conditional")


def weigh(file: FileLayer) -> int:
    """What a file brings into the context, or would bring if it were read."""
    return file.loaded if loads(file) else file.size


def reason(file: FileLayer) -> str:
    """What brings a file in, over how many texts, whether it is cut, what tells of it before it loads."""
    cut = f"cut after line {file.cut_after}" if file.cut_after else ""
    hops = f"{file.hops} hops" if file.hops > 1 else ""
    told = f"told in {file.told}" if file.told else ""
    return ", ".join(part for part in (cut, shown(file.via), hops, told) if part)
