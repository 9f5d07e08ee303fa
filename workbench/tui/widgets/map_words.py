"""How the map looks: a glyph and a colour for each layer and for how an answer's place compares with its level."""

from collections.abc import Iterator

from rich.cells import cell_len
from textual.content import Content

from workbench.guidance.records import BoxMap, ChainFault, FileWeight, Place, Placement, Taught, Unasked
from workbench.traces.records import Layer
from workbench.tui.looks import Look
from workbench.tui.transcript.words import clip, shown

Subject = Placement | FileWeight | ChainFault | Unasked | Place
"""What a line of the map can be about."""

LAYER_LOOKS: dict[Layer, Look] = {
    "always": Look("●", "primary", "always"),
    "conditional": Look("◐", "attention", "on condition"),
    "referenced": Look("○", "secondary", "referenced"),
    "present": Look("◇", "foreground", "present"),
    "outside": Look("□", "dim", "outside"),
    "absent": Look("–", "dim", "absent"),
}
MEANINGS: dict[Layer, str] = {
    "always": "in context before the first word",
    "conditional": "loads by itself when something happens",
    "referenced": "named in what is loaded",
    "present": "a document that nothing names",
    "outside": "a file of the box that is no guidance",
    "absent": "nowhere in the box",
}
TAUGHT_LOOKS: dict[Taught, Look] = {
    "as_expected": Look("✓", "success", "taught where expected"),
    "deeper": Look("↓", "attention", "deeper than expected"),
    "nearer": Look("↑", "secondary", "nearer than expected"),
    "nowhere": Look("✗", "error", "nowhere"),
    "unplaced": Look("–", "dim", "nothing to look for"),
}
TAUGHT_WORDS: dict[Taught, str] = {
    "as_expected": "as expected",
    "deeper": "deeper",
    "nearer": "nearer",
    "nowhere": "nowhere",
    "unplaced": "unplaced",
}
"""The same in a word or two, for a column."""
MAP_LEGEND = (
    *TAUGHT_LOOKS.values(),
    *(Look(look.glyph, look.color, f"{look.says}: {MEANINGS[layer]}") for layer, look in LAYER_LOOKS.items()),
    Look("■", "primary", "the layer where the answer as a whole stands; shaded where its level expects it"),
    Look("▪", "dim", "a layer where something of it stands too"),
    Look("→", "attention", "stood elsewhere when the map was read before"),
    Look("~", "warning", "comes close, and is not the same"),
    Look("!", "warning", "something wrong in the load chain"),
)
"""Every sign of the map."""
TEXT_LEGEND = (
    Look("●", "primary", "an audit's answer stands on this line"),
    Look("▎", "attention", "a passage nobody asks about"),
)
"""Every sign in the margin of a file."""
FOUND = "bold $background on $attention"
"""What was looked for, where it was found."""


def differs(placement: Placement) -> bool:
    """Whether an answer does not stand where its level expects it."""
    return placement.taught in ("deeper", "nearer", "nowhere")


def spot(subject: Subject) -> tuple[str, int] | None:
    """The file and the line that a line of the map leads to; None where it leads nowhere."""
    match subject:
        case Placement():
            place = subject.place or next(near_places(subject), None)
            return (place.path, place.line) if place else None
        case FileWeight():
            return subject.file.path, 1
        case _:
            return subject.path, max(1, subject.line)


def near_places(placement: Placement) -> Iterator[Place]:
    """The passages that come close to what stands nowhere."""
    return (place for wanted in placement.wanted for place in wanted.near)


def moved(before: BoxMap, after: BoxMap) -> dict[tuple[str, str], Placement]:
    """What was known of the audits whose answer stands elsewhere now, by corpus and audit."""
    old = {(one.file, one.audit_id): one for one in before.placements}
    return {
        key: old[key]
        for one in after.placements
        if (key := (one.file, one.audit_id)) in old and _stands(one) != _stands(old[key])
    }


def _stands(placement: Placement) -> tuple[object, ...]:
    place = placement.place
    return placement.layer, placement.taught, place and (place.path, place.line)


def where(path: str, line: int) -> str:
    """`docs/a.md:12`; the file alone where no line can be named."""
    return f"{shown(path)}:{line}" if line else shown(path)


def heading(passage: Unasked) -> str:
    """The nearest heading over a passage, without those above it."""
    return shown(passage.heading).rpartition(" › ")[2]


def quoted(place: Place) -> Content:
    """A place's line with what was found in it marked."""
    before, found, after = (
        place.quote[: place.start],
        place.quote[place.start : place.end],
        place.quote[place.end :],
    )
    return Content.assemble(shown(before), (shown(found), FOUND), shown(after))


def fit(text: str, width: int) -> str:
    """A text clipped or filled to exactly so many cells."""
    text = clip(text, width)
    return text + " " * max(0, width - cell_len(text))


def legend() -> Content:
    """What the signs over the layers mean."""
    return Content("  ").join(look.content + f" {look.says}" for look in LAYER_LOOKS.values())
