"""Answers as lines of the map: where each stands, layer by layer, and the level its audit expects, by section."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from textual.content import Content

from workbench.corpus.records import LEVELS
from workbench.desk.context_words import end_of
from workbench.desk.records import SectionRows
from workbench.guidance.records import LAYERS, Placement
from workbench.guidance.verdict import expected_layers
from workbench.tui.looks import level_words
from workbench.tui.transcript.words import clip, shown
from workbench.tui.widgets.map_words import (
    LAYER_LOOKS,
    TAUGHT_LOOKS,
    TAUGHT_WORDS,
    Subject,
    differs,
    fit,
    near_places,
    where,
)

Row = tuple[Content, Subject | None]
"""A line of a list, and what it is about; a head is about nothing."""
Key = tuple[str, str]
"""Corpus and audit."""
Groups = list[tuple[SectionRows, list[Placement]]]
"""Sections in their order, each with its answers."""

_ID, _PLACE, _LEVEL, _GAP = 28, 14, 14, 2
_SHADE = " on $block-cursor-blurred-background"
_MATRIX = 2 * len(LAYERS) - 1
_WORD = max(map(len, TAUGHT_WORDS.values()))
_ROOMY = 80
"""Cells from which the comparison stands in words too, beside its glyph."""


@dataclass(frozen=True, slots=True)
class Columns:
    """The cells of each column: audit, layers, place, level, and the comparison in a word where there is room."""

    name: int
    place: int
    level: int
    word: int

    @classmethod
    def of(cls, placements: Sequence[Placement], width: int) -> "Columns":
        """Columns as these audits need them: what is left goes to the place."""
        level = min(_LEVEL, max((len(one.expected_level) for one in placements), default=_LEVEL))
        longest = max((cell_len(shown(one.audit_id)) for one in placements), default=5)
        word = _WORD + _GAP if width >= _ROOMY else 0
        fixed = 2 + _GAP + _MATRIX + _GAP + _GAP + level + word
        name = min(longest, _ID, max(8, width - fixed - _PLACE))
        return cls(name, max(6, width - fixed - name), level, word)

    def head(self) -> Content:
        """What stands over the columns."""
        signs = Content(" ").join(LAYER_LOOKS[layer].content for layer in LAYERS)
        return Content.assemble(
            (f"  {fit('audit', self.name)}  ", "$dim"),
            signs,
            (f"  {fit('nearest place', self.place)}  {fit('expected', self.level)}", "$dim"),
        )

    def line(self, placement: Placement, *, moved: bool) -> Content:
        """One audit."""
        look = TAUGHT_LOOKS[placement.taught]
        quiet = placement.taught in ("as_expected", "unplaced")
        line = Content.assemble(
            look.content,
            " ",
            (fit(shown(placement.audit_id), self.name), "$dim" if placement.taught == "unplaced" else ""),
            "  ",
            matrix(placement),
            "  ",
            _place(placement, self.place, moved=moved),
            (f"  {fit(level_words(shown(placement.expected_level)), self.level)}", "$dim"),
        )
        if not self.word:
            return line
        return line + Content.styled(
            f"  {fit(TAUGHT_WORDS[placement.taught], _WORD)}", "$dim" if quiet else f"${look.color}"
        )


def listed(sections: Iterable[SectionRows], placements: Iterable[Placement]) -> Groups:
    """The sections in their order, each with those of its audits that the map knows."""
    known = {(one.file, one.audit_id): one for one in placements}
    found = []
    for section in sections:
        there = [known[key] for row in section.rows if (key := (section.file, row.audit.id)) in known]
        if there:
            found.append((section, there))
    return found


def answer_rows(
    groups: Groups, columns: Columns, width: int, moved: Mapping[Key, Placement], *, only: bool
) -> Iterator[Row]:
    """The lines of the list: each section's head, then its audits; `only` leaves out what stands where expected."""
    files = {section.file for section, _ in groups}
    first = True
    for section, placements in groups:
        kept = [one for one in placements if not only or differs(one)]
        if not kept:
            continue
        if not first:
            yield Content(""), None
        first = False
        yield _head(section, placements, width, named=len(files) > 1), None
        for one in kept:
            yield columns.line(one, moved=(one.file, one.audit_id) in moved), one


def _head(section: SectionRows, placements: Sequence[Placement], width: int, *, named: bool) -> Content:
    title = Content.styled(clip(shown(section.section.title) or "(no section)", width - 24), "bold")
    placed = [one for one in placements if one.taught != "unplaced"]
    count = f"  {sum(not differs(one) for one in placed)}/{len(placed)}" if placed else ""
    line = title + Content.styled(count, "$dim")
    if named:
        line += Content.styled(clip(f"  {shown(section.file)}", max(0, width - line.cell_length)), "$dim")
    return line


def matrix(placement: Placement) -> Content:
    """One mark a layer, the expected ones shaded: where the answer as a whole stands, where else something of it."""
    there = {place.layer for wanted in placement.wanted for place in wanted.places}
    judged = placement.taught != "unplaced" or placement.place is not None
    expected = expected_layers(placement.expected_level) if placement.expected_level in LEVELS else ()
    line = Content("")
    for at, layer in enumerate(LAYERS):
        shade = _SHADE if layer in expected else ""
        if at:
            line += Content.styled(" ", shade.strip() if LAYERS[at - 1] in expected else "")
        if layer == placement.layer and judged:
            line += Content.styled("■", f"bold ${LAYER_LOOKS[layer].color}{shade}")
        else:
            line += Content.styled("▪", f"$dim{shade}") if layer in there else Content.styled("·", f"$rule{shade}")
    return line


def _place(placement: Placement, width: int, *, moved: bool) -> Content:
    """The place that decides; else what comes close, and whether the question gives it away."""
    lead = Content.styled("→ ", "bold $attention") if moved else Content("")
    room = width - lead.cell_length
    also = "  + prompt" if placement.in_prompt else ""
    if placement.place is not None:
        also = also if room - len(also) >= 12 else ""
        told = end_of(where(placement.place.path, placement.place.line), room - len(also))
        style = ""
    else:
        near = next(near_places(placement), None)
        told = "the prompt alone" if placement.in_prompt else f"~ {where(near.path, near.line)}" if near else ""
        also, style = "", "$dim"
    rest = max(0, room - cell_len(told) - len(also))
    return Content.assemble(lead, (clip(told, room), style), (also, "$dim"), " " * rest)
