"""A knowledge map on the terminal: answers by section, then what the files weigh, what is wrong, what nobody asks."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from rich.text import Text

from workbench.desk.context_words import amount, end_of
from workbench.guidance.records import LAYERS, BoxMap, ChainFault, FileWeight, KnowledgeMap, Placement, Taught
from workbench.text.amounts import many
from workbench.traces.records import Layer

if TYPE_CHECKING:
    from rich.console import Console

_WIDEST, _NARROWEST = 118, 60
_FILES, _FAULTS, _PASSAGES = 12, 12, 20
"""Lines of one layer's files, of faults further on, and of passages nobody asks about; the rest is counted."""
_SIGNS: dict[Layer, tuple[str, str]] = {
    "always": ("●", "bold cyan"),
    "conditional": ("◐", "yellow"),
    "referenced": ("○", "blue"),
    "present": ("◇", ""),
    "outside": ("□", "dim"),
    "absent": ("–", "dim"),
}
_NAMES: dict[Layer, str] = {
    "always": "always",
    "conditional": "on condition",
    "referenced": "referenced",
    "present": "present",
    "outside": "outside",
}
_MEANINGS: dict[Layer, str] = {
    "always": "in context before the first word",
    "conditional": "loads by itself when something happens",
    "referenced": "named in what is loaded",
    "present": "documents that nothing names",
    "outside": "no guidance, but an answer stands there",
}
_TAUGHT: dict[Taught, tuple[str, str, str]] = {
    "as_expected": ("✓", "green", "where expected"),
    "nearer": ("↑", "blue", "nearer"),
    "deeper": ("↓", "yellow", "deeper"),
    "nowhere": ("✗", "red", "nowhere"),
    "unplaced": ("–", "dim", "unplaced"),
}
_PLACED = LAYERS[:-1]
_MARK = re.compile(r"^(?:[-*+>]|\d+[.)]) +")


def print_map(out: "Console", known: KnowledgeMap, sections: Mapping[str, str]) -> None:
    """Print a map, as wide as the terminal within reason; `sections` are the titles by audit."""
    width = max(_NARROWEST, min(_WIDEST, out.width))
    if known.boxes:
        out.print(_legend(near=any(one.near for box in known.boxes for p in box.placements for one in p.wanted)))
        out.print()
    for box in known.boxes:
        for line in _box(box, sections, width):
            line.rstrip()
            out.print(line)
    if not known.boxes:
        out.print("nothing to map: the corpora hold no audit")
    for left_out in known.left_out:
        out.print(Text.assemble(("! ", "yellow"), left_out))


def _box(box: BoxMap, sections: Mapping[str, str], width: int) -> Iterator[Text]:
    yield Text.assemble((box.title, "bold"), (f" · loaded as {box.rules} does", "dim"))
    yield _counts(box.placements)
    yield Text()
    yield from _answers(box, sections, width)
    yield from _weights(box, width)
    wrong, further = box.wrong()
    yield from _listed("wrong in the load chain", [_fault(one) for one in wrong])
    yield from _listed(
        "wrong further on, in texts that do not load by themselves", [_fault(one) for one in further], _FAULTS
    )
    nowhere = [_nowhere(one) for one in box.placements if one.taught == "nowhere"]
    yield from _listed("answers that stand nowhere", nowhere)
    passages = [Text(f"  {one.path}:{one.line}  ").append(_MARK.sub("", one.quote), "dim") for one in box.unasked]
    yield from _listed("passages that no audit asks about", [_cut(line, width) for line in passages], _PASSAGES)
    if box.unsearched:
        yield Text.assemble(("! ", "yellow"), box.unsearched)
        yield Text()


def _legend(*, near: bool) -> Text:
    line = Text()
    for layer in _PLACED:
        sign, style = _SIGNS[layer]
        line.append(sign, style).append(f" {_NAMES[layer]}  ", "dim")
    if near:
        line.append("~ comes close", "dim")
    line.rstrip()
    return line


def _counts(placements: Sequence[Placement]) -> Text:
    """`✓ 12 where expected  ↓ 3 deeper …`; what is zero is left out."""
    line = Text()
    for taught, (sign, style, words) in _TAUGHT.items():
        if count := sum(one.taught == taught for one in placements):
            line.append(f"{sign} {count} {words}  ", style)
    return line


def _answers(box: BoxMap, sections: Mapping[str, str], width: int) -> Iterator[Text]:
    """Each answer: audit, the layers it stands in, the level that is expected, the place that decides."""
    name = min(28, max((len(one.audit_id) for one in box.placements), default=0))
    level = max((len(one.expected_level) for one in box.placements), default=0)
    for (file, title), group in groupby(box.placements, lambda one: (one.file, sections.get(one.audit_id, ""))):
        yield Text(title or file, "bold")
        for one in group:
            sign, style, _ = _TAUGHT[one.taught]
            line = Text.assemble((f"{sign} ", style), f"{end_of(one.audit_id, name).ljust(name)}  ")
            line.append_text(_matrix(one))
            line.append(f"  {one.expected_level.replace('_', ' ').ljust(level)}  ")
            room = max(12, width - line.cell_len)
            line.append(end_of(_where(one), room), "" if one.place else "dim")
            yield line
        yield Text()


def _matrix(placement: Placement) -> Text:
    """A cell for each layer: its sign where something of the answer stands, in colour where the whole of it does."""
    there = {place.layer for one in placement.wanted for place in one.places}
    line = Text()
    for layer in _PLACED:
        sign, style = _SIGNS[layer]
        if layer == placement.layer:
            line.append(sign, style or "bold")
        else:
            line.append(sign if layer in there else "·", "dim")
        line.append(" ")
    line.rstrip()
    return line


def _where(placement: Placement) -> str:
    prompt = "  + prompt" if placement.in_prompt else ""
    if placement.place is not None:
        return f"{placement.place.path}:{placement.place.line}{prompt}"
    if placement.taught == "unplaced":
        return "nothing to look for" if not placement.wanted else "cannot be searched"
    near = next((place for one in placement.wanted for place in one.near), None)
    return f"~ {near.path}:{near.line}{prompt}" if near else f"nowhere{prompt}"


def _weights(box: BoxMap, width: int) -> Iterator[Text]:
    """What each layer brings into the context, and its heaviest files; of those outside, the ones that answer most."""
    yield Text("files", "bold")
    for layer in _PLACED:
        files = [one for one in box.files if one.file.layer == layer and not one.file.link]
        if not files:
            continue
        sign, style = _SIGNS[layer]
        lead = Text.assemble((f"{sign} ", style), f"{_NAMES[layer]}  {len(files)}", (f"  {_MEANINGS[layer]}", "dim"))
        total = amount(sum(one.file.loaded for one in files)) if layer != "outside" else ""
        yield lead + Text(total.rjust(max(8, width - lead.cell_len)), "bold" if layer == "always" else "")
        loads = layer in ("always", "conditional")
        for one in sorted(files, key=lambda one: _first(one, weight=loads))[:_FILES]:
            yield _file(one, width)
        if len(files) > _FILES:
            yield Text(f"    … and {len(files) - _FILES} more", "dim")
    yield Text()


def _first(one: FileWeight, *, weight: bool) -> tuple[int, int]:
    """Of what loads the heaviest files come first, of the rest those that answer most."""
    return (-one.file.loaded, -one.audits) if weight else (-one.audits, -one.file.loaded)


def _file(one: FileWeight, width: int) -> Text:
    answers = many(one.audits, "audit") if one.audits else ""
    room = width - 4 - 13 - 8
    line = Text.assemble("    ", end_of(one.file.path, room))
    if one.file.via and room - line.cell_len > 8:
        line.append(f"  {one.file.via}", "dim")
        line.truncate(room + 4, overflow="ellipsis")
    line.pad_right(room + 4 - line.cell_len)
    line.append(answers.rjust(13), "dim")
    return line.append(amount(one.file.loaded).rjust(8) if one.file.loaded else "")


def _fault(fault: ChainFault) -> Text:
    place = f"{fault.path}:{fault.line}" if fault.line else fault.path
    return Text.assemble(("! ", "yellow"), place, (f"  {fault.told}", "dim"))


def _nowhere(placement: Placement) -> Text:
    told = placement.told.removeprefix("stands nowhere: ")
    return Text.assemble(("✗ ", "red"), placement.audit_id, (f"  {told}", "dim"))


def _listed(title: str, lines: Sequence[Text], most: int = 0) -> Iterator[Text]:
    """Some lines under a title that counts them; nothing for none."""
    if not lines:
        return
    yield Text.assemble((title, "bold"), (f"  {len(lines)}", "dim"))
    yield from lines[: most or None]
    if most and len(lines) > most:
        yield Text(f"  … and {len(lines) - most} more; --json has them all", "dim")
    yield Text()


def _cut(line: Text, width: int) -> Text:
    line.truncate(width, overflow="ellipsis")
    return line
