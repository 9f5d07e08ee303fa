"""Everything the map knows of the line under the mark, each place a line of its own to be opened."""

from collections.abc import Iterator
from itertools import groupby

from textual.content import Content

from workbench.guidance.records import (
    BoxMap,
    ChainFault,
    FileLayer,
    FileWeight,
    Place,
    Placement,
    Unasked,
    WantedPlaces,
)
from workbench.tui.looks import check_words, level_words
from workbench.tui.transcript.words import shown
from workbench.tui.widgets.hanging import hang
from workbench.tui.widgets.map_answers import Row
from workbench.tui.widgets.map_files import reason
from workbench.tui.widgets.map_words import LAYER_LOOKS, MEANINGS, TAUGHT_LOOKS, Subject, heading, quoted, where

_BLANK: Row = (Content(""), None)


def title(subject: Subject | None) -> str:
    """What stands over the details."""
    match subject:
        case None:
            return ""
        case Placement():
            return shown(subject.audit_id)
        case FileWeight():
            return shown(subject.file.path)
        case _:
            return where(subject.path, subject.line)


def details(
    subject: Subject, around: BoxMap, width: int, *, prompt: str = "", before: Placement | None = None
) -> Iterator[Row]:
    """The lines of the details, hung at a width; `before` is where the answer stood when the map was read last."""
    match subject:
        case Placement():
            yield from _answer(subject, width, prompt, before)
        case FileWeight():
            yield from _file(subject, around, width)
        case ChainFault():
            yield _said("! ", "$warning", shown(subject.told), width)
            if subject.target:
                yield _said("  ", "", f"named there: {shown(subject.target)}", width, "$dim")
        case Unasked():
            yield from _passage(subject, width)
        case Place():
            yield from _place(subject, width)


def _answer(one: Placement, width: int, prompt: str, before: Placement | None) -> Iterator[Row]:
    look = TAUGHT_LOOKS[one.taught]
    if prompt:
        yield hang(Content.styled("▎ ", "$primary"), Content.styled(shown(prompt), "bold"), width), None
        yield _BLANK
    yield _said(f"{look.glyph} ", f"${look.color}", shown(one.told) or look.says, width)
    yield _said("  ", "", f"expected: {level_words(shown(one.expected_level))}", width, "$dim")
    if before is not None:
        yield _said("→ ", "$attention", f"stood {_stood(before)} when the map was read before", width)
    for _, group in groupby(one.wanted, key=lambda wanted: wanted.wanted.choice):
        wanted = list(group)
        if len(wanted) > 1:
            yield _BLANK
            yield Content.styled("one of these is enough", "$dim"), None
        for each in wanted:
            if len(wanted) == 1:
                yield _BLANK
            enough = any(other.places for other in wanted)
            yield from _wanted(each, width, told=one.in_prompt, enough=enough)


def _stood(before: Placement) -> str:
    if before.place is None:
        return "nowhere"
    return f"in {where(before.place.path, before.place.line)}, {LAYER_LOOKS[before.layer].says},"


def _wanted(each: WantedPlaces, width: int, *, told: bool, enough: bool) -> Iterator[Row]:
    """One wanted thing and its places; `enough`: it, or what may stand in its place, is there."""
    kind = check_words(each.wanted.check)
    text = shown(each.wanted.text).replace("\n", "␊")
    yield hang(Content.styled(f"{kind}  ", "$dim"), Content.styled(text, "bold"), width), None
    if each.in_prompt and not told:
        yield _said("  + ", "$warning", "also in the prompt", width)
    if each.unsearched:
        yield _said("  ? ", "$warning", shown(each.unsearched), width)
    for place in each.places:
        yield from _place(place, width)
    if each.count > len(each.places):
        yield Content.styled(f"  {each.count - len(each.places)} more places", "$dim"), None
    if not each.places and not each.unsearched:
        close = "stands nowhere word for word; close to it:" if each.near else "stands nowhere"
        yield _said(*(("  – ", "$dim") if enough else ("  ✗ ", "$error")), close, width)
        for place in each.near:
            yield from _place(place, width)


def _place(place: Place, width: int) -> Iterator[Row]:
    """Where something stands, and its line; the place alone takes the mark, so that every step is a step on."""
    look = LAYER_LOOKS[place.layer]
    sign = ("~ ", "$warning") if place.near else (f"{look.glyph} ", f"${look.color}")
    told = ", ".join(part for part in (shown(place.near), look.says, shown(place.via)) if part)
    lead = Content.assemble("  ", sign)
    line = hang(lead, Content.assemble(where(place.path, place.line), (f"  {told}", "$dim")), width)
    quote = quoted(place)
    indent = len(quote.plain) - len(quote.plain.lstrip())
    if quote.plain.strip():
        line = line + "\n" + hang(Content("    "), quote[indent:], width)
    yield line, place


def _file(one: FileWeight, around: BoxMap, width: int) -> Iterator[Row]:
    file, look = one.file, LAYER_LOOKS[one.file.layer]
    yield _said(f"{look.glyph} ", f"${look.color}", f"{look.says}: {MEANINGS[file.layer]}", width)
    if told := reason(file):
        yield _said("  ", "", told, width, "$dim")
    if file.size:
        yield _said("  ", "", _sizes(file), width, "$dim")
    for fault in around.faults:
        if fault.path == file.path:
            yield _said("! ", "$warning", shown(fault.told), width)
    yield _BLANK
    yield from _answered(one, around, width)
    passages = [passage for passage in around.unasked if passage.path == file.path]
    if passages:
        yield _BLANK
        yield Content.assemble(("nobody asks about", "bold"), f"  {len(passages)}"), None
        labels = [_lines(passage) for passage in passages]
        room = max(map(len, labels))
        for passage, label in zip(passages, labels, strict=True):
            over = f"{heading(passage)}  " if passage.heading else ""
            lead = Content.styled(f"  ▎ {label:<{room}}  ", "$attention")
            yield hang(lead, Content.assemble(over, (shown(passage.quote), "$dim")), width), passage


def _lines(passage: Unasked) -> str:
    return f"{passage.line}–{passage.end_line}" if passage.end_line > passage.line else str(passage.line)


def _sizes(file: FileLayer) -> str:
    """How much of a file loads; a skill is told of first."""
    if file.told:
        return f"{file.told} characters tell of it; {file.loaded} load once it is opened"
    return f"{file.loaded} of {file.size} characters load" if file.loaded != file.size else f"{file.size} characters"


def _answered(one: FileWeight, around: BoxMap, width: int) -> Iterator[Row]:
    """The audits of which something stands in a file, at the line where it first does."""
    yield Content.assemble(("answers", "bold"), f"  {one.audits or 'no audit'}"), None
    found = []
    for placement in around.placements:
        places = [p for wanted in placement.wanted for p in wanted.places if p.path == one.file.path]
        if places:
            found.append((min(places, key=lambda place: place.line), placement))
    for first, placement in sorted(found, key=lambda pair: pair[0].line):
        look = TAUGHT_LOOKS[placement.taught]
        lead = Content.assemble("  ", look.content, Content.styled(f" {first.line:>4}  ", "$dim"))
        yield hang(lead, Content(shown(placement.audit_id)), width), first


def _passage(one: Unasked, width: int) -> Iterator[Row]:
    look = LAYER_LOOKS[one.layer]
    yield _said(f"{look.glyph} ", f"${look.color}", f"{look.says}: {MEANINGS[one.layer]}", width)
    yield _said("  ", "", f"line {_lines(one)}: no audit's answer stands there", width, "$dim")
    yield _BLANK
    if one.heading:
        yield Content.styled(shown(one.heading), "bold"), None
    yield hang(Content(""), Content(shown(one.quote)), width), one


def _said(sign: str, color: str, text: str, width: int, style: str = "") -> Row:
    return hang(Content.styled(sign, color) if color else Content(sign), Content.styled(text, style), width), None
