"""Above the map: which box, by whose rules, how many answers stand where they should, what loads at the start."""

from collections.abc import Sequence

from textual.content import Content
from textual.style import Style

from workbench.desk.context_words import amount, cells
from workbench.guidance.records import BoxMap, Taught
from workbench.guidance.skills import at_start
from workbench.tui.transcript.words import clip, shown
from workbench.tui.widgets.map_words import TAUGHT_LOOKS, TAUGHT_WORDS

_CURRENT = "bold $foreground on $block-cursor-blurred-background"


def places_line(boxes: Sequence[BoxMap], current: int, rules: Sequence[str], width: int) -> Content:
    """The boxes on the left, the rules on the right; what is shown stands out."""
    if not boxes:
        return Content("")
    now = boxes[current].rules
    by = Content.styled("as agents of  ", "$dim") + Content(" ").join(
        _tab(shown(now) if now.partition("@")[0] == name else name, current=now.partition("@")[0] == name, rules=name)
        for name in rules
    )
    room = width - by.cell_length - 2
    many = len(boxes) > 1
    left = Content(" ").join(_tab(_named(box), current=many and at == current, box=at) for at, box in enumerate(boxes))
    if left.cell_length > room:
        count = Content.styled(f"  {current + 1}/{len(boxes)}", "$dim") if many else Content("")
        left = Content.styled(clip(_named(boxes[current]), max(4, room - count.cell_length)), "bold") + count
    elif not many:
        left = left.stylize("bold")
    return left + " " * max(2, width - left.cell_length - by.cell_length) + by


def _named(box: BoxMap) -> str:
    return shown(box.title)


def _tab(name: str, *, current: bool, **meta: object) -> Content:
    label = Content.styled(f" {name} ", _CURRENT if current else "$dim")
    return label.stylize(Style.from_meta(dict(meta)))


def taught_block(box: BoxMap, width: int) -> Content:
    """How many answers compare how, and what loads at the start; below it the same as a bar."""
    counts = {taught: sum(one.taught == taught for one in box.placements) for taught in TAUGHT_LOOKS}
    return Content("\n").join([_counts(counts, box, width), _bar(counts, width)])


def _counts(counts: dict[Taught, int], box: BoxMap, width: int) -> Content:
    """The counts in as many words as there is room for."""
    skills = sum(one.file.told for one in box.files if at_start(one.file.path, box.cwd))
    also = f" + {amount(skills)} that tell of skills" if skills else ""
    left = right = Content("")
    for brief, told in (
        (False, f" characters load at the start{also}"),
        (False, f" chars at the start{also}"),
        (False, " chars at the start"),
        (True, f" chars at the start{also}"),
        (True, " chars at the start"),
        (True, " at start"),
        (True, ""),
    ):
        left = Content("   ").join(_count(taught, count, brief=brief) for taught, count in counts.items() if count)
        right = Content.assemble((amount(box.weight("always")), "bold"), (told, "$dim")) if told else Content("")
        if left.cell_length + right.cell_length + 2 <= width:
            break
    return left + " " * max(0, width - left.cell_length - right.cell_length) + right


def _count(taught: Taught, count: int, *, brief: bool) -> Content:
    words = TAUGHT_WORDS[taught] if brief else TAUGHT_LOOKS[taught].says
    return Content.assemble(TAUGHT_LOOKS[taught].content, (f" {count}", "bold"), (f" {words}", "$dim"))


def _bar(counts: dict[Taught, int], width: int) -> Content:
    lengths = cells(list(counts.values()), width)
    if not any(lengths):
        return Content.styled("▄" * width, "$rule")
    colors = {taught: "$rule" if taught == "unplaced" else f"${look.color}" for taught, look in TAUGHT_LOOKS.items()}
    return Content("").join(
        Content.styled("▄" * length, colors[taught]) for taught, length in zip(counts, lengths, strict=True)
    )


def reading_line(told: str, beat: int, width: int) -> Content:
    """A wait that is alive: what is being done, and a piece of light that wanders."""
    line = Content.assemble(("● " if beat % 2 else "○ ", "$attention"), clip(shown(told), width - 2))
    piece = max(4, width // 8)
    at = (beat * 3) % (width + piece) - piece
    start, end = max(0, at), min(width, max(0, at + piece))
    bar = Content.assemble(("━" * start, "$rule"), ("━" * (end - start), "$attention"), ("━" * (width - end), "$rule"))
    return Content("\n").join([line, bar])
